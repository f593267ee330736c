"""Whole CUDA programs that use what nvcc takes and brings beyond what clang does: see the programs in cuda/language."""
import subprocess
import unittest

from support import BIN, SOURCE, RuntimeProgramTest
from support import load_third as load_tests  # noqa: F401


class Language(RuntimeProgramTest):
    PROGRAMS = SOURCE / "tests/programs/cuda/language"

    def test_what_nvcc_takes_and_clang_does_not(self):
        self.assertEqual(self.plain(self.build_quietly("lenient")).stdout, "0 wrong\n")

    def test_shared_addresses_wrap_and_names_are_long(self):
        done = self.assert_same_program(self.build_quietly("wrapping"))
        self.assertEqual(done.stdout, "0 wrong\n")
        self.check()
        # By hand: one load and two stores in global memory, two loads and a store in shared memory; then the sum.
        self.assertEqual([(launch["loads"], launch["stores"]) for launch in self.launches()], [(3 * 128, 3 * 128), (0, 1)])
        self.assertGreater(len(self.launches()[1]["kernel"]), 255)

    def test_shifts_by_all_bits_and_more(self):
        self.assertEqual(self.assert_same_program(self.build_quietly("shifts")).stdout, "0 wrong, cudaSuccess\n")

    def test_functions_behind_pointers(self):
        done = self.assert_same_program(self.build_quietly("functions"))
        self.assertEqual(done.stdout, "0 wrong, cudaSuccess\n")
        self.check()
        # By hand, for each of 32 threads; of an object: its place, its class, its function, its number.
        by_hand = {"choose": (3, 1), "apply": (1, 1), "map": (1, 1), "make": (0, 3), "grow": (4, 1), "areas": (4, 1), "sides": (6, 1), "drop": (3, 0)}
        self.assertEqual({launch["kernel"]: (launch["loads"] / 32, launch["stores"] / 32) for launch in self.launches()}, by_hand)

    def test_recursion_that_is_a_loop(self):
        done = self.assert_same_program(self.build_quietly("recursion"))
        self.assertEqual(done.stdout, "0 wrong, cudaSuccess\n")
        # By hand: a tree of 7 keys. A search loads a key for each node that it visits, and a pointer for each step to the next or to none:
        # 1, twice 3 and four times 5 loads for the keys that are there, 6 for each of the 9 others.
        self.assertEqual([(launch["loads"], launch["stores"]) for launch in self.launches()], [(3, 2), (1 + 2 * 3 + 4 * 5 + 9 * 6, 16)])

    def test_barriers_and_pipelines(self):
        sites = []
        for architecture in ("70", "80"):
            done = self.assert_same_program(self.build_quietly("barriers", "-arch=sm_" + architecture))
            self.assertEqual(done.stdout, "0 wrong, cudaSuccess\n")
            self.check()
            view = subprocess.run([BIN / "trace-view", "x.wtrace", "--sites"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
            sites.append(sum(int(line.split()[6]) for line in view.splitlines() if line.split()[1:3] == ["load", "global"]))
        # By hand: every number is loaded once, by one thread: 4 rounds, 4 rounds, 1 round.
        self.assertEqual(sites, [(4 + 4 + 1) * 64] * 2)

    def test_scopes(self):
        done = self.assert_same_program(self.build_quietly("scopes"))
        self.assertEqual(done.stdout, "0 wrong, cudaSuccess\n")
        # By hand: 6 * 64 threads, with 4 atomics and a store of each.
        self.assertEqual([(launch["atomics"], launch["stores"]) for launch in self.launches()], [(4 * 384, 0), (0, 384)])

    def test_integer_functions(self):
        done = self.assert_same_program(self.build_quietly("integers"))
        self.assertEqual(done.stdout, "0 wrong\n")
        # The functions load and store nothing of their own.
        self.assertEqual([(launch["loads"], launch["stores"]) for launch in self.launches()], [(3 * 512, 22 * 512)])

    def test_what_a_gpu_defines(self):
        done = self.assert_same_program(self.build_quietly("arithmetic"))
        self.assertEqual(done.stdout, "cudaSuccess, 0 wrong\n")

    def test_operators_that_take_everything(self):
        self.assertEqual(self.plain(self.build_quietly("greedy_operators")).stdout, "0 wrong\n")

    def test_what_headers_bring(self):
        self.assertEqual(self.plain(self.build_quietly("brought", "-lnvidia-ml")).stdout, "0 wrong\n")


if __name__ == "__main__":
    unittest.main()
