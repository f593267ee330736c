"""Accesses outside every buffer, from a kernel to its report: status 3, and the first line of all that is written."""
import unittest

from support import ToolTest

KERNEL = """__kernel void shift(__global const float* in, __global float* out, int d) {
  int i = get_global_id(0);
  out[i] = in[i + d];
}
"""
LINE = "OUTSIDE EVERY BUFFER: 100 of 1,024 loads at shift.cl:3"


class Outside(ToolTest):
    def test_is_what_a_user_reads_first(self):
        (self.folder / "shift.cl").write_text(KERNEL, encoding="ascii")
        words = ("--global", "1024", "--arg", "d=100", "--arg", "in=count=1024", "--gpu", "t4", "--no-plots", "-o", "out")
        for command in (("shift.cl", *words), ("out/shift.wtrace", "--gpu", "t4", "--no-plots", "-o", "again")):
            done = self.call("warpscope", *command)
            self.assertEqual(done.returncode, 3, done.stderr)
            lines = done.stdout.decode().splitlines()
            self.assertEqual(lines[0], LINE)
            self.assertIn("Next: correct the index, or the buffer's size", lines[-1])
            self.assertNotIn("sort", done.stdout.decode())
            folder = self.folder / command[-1]
            self.assertEqual((folder / "report.txt").read_text(encoding="utf-8").splitlines()[0], LINE)
            self.assertIn(LINE, (folder / "report.html").read_text(encoding="utf-8"))

    def test_with_the_right_size_nothing_is_said(self):
        (self.folder / "shift.cl").write_text(KERNEL, encoding="ascii")
        done = self.call("warpscope", "shift.cl", "--global", "1024", "--arg", "d=100", "--gpu", "t4", "--no-plots", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"inferred: in: 1,124 elements, from its accesses\n", done.stderr)
        self.assertNotIn(b"OUTSIDE", done.stdout)


if __name__ == "__main__":
    unittest.main()
