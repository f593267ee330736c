"""What compilers may do to loops that only load: `unrolled` of result.json, and its line in the summary, against runs of the timed engine."""
import json
import unittest

from laws import LawTest
from support import SOURCE

KERNELS = SOURCE / "validation" / "kernels" / "unified_cache.cl"


class Unrolled(LawTest):
    def product(self, n=128):
        self.run_tool("trace-kernel", KERNELS, "--kernel", "product", "--global", f"{n},{n}", "--local", "16,16", "--arg", f"n={n}", "-D", "ACROSS=1",
                      "-D", "BLOCK=16", "-o", "product.wtrace")
        return "product.wtrace"

    def report(self, capture, gpu, *options):
        """(`unrolled`, the lines of the summary)."""
        text = self.run_tool("warpscope", capture, "--gpu", gpu, "--no-plots", "-o", "out", *options).decode()
        return json.loads((self.folder / "out" / "result.json").read_text())["unrolled"], text.split("\n")

    def timed(self, capture, count):
        total = json.loads(self.run_tool("cachesim", "timed", capture, "--gpu", "gt630", "--set", f"unrolled_iterations={count}", "--json", "-"))["total"]
        return total["timing"]["cycles"], 100 - 100 * total["load"]["misses"] / total["load"]["transactions"]

    def test_the_range_is_that_of_four_runs(self):
        capture = self.product()
        runs = [self.timed(capture, count) for count in (1, 2, 4, 16)]
        rates = sorted(rate for _, rate in runs)
        self.assertGreater(rates[-1] - rates[0], 2)
        unrolled, lines = self.report(capture, "gt630")
        self.assertEqual([body["iterations"] for body in unrolled["bodies"]], [1, 2, 4, 16])
        for body, (cycles, rate) in zip(unrolled["bodies"], runs):
            self.assertEqual(body["cycles"], cycles)
            self.assertAlmostEqual(body["hit_rate_percent"], rate)
        cycles = sorted(number for number, _ in runs)
        expected = f"  loops unrolled by 1 to 16: {rates[0]:.1f} to {rates[-1]:.1f} % timed, {cycles[0]:,} to {cycles[-1]:,} cycles"
        self.assertIn(expected, lines)

    def test_nothing_is_run_where_it_cannot_matter_or_is_known(self):
        (self.folder / "busy.cl").write_text("__kernel void busy(__global const float *in, __global float *out) {\n  float sum = get_global_id(0);\n"
                                             "  for (int i = 0; i < 64; ++i)\n    sum = sum * in[i] + " + "+ ".join("sin(sum)" for _ in range(4)) + ";\n"
                                             "  out[get_global_id(0)] = sum;\n}\n")
        self.run_tool("trace-kernel", "busy.cl", "--global", 4096, "--local", 256, "-o", "busy.wtrace")
        small = self.product(32)  # fits the L1
        for capture, gpu, options, why in (("busy.wtrace", "gt630", (), "neither order nor capacity matters, nor waiting"), (small, "gt630", ("--set", "unrolled_iterations=2"), "--set unrolled_iterations"),
                                           (small, "gt630", ("--clock", "fixed"), "not all launches were simulated cycle by cycle"),
                                           (small, "gtx980", (), "nothing was looked up in the L1")):
            with self.subTest(gpu=gpu, options=options):
                unrolled, lines = self.report(capture, gpu, *options)
                self.assertEqual(unrolled["bodies"], [])
                self.assertIn(why, unrolled["why_not"])
                self.assertFalse([line for line in lines if "unrolled by" in line])

    def test_cycles_that_wait_for_loads(self):
        """One group on a core: no load hits, so only the cycles depend on how many are on their way. Kernels that wait for nothing have no range."""
        (self.folder / "k.cl").write_text("__kernel void k(__global const int *in, __global int *out) {\n  int sum = 0;\n"
                                          "  for (int i = 0; i < 256; ++i) sum += in[i * get_global_size(0) + get_global_id(0)];\n"
                                          "  out[get_global_id(0)] = sum;\n}\n")
        self.run_tool("trace-kernel", "k.cl", "--global", 4096, "--local", 256, "-o", "k.wtrace")
        unrolled, lines = self.report("k.wtrace", "v100")
        cycles = [body["cycles"] for body in unrolled["bodies"]]
        self.assertEqual({round(body["hit_rate_percent"]) for body in unrolled["bodies"]}, {0})
        self.assertGreater(cycles[0], 1.5 * cycles[1])
        self.assertGreater(cycles[2], 1.5 * cycles[3])
        self.assertIn(f"  loops unrolled by 1 to 16: {min(cycles):,} to {max(cycles):,} cycles", lines)

    def test_it_is_part_of_the_budget_of_advice(self):
        capture = self.product()
        unrolled, _ = self.report(capture, "gt630", "--advice-budget", "0")
        self.assertRegex(unrolled["why_not"], "^it is .* M of work, limit 0$")

    def test_a_kernel_without_such_a_loop(self):
        (self.folder / "k.cl").write_text("__kernel void k(__global const int *in, __global int *out) {\n  uint i = get_global_id(0);\n"
                                          "  for (uint k = 0; k < 64; ++k) out[i * 64 + k] = in[i * 64 + k] + in[k * 64 + i % 64];\n}\n")
        self.run_tool("trace-kernel", "k.cl", "--global", 2048, "--local", 256, "-o", "k.wtrace")
        unrolled, _ = self.report("k.wtrace", "gt630")
        self.assertEqual(unrolled, {"why_not": "no loop that only loads", "bodies": []})


if __name__ == "__main__":
    unittest.main()
