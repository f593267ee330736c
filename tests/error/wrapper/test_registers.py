"""trace-kernel --registers: what it asks nvcc and ptxas, what it makes of the answer, and its errors.

NVIDIA's compilers are not here; scripts that answer in their form replace them.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import textwrap
import unittest

BIN = pathlib.Path(os.environ["WARPSCOPE_BIN"])
CUBIN = pathlib.Path(__file__).resolve().parents[2] / "unit" / "machine" / "data" / "saxpy_sm90.cubin"
KERNEL = """
__kernel __attribute__((reqd_work_group_size(32, 2, 1))) void scale(__global float* data, float by) {
  const size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
  data[i] = by * exp(data[i]);
}
"""
ANSWER = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'scale' for 'sm_80'
ptxas info    : Function properties for scale
    8 bytes stack frame, 12 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 37 registers, used 0 barriers, 364 bytes cmem[0]
"""


class Registers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "scale.cl").write_text(KERNEL)

    def fake_ptxas(self, answer=ANSWER, status=0):
        """Keeps what it was given: the arguments in `arguments`, the PTX in `seen.ptx`."""
        script = self.path / "ptxas"
        script.write_text(textwrap.dedent(f"""\
            #!/bin/sh
            if [ "$1" = --version ]; then echo "Cuda compilation tools, release 99.1, V99.1.2"; exit 0; fi
            echo "$@" >{self.path}/arguments
            for word; do case "$word" in *.ptx) cp "$word" {self.path}/seen.ptx ;; esac; done
            cat <<'END'
            """) + answer + f"END\nexit {status}\n")
        script.chmod(0o755)
        return script

    def trace(self, *options, ptxas=None):
        environment = {**os.environ, "WARPSCOPE_PTXAS": str(ptxas or self.fake_ptxas())}
        return subprocess.run([BIN / "trace-kernel", "scale.cl", "--global", "64,4", "--local", "32,2", "--arg", "data=count=256",
                               "--arg", "by=2", "-o", "scale.wtrace", *options], cwd=self.path, env=environment, text=True,
                              capture_output=True)

    def fails(self, done, *parts):
        self.assertEqual(done.returncode, 2, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertFalse((self.path / "scale.wtrace").exists())

    def test_the_answer_goes_into_the_capture_and_limits_work_groups(self):
        done = self.trace("--registers", "a100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("'scale' takes 37 registers (ptxas 99.1, sm_80), 16 bytes are spilled", done.stderr)
        shown = self.residency()
        self.assertEqual((shown["registers"], shown["registers_from"]), (37, "ptxas 99.1, sm_80"))

    def residency(self):
        subprocess.run([BIN / "warpsched", "scale.wtrace", "--preset", "a100", "-o", "scale.wsched"], cwd=self.path, check=True)
        subprocess.run([BIN / "cachesim", "scale.wsched", "--preset", "a100", "--json", "result.json"], cwd=self.path, check=True,
                       stdout=subprocess.DEVNULL)
        text = (self.path / "result.json").read_text()
        found = []

        def search(value):
            if isinstance(value, dict):
                if "registers_from" in value:
                    found.append(value)
                for inner in value.values():
                    search(inner)
            elif isinstance(value, list):
                for inner in value:
                    search(inner)
        search(json.loads(text))
        self.assertEqual(len(found), 1)
        return found[0]

    def test_ptxas_gets_complete_ptx_for_the_architecture(self):
        self.assertEqual(self.trace("--registers", "h100").returncode, 0)
        self.assertIn("--gpu-name sm_90 ", (self.path / "arguments").read_text())
        ptx = (self.path / "seen.ptx").read_text()
        self.assertIn(".target sm_86", ptx)
        self.assertIn(".entry scale(", ptx)
        self.assertIn(".reqntid 32, 2, 1", ptx)
        for register in ("%tid.x", "%ctaid.y", "%nctaid.x"):
            self.assertIn(register, ptx)
        self.assertNotIn("get_global_id", ptx)
        self.assertIn("--generate-line-info", (self.path / "arguments").read_text())
        self.assertRegex(ptx, r"\t\.loc\t1 4 ")  # the line of the store; without it spills would have no line

    def test_a_cuda_kernel_becomes_ptx_too(self):
        (self.path / "scale.cu").write_text("__global__ void scale(float* data, float by) {\n"
                                            "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n  data[i] = by * expf(data[i]);\n}\n")
        environment = {**os.environ, "WARPSCOPE_PTXAS": str(self.fake_ptxas())}
        done = subprocess.run([BIN / "trace-kernel", "scale.cu", "--global", "64", "--local", "32", "--arg", "data=count=64", "--arg", "by=2",
                               "--registers", "a100", "-o", "scale.wtrace"], cwd=self.path, env=environment, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.residency()["registers"], 37)
        ptx = (self.path / "seen.ptx").read_text()
        self.assertIn(".entry scale(", ptx)
        self.assertIn("%ctaid.x", ptx)

    @unittest.skipUnless(os.access("/usr/local/cuda/bin/nvcc", os.X_OK), "no nvcc in /usr/local/cuda/bin")
    def test_spills_have_their_line_and_templates_their_name_NeedsCudaToolkit(self):
        (self.path / "live.cl").write_text("__attribute__((reqd_work_group_size(1024, 1, 1))) __kernel void live(__global float* a) {\n"
                                           "  float v[120]; int i = get_global_id(0);\n  _Pragma(\"unroll\")\n"
                                           "  for (int k = 0; k < 120; ++k) v[k] = a[i * 120 + k];\n  barrier(CLK_GLOBAL_MEM_FENCE);\n"
                                           "  _Pragma(\"unroll\")\n  for (int k = 0; k < 120; ++k) a[i * 120 + k] = v[k] * v[119 - k];\n}\n")
        (self.path / "scale.cu").write_text("template <typename T, int N> __global__ void scale(T* a) { a[threadIdx.x] *= N; }\n"
                                            "template __global__ void scale<double, 2>(double*);\n")
        environment = {name: value for name, value in os.environ.items() if name != "WARPSCOPE_PTXAS"}
        for words, expected in ((("live.cl", "--global", "1024", "--local", "1024"), r"'live' takes 64 registers .*registers spilled \(live.cl:[47]\)"),
                                (("scale.cu", "--kernel", "scale<double, 2>", "--global", "64", "--local", "64"),
                                 r"'scale<double, 2>' takes \d+ registers \(nvcc 1")):
            done = subprocess.run([BIN / "trace-kernel", *words, "--registers", "sm_80", "-o", "scale.wtrace"], cwd=self.path, env=environment,
                                  text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, expected)

    def trace_with_nvcc(self, name, *options):
        """An nvcc that answers with the committed cubin of tests/unit/machine/data/saxpy.cu for sm_90."""
        folder = self.path / "cuda" / "bin"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "nvcc").write_text(textwrap.dedent(f"""\
            #!/bin/sh
            [ "$1" = --version ] && {{ echo "Cuda compilation tools, release 99.2, V99.2.1"; exit 0; }}
            echo "$@" >{self.path}/arguments
            case "$*" in *sm_70*) echo "nvcc fatal   : Unsupported gpu architecture 'compute_70'"; exit 1 ;; esac
            while [ "$1" != -o ]; do shift; done
            cp {CUBIN} "$2"
            """))
        for tool in ("nvcc", "ptxas"):
            (folder / tool).touch()
            (folder / tool).chmod(0o755)
        (self.path / "k.cu").write_text(f"__global__ void {name}(double* p) {{ p[threadIdx.x] = SCALE; }}\n")
        environment = {**os.environ, "CUDA_HOME": str(folder.parent)}
        environment.pop("WARPSCOPE_PTXAS", None)
        return subprocess.run([BIN / "trace-kernel", "k.cu", "-D", "SCALE=2", "--global", "64", "--local", "32", "--arg", "p=count=64", *options,
                               "-o", "scale.wtrace"], cwd=self.path, env=environment, text=True, capture_output=True)

    def test_nvcc_says_what_a_cuda_kernel_spills_and_where(self):
        """Words of the stack, bytes and line: counted in the text of NVIDIA's disassembler (LDL, STL at [R1+…])."""
        done = self.trace_with_nvcc("spill", "--registers", "auto:h100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("'spill' takes 40 registers (nvcc 99.2, sm_90; 148 registers spilled (saxpy.cu:26)), 2424 bytes are spilled", done.stderr)
        for word in ("-cubin", "-lineinfo", "-arch=sm_90", "-DSCALE=2"):
            self.assertIn(word, (self.path / "arguments").read_text().split())
        self.assertEqual(self.residency()["registers_from"], "nvcc 99.2, sm_90; 148 registers spilled (saxpy.cu:26)")

    def test_auto_goes_on_where_the_compiler_does_not_know_the_gpu(self):
        done = self.trace_with_nvcc("spill", "--registers", "auto:v100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--registers auto: ", done.stderr)
        self.assertIn("nvcc 99.2 does not know sm_70", done.stderr)
        self.assertEqual(self.residency()["registers_from"], "live values")
        (self.path / "scale.wtrace").unlink()
        self.fails(self.trace_with_nvcc("spill", "--registers", "v100"), "nvcc 99.2 does not know sm_70")

    def test_without_the_option_live_values_are_counted(self):
        self.assertEqual(self.trace().returncode, 0)
        self.assertEqual(self.residency()["registers_from"], "live values")

    def test_errors(self):
        self.fails(self.trace("--registers", "a100", ptxas=self.path / "none"), "ptxas", "not found", "WARPSCOPE_PTXAS")
        self.fails(self.trace("--registers", "auto:voodoo"), "--registers auto:voodoo", "expected sm_NN, a GPU or auto")
        self.fails(self.trace("--registers", "sm_x"), "architecture 'sm_x'", "such as sm_80")
        self.fails(self.trace("--registers", "voodoo"), "--registers voodoo", "expected sm_NN, a GPU or auto", "a100")
        old = self.fake_ptxas("ptxas fatal   : Value 'sm_20' is not defined for option 'gpu-name'\n", 255)
        self.fails(self.trace("--registers", "gtx480", ptxas=old), "ptxas 99.1 does not know sm_20", "warpsched")
        broken = self.fake_ptxas("ptxas error   : out of luck\n", 1)
        self.fails(self.trace("--registers", "sm_80", ptxas=broken), "ptxas: failed for scale.cl", "out of luck")

    def test_a_program_is_refused(self):
        done = subprocess.run([BIN / "trace-kernel", "--registers", "auto", "--", "true"], text=True, capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--registers: only with FILE.cl", done.stderr)


if __name__ == "__main__":
    unittest.main()
