"""Kernels whose work-groups branch around barriers: PoCL alone computes many of them wrong, recorded they are right."""
import pathlib
import sys
import unittest

from support import BIN, ProgramTest

PROGRAM = pathlib.Path(__file__).with_name("barrier_branches.py")
# Both ways have a barrier, and each counts once per work-group.
KERNEL = """kernel void k(global const uint *a, int n, global uint *b, global uint *c, local uint *h) {
  local uint doubled[32];
  int t = get_local_id(0), i = get_global_id(0) - get_global_offset(0);
  uint v = a[i] + get_work_dim();
  h[t] = v;
  doubled[t] = v * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (n > 5) { v += h[31 - t]; barrier(CLK_LOCAL_MEM_FENCE); if (t == 0) c[0]++; }
  else { v += doubled[31 - t]; barrier(CLK_LOCAL_MEM_FENCE); if (t == 0) c[1]++; }
  b[i] = v + (uint)(sin((float)t) * 0.0f);
}
"""
LAUNCH = ["--global", "128", "--local", "32", "--arg", "n=9", "--arg", "h=128",
          *(word for name in "abc" for word in ("--arg", f"{name}=count=128"))]


class BarrierBranches(ProgramTest):
    def test_random_kernels_compute_what_they_say(self):
        """Without Warpscope, 7 of these 13 kernels are wrong for some n."""
        done = self.traced(sys.executable, PROGRAM, 13, 26)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "0 of 65 launches are wrong\n")
        self.check()

    def test_counts_are_those_of_the_source(self):
        (self.folder / "k.cl").write_text(KERNEL)
        done = self.plain(BIN / "trace-kernel", "k.cl", *LAUNCH, "--verify", "-o", "x.wtrace")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check()
        (launch,) = self.launches()
        # a and h by each work-item, c[0] by one of each of four groups; h, doubled and b by each, c[0] by one.
        self.assertEqual([launch[kind] for kind in ("loads", "stores", "barriers")], [128 * 2 + 4, 128 * 3 + 4, 128 * 2])


if __name__ == "__main__":
    unittest.main()
