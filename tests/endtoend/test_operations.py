"""Operations of kernels by hand: numbers of 64 and 32 bits, work-items that do nothing, warps that diverge."""
import json
import unittest

from support import ToolTest

KERNELS = """
__global__ void doubles(const double *a, double *b, double s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = s * a[i] + b[i];
}
__global__ void both(const float *a, double *b, double s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = s * (a[i] * 3.0f + 1.0f);
}
__global__ void ways(const float *a, float *b, float s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (threadIdx.x % 4 == 0) b[i] = (a[i] * a[n + i] + 1.0f) * s;
  else b[2 * n + i] = a[2 * n + i] * s;
}
"""
ITEMS = 1000  # of 1,024: the last warp of four has eight work-items at work


class Operations(ToolTest):
    def operations(self, kernel):
        """(all, of 64 bits) floating-point operations."""
        (self.folder / "k.cu").write_text(KERNELS, encoding="ascii")
        self.run_tool("trace-kernel", "k.cu", "--kernel", kernel, "--grid", 4, "--block", 256, "--arg", f"n={ITEMS}", "--arg", "s=2",
                      "--arg", "a=count=4096", "--arg", "b=count=4096", "-o", "k.wtrace")
        inputs = json.loads(self.run_tool("warpscope", "model", "--model", "roofline", "--gpu", "h100", "k.wtrace", "--json", "-"))["inputs"]
        return inputs["flops"]["value"], inputs["fp64_flops"]["value"]

    def test_doubles_are_operations(self):
        self.assertEqual(self.operations("doubles"), (2 * ITEMS, 2 * ITEMS))  # a fused multiply-add

    def test_both_widths(self):
        self.assertEqual(self.operations("both"), (3 * ITEMS, ITEMS))  # a fused multiply-add of float, a product of double

    def test_each_way_of_a_divergent_warp_counts_for_those_that_take_it(self):
        self.assertEqual(self.operations("ways"), (3 * ITEMS // 4 + ITEMS - ITEMS // 4, 0))


if __name__ == "__main__":
    unittest.main()
