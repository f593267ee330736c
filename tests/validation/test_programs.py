"""The generated host programs: launch files read as trace-kernel reads them, kernels' names and parameters, content."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from stand_ins import SOURCE

from collect import cuda_tools, host_program, suite_launches
from warpscope.base.errors import InputError
from warpscope.result import launches

sys.path.insert(0, str(SOURCE / "benchmarks" / "kernels"))
from buffer_content import split_mix  # noqa: E402


class Launches(unittest.TestCase):
    def launch(self, name="k.launch", **description):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "k"
        folder.mkdir()
        for source in ("k.cu", "k_wide.cu"):
            (folder / source).touch()
        path = folder / name
        path.write_text(json.dumps(description) + " // a comment\n")
        return suite_launches.Launch(path, folder.parent)

    def test_expressions_are_cs(self):
        launch = self.launch(**{"global": ["4*T"], "local": ["T"], "defines": {"T": 8},
                                "args": {"a": "-7/2", "b": "-7%2", "c": "7.0/2", "d": "ceil_div(gx, 5) + min(a, lx)",
                                         "e": "max(gx, ly)", "v": [0.5, "lx"]}})
        self.assertEqual([launch.arguments[name].values for name in "abcdev"], [[-3], [-1], [3.5], [4], [32], [0.5, 8]])
        self.assertEqual((launch.global_size, launch.local_size, launch.grid, launch.groups),
                         ([32, 1, 1], [8, 1, 1], [4, 1, 1], 4))

    def test_a_size_replaces_what_the_file_says(self):
        description = {"global": [64], "local": [8], "defines": {"T": 2, "U": 3},
                       "args": {"a": {"count": "gx*T", "fill": "iota"}, "n": "U"},
                       "sizes": {"small": {"global": [16], "args": {"a": {"fill": "zero"}}, "defines": {"T": 5}}}}
        path = self.launch(**description).path
        small = suite_launches.Launch(path, path.parents[1], "small")
        self.assertEqual((small.name, small.global_size, small.local_size), ("k/k.launch:small", [16, 1, 1], [8, 1, 1]))
        self.assertEqual((small.arguments["a"].count, small.arguments["a"].fill, small.value("n")), (80, ("zero", []), 3))
        self.assertEqual(small.options, ["--size", "small", "--global", "16,1,1", "--local", "8,1,1"])
        own = suite_launches.Launch(path, path.parents[1])
        self.assertEqual((own.name, own.arguments["a"].count), ("k/k.launch:medium", 128))
        self.assertEqual(own.options, ["--global", "64,1,1", "--local", "8,1,1"])
        self.assertNotEqual(own.program_key, small.program_key)
        self.assertEqual([one.size for one in suite_launches.find(path.parents[1], suite_launches.SIZES)], ["small", "medium"])

    def test_variants_are_launches_of_their_own(self):
        path = self.launch(**{"global": [64], "local": [8], "defines": {"T": 2}, "args": {"n": "T"}}).path
        tree = path.parents[1]
        root = tree / "benchmarks" / "kernels"
        root.mkdir(parents=True)
        path.parent.rename(root / "k")
        (tree / "validation" / "hardware").mkdir(parents=True)
        (tree / "validation" / "hardware" / "variants.json").write_text('{"k": [{"T": 7}]}')
        plain, variant = suite_launches.find(root, ("medium",))
        self.assertEqual((plain.name, variant.name), ("k/k.launch:medium", "k/k.launch:medium:T=7"))
        self.assertEqual((variant.value("n"), variant.options[:2]), (7, ["-D", "T=7"]))
        self.assertNotEqual(plain.program_key, variant.program_key)
        self.assertEqual(suite_launches.launch_named(variant.name, root).defines, {"T": "7"})
        self.assertIsNone(suite_launches.launch_named("gone/gone.launch:medium", root))
        self.assertIsNone(suite_launches.launch_named("transpose/v1-cr0", root))  # of validation/hardware/families

    def test_the_source_is_the_longest_name_that_fits(self):
        for name, source in (("k.launch", "k.cu"), ("k-other.launch", "k.cu"), ("k_wide.launch", "k_wide.cu"),
                             ("k_wide-other.launch", "k_wide.cu"), ("other.launch", "k.cu")):
            self.assertEqual(self.launch(name, **{"global": [8], "local": [8]}).source.name, source)

    def test_what_is_wrong_is_said_with_the_path(self):
        with self.assertRaisesRegex(InputError, r"/k/k\.launch: argument 'a': 'b': unknown name 'b', expected"):
            self.launch(**{"global": [8], "local": [8], "args": {"a": "b"}})
        with self.assertRaisesRegex(InputError, r"/k/k\.launch: no \"local\", expected"):
            self.launch(**{"global": [8]})


class Stored(unittest.TestCase):
    """validation/hardware/launches.json, for machines without a build."""

    def test_is_what_the_tool_says(self):
        self.assertTrue(launches.STORED.read_text(encoding="utf-8") == suite_launches.stored(launches.KERNELS),
                        "a launch file has changed: validation/hw-profile --write-launches writes launches.json again")

    def test_has_those_of_a_list_too(self):
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "list.csv"
        row = "conv/1,validation/hardware/families/convolution/convolution.cl,-D SIZE=512 -D block_size_x=96,all\n"
        path.write_text("launch,file,options,part\n" + 2 * row)
        of_suite, with_list = (json.loads(suite_launches.stored(launches.KERNELS, lists)) for lists in ((), [path]))
        self.assertEqual(len(with_list), len(of_suite) + 1)
        (one,) = with_list.keys() - of_suite.keys()
        self.assertEqual(with_list[one]["global"], [6 * 96, 512, 1])  # ceil(512 / 96) work-groups of 96; 16 rows of work-items at a time
        with self.assertRaisesRegex(InputError, "nolist.csv: No such file"):
            suite_launches.stored(launches.KERNELS, [path.with_name("nolist.csv")])

    def test_gives_the_same_launches(self):
        def facts():
            found = suite_launches.find(launches.KERNELS, suite_launches.SIZES, ["mm", "conv2d", "fmm_ulist"])
            return [(one.name, one.global_size, one.local_size, one.defines, one.input, one.value("n") if "n" in one.arguments else 0,
                     {name: vars(argument) for name, argument in one.arguments.items()}) for one in found]

        with_tool = facts()
        with unittest.mock.patch.dict(os.environ, {"WARPSCOPE_BIN": "/nonexistent"}):
            self.assertEqual(facts(), with_tool)

    def test_does_not_know_what_is_not_in_it(self):
        path = launches.KERNELS / "mm" / "mm.launch"
        with unittest.mock.patch.dict(os.environ, {"WARPSCOPE_BIN": "/nonexistent"}):
            self.assertEqual(launches.Launch(path, "small", global_size=[32, 32]).global_size, [32, 32, 1])
            for options, message in (({"global_size": [64, 64]}, r"size \[64, 64\]: not in launches.json, expected a build"),
                                     ({"defines": {"N": 1}}, "mm.launch: not in launches.json .*expected a build")):
                with self.assertRaisesRegex(InputError, message):
                    launches.Launch(path, "small", **options)


class Kernels(unittest.TestCase):
    TEXT = """
    namespace deep { template <class T, int N> __global__ void sum(const T* __restrict__ in, T *out, int n = 3); }
    template __global__ void deep::sum<float, 256>(const float*, float*, int);
    extern "C" __global__ void __launch_bounds__(16 * 16) plain(float (*rows)[8], struct P { int a; } p, unsigned n[4]) {
      if (n) { const char* text = "__global__ void no("; } }
    __global__ __launch_bounds__(64) static void none(void) {}
    """

    def test_are_found_with_the_names_of_their_parameters(self):
        kernels = host_program.kernels_in(self.TEXT)
        self.assertEqual({name: kernel.call for name, kernel in kernels.items() if name != "plain"},
                         {"sum<float, 256>": "deep::sum<float, 256>", "none": "none"})
        self.assertEqual(kernels["sum<float, 256>"].parameters, ["in", "out", "n"])
        self.assertEqual(kernels["none"].parameters, [])
        self.assertEqual(kernels["plain"].parameters[1:], ["p", "n"])

    def test_are_chosen_as_trace_kernel_chooses(self):
        kernels = host_program.kernels_in(self.TEXT)
        for wanted in ("sum<float, 256>", "sum<float,256U>", "deep::sum<float, 256>", "sum"):
            self.assertEqual(host_program.choose(kernels, wanted, "k.cu").call, "deep::sum<float, 256>", wanted)
        with self.assertRaisesRegex(InputError, "k.cu: kernel 'sum<int, 1>': 0 fit"):
            host_program.choose(kernels, "sum<int, 1>", "k.cu")


KERNEL = """
#include <cuda_runtime.h>
__constant__ float table[4];
__global__ void k(const float4* f, unsigned char* u, int* i, double* d, float* all, short2 pair, unsigned int n) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = n;
  all[threadIdx.x] = table[0] + pair.x + f[0].x + u[0] + i[0] + (float)d[0] + scratch[0];
}
"""
LAUNCH = {"kernel": "k", "global": [64], "local": [32], "args": {
    "f": {"count": 5, "fill": "random(7, -1, 3)"}, "u": {"count": 600, "fill": "iota"},
    "i": {"bytes": 40, "fill": "random(3, -5, 5)"}, "d": {"count": 7, "fill": "range(1, 0.5, 2)"},
    "table": {"fill": "constant(2.5)"}, "pair": [1, 2], "n": "gx", "scratch": {"local": "lx*4"}}}


class Compiled(unittest.TestCase):
    """With nvcc, if it is installed; the programs' host part needs no GPU."""

    def setUp(self):
        self.nvcc = cuda_tools.find("nvcc")
        if not self.nvcc:
            self.skipTest("no nvcc (NeedsGpu)")
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_buffers_hold_what_trace_kernel_puts_into_them(self):
        source = self.folder / "k.cu"
        source.write_text(KERNEL)
        path = self.folder / "k.launch"
        path.write_text(json.dumps(LAUNCH))
        launch = suite_launches.Launch(path, self.folder)
        kernel = host_program.choose(host_program.kernels_in(KERNEL.replace("#include", "//")), "k", source)
        host = self.folder / "host.cu"
        host.write_text(host_program.generate([launch], kernel, source, SOURCE / "validation" / "hardware"))
        for options in ([], ["-DWARPSCOPE_PLACEMENT"]):
            cuda_tools.compile_program(self.nvcc, host, self.folder / "program", ["-std=c++17", "-O1", "-arch=sm_90", *options])
        subprocess.run([self.folder / "program", "inputs", "--dump", self.folder], check=True)

        def content(name, code):
            data = (self.folder / f"{name}.bin").read_bytes()
            return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))

        self.assertEqual(content("f", "f"), [-1 + (split_mix(7, i) >> 40) * 2.0**-24 * 4 for i in range(20)])
        self.assertEqual(content("u", "B"), [i % 256 for i in range(600)])
        self.assertEqual(content("i", "i"), [-5 + split_mix(3, i) % 10 for i in range(10)])
        self.assertEqual(content("d", "d"), [1, 1.5, 2, 1, 1.5, 2, 1])
        self.assertEqual(content("table", "f"), [2.5] * 4)
        # Not in the launch file: one element per work-item, floats by the argument's position: random(5).
        self.assertEqual(content("all", "f"), [(split_mix(5, i) >> 40) * 2.0**-24 for i in range(64)])

    def test_a_dry_run_needs_no_gpu(self):
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        done = subprocess.run([sys.executable, "-B", SOURCE / "validation" / "hw-profile", "--dry-run", "--kernels", "mm",
                               "--compile", "1", "--jobs", "2", "--work", self.folder / "work"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"mm .*: compiles")


class EveryKernel(unittest.TestCase):
    def test_fits_its_launch_files(self):
        every = suite_launches.find(SOURCE / "benchmarks" / "kernels", suite_launches.SIZES)
        self.assertGreaterEqual(len({launch.folder for launch in every}), 10)
        text = subprocess.run([sys.executable, "-B", SOURCE / "validation" / "hw-profile", "--dry-run", "--compile", "0", "--sizes",
                               *suite_launches.SIZES, "--nvcc", "/bin/true", "--work",
                               self.enterContext(tempfile.TemporaryDirectory())], capture_output=True, text=True)
        self.assertEqual(text.returncode, 0, text.stderr)
        for launch in every:
            self.assertIn(f"    {launch.name}: ", text.stdout)


if __name__ == "__main__":
    unittest.main()
