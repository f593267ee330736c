"""A program that unrolled completely would keep PoCL's compiler busy for hours: two loops with barriers in a loop."""
import json
import unittest

import launches  # noqa: F401  (finds support)
from support import ToolTest

SOURCE = """\
kernel void scans(global float* a, int d) {
  local float t[256];
  int l = get_local_id(0);
  t[l] = a[l];
  for (int k = 0; k < ITERATIONS; ++k) {
    for (int s = 1; s < d; s <<= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l >= s) t[l] += t[l - s];
    }
    for (int s = d; s > 0; s >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l < s) t[l] += t[l + s];
    }
  }
  a[l] = t[l];
}
"""


class BarrierBound(ToolTest):
    def captured(self, iterations):
        (self.folder / "scans.cl").write_text(SOURCE)
        self.run_tool("trace-kernel", "scans.cl", "--global", "256", "--local", "256", "-D", f"ITERATIONS={iterations}",
                      "--arg", "a=256", "--arg", "d=16", "-o", "x.wtrace")
        return json.loads(self.run_tool("trace-view", "--summary", "--json", "x.wtrace"))["launches"][0]

    def assert_counts(self, launch, iterations):
        up, down = (1, 2, 4, 8), (16, 8, 4, 2, 1)
        adding = iterations * (sum(256 - s for s in up) + sum(down))  # work-items, over all steps
        local = launch["by_address_space"]["local"]
        self.assertEqual((local["loads"], local["stores"]), (2 * adding + 256, adding + 256))
        self.assertEqual(launch["barriers"], 256 * iterations * (len(up) + len(down)))

    def test_the_loop_is_left_rolled_and_the_capture_says_so(self):
        for iterations in 5, 16:
            with self.subTest(iterations=iterations):
                self.assert_counts(self.captured(iterations), iterations)
                self.assertIn(f"left rolled: a loop of {iterations} iterations at scans.cl:5:3",
                              self.run_tool("trace-view", "--summary", "x.wtrace").decode())

    def test_within_the_bound_it_is_unrolled(self):
        self.assert_counts(self.captured(3), 3)
        self.assertNotIn("left rolled", self.run_tool("trace-view", "--summary", "x.wtrace").decode())


if __name__ == "__main__":
    unittest.main()
