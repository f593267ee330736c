"""Thrust's own algorithms as kernels: results against the standard library's, and accesses counted by hand.

Its headers take up to 45 s to compile: a run takes one of the tests (sampled.py), scripts/test --long kernels all.
"""
import os
import sys
import unittest

from support import BIN, SOURCE, ProgramTest

sys.path.append(str(SOURCE / "tests"))
from sampled import load_tests  # noqa: E402, F401

PROGRAMS = SOURCE / "tests/programs/cuda/thrust"
N = 1000


class Thrust(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        self.environment.pop("WARPSCOPE_GPU", None)

    def build(self, name, *options):
        done = self.plain(BIN / "warpscope-nvcc", "-std=c++17", "--extended-lambda", *options, PROGRAMS / f"{name}.cu", "-o", name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return f"./{name}"

    def run_right(self, name):
        """The same output traced and untraced; no word about Thrust, or about addresses that the trace does not know."""
        done = self.assert_same_program(self.build(name))
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        self.assertNotIn("warpscope:", done.stderr)
        self.check()
        return self.launches()

    def test_counts(self):
        launches = self.run_right("counts")
        counts = [(launch["loads"], launch["stores"]) for launch in launches]
        # By hand: three vectors are filled; sequence; transform of one range and of two; for_each on pairs, and on half the numbers;
        # tabulate; gather and scatter load a place and a value.
        self.assertEqual(counts[:11], [(0, N)] * 4 + [(N, N), (2 * N, N), (2 * N, N), (0, N // 2), (0, N), (2 * N, N), (2 * N, N)])
        self.assertEqual((launches[11]["kernel"], *counts[11]), ("add_index", N, N))
        # One block of 8 warps: each stores its sum, thread 0 adds those of 7 others and stores the whole one.
        self.assertEqual(counts[12:14], [(N + 7, 8 + 1), (2 * N + 7, 8 + 1)])

        self.assertTrue(all("Scan" in launch["kernel"] for launch in launches[14:]), launches[14:])

    def test_sorts(self):
        launches = self.run_right("sorts")
        names = [launch["kernel"] for launch in launches]
        self.assertTrue(any("RadixSort" in name for name in names), names)
        self.assertTrue(any("MergeSort" in name for name in names), names)

    def test_selections(self):
        launches = self.run_right("selections")
        # By hand: two sorted ranges of 5,000 numbers, each loaded at least once.
        total = sum(launch["loads"] for launch in launches if "set_operations::SetOpAgent" in launch["kernel"])
        self.assertGreaterEqual(total, 2 * 5000)

    def test_many_algorithms_in_one_file(self):
        names = {launch["kernel"] for launch in self.run_right("algorithms")}
        for part in ("add_index", "Sort", "ReduceByKey", "Scan"):
            self.assertTrue(any(part in name for name in names), (part, names))

    def test_on_the_cpu(self):
        program = self.build("algorithms", "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP")
        self.assertEqual(self.plain(program).stdout, "ok\n")
        traced = self.traced(program)
        self.assertEqual((traced.returncode, traced.stdout), (0, "ok\n"), traced.stderr)
        self.assertEqual(traced.stderr.count("Thrust's own algorithms run on the CPU and are not traced"), 1)
        self.assertNotIn("outside of", traced.stderr)  # its vectors are memory that the trace knows
        self.assertEqual([(launch["kernel"], launch["loads"], launch["stores"]) for launch in self.launches()], [("add_index", N, N)] * 2)


if __name__ == "__main__":
    unittest.main()
