"""What public suites of CUDA programs ask of a compiler and its headers, in programs of our own."""
import os
import unittest

from support import BIN, SOURCE, ProgramTest

PROGRAMS = SOURCE / "tests/programs/cuda/suites"


class Suites(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"

    def build(self, name, *options):
        """Quietly: a suite's user does not know which warning matters."""
        done = self.plain(BIN / "warpscope-nvcc", *options, PROGRAMS / f"{name}.cu", "-o", name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return f"./{name}"

    def test_groups(self):
        # Macros of one letter on the command line must not reach into the headers.
        done = self.assert_same_program(self.build("groups", "-std=c++11", "-DN=64", "-DT=10", "-DD=1", "-DA=1"))
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        self.check()


if __name__ == "__main__":
    unittest.main()
