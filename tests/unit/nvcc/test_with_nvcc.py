"""--with-nvcc: the words that NVIDIA's nvcc gets for ours. It is made up here: it prints them."""
import os
import pathlib
import unittest
from unittest import mock

import support
from warpscope.base import cuda_tools
from warpscope.base.errors import InputError
from warpscope.nvcc import with_nvcc

NVCC = """#!/bin/sh
case "$*" in
  --version) echo "Cuda compilation tools, release $RELEASE, V$RELEASE.88"; exit;;
  --list-gpu-code) printf 'sm_75\\nsm_90\\n'; exit;;
esac
for word; do echo "$word"; done
echo "$NVCC_APPEND_FLAGS" >&2
exit ${NVCC_STATUS:-0}
"""


class WithNvcc(support.WithInstallation):
    def setUp(self):
        super().setUp()
        toolkit = self.folder / "toolkit" / "bin"
        for name in ("nvcc", "ptxas"):
            self.write(f"toolkit/bin/{name}", NVCC).chmod(0o755)
        self.toolkit = toolkit.parent
        self.nvml = self.write("toolkit/include/nvml.h", "")
        self.link = ["-cudart", "shared", f"-L{self.prefix}/cuda/lib64-13"]

    def words(self, *words, **variables):
        said, _ = self.nvcc("--with-nvcc", *words, **{"cuda_home": self.toolkit, "release": "13.0", **variables})
        return said.splitlines()

    def test_a_program_gets_the_runtime_of_its_release(self):
        self.assertEqual(self.words("-O3", "a.cu", "-o", "a"), ["-lineinfo", *self.link, "-O3", "a.cu", "-o", "a"])
        for release, taken in (("11.8", 11), ("12.9", 12), ("10.2", 11)):
            self.assertIn(f"-L{self.prefix}/cuda/lib64-{taken}", self.words("a.o", release=release))
        _, said = self.nvcc("--with-nvcc", "a.o", cuda_home=self.toolkit, release="14.1")
        self.assertEqual(said.splitlines()[0], "nvcc warning : this nvcc is of release 14, which Warpscope does not know: the program gets the runtime "
                         "of release 13")

    def test_libraries_that_need_a_gpu_are_named(self):
        for words in (["-lcusolver", "a.o"], ["a.o", "/opt/cuda/lib64/libcusolver.so"]):
            said, complaints = self.nvcc("--with-nvcc", *words, cuda_home=self.toolkit, release="13.0")
            self.assertIn(words[-1], said.split())
            self.assertEqual(complaints.splitlines()[0], "nvcc warning : cuSOLVER (-lcusolver) is linked as it is, and needs NVIDIA's driver: its functions "
                             "will return errors, and compute nothing")
        _, complaints = self.nvcc("--with-nvcc", "-lcublas", "-lm", "a.o", cuda_home=self.toolkit, release="13.0")
        self.assertNotIn("warning", complaints)

    def test_only_links_get_it(self):
        for words in (["-c", "a.cu"], ["-arch=sm_80", "-dc", "a.cu"], ["-ptx", "a.cu"], ["-cubin", "a.cu"], ["-fatbin", "a.cu"], ["-cuda", "a.cu"]):
            self.assertEqual(self.words(*words), ["-lineinfo", *words])
        for words in (["-E", "a.cu"], ["-M", "a.cu"], ["-lib", "a.o"], ["--list-gpu-arch"], ["--help"], ["-G", "-c", "a.cu"],
                      ["-lineinfo", "-c", "a.cu"]):
            self.assertEqual(self.words(*words), words)

    def test_relocatable_code_is_for_the_gpu_that_the_program_sees(self):
        """What has no PTX, and links that may be of it."""
        for words in (["-dc", "a.cu"], ["-rdc=true", "-c", "a.cu"]):
            self.assertEqual(self.words(*words), ["-arch=sm_90", "-lineinfo", *words])
        self.assertEqual(self.words("-dlink", "a.o"), ["-arch=sm_90", "-dlink", "a.o"])
        self.assertEqual(self.words("-arch=sm_75", "a.o"), ["-lineinfo", *self.link, "-arch=sm_75", "a.o"])

    def test_the_toolkits_runtime_is_not_linked(self):
        for words in (["-cudart", "static"], ["-cudart=shared"], ["--cudart", "none"], ["-lcudart"], ["-l", "cudart_static"], ["--library=cuda,cudart"],
                      ["/usr/local/cuda/lib64/libcudart.so"], ["/x/libcudart_static.a"], ["libcuda.so.1"], ["-lculibos"]):
            self.assertEqual(self.words("a.o", *words), ["-arch=sm_90", "-lineinfo", *self.link, "a.o"], words)
        self.assertEqual(self.words("a.o", "-lcublas,m,cufft_static", "/x/libcurand.so.10"),
                         ["-arch=sm_90", "-lineinfo", *self.link, "a.o", "-lcublas", "-lm", "-lcufft", "-lcurand"])

    def test_the_folders_of_our_own_compiler_are_not_for_nvcc(self):
        self.assertEqual(self.words("-c", "a.cu", f"-I{self.prefix}/cuda/include", "-Ib", f"-L{self.prefix}/cuda/lib64", "-isystem=x,y"),
                         ["-lineinfo", "-c", "a.cu", "-I", "b", "-isystem", "x", "-isystem", "y"])

    def test_everything_else_is_passed_on(self):
        words = ["-Xcompiler", "-Wall,-fPIC", "-std=c++20", "--unknown-of-later", "3", "-DX=a,b", "-gencode", "arch=compute_90,code=sm_90", "-Xlinker", "-rpath,/y", "a.cu"]
        self.assertEqual(self.words(*words), ["-lineinfo", *self.link, *words])
        self.write("more", "-c 'b c.cu'\n")
        self.assertEqual(self.words("-optf", "more"), ["-lineinfo", "-c", "b c.cu"])
        said, left = self.nvcc("a.cu", status=7, cuda_home=self.toolkit, warpscope_with_nvcc="1", release="13.0", nvcc_append_flags="-c -O1",
                               nvcc_status="7")
        self.assertEqual((said.splitlines(), left), (["-lineinfo", "a.cu", "-c", "-O1"], "\n"))  # options of the environment count once

    def test_a_toolkit_without_nvml_gets_our_header_and_no_other(self):
        self.nvml.unlink()
        self.assertEqual(self.words("-c", "a.cu"), ["-lineinfo", "-c", "a.cu", "-isystem", f"{self.prefix}/cuda/include/nvml"])

    def test_the_gpu_that_the_program_sees(self):
        self.assertEqual(self.words("-c", "a.cu", warpscope_gpu="turing"), ["-arch=sm_75", "-lineinfo", "-c", "a.cu"])
        self.assertEqual(self.words("-c", "a.cu", "-arch=native", warpscope_gpu="turing"), ["-lineinfo", "-c", "a.cu", "-arch=sm_75"])
        self.assertEqual(self.words("-c", "a.cu", "-arch", "native"), ["-lineinfo", "-c", "a.cu", "-arch=sm_90"])
        self.assertEqual(self.words("-c", "a.cu", "-arch=sm_80", warpscope_gpu="turing"), ["-lineinfo", "-c", "a.cu", "-arch=sm_80"])
        (self.prefix / "share/warpscope/gpus/old.json").write_text('{"compute_capability": {"value": "3.5", "source": "this test"}}')
        self.assertEqual(self.words("-c", "a.cu", warpscope_gpu="old"), ["-lineinfo", "-c", "a.cu"])  # which this nvcc does not know

    def test_without_nvcc(self):
        empty = pathlib.Path("/nonexistent/bin")
        with mock.patch.object(cuda_tools, "places", lambda: [empty]), mock.patch.dict(os.environ, PATH=str(self.prefix / "cuda/bin")), \
                self.assertRaisesRegex(InputError, "^nvcc: not in /nonexistent/bin or on PATH, expected NVIDIA's toolkit"):
            with_nvcc.command_line(["a.cu"], self.folder)


if __name__ == "__main__":
    unittest.main()
