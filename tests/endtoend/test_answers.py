"""Questions that developers have asked, as small kernels of the same kind: the summary has the answer that measurements gave."""
import json
import os
import pathlib
import sys
import types
import unittest

from support import SOURCE, ToolTest
from support import load_quarter as load_tests  # noqa: F401

sys.path.insert(0, str(SOURCE / "python"))
from warpscope.explore.advice import declarations  # noqa: E402

ANSWERS = pathlib.Path(__file__).resolve().parent / "answers"
WITHOUT_ADVICE = ("--advice-budget", "0")  # where no what-if is asked about


class Answers(ToolTest):
    def summary(self, name, *words):
        """(all lines as one, the result, report.txt)."""
        done = self.call("warpscope", ANSWERS / name, "--no-plots", "-o", "out", *words)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        lines = done.stdout.decode().splitlines()
        self.assertLessEqual(len(lines), 25)
        return " ".join(" ".join(lines).split()), json.loads((self.folder / "out" / "result.json").read_text()), (self.folder / "out" / "report.txt").read_text()

    def test_x_must_walk_along_rows(self):
        """github.com/siboehm/SGEMM_CUDA/issues/7: 340 and 3296 GFLOPS."""
        size = ("--grid", "4,4", "--block", "32,32", "--arg", "n=128", "--gpu", "a100")
        text, slow, _ = self.summary("which_index.cu", "--kernel", "slow", *size)
        self.assertRegex(text, r"1\. which_index\.cu:5 load a: column-wise: 32 sectors per request, 4 would do")
        self.assertIn("walk along rows", text)
        text, fast, report = self.summary("which_index.cu", "--kernel", "fast", *size, *WITHOUT_ADVICE)
        self.assertNotIn("column-wise", report)
        self.assertEqual((slow["total"]["store"]["transactions"], fast["total"]["store"]["transactions"]), (128 * 128, 128 * 128 // 8))
        cycles = [result["timed"]["total"]["timing"]["cycles"] for result in (slow, fast)]
        self.assertGreater(cycles[0], 3 * cycles[1])

    def test_an_array_that_is_indexed_at_run_time_lies_in_memory(self):
        """github.com/NVlabs/cuda-oxide/issues/707: nobody says so, and it costs a third of the kernel."""
        size = ("--grid", "32", "--block", "256", "--arg", "n=8192", "--arg", "at=count=8192", "--arg", "out=count=8192", "--gpu", "t4")
        text, _, _ = self.summary("run_time_index.cu", "--kernel", "picks", *size, *WITHOUT_ADVICE)
        self.assertRegex(text, r"store row \(×\d+\): row is indexed at run time, so it lies in memory, not .*registers \(CUDA: local memory\).*also :8 load row")
        _, result, report = self.summary("run_time_index.cu", "--kernel", "selects", *size, *WITHOUT_ADVICE)
        self.assertNotIn("so it lies in memory", report)
        self.assertEqual([site for site in result["sites"] if site["space"] == "private"], [])

    def test_components_must_be_n_apart(self):
        """github.com/kokkos/kokkos/issues/4751: 1021 and 642 GB/s."""
        size = ("--grid", "512", "--block", "256", "--arg", "n=131072", "--gpu", "a100")
        text, _, report = self.summary("views.cu", "--kernel", "near", *size)
        self.assertRegex(text, r"1\. views\.cu:6:\d+ store t: array of structures: 32 sectors per request, 8 would do")
        self.assertRegex(text, r"what-if --split t=32 --split v=16: \d\.\d+ × as fast .*one array per field; also :6:\d+, :6:\d+, :6:\d+ and 2 more")
        self.assertNotIn("2. views.cu", text)  # one remedy
        self.assertRegex(text, r"Bound by L2, \d+ % busy; its 8\.4 MB fit there, those of larger launches may not")  # where 1.59 was measured
        self.assertIn("CUDA: component c of element i at t[c * n + i] instead of t[4 * i + c]", report)
        self.assertNotIn("OpenCL:", report)
        text, _, _ = self.summary("views.cu", "--kernel", "apart", *size, *WITHOUT_ADVICE)
        self.assertIn("No finding costs more than 1 %", text)

    def factors(self, slow, fast):
        """How much slower one is than the other as long as the L2 holds their data, and where it does not: the least and the most of both."""
        both = [(result["timed"]["total"]["timing"]["cycles"], result["beyond_l2"]["cycles"] or result["timed"]["total"]["timing"]["cycles"]) for result in (slow, fast)]
        held, beyond = (before / after for before, after in zip(*both))
        return min(held, beyond), max(held, beyond)

    def test_measured_layouts_are_between_small_and_large_launches(self):
        """The same two questions, asked about launches with fewer elements than were measured (256 times as many on the A100): the factor depends on what
        the L2 still holds, and the summaries have both ends."""
        sizes = {"structures.cu": ("--grid", "1024", "--block", "256", "--arg", "n=262144", "--gpu", "a100", "--kernel"),
                 "views.cu": ("--grid", "1024", "--block", "256", "--arg", "n=262144", "--gpu", "a100", "--kernel"),
                 "populations.cl": ("--global", "65536", "--local", "64", "--gpu", "rtx3090", "-D")}
        for name, slow, fast, measured in (("structures.cu", "structures", "arrays", 1.59), ("views.cu", "near", "apart", 1.59),
                                              ("populations.cl", "NEAR=1", "NEAR=0", 3.29)):
            with self.subTest(name):
                of_slow, slow, _ = self.summary(name, *sizes[name], slow)
                text, fast, _ = self.summary(name, *sizes[name], fast)
                self.assertRegex(text, r"[\d,]+ cycles; [\d,]+ if its data do not stay in the L2")
                least, most = self.factors(slow, fast)
                self.assertLess(least, measured)
                self.assertGreater(most, measured)
                gain = slow["advice"]["given"][0]["gain"]  # of one remedy for all arrays, or of that for the arrays that it is for
                self.assertLess(gain["beyond_l2"], measured)
                self.assertGreater(gain["factor"], measured)
                self.assertRegex(of_slow, rf"\({gain['least']:.2f} to {gain['most']:.2f}; {gain['beyond_l2']:.2f} if its data do not stay in the L2\)")

    def test_a_plane_per_direction(self):
        """github.com/ProjectPhysX/FluidX3D/issues/193: 229 % faster."""
        size = ("--global", "32768", "--local", "64", "--gpu", "rtx3090")
        text, result, report = self.summary("populations.cl", *size, "-D", "NEAR=1")
        self.assertRegex(text, r"what-if --transpose f=32768x19:4 --transpose g=32768x19:4: \d\.\d+ × as fast .*store it transposed.*also :\d+ store g")
        self.assertGreater(result["advice"]["given"][0]["gain"]["factor"], 3)
        self.assertIn("f[column * 32768 + row] instead of f[row * 19 + column]", report)
        text, _, _ = self.summary("populations.cl", *size, "-D", "NEAR=0", *WITHOUT_ADVICE)
        self.assertIn("No finding costs more than 1 %", text)

    def test_numbers_of_a_step_next_to_each_other(self):
        """github.com/ROCm/hip/issues/3106: 4.2 times on a V100, by a compiler that is not named: the factor depends on it, and the summary has the range."""
        size = ("--global", "4096", "--local", "256", "--gpu", "v100")
        text, near, _ = self.summary("trees.cl", "--kernel", "structs", *size)
        self.assertRegex(text, r"trees\.cl:5 load fruit: column-wise: 32 sectors per request, 4 would do")
        self.assertIn("--transpose fruit=4096x1024:4", text)
        text, apart, _ = self.summary("trees.cl", "--kernel", "arrays", *size)
        self.assertRegex(text, r"loops unrolled by 1 to 16: [\d,]+ to [\d,]+ cycles")
        bound_by_wavefronts = near["timed"]["total"]["timing"]["cycles"]
        factors = {body["iterations"]: bound_by_wavefronts / body["cycles"] for body in apart["unrolled"]["bodies"]}
        self.assertGreater(factors[4], 2)
        self.assertLess(factors[4], 4.2)
        self.assertGreater(factors[16], 4.2)

    def test_the_remedy_has_the_declaration_of_the_source(self):
        _, _, report = self.summary("tiles.cl", "--global", "128,128", "--local", "16,16", "--arg", "w=128", "--gpu", "h100")
        self.assertIn("OpenCL: __local double sd[N][N + 1];", report)


@unittest.skipUnless(os.environ.get("WARPSCOPE_TEST_KERNELS") == "all", "takes a minute; scripts/test --long kernels runs it")
class AtTheirSize(ToolTest):
    """How much slower, where the launch is large enough for the DRAM to decide, as it was measured (validation/notes/answers.md)."""

    def cycles(self, file, *words):
        gpu = words[words.index("--gpu") + 1]
        words = [word for at, word in enumerate(words) if "--gpu" not in words[max(0, at - 1):at + 1]]
        self.run_tool("trace-kernel", ANSWERS / file, *words, "-o", "capture.wtrace")
        self.run_tool("cachesim", "timed", "capture.wtrace", "--gpu", gpu, "--json", "timed.json")
        return json.loads((self.folder / "timed.json").read_text())["total"]["timing"]["cycles"]

    def test_an_array_of_structures_takes_1_59_times_as_long(self):
        size = ("--grid", 16384, "--block", 256, "--arg", "n=4194304", "--gpu", "a100")
        factor = self.cycles("structures.cu", "--kernel", "structures", *size) / self.cycles("structures.cu", "--kernel", "arrays", *size)
        self.assertAlmostEqual(factor, 1.59, delta=0.16)

    def test_planes_are_3_29_times_as_fast(self):
        size = ("--global", 524288, "--local", 64, "--gpu", "rtx3090")
        factor = self.cycles("populations.cl", *size, "-D", "NEAR=1") / self.cycles("populations.cl", *size, "-D", "NEAR=0")
        self.assertAlmostEqual(factor, 3.29, delta=0.5)


class Declarations(unittest.TestCase):
    def declared(self, text, name):
        result = {"sources": [{"name": "a.cl", "text": text}]}
        return declarations.padded(result, types.SimpleNamespace(file="a.cl"), name)

    def test_rows_of_local_arrays(self):
        for text, name, padded in (("__local double sd[8][8];", "sd", "__local double sd[8][8 + 1];"),
                                   ("  __shared__ float2 tile[2][TILE][TILE * 2];", "tile", "__shared__ float2 tile[2][TILE][TILE * 2 + 1];"),
                                   ("local int a[4], b[4][16];", "b", "local int b[4][16 + 1];"),
                                   ("__shared__ unsigned char\n  x [16] [ W ] ;", "x", "__shared__ unsigned char x[16][W + 1];"),
                                   ("/* __local int a[1][1]; */ __local char a[2][64]; // __local", "a", "__local char a[2][64 + 1];"),
                                   ("__local float line[64];", "line", ""), ("extern __shared__ float s[];", "s", "")):
            with self.subTest(text):
                self.assertEqual(self.declared(text, name), padded)

    def test_types_of_buffers(self):
        for text, name, expected in (("__kernel void k(__global const double* restrict in, int n)", "in", "double"),
                                     ("__global__ void k(int n, const float *__restrict__ a, unsigned char *b)", "a", "float"),
                                     ("__global__ void k(int n, const float *__restrict__ a, unsigned char *b)", "b", "unsigned char"),
                                     ("kernel void k(global struct P* p)", "p", "struct P"), ("void k(float a)", "a", "")):
            with self.subTest(text, name=name):
                result = {"sources": [{"name": "a.cl", "text": text}]}
                self.assertEqual(declarations.type_of(result, types.SimpleNamespace(file="a.cl"), name), expected)


if __name__ == "__main__":
    unittest.main()
