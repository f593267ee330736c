"""Programs that were never written for us: their output and exit status are those of an untraced run."""
import pathlib
import shutil
import subprocess
import unittest

from support import BIN, ProgramTest

PYTHON = "/usr/bin/python3"


def has_pyopencl():
    return subprocess.run([PYTHON, "-c", "import pyopencl"], capture_output=True, check=False).returncode == 0


class Applications(ProgramTest):
    @unittest.skipUnless(shutil.which("clinfo"), "needs Debian's package clinfo")
    def test_clinfo_sees_no_difference(self):
        self.assert_same_program("clinfo")

    @unittest.skipUnless(has_pyopencl(), "needs Debian's package python3-pyopencl")
    def test_pyopencl(self):
        done = self.assert_same_program(PYTHON, pathlib.Path(__file__).with_name("pyopencl_programs.py"), "elementwise",
                                        "reduction")
        self.assertNotRegex(done.stderr, "not traced|outside")
        self.check()
        launches = self.launches()
        line = next(launch for launch in launches if launch["kernel"] == "line")
        # z = a*x + y over 3000 elements.
        self.assertEqual((line["loads"], line["stores"]), (2 * 3000, 3000))

    @unittest.skipUnless((BIN / "programs_clblast").exists(), "needs Debian's package libclblast-dev")
    def test_clblast(self):
        done = self.assert_same_program(BIN / "programs_clblast")
        self.assertNotRegex(done.stderr, "not traced|outside")
        self.check()
        axpy = [launch for launch in self.launches() if launch["kernel"] == "XaxpyFastest"]
        # y = a*x + y over 96 x 96 floats, in vectors of four or eight.
        self.assertIn(axpy[0]["stores"], (96 * 96 // 4, 96 * 96 // 8))
        self.assertEqual(axpy[0]["loads"], 2 * axpy[0]["stores"])
        self.assertEqual(len(axpy), 2)


if __name__ == "__main__":
    unittest.main()
