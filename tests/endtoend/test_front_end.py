"""warpscope model --counts: instructions by class, accesses, conflicts and parallelism of captures equal counts by hand."""
import csv
import json
import unittest

from support import ToolTest

DIVERGENT = """
__kernel void loops(__global const float* restrict a, __global float* restrict out) {
  const int i = get_global_id(0);
  float v = a[i];
  for (int k = 0; k < (i & 3); ++k) v = fma(v, v, 1.0f);
  out[i] = v;
}
__kernel void roots(__global const float* restrict a, __global float* restrict out) {
  const int i = get_global_id(0);
  out[i] = sqrt(a[i]) / (a[i] + 2.0f) + rsqrt(a[i]) + native_sin(a[i]);
}
"""


class FrontEnd(ToolTest):
    def counts(self, capture, *words, gpu="c2050"):
        content = json.loads(self.run_tool("warpscope", "model", "--counts", capture, "--gpu", gpu, *words, "--json", "-"))
        self.assertEqual((content["kind"], content["gpu"]), ("front end", gpu))
        return {(row["section"], row["name"]): row for row in content["rows"]}

    def per_warp(self, rows, section):
        return {name: row["per_warp"] for (of, name), row in rows.items() if of == section}

    def kernel(self, name):
        (self.folder / "k.cl").write_text(DIVERGENT)
        self.run_tool("trace-kernel", "k.cl", "--kernel", name, "--global", "64", "--local", "64", "--arg", "a=count=64,fill=iota",
                      "--arg", "out=count=64,fill=zero", "-o", f"{name}.wtrace")
        return f"{name}.wtrace"

    def model(self, model, gpu, *words):
        content = json.loads(self.run_tool("warpscope", "model", "--model", model, "--gpu", gpu, *words, "--json", "-"))
        return {name: entry["value"] for name, entry in content["inputs"].items()}


class Multiplication(FrontEnd):
    """mm_tiled, 64 × 64 in tiles of 16 × 16: 128 warps in 16 work-groups. Per warp four tiles of 16 steps."""

    def setUp(self):
        super().setUp()
        self.trace = self.capture("mm_tiled", "--global", "64,64", "-D", "TILE=16", output="mm.wtrace")

    def test_counts_by_hand(self):
        rows = self.counts(self.trace)
        instructions = self.per_warp(rows, "instructions")
        self.assertEqual((instructions["fp32_fma"], instructions["barrier"]), (64, 8))
        self.assertNotIn("fp32_div", instructions)
        self.assertEqual(rows["instructions", "work-items per instruction"]["of_launch"], 32)
        self.assertEqual(rows["launch", "warps"]["of_launch"], 128)
        accesses = self.per_warp(rows, "memory instructions")
        self.assertEqual([accesses[f"{name}, 4 bytes"] for name in ("load global", "store global", "store local")], [8, 1, 8])
        self.assertEqual(rows["synchronisation", "barriers"]["per_warp"], 8)
        # of the c2050 a request has two lines of 128 bytes: a warp has two rows of 16
        memory = self.per_warp(rows, "global memory")
        self.assertEqual([memory[name] for name in ("requests", "transactions", "transactions of 128 bytes", "transactions of 32 bytes")], [9, 18, 18, 0])
        self.assertEqual(rows["occupancy", "work-groups per core"]["of_launch"] * 8, rows["occupancy", "warps per core"]["of_launch"])

    def test_the_models_get_the_same(self):
        rows, values = self.counts(self.trace), self.model("gpuperf", "c2050", self.trace)
        for name, (section, row) in {"fp_insts": ("instructions", "fp32_fma"), "sync_insts": ("synchronisation", "barriers"),
                                     "memory_insts": ("global memory", "requests")}.items():
            self.assertEqual(values[name], rows[section, row]["per_warp"])
        for name, row in (("ilp", "ILP"), ("mlp", "MLP")):
            self.assertEqual(values[name], rows["parallelism", row]["of_launch"])

    def test_text_and_table(self):
        text = self.run_tool("warpscope", "model", "--counts", self.trace, "--gpu", "c2050", "--csv", "c.csv").decode()
        self.assertRegex(text, r"(?m)^  fp32_fma +64 +8,192  warp instructions; blocks")
        with open(self.folder / "c.csv", encoding="utf-8", newline="") as file:
            table = {(row["section"], row["name"]): row for row in csv.DictReader(file)}
        self.assertEqual(float(table["instructions", "fp32_fma"]["of_launch"]), 64 * 128)


class Divergence(FrontEnd):
    def test_a_loop_without_memory_instructions(self):
        """Of each warp work-item i goes round i mod 4 times: the warp three times, its 32 work-items 48 times."""
        trace = self.kernel("loops")
        rows = self.counts(trace)
        self.assertEqual(rows["instructions", "fp32_fma"]["per_warp"], 3)
        self.assertLess(rows["instructions", "work-items per instruction"]["of_launch"], 32)
        self.assertEqual(self.model("gpuperf", "c2050", trace)["fp_insts"], 3)
        self.assertEqual(self.model("roofline", "k40", trace)["flops"], 2 * 2 * 48)

    def test_slow_instructions(self):
        trace = self.kernel("roots")
        instructions = self.per_warp(self.counts(trace), "instructions")
        classes = ("sqrt", "rsqrt", "special", "div", "add")
        self.assertEqual([instructions[f"fp32_{name}"] for name in classes], [1, 1, 1, 1, 3])
        known = [word for name in ("insts", "warps_per_core", "groups_per_core") for word in ("--set", f"{name}=8")]
        self.assertEqual(self.model("dasgupta", "c1060", trace, *known)["division_insts"], 1)
        special = self.model("gpuperf", "c2050", trace)
        self.assertEqual((special["sfu_insts"], special["fp_insts"]), (3, 4))


class Conflicts(FrontEnd):
    def test_a_column_of_a_tile(self):
        """mt_tiled: each load from the tile of 32 × 32 is of one bank, 32 cycles; each store is of one row."""
        rows = self.counts(self.capture("mt_tiled", "--global", "64,64"))
        local = self.per_warp(rows, "local memory")
        self.assertEqual((local["requests"], local["passes with conflicts"], local["cycles lost to conflicts"]), (2, 1, 31))
        self.assertEqual(rows["local memory", "cycles of a pass with conflicts"]["of_launch"], 32)


class Refused(FrontEnd):
    def test_bad_input(self):
        trace = self.capture("copy", "--size", "small")
        for words, message in ((["--counts", trace], "whose warps is not given, expected --gpu"), (["--counts", trace, "--gpu", "c2050", "--model", "spt"], "--model: not an"),
                               (["--counts", "none.wtrace", "--gpu", "c2050"], "none.wtrace: No such file"), (["--counts"], "--counts: has no value")):
            self.assert_refused(self.call("warpscope", "model", *words), message)
        self.assert_refused(self.call("warpsched", trace, "--block-counts", "b.json", "-o", "s.wsched"), "writes no stream, expected it without --output")
        self.assertFalse((self.folder / "b.json").exists())


if __name__ == "__main__":
    unittest.main()
