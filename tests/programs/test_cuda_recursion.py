"""CUDA programs whose device functions call themselves and each other (cuda/recursion)."""
import json
import unittest

from support import BIN, SOURCE, RuntimeProgramTest
from support import load_third as load_tests  # noqa: F401


class Recursion(RuntimeProgramTest):
    PROGRAMS = SOURCE / "tests/programs/cuda/recursion"

    def counts(self):
        return [(launch["loads"], launch["stores"]) for launch in self.launches()]

    def test_functions_equal_the_hosts(self):
        done = self.assert_same_program(self.build_quietly("functions"))
        self.assertEqual(done.stdout, "0 0 0 0 0 wrong, cudaSuccess\n")
        self.check()
        # By hand: 96 threads load a number and store one; frames are private memory, which these counts leave out. Only what the functions
        # of the fourth kernel get is behind pointers of which the compiler does not know where they point to.
        counts = self.counts()
        self.assertEqual(counts[:3] + counts[4:], [(96, 96)] * 4)

    def test_trees_and_sorting(self):
        done = self.assert_same_program(self.build_quietly("trees"))
        self.assertEqual(done.stdout, "0 0 0 wrong, cudaSuccess\n")
        self.check()
        walk, _, build, areas = self.counts()
        # By hand: trees of 0 to 31 nodes. Of each root a pointer, of each node its key and two pointers; a node stores its key and, through
        # a pointer to anywhere, how many it was, and a tree its number.
        nodes = sum(range(32))
        self.assertEqual(walk, (32 + 3 * nodes, 2 * nodes + 32))
        # Of 31 objects the class, and of 15 two pointers or of 16 a number.
        self.assertEqual(build, (0, 31 + 2 * 15 + 16))
        # A full tree of 31 shapes, each of which a thread begins at: 31 + 2 * 15 + 4 * 7 + 8 * 3 + 16 * 1 calls, 16 of them at each of
        # five depths for numbers. A call loads the class and its function; then a pair two pointers, a square a number.
        calls, squares = 31 + 2 * 15 + 4 * 7 + 8 * 3 + 16, 16 * 5
        self.assertEqual(areas, (2 * calls + 2 * (calls - squares) + squares, 31))

    def test_frames_are_private_memory(self):
        done = self.assert_same_program(self.build_quietly("overflow"), "1000")
        self.assertEqual(done.stdout, "cudaSuccess\n0 wrong\n")
        self.check()
        view = self.plain(BIN / "trace-view", "x.wtrace", "--sites").stdout
        sites = [line.split() for line in view.splitlines() if " private " in line]
        # By hand: each of 1000 calls stores n before it and loads it after it, at its line.
        self.assertEqual(sorted((site[1], int(site[6])) for site in sites), [("load", 1000), ("store", 1000)], view)
        self.assertTrue(all("overflow.cu:7:18" in site for site in sites), view)

    def test_large_functions_are_not_copied(self):
        done = self.assert_same_program(self.build_quietly("ladders"))
        self.assertEqual(done.stdout, "0 0 0 wrong, cudaSuccess\n")
        self.check()
        # By hand: Level<7> stays a function. It loads at every distance from -28 to 28, which are 57 loads when simplified. Level<9> calls it nine
        # times, Level<8> three times. A thread of the second kernel calls Level<8> in each of three steps and once more in one of them, and loads
        # a number itself in each. All 96 threads store once.
        level = 57
        self.assertEqual(self.counts(), [(96 * 9 * level, 96), (96 * (4 * 3 * level + 3), 96), (96 * 2 * 3 * level + 96, 2 * 96)])

    def test_code_does_not_grow_with_the_number_of_calls(self):
        done = self.plain(BIN / "compile-kernel", self.PROGRAMS / "ladders.cu")
        self.assertEqual(done.returncode, 0, done.stderr)
        kernels = json.loads((self.folder / "kernels.json").read_text())
        # Each kernel has one Level<7>: 3^7 = 2,187 times an addition and what combines them, and few indices.
        instructions = sum(block["instructions"] for kernel in kernels for block in kernel["blocks"])
        self.assertLess(instructions, 3 * 5 * 2187)

    def test_barriers_and_warp_functions(self):
        done = self.assert_same_program(self.build_quietly("together"))
        self.assertEqual(done.stdout, "0 wrong, cudaSuccess\n")
        self.check()

    def test_a_stack_that_is_too_small(self):
        program = self.build_quietly("overflow")
        line = (r"warpscope: kernel 'recursive', overflow.cu:7:18: the call of deep\(int\) does not fit into the {} bytes of stack that a thread "
                r"has: .*cudaLimitStackSize.*; block \[0,0,0\], thread \[2,0,0\]\n")
        for arguments, limit in ((("100000",), 16384), (("20000", "65536"), 65536)):
            for run in self.plain, self.traced:
                done = run(program, *arguments)
                self.assertEqual((done.returncode, done.stdout), (3, "cudaErrorHardwareStackError\n"), done.stderr)
                self.assertRegex(done.stderr, line.format(limit))
        self.check()
        for arguments in ("1000",), ("20000", "131072"):
            done = self.assert_same_program(program, *arguments)
            self.assertEqual(done.stdout, "cudaSuccess\n0 wrong\n")

    def test_one_kernel_of_a_file(self):
        arguments = (self.PROGRAMS / "overflow.cu", "--kernel", "recursive", "--grid", "1", "--block", "4", "--arg", "p=count=2,fill=constant(8000)", "-o", "x.wtrace")
        done = self.plain(BIN / "trace-kernel", *arguments)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"does not fit into the 16384 bytes(.|\n)*kernel 'recursive' was stopped")
        self.environment["WARPSCOPE_STACK_BYTES"] = "200000"
        for options in (), ("--optimize", "O0"):
            done = self.plain(BIN / "trace-kernel", *arguments, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.counts(), [(1, 1)])


if __name__ == "__main__":
    unittest.main()
