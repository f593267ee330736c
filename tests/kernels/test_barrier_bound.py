"""A program that unrolled completely would keep PoCL's compiler busy for hours: two loops with barriers in a loop."""
import json
import os
import pty
import signal
import subprocess
import unittest

import launches  # noqa: F401  (finds support)
from support import BIN, ToolTest

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

    def test_on_a_terminal_it_is_said_that_the_compiler_takes_long(self):
        steps = "".join(f"  if (a[i ^ {k}] > {k}) a[i] += a[i * {k} & 63];\n" + "  barrier(CLK_GLOBAL_MEM_FENCE);\n" * (k % 10 == 0)
                        for k in range(1000))  # far more than two seconds of PoCL's compiler
        (self.folder / "slow.cl").write_text("kernel void slow(global float* a) {\n  int i = get_local_id(0);\n" + steps + "}\n")
        here, terminal = pty.openpty()
        with subprocess.Popen([BIN / "trace-kernel", "slow.cl", "--global", "64", "--local", "64", "--arg", "a=count=64", "-o", "slow.wtrace"],
                              cwd=self.folder, stderr=terminal, stdout=subprocess.DEVNULL,
                              env={**os.environ, "POCL_CACHE_DIR": str(self.folder / "pocl")}) as tool:  # nothing is compiled yet
            os.close(terminal)
            said = b""
            while b"\n" not in said.partition(b"compiling")[2]:
                said += os.read(here, 4096)
            tool.send_signal(signal.SIGTERM)
        os.close(here)
        # Nothing has begun: no work-groups are counted before it.
        self.assertRegex(said.decode(), r"(?s)^(trace-kernel: inferred: [^\n]*\n)*trace-kernel: compiling slow …\r?\n$")
        self.assertEqual(tool.returncode, 128 + signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
