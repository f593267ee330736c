"""Launches whose data the L2 holds: `beyond_l2` of result.json and its line in the summary, against what the DRAM needs at least and runs of the timed engine."""
import json
import unittest

from laws import LawTest

GPU = "a100"
DRAM = 1555 * 1000 / 1410  # bytes per cycle of the core clock (gpus/a100.json)
SOURCE = """__kernel void copied(__global const float *in, __global float *out) { out[get_global_id(0)] = in[get_global_id(0)]; }
__kernel void busy(__global const float *in, __global float *out) {
  float x = in[get_global_id(0)];
  for (int i = 0; i < 64; ++i) x = sin(x);
  out[get_global_id(0)] = x;
}
__kernel void filled(__global const float *in, __global float *out) { out[get_global_id(0)] = 1; }
__kernel void added(__global const float *in, __global float *out) {
  for (int i = 0; i < 32; ++i) out[get_global_id(0)] += in[get_global_id(0)];
}
"""


class BeyondL2(LawTest):
    def capture(self, kernel, items=1 << 19):
        (self.folder / "k.cl").write_text(SOURCE)
        self.run_tool("trace-kernel", "k.cl", "--kernel", kernel, "--global", items, "--local", 256, "--arg", f"in=count={items}", "--arg", f"out=count={items}",
                      "-o", "k.wtrace")
        return "k.wtrace"

    def report(self, *options, gpu=GPU):
        """(`beyond_l2`, cycles, the lines of the summary)."""
        text = self.run_tool("warpscope", "k.wtrace", "--gpu", gpu, "--no-plots", "-o", "out", *options).decode()
        result = json.loads((self.folder / "out" / "result.json").read_text())
        return result["beyond_l2"], ((result.get("timed") or {}).get("total", {}).get("timing") or {}).get("cycles"), text.split("\n")

    def timed(self, *changes):
        words = [word for change in changes for word in ("--set", change)]
        return json.loads(self.run_tool("cachesim", "timed", "k.wtrace", "--gpu", GPU, *words, "--json", "-"))["total"]["timing"]

    def test_a_copy_takes_what_the_dram_needs_for_both_arrays(self):
        self.capture("copied")
        beyond, cycles, lines = self.report()
        moved = 2 * 4 * (1 << 19)
        self.assertAlmostEqual(beyond["cycles"], moved / DRAM, delta=0.1 * moved / DRAM)
        self.assertGreaterEqual(beyond["cycles"], 0.999 * moved / DRAM)
        self.assertIn(f"  {cycles:,} cycles; {beyond['cycles']:,} if its data do not stay in the L2", lines)
        kept, written = self.timed(), self.timed("l2_writes_through=true", "l2_keeps_content=false")
        self.assertEqual((kept["cycles"], written["cycles"]), (cycles, beyond["cycles"]))
        self.assertEqual((kept["memory"]["dram_write_bytes"], written["memory"]["dram_write_bytes"]), (0, moved // 2))
        self.assertEqual(kept["memory"]["dram_read_bytes"], written["memory"]["dram_read_bytes"])

    def test_no_launch_moves_more_than_the_dram_can(self):
        self.capture("filled", 1 << 20)  # 4.2 MB through 1.3 MB
        timing = self.timed("l2_size_kib=1280")
        self.assertGreater(timing["memory"]["dram_write_bytes"], 2 << 20)
        self.assertAlmostEqual(timing["memory"]["dram_bytes_per_cycle"], DRAM, delta=0.001 * DRAM)  # stores alone wait for nothing, and would move more

    def test_what_is_written_again_goes_to_the_dram_once(self):
        self.capture("added", 1 << 17)
        self.assertEqual(self.timed("l2_writes_through=true")["memory"]["dram_write_bytes"], 4 << 17)

    def test_nothing_is_run_where_the_dram_cannot_matter_or_is_known(self):
        self.capture("busy")
        beyond, _, lines = self.report()
        self.assertIsNone(beyond["cycles"])
        self.assertRegex(beyond["why_not"], r"^the DRAM would be \d+ % busy at most$")
        self.assertFalse([line for line in lines if "do not stay" in line])
        self.capture("copied")
        for options, why in ((("--advice-budget", "0"), "limit 0"), (("--clock", "fixed"), "not all launches were simulated cycle by cycle")):
            with self.subTest(options):
                beyond, _, lines = self.report(*options)
                self.assertIsNone(beyond["cycles"])
                self.assertIn(why, beyond["why_not"])
                self.assertFalse([line for line in lines if "do not stay" in line])

    def test_a_launch_that_the_dram_bounds_already_has_no_line(self):
        self.capture("copied", 1 << 22)  # 33.6 MB through 1.5 MB
        _, cycles, lines = self.report(gpu="gtx980")
        self.assertGreater(cycles, 0)
        self.assertFalse([line for line in lines if "do not stay" in line])


if __name__ == "__main__":
    unittest.main()
