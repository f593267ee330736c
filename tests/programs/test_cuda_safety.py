"""CUDA programs whose kernels fail: assertions, and memory of kernels' own; programs that do what they should not."""
import os
import unittest

from support import BIN, SOURCE, ProgramTest

PROGRAMS = SOURCE / "tests/programs/cuda/runtime"


class SafetyTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        self.environment.pop("WARPSCOPE_GPU", None)

    def build(self, name, *options):
        done = self.plain(BIN / "warpscope-nvcc", *options, PROGRAMS / f"{name}.cu", "-o", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return f"./{name}"


class Assertions(SafetyTest):
    ERROR = "cudaErrorAssert\n"
    # After the failure: the synchronisation, the last error twice, a launch, a copy, and cudaFree().
    STICKY = "cudaSuccess\n" + 3 * ERROR + "device-side assert triggered\n" + 2 * ERROR
    LINE = ("assertions.cu:11: T within(T, T) [T = int]: block: [1,0,0], thread: [6,0,0] Assertion `i < n && \"in range\"` failed.\n")

    def test_a_failed_assertion_ends_the_launch(self):
        program = self.build("assertions")
        done = self.plain(program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, self.STICKY, self.LINE))
        traced = self.traced(program)
        self.assertEqual((traced.returncode, traced.stdout), (3, self.STICKY), traced.stderr)
        self.assertIn(self.LINE, traced.stderr)
        self.assertRegex(traced.stderr, r"launch 2 \(add\): [01] of 2 work-groups are recorded: assertions.cu:11: ")
        self.check()
        # By hand: 128 threads load what the assertion looks at, which is also what is added to.
        self.assertEqual([(launch["loads"], launch["stores"]) for launch in self.launches()[:2]], [(0, 128), (128, 128)])

    def test_threads_with_stacks_of_their_own(self):
        program = self.build("assertions")
        done = self.plain(program, "together")
        self.assertEqual((done.returncode, done.stdout), (0, self.STICKY))
        self.assertRegex(done.stderr, r"^assertions.cu:24: void add_together\(int \*, int\): block: \[0,0,0\], thread: \[1,0,0\] "
                                      r"Assertion `p\[threadIdx.x\] == n` failed\.\n$")

    def test_without_assertions(self):
        program = self.build("assertions", "-DNDEBUG")
        done = self.assert_same_program(program)
        self.assertEqual(done.stdout.splitlines()[:2], ["cudaSuccess"] * 2)
        self.assertNotIn("Assertion", done.stderr)
        self.assertEqual([launch["loads"] for launch in self.launches()], [0, 128, 128, 0])

    def test_one_kernel_of_a_file(self):
        done = self.plain(BIN / "trace-kernel", PROGRAMS / "assertions.cu", "--kernel", "add", "--grid", "2", "--block", "64",
                          "--arg", "p=count=128,fill=constant(1)", "--arg", "n=70", "--threads", "1", "-o", "x.wtrace")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr, self.LINE + "trace-kernel: kernel 'add' was stopped; 1 of 2 work-groups were complete; what is "
                                                  "recorded is in x.wtrace.part (trace-view --partial x.wtrace.part)\n")


class Heap(SafetyTest):
    def test_memory_that_kernels_allocate(self):
        program = self.build("heap")
        refused = "cudaErrorInvalidValue\n" * 3  # the host may not copy or free it, nor change the limit any more
        for arguments, kibibytes in ((), 8192), (("32",), 32768):
            done = self.assert_same_program(program, *arguments)
            limit = "8388608\n" + ("cudaSuccess\n" if arguments else "")
            self.assertEqual(done.stdout, f"{limit}0 wrong, sum 10\n{kibibytes} KiB, 1\n{refused}")
        self.check()
        self.assertNotIn("outside of", done.stderr)
        launches = self.launches()
        # By hand: 64 threads store an address; load it, and store 10 values; load it, load the 10, store the sum.
        self.assertEqual([(launch["loads"], launch["stores"]) for launch in launches[:3]],
                         [(0, 64), (64, 640), (64 * 11, 64)])


if __name__ == "__main__":
    unittest.main()
