"""The kernels of validation/hardware/families at tiny sizes: requests and sectors by arithmetic, and that every launch of
validation/truth has a command with files that are there. A run takes a sixth of the families (sampled.py), scripts/test --long kernels
all."""
import csv
import unittest

import launches  # noqa: F401  (finds support)
from support import SOURCE, ToolTest
from sampled import load_tests  # noqa: F401

FAMILIES = SOURCE / "validation" / "hardware" / "families"
TRUTH = SOURCE / "validation" / "truth"
FLOATS = 8  # of a sector
OURS = ("conv2d", "group_sum", "layernorm", "matmul_naive", "matmul_tiled", "matrix_sum", "row_column_sums", "softmax",
        "transpose_tile", "vadd")


class Families(ToolTest):
    def measure(self, file, *options):
        self.run_tool("trace-kernel", FAMILIES / file, "--size", "small", "--verify", *options, "-o", "x.wtrace")
        return self.result("x.wtrace", "--gpu", "v100", "--no-classes")["total"]

    def assert_counts(self, total, loads, stores):
        """`loads` and `stores`: requests and sectors of global memory."""
        for kind, (requests, sectors) in (("load", loads), ("store", stores)):
            self.assertEqual((kind, total[kind]["requests"], total[kind]["transactions"]), (kind, requests, sectors))

    def test_matmul_naive(self):
        n = 32  # a warp is 16 rows and two columns: 16 sectors of A, one of B
        warps = n * n // 32
        self.assert_counts(self.measure("matmul_naive/uncoalesced.cl"), (warps * n * 2, warps * n * 17), (warps, warps * 16))

    def test_matmul_tiled(self):
        n, tile = 32, 16  # a warp has two runs of 16 elements
        warps, steps = n * n // 32, n // tile
        total = self.measure("matmul_tiled/sharedmem.cl")
        self.assert_counts(total, (warps * steps * 2, warps * steps * 2 * 4), (warps, warps * 4))
        self.assertEqual(total["outside_l1"]["local"]["store"]["wavefronts"], warps * steps * 2)

    def test_matrix_sum(self):
        warps = 64 * 64 // 32
        self.assert_counts(self.measure("matrix_sum/matrix_sum.cl"), (2 * warps, 2 * warps * 16), (warps, warps * 16))
        self.assert_counts(self.measure("matrix_sum/matrix_sum.cl", "-D", "ROW_FROM_X=0"), (2 * warps, 2 * warps * 4),
                           (warps, warps * 4))

    def test_row_column_sums(self):
        n = 256
        self.assert_counts(self.measure("row_column_sums/row_sums.cl"), (n * n // 32, n * n), (n // 32, n // FLOATS))

    def test_transpose_tile(self):
        n = 64
        warps = n * n // 32
        for options, loads, stores in (((), 32, 1), (("-D", "ON_STORE=1"), 1, 32), (("-D", "PADDING=1"), 1, 1)):
            total = self.measure("transpose_tile/transpose_tile.cl", *options)
            self.assert_counts(total, (warps, warps * 4), (warps, warps * 4))
            local = total["outside_l1"]["local"]
            self.assertEqual((local["load"]["wavefronts"], local["store"]["wavefronts"]), (warps * loads, warps * stores))

    def test_vadd(self):
        n = 1024
        self.assert_counts(self.measure("vadd/vadd.cl"), (2 * n // 32, 2 * n // FLOATS), (n // 32, n // FLOATS))

    def test_group_sum(self):
        full, rest = divmod(515, 32)  # the last warp has three elements: one sector
        self.assert_counts(self.measure("group_sum/group_sum_loads.cl"), (515, 515), (full + 1, 4 * full + 1))
        self.assert_counts(self.measure("group_sum/group_sum_loads.cl", "-D", "ROTATED=1"),
                           (32 * (full + 1), 32 * (4 * full + 1)), (full + 1, 4 * full + 1))
        self.assertEqual(rest, 3)

    def test_softmax(self):
        rows, columns = 2, 1024  # three passes load, two store
        warps = rows * columns // 32
        self.assert_counts(self.measure("softmax/softmax_three_passes.cu"), (3 * warps, 12 * warps), (2 * warps, 8 * warps))

    def test_layernorm(self):
        rows, columns = 2, 1024  # x twice, gamma, beta
        warps = rows * columns // 32
        self.assert_counts(self.measure("layernorm/layernorm.cu"), (4 * warps, 16 * warps), (warps, 4 * warps))

    def test_conv2d(self):
        size, channels, filters = 24, 4, 2
        requests = sectors = 0
        for group in range(8):  # 2 x 2 tiles of each of two planes
            left, top = group % 2 * 16 - 1, group // 2 % 2 * 16 - 1
            for channel in range(channels):
                for first in range(0, 512, 32):
                    places = [(top + at // 18, left + at % 18) for at in range(first, first + 32) if at < 18 * 18]
                    words = {(channel * size + row) * size + column for row, column in places
                             if 0 <= row < size and 0 <= column < size}
                    requests += bool(words)
                    sectors += len({word // FLOATS for word in words})
        weights = 8 * 8 * channels * 9
        stored = [min(size - left, 16) for left in (0, 16)]  # pixels of a tile's row
        stores = 4 * sum((height + 1) // 2 for height in stored)
        self.assert_counts(self.measure("conv2d/conv2d_tile.cl"), (requests + weights, sectors + weights),
                           (stores, filters * size * size // FLOATS))


class Commands(unittest.TestCase):
    EVERY_RUN = True

    def test_every_launch_has_a_command(self):
        with open(TRUTH / "launches.csv", encoding="utf-8") as table:
            wanted = {row["launch"]: row["family"] for row in csv.DictReader(table) if row["family"] in OURS}
        found = {}
        for family in OURS:
            with open(TRUTH / "commands" / f"{family}.csv", encoding="utf-8") as table:
                for row in csv.DictReader(table):
                    self.assertNotIn(row["launch"], found)
                    found[row["launch"]] = family
                    file = SOURCE / row["file"]
                    self.assertTrue(file.exists() and file.with_suffix(".launch").exists(), row)
        self.assertEqual(found, wanted)


if __name__ == "__main__":
    unittest.main()
