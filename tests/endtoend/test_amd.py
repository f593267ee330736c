"""GPUs of AMD's: counts by hand arithmetic; every output says that they were not validated, and none speaks of NVIDIA's tools."""
import json
import re
import unittest

from support import ToolTest
from support import load_third as load_tests  # noqa: F401

NVIDIAS = re.compile(r"CUDA|cuda[A-Z]|NVIDIA|Nsight|\bncu\b|nvprof|ptxas|nvcc|maxrregcount|cl-nv-|__shared__ .*CUDA")
NOT_VALIDATED = "not validated: no result for this GPU was compared with hardware"


class Transposition(ToolTest):
    """mt_tiled, 64 × 64 elements in tiles of 32 × 32: rows of 32 floats from and to memory, columns out of the tile."""

    def tiled(self):
        return self.capture("mt_tiled", "--global", "64,64")

    def test_waves_of_64_by_quarters(self):
        total = self.result(self.tiled(), "--gpu", "vega64")["total"]
        # 64 waves, each of two rows: 4 quarters of 16 floats, a line of 64 bytes each
        for kind in ("load", "store"):
            self.assertEqual((total[kind]["requests"], total[kind]["transactions"]), (64, 256), kind)
        # each half of a wave reads a column of the tile, 32 words of one bank, and writes a row
        local = total["outside_l1"]["local"]
        self.assertEqual((local["load"]["wavefronts"], local["store"]["wavefronts"]), (64 * 2 * 32, 64 * 2))

    def test_waves_of_32_by_lines_of_128_bytes(self):
        total = self.result(self.tiled(), "--gpu", "rx6900xt")["total"]
        for kind in ("load", "store"):
            self.assertEqual((total[kind]["requests"], total[kind]["transactions"]), (128, 128), kind)
        local = total["outside_l1"]["local"]
        self.assertEqual((local["load"]["wavefronts"], local["store"]["wavefronts"]), (128 * 32, 128))

    def test_every_text_says_that_nobody_compared_it(self):
        capture = self.tiled()
        for words in (("cachesim", capture), ("cachesim", "timed", capture), ("cachesim", "sweep", capture, "--ways", "1,2"),
                      ("warpscope", capture, "--details", "-o", "details")):
            text = self.run_tool(*words, "--gpu", "mi100").decode()
            self.assertIn("not validated", text, words)
        compared = self.run_tool("cachesim", capture, "--compare-generations", "--generations", "gtx480,mi250x").decode()
        self.assertIn(f"{NOT_VALIDATED} (mi250x)", compared)
        self.assertNotIn("(gtx480)", compared)

    def test_advice_is_in_words_of_the_gpu(self):
        self.run_tool("warpscope", self.tiled(), "--gpu", "r9290x", "-o", "out")
        for name in ("report.txt", "summary.txt"):
            path = self.folder / "out" / name
            if path.exists():
                text = path.read_text()
                self.assertIn("not validated", text, name)
                self.assertIsNone(NVIDIAS.search(text), NVIDIAS.search(text))
        text = (self.folder / "out" / "report.txt").read_text()
        self.assertIn("OpenCL: __local float tile[TILE][TILE + 1]", text)
        page = (self.folder / "out" / "report.html").read_text()
        self.assertIn("Not validated: no result", page)
        self.assertNotIn("l1tex__", page)


class Cycles(ToolTest):
    """Each work-item's numbers next to each other, or those of one step: 1.05 times as long on an MI100, 4.2 times on a V100
    (github.com/ROCm/hip/issues/3106)."""

    def cycles(self, at, gpu="mi100"):
        (self.folder / "sum.cl").write_text(f"""__kernel void sum(__global const int *in, __global int *out, int n) {{
  int i = get_global_id(0), s = 0;
  for (int k = 0; k < n; ++k) s += in[{at}];
  out[i] = s;
}}""")
        self.run_tool("trace-kernel", "sum.cl", "--global", 2048, "--local", 256, "--arg", "n=256", "-o", "sum.wtrace")
        self.run_tool("cachesim", "timed", "sum.wtrace", "--gpu", gpu, "--json", "r.json")
        timing = json.loads((self.folder / "r.json").read_text())["total"]["timing"]
        return timing["cycles"]

    def test_lines_of_one_set_do_not_wait_for_each_other(self):
        # 64 lanes 1,024 or 4,096 bytes apart: each of their lines once in 16 steps, in few sets
        self.assertLess(self.cycles("i * 1024 + k") / self.cycles("k * 2048 + i"), 2)
        self.assertGreater(self.cycles("i * 1024 + k", "v100") / self.cycles("k * 2048 + i", "v100"), 2)

    def test_no_cycles_without_rates(self):
        self.cycles("i * 1024 + k")
        text = self.run_tool("warpscope", "sum.wtrace", "--gpu", "mi100", "-o", "out").decode()
        self.assertIn("Timed engine: left out (the rates of AMD's GPUs were never measured", text)
        self.assertNotIn("timed", json.loads((self.folder / "out" / "result.json").read_text()))
        self.assertNotRegex((self.folder / "out" / "report.txt").read_text(), r"[0-9] (million )?cycles")
        text = self.run_tool("warpscope", "what-if", "sum.wtrace", "--gpu", "mi100", "--set", "l1_size_kib=32", "--set", "l1_ways=8").decode()
        self.assertIn("not timed: the rates of AMD's GPUs", text)

    def cycles_in(self, value, path=""):
        """The paths of all times in JSON that are numbers, but properties of the GPU, which presets have, and costs of the simulation."""
        if isinstance(value, dict):
            return [found for key, part in value.items() if key not in ("preset", "context", "clocks") for found in self.cycles_in(part, f"{path}.{key}")]
        if isinstance(value, list):
            return [found for part in value for found in self.cycles_in(part, path)]
        return [path] if isinstance(value, (int, float)) and re.search(r"cycles|timed|milliseconds", path) else []

    def test_whoever_compares_has_no_cycles(self):
        """diff, advice, page, several GPUs, a rank of variants and tune: none has a time that nobody asked for."""
        for at, name in (("i * n + k", "apart.wtrace"), ("k * 2048 + i", "near.wtrace")):
            self.cycles(at)
            (self.folder / "sum.wtrace").rename(self.folder / name)
        time = re.compile(r"[0-9](\.[0-9]+)? (million )?(cycles|µs|ms)\b|[0-9] × as fast")
        text = self.run_tool("warpscope", "diff", "apart.wtrace", "near.wtrace", "--gpu", "mi100", "--json", "diff.json", "--html", "diff.html").decode()
        self.assertIn("Cycles are not compared", text)
        self.assertNotRegex(text, time)
        self.assertEqual(self.cycles_in(json.loads((self.folder / "diff.json").read_text())), [])
        text = self.run_tool("warpscope", "apart.wtrace", "--gpu", "mi100", "--no-plots", "-o", "out").decode()
        self.assertRegex(text, r"what-if --transpose .*× fewer transactions")
        self.assertNotRegex(text + (self.folder / "out" / "report.txt").read_text(), time)
        self.assertEqual(self.cycles_in(json.loads((self.folder / "out" / "result.json").read_text())), [])
        page = (self.folder / "out" / "report.html").read_text()
        data = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S).group(1))
        self.assertEqual((data["timed"], data["launches"]["rows"][0]["cycles"]), (None, None))
        self.assertNotRegex(str([data[key] for key in ("findings", "bound", "what_ifs")]), time)
        text = self.run_tool("warpscope", "apart.wtrace", "--gpu", "mi100,r9290x", "--no-plots", "-o", "two").decode()
        self.assertRegex(text, r"mi100: [0-9.]+ × fewer transactions by --transpose")
        self.assertNotRegex(text, time)
        text = self.run_tool("warpscope", "model", "--rank", "apart.wtrace", "near.wtrace", "--gpu", "mi100").decode()
        self.assertIn("timed: not applicable: the rates of AMD's GPUs were never measured, so cycles are no estimate", text)

    def test_variants_are_ranked_by_what_is_read(self):
        (self.folder / "wide.cl").write_text("__kernel void wide(__global int *a) { a[get_global_id(0) * W]++; }")
        text = self.run_tool("warpscope", "tune", "wide.cl", "-D", "W=1,2", "--global", 1024, "--local", 256, "--gpu", "mi100", "-o", "tuned").decode()
        self.assertIn("l1 to l2 read sectors, the fewest first", text)
        self.assertNotIn("cycles", text + (self.folder / "tuned" / "results.csv").read_text())
        done = self.call("warpscope", "tune", "wide.cl", "-D", "W=1,2", "--global", 1024, "--local", 256, "--gpu", "mi100", "--objective", "cycles", "-o", "other")
        self.assertEqual(done.returncode, 2)


class SharedL1(ToolTest):
    """80 work-groups, one per core of an RX 6900 XT, read the same 64 KiB once. Ten cores share an L1 of 128 KiB in front of the L2."""
    KERNEL = """
__kernel void same(__global const float* restrict in, __global float* restrict out, int n) {
  float sum = 0;
  for (int k = get_local_id(0); k < n; k += get_local_size(0)) sum += in[k];
  out[get_global_id(0)] = sum;
}
"""
    LINES = 64 * 1024 // 128

    def memory(self, *words):
        (self.folder / "same.cl").write_text(self.KERNEL)
        self.run_tool("trace-kernel", "same.cl", "--global", 80 * 256, "--local", 256, "--arg", "in=count=16384", "--arg", f"out=count={80 * 256}",
                      "--arg", "n=16384", "-o", "same.wtrace")
        self.run_tool("cachesim", "timed", "same.wtrace", "--gpu", "rx6900xt", *words, "--json", "r.json")
        memory = json.loads((self.folder / "r.json").read_text())["total"]["timing"]["memory"]
        return {level: [memory[f"{level}_load_{outcome}"] for outcome in ("hits", "hits_pending", "misses")] for level in ("shared_l1", "l2")}

    def test_the_l2_is_asked_once_for_ten_cores(self):
        memory = self.memory()
        self.assertEqual(sum(memory["shared_l1"]), 80 * self.LINES)
        self.assertEqual(memory["shared_l1"][2], 80 // 10 * self.LINES)
        self.assertEqual((sum(memory["l2"]), memory["l2"][2]), (80 // 10 * self.LINES, self.LINES))

    def test_without_it_the_l2_is_asked_for_every_core(self):
        memory = self.memory("--set", "shared_l1_kib=unknown")
        self.assertEqual((sum(memory["shared_l1"]), sum(memory["l2"]), memory["l2"][2]), (0, 80 * self.LINES, self.LINES))

    def test_one_of_half_the_size_of_the_data_keeps_none_of_it_for_a_second_round(self):
        memory = self.memory("--set", "shared_l1_kib=32", "--set", "cores=1", "--set", "cores_per_shared_l1=1", "--set", "max_work_groups_per_core=1")
        self.assertEqual((memory["shared_l1"][0], memory["shared_l1"][2]), (0, 80 * self.LINES))


if __name__ == "__main__":
    unittest.main()
