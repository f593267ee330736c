"""What public suites of CUDA programs ask of a compiler and its headers, in programs of our own."""
import os
import unittest

from support import BIN, SOURCE, ProgramTest
from support import load_third as load_tests  # noqa: F401

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

    def test_habits_of_older_suites(self):
        toolkit = self.folder / "toolkit"
        for file in ("include/cuda_runtime_api.h", "include/cuda.h", "lib64/libcudart.so"):
            (toolkit / file).parent.mkdir(parents=True, exist_ok=True)
            (toolkit / file).write_text("this is not read")
        done = self.assert_same_program(self.build("habits", f"-I{toolkit}/include", f"-L{toolkit}/lib64", "-lcudart"))
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        # By hand: 32 threads fetch twice and store once.
        self.assertEqual([(launch["loads"], launch["stores"]) for launch in self.launches()], [(64, 32)])

    def test_names_of_the_toolkit(self):
        done = self.assert_same_program(self.build("names"))
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        # By hand: 64 ints are copied in words of 16 bytes, by 16 threads; every thread loads its own; three results of each, one more of each odd one.
        launch, = self.launches()
        self.assertEqual([launch[kind] for kind in ("loads", "stores")], [16 + 64, 16 + 3 * 64 + 32])

    def test_rounded_arithmetic(self):
        done = self.plain(self.build("rounding", "-std=c++11"))
        self.assertEqual(done.stdout, "ok\n", done.stderr)

    def test_atomics_of_libcuxx(self):
        done = self.assert_same_program(self.build("atomics"))
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        # By hand: 256 threads add twice and take a maximum, one of each of 4 blocks exchanges; 256 numbers and flags are stored, 4 counters set and read.
        launch, = self.launches()
        self.assertEqual([launch[kind] for kind in ("loads", "stores", "atomics")], [4, 2 * 256 + 4, 3 * 256 + 4])


if __name__ == "__main__":
    unittest.main()
