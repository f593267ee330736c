"""The hardware's own point of `cachesim sweep`: with what local memory leaves of the L1, by hand arithmetic."""
import csv
import io
import unittest

from support import ToolTest

# One group reads 64 KiB twice, in turn, and holds 8 KiB of local memory: on a V100, which has room for eight, a carve-out of
# 64 KiB, which leaves 128 - 64 - 5 = 59 KiB of L1, where LRU misses every sector of a cyclic sweep over 64 KiB again. 123 KiB
# would hold it.
# The compiler does not know that zero is 0, or it would read once.
TWICE = """
__kernel void twice(__global const float* data, __global float* out, int zero) {
  __local float kept[2048];
  const int lane = get_local_id(0);
  float sum = 0.0f;
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < 64; ++i) sum += data[i * 256 + lane + pass * zero];
  kept[lane * 8] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[lane] = kept[(lane ^ 1) * 8];
}
"""
SECTORS = 64 * 1024 // 32


class OwnPoint(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "twice.cl").write_text(TWICE)
        self.run_tool("trace-kernel", "twice.cl", "--global", "256", "--local", "256", "--arg", "data=count=16384", "--arg",
                      "out=count=256", "--arg", "zero=0", "-o", "twice.wtrace")

    def own(self, *words):
        table = self.run_tool("cachesim", "sweep", "twice.wtrace", "--preset", "v100", "--csv", "-", *words).decode()
        rows = list(csv.DictReader(io.StringIO(table)))
        marked = [row for row in rows if row["preset"] == "1"]
        self.assertEqual(len(marked), 1)
        return marked[0], rows

    def test_it_has_what_local_memory_leaves(self):
        own, rows = self.own("--ways", "16,32", "--sets", "4")
        self.assertEqual((own["size_kib"], own["ways"], len(rows)), ("59", "118", 3))
        self.assertEqual(int(own["load_misses"]) + int(own["load_sector_misses"]), 2 * SECTORS)
        for engine in ([], ["timed", "--set", "ideal=fixed-order"]):
            result = self.result(*engine, "twice.wtrace", "--preset", "v100")
            self.assertEqual((result["launches"][0]["l1_kib"], result["launches"][0]["carveout_kib"]), (59, 64), engine)
            for name in ("hits", "misses", "sector_misses"):
                self.assertEqual(int(own[f"load_{name}"]), result["total"]["load"][name], engine)

    def test_the_whole_l1_without_local_memory_would_keep_the_data(self):
        _, rows = self.own("--ways", "246", "--sets", "4")
        whole = [row for row in rows if row["size_kib"] == "123"][0]
        self.assertEqual(int(whole["load_misses"]) + int(whole["load_sector_misses"]), SECTORS)

    def test_a_carve_out_of_the_users_own(self):
        own, _ = self.own("--ways", "16", "--sets", "4", "--carveout", "8")
        self.assertEqual((own["size_kib"], own["ways"]), ("115", "230"))
        for engine in ([], ["timed"]):
            result = self.result(*engine, "twice.wtrace", "--preset", "v100", "--carveout", "96")
            self.assertEqual(result["context"]["carveout_kib"], {"least": 96, "most": 96})
            self.assertEqual((result["launches"][0]["l1_kib"], result["launches"][0]["carveout_kib"]), (27, 96))

    def test_carve_outs_that_cannot_be(self):
        words = ("twice.wtrace", "--gpu", "v100", "--carveout")
        for mode in ([], ["timed"]):
            self.assert_refused(self.call("cachesim", *mode, *words, "48"),
                                "--carveout 48: expected one of 0, 8, 16, 32, 64, 96, the sizes in KiB that v100 has")
            self.assert_refused(self.call("cachesim", *mode, *words, "0"),
                                "8192 bytes of local memory, v100 with --carveout 0 allows 0", 3)
        self.assert_refused(self.call("warpsched", *words, "x"), "--carveout x: expected one of")
        self.assert_refused(self.call("cachesim", "twice.wtrace", "--gpu", "gtx480", "--carveout", "16"), "no memory that its L1")
        self.assert_refused(self.call("cachesim", "twice.wtrace", "16", "128", "4", "LRU", "WTNA", "--carveout", "16"),
                            "--carveout 16: divides a GPU's memory, expected --gpu GPU, too")

    def test_it_is_the_cell_of_the_sweep_that_is_as_large(self):
        own, rows = self.own("--ways", "100,118", "--sets", "4")
        self.assertEqual((own["ways"], len(rows)), ("118", 2))


if __name__ == "__main__":
    unittest.main()
