"""Operations of kernels by hand: numbers of 64 and 32 bits, work-items that do nothing, warps that diverge."""
import json
import sys
import unittest

from support import SOURCE, ToolTest

sys.path.insert(0, str(SOURCE / "python"))
from warpscope.show.page import roofline  # noqa: E402

KERNELS = """
__global__ void doubles(const double *a, double *b, double s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = s * a[i] + b[i];
}
__global__ void add(const double *a, const double *b, double *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
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

    def test_a_stream_of_doubles(self):
        """r06 of a set of public questions: nothing is reused, so no cache hits, and the page has a roofline of its operations of 64 bits."""
        (self.folder / "k.cu").write_text(KERNELS, encoding="ascii")
        self.run_tool("warpscope", "k.cu", "--kernel", "add", "--grid", 64, "--block", 256, "--arg", "n=16384", "--gpu", "gtx480", "--clock",
                      "both", "--no-plots", "-o", "out")
        result = json.loads((self.folder / "out" / "result.json").read_text(encoding="utf-8"))
        load, lines = result["total"]["load"], 2 * 16384 * 8 // 128
        self.assertEqual((load["hits"], load["misses"], result["total"]["miss_classes"]["cold"]), (0, lines, lines))
        memory = result["timed"]["total"]["timing"]["memory"]
        self.assertEqual((memory["l2_load_hits"], memory["l2_load_misses"]), (0, lines))
        (kernel,) = roofline.of_result(result, next(self.folder.glob("out/*.wtrace")))["kernels"]
        self.assertEqual((kernel["flops"], kernel["fp64"]), (0, 16384))

    def test_both_widths(self):
        self.assertEqual(self.operations("both"), (3 * ITEMS, ITEMS))  # a fused multiply-add of float, a product of double

    def test_each_way_of_a_divergent_warp_counts_for_those_that_take_it(self):
        self.assertEqual(self.operations("ways"), (3 * ITEMS // 4 + ITEMS - ITEMS // 4, 0))


if __name__ == "__main__":
    unittest.main()
