"""What stores find in the L1 of compute capability 7.0 and later: a store takes a tag, fetches nothing, and hits if its line is there."""
import unittest

from support import ToolTest

ROWS_LAUNCH = ("--arg", "out=4096", "--arg", "step=1", "--global", "256", "--local", "64")
GPUS = ("v100", "gtx1660s", "a100", "a6000", "rtx4090", "h100", "rtx5090")

# The stores of a layer of a network: 16 x 16 work-items update weights that they have read, then a work-item of each row stores a sum.
# Rows are 17 floats apart, so a warp's two rows touch floats s to s + 32 but s + 16: five sectors, of which all were read. The eight
# warps' sums are 16 neighbouring floats of a line that nobody read: eight stores of a sector, and only the first finds no line.
# Hardware: Rodinia's backprop (layerforward) on a V100 has 48 store sectors per work-group, of which 192,393 of 196,565 hit, 97.88 %
# (Accel-Sim, accelwattch_hw_profiler/hw_perf.csv).
LAYER = """
__kernel void layer(__global float* weights, __global float* sums) {
  const int x = get_local_id(0), y = get_local_id(1), group = get_group_id(0);
  const int at = 17 * (16 * group + y + 1) + x + 1;
  const float weight = weights[at];
  weights[at] = 2 * weight;
  if (x == 0) sums[1024 * group + y] = weight;
}
"""
# Every work-item stores 16 floats, one after the other. Lanes are 64 bytes apart, two to a line: the first store of a lane finds no line,
# the other 15 do, although the ninth goes to a sector that nobody had.
ROWS = """
__kernel void rows(__global float* out, int step) {
  for (int k = 0; k < 16; ++k) out[16 * get_global_id(0) + k * step] = k;
}
"""
STREAM = "__kernel void stream(__global float* out) { out[get_global_id(0)] = 1; }"
# What a work-group has stored it reads, from another lane: a sector that was written whole is there.
EXCHANGE = """
__kernel void exchange(__global float* out, __global float* sums) {
  const int i = get_global_id(0);
  out[i] = i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  sums[i] = out[i ^ 33];
}
"""


class Stores(ToolTest):
    def assert_hits(self, source, words, expected, gpus=GPUS):
        """`expected`: {kind: (sectors, hits)} of the whole launch."""
        (self.folder / "k.cl").write_text(source, encoding="ascii")
        self.run_tool("trace-kernel", "k.cl", *words, "-o", "k.wtrace")
        for gpu in gpus:
            with self.subTest(gpu):
                total = self.result("k.wtrace", "--preset", gpu)["total"]
                self.assertEqual({kind: (total[kind]["sectors"], total[kind]["hits"]) for kind in expected}, expected)

    def test_a_layer(self):
        self.assert_hits(LAYER, ("--arg", "weights=4096", "--arg", "sums=8192", "--global", "128x16", "--local", "16x16"),
                         {"store": (8 * 48, 8 * 47)})

    def test_rows(self):
        self.assert_hits(ROWS, ROWS_LAUNCH, {"store": (256 * 16, 256 * 15)})

    def test_a_stream(self):
        self.assert_hits(STREAM, ("--arg", "out=4096", "--global", "4096", "--local", "256"), {"store": (512, 0)})

    def test_what_was_stored_is_read(self):
        self.assert_hits(EXCHANGE, ("--arg", "out=1024", "--arg", "sums=1024", "--global", "1024", "--local", "256"),
                         {"load": (128, 128), "store": (256, 0)})

    def test_before_volta_a_store_takes_no_line(self):
        self.assert_hits(ROWS, ROWS_LAUNCH, {"store": (256 * 16, 0)}, ("gtx980", "gtx1080", "p100"))


if __name__ == "__main__":
    unittest.main()
