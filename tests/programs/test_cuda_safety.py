"""CUDA programs whose kernels fail: assertions, and memory of kernels' own; programs that do what they should not."""
import re
import resource
import signal
import unittest

from support import BIN, RuntimeProgramTest
from support import load_third as load_tests  # noqa: F401

PROGRAMS = RuntimeProgramTest.PROGRAMS


class Assertions(RuntimeProgramTest):
    ERROR = "cudaErrorAssert\n"
    # After the failure: the synchronisation, the last error twice, a launch, a copy, and cudaFree().
    STICKY = "cudaSuccess\n" + 3 * ERROR + "device-side assert triggered\n" + 2 * ERROR
    # Threads 70 to 127 of 2 blocks of 64, in any order.
    LINE = "assertions.cu:11: T within(T, T) [T = int]: block: [1,0,0], thread: [{},0,0] Assertion `i < n && \"in range\"` failed."
    LINES = sorted(map(LINE.format, range(6, 64)))

    def test_a_failed_assertion_ends_the_launch(self):
        program = self.build("assertions")
        done = self.plain(program)
        self.assertEqual((done.returncode, done.stdout, sorted(done.stderr.splitlines())), (0, self.STICKY, self.LINES))
        traced = self.traced(program)
        # The program has asked for the error, so what it says is what counts.
        self.assertEqual((traced.returncode, traced.stdout), (0, self.STICKY), traced.stderr)
        self.assertEqual(sorted(line for line in traced.stderr.splitlines() if "Assertion" in line and "trace-kernel" not in line), self.LINES)
        self.assertRegex(traced.stderr, r"launch 2 \(add\): [01] of 2 work-groups are recorded: assertions.cu:11: ")
        self.check()
        # By hand: 128 threads load what the assertion looks at, which is also what is added to.
        self.assertEqual([(launch["loads"], launch["stores"]) for launch in self.launches()[:2]], [(0, 128), (128, 128)])

    def test_threads_with_stacks_of_their_own(self):
        program = self.build("assertions")
        done = self.plain(program, "together")
        self.assertEqual((done.returncode, done.stdout), (0, self.STICKY))
        line = "assertions.cu:24: void add_together(int *, int): block: [0,0,0], thread: [{},0,0] Assertion `p[threadIdx.x] == n` failed."
        self.assertEqual(sorted(done.stderr.splitlines()), [line.format(thread) for thread in range(1, 8)])

    def test_an_error_that_nobody_asks_for(self):
        program = self.build("assertions")
        for run in self.plain, self.traced:
            done = run(program, "and", "forget")
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)

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
        self.assertEqual(sorted(line for line in done.stderr.splitlines() if "Assertion" in line), self.LINES)
        self.assertIn("work-group 1 is not recorded: an assertion failed in it", done.stderr)


class Traps(RuntimeProgramTest):
    # After the launch: the synchronisation, the last error, another launch, and cudaFree().
    STICKY = "cudaSuccess\n" + 2 * "cudaErrorLaunchFailure\n" + "unspecified launch failure\n" + "cudaErrorLaunchFailure\n"
    LINES = {"named": 11, "assembly": 17, "builtin": 23, "called": 30, "waiting": 45, "together": 53}

    def test_traps(self):
        program = self.build("traps")
        for kernel, line in self.LINES.items():
            with self.subTest(kernel):
                said = rf"warpscope: kernel '{kernel}', traps.cu:{line}:\d+: trap; block \[1,0,0\], thread \[6,0,0\]\n"
                done = self.plain(program, kernel)
                self.assertEqual((done.returncode, done.stdout), (3, self.STICKY), done.stderr)
                self.assertRegex(done.stderr, f"^{said}$")
                traced = self.traced(program, kernel)
                self.assertEqual((traced.returncode, traced.stdout), (3, self.STICKY), traced.stderr)
                self.assertEqual(len(re.findall(said, traced.stderr)), 1, traced.stderr)
                self.assertEqual([launch["kernel"] for launch in self.launches()], ["fill", kernel, kernel])

    def test_one_kernel_of_a_file(self):
        done = self.plain(BIN / "trace-kernel", PROGRAMS / "traps.cu", "--kernel", "builtin", "--grid", "2", "--block", "64",
                          "--arg", "p=count=128,fill=constant(1)", "--arg", "n=70", "--threads", "1", "-o", "x.wtrace")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"^trace-kernel: kernel 'builtin' faulted \(SIGILL\) in work-item 6 of work-group 1 at traps.cu:23:\d+: trap; "
                                      r"1 of 2 work-groups were complete; [^\n]*\n$")


class Effects(RuntimeProgramTest):
    """effects.cu: boxes of work-items change nothing where kernels do more than they are known to follow."""

    def test_with_and_without_boxes(self):
        with_boxes = self.traced(self.build("effects"), output="boxes.wtrace")
        self.assertEqual(with_boxes.returncode, 0, with_boxes.stderr)
        plain = self.plain("./effects")
        self.environment["WARPSCOPE_NO_BOXES"] = "1"
        without = self.traced(self.build("effects"), output="x.wtrace")
        self.check()
        for done in plain, without:
            self.assertEqual(sorted(done.stdout.splitlines()), sorted(with_boxes.stdout.splitlines()), done.stderr)
        self.assertEqual(with_boxes.stdout.count("cudaSuccess"), 20)
        self.assertEqual(with_boxes.stdout.count("thread "), 128)
        self.assertEqual(*((self.folder / name).read_bytes() for name in ("boxes.wtrace", "x.wtrace")))


class Heap(RuntimeProgramTest):
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

    def test_a_kernel_by_itself_has_no_heap(self):
        done = self.plain(BIN / "trace-kernel", PROGRAMS / "heap.cu", "--kernel", "chain", "--grid", "1", "--block", "1", "--arg",
                          "out=count=1", "-o", "x.wtrace")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("warpscope: malloc() in a kernel that runs by itself: there is no heap, expected a program", done.stderr)


class Hostile(RuntimeProgramTest):
    """hostile.cu: every case makes one good launch first, of 128 threads that store."""
    STOPPED = {  # case: error, and what the line says after the place
        "behind": ("cudaErrorIllegalAddress", r"store of 4 bytes: 800 bytes behind d_A of 4096 bytes"),
        "before": ("cudaErrorIllegalAddress", r"store of 4 bytes: 4000 bytes before d_A of 4096 bytes"),
        "null": ("cudaErrorIllegalAddress", r"store of 4 bytes: null pointer \(address 0x0\)"),
        "host": ("cudaErrorIllegalAddress", r"store of 4 bytes: (\d+ bytes (before|behind) d_[AB] of \d+ bytes.*|wild pointer .*)"),
        "misaligned": ("cudaErrorMisalignedAddress", r"store of 4 bytes: address 0x[0-9a-f]+[26ae] is not a multiple of 4"),
        "freed": ("cudaErrorIllegalAddress", r"store of 4 bytes: in d_A of 4096 bytes, which was freed"),
        "found": ("cudaErrorIllegalAddress", r"store of 4 bytes: wild pointer \(address 0x123456780000\)"),
    }

    def setUp(self):
        super().setUp()
        self.program = self.build("hostile", "-std=c++17")
        self.environment["WARPSCOPE_KERNEL_SECONDS"] = "3"

    def case(self, name, status, *lines):
        """Traced: prints these lines after "cudaSuccess", ends with the status, and leaves the good launch in the capture."""
        done = self.traced(self.program, name)
        self.assertEqual((done.returncode, done.stdout.split()), (status, ["cudaSuccess", *lines]), f"{name}: {done.stderr}")
        first = self.launches()[0]
        self.assertEqual((first["kernel"], first["stores"]), ("fill", 128), name)
        self.check()
        return done.stderr

    def test_bad_addresses(self):
        for name, (error, what) in self.STOPPED.items():
            with self.subTest(name):
                said = self.case(name, 3, *[error] * 5)
                self.assertRegex(said, rf"warpscope: kernel '(poke|follow)', hostile.cu:\d+:\d+: {what}; block \[0,0,0\], thread \[\d+,0,0\]\n")
                self.assertRegex(said, r"trace-kernel: launch 1 \((poke|follow)\): 0 of 1 work-groups are recorded: kernel '")
                self.assertEqual([launch["kernel"] for launch in self.launches()], ["fill", "poke" if name != "found" else "follow"])

    def test_the_programs_own_status_stays(self):
        done = self.traced(self.program, "null", "7")
        self.assertEqual(done.returncode, 7, done.stderr)

    def test_loads_that_a_gpu_does_not_notice(self):
        said = self.case("page", 3, "cudaSuccess", "cudaSuccess")
        self.assertRegex(said, r"trace-kernel: kernel 'shift', hostile.cu:\d+:\d+: load of 4 bytes outside of d_A of 128 bytes; a GPU does not")
        self.assertEqual([launch["loads"] for launch in self.launches()], [0, 32, 0])

    def test_endings(self):
        endings = {"exit": (5,), "_exit": (6,), "twice": (0, "cudaSuccess", *["cudaErrorInvalidValue"] * 3),
                   "blocks": (0, *["cudaErrorInvalidConfiguration"] * 4, "cudaSuccess"), "fork": (0, "3", "cudaSuccess"),
                   "folder": (0, "cudaSuccess"), "threads": (4,), "stack": (0, "cudaSuccess")}
        for name, (status, *lines) in endings.items():
            with self.subTest(name):
                self.case(name, status, *lines)

    def test_abort(self):
        done = self.traced(self.program, "abort")
        self.assertEqual(done.returncode, -signal.SIGABRT, done.stderr)
        self.assertEqual(len(self.launches()), 1)

    def test_endless(self):
        said = self.case("endless", -signal.SIGINT)
        self.assertIn("kernel 'spin' has not ended after 3 s (WARPSCOPE_KERNEL_SECONDS)", said)

    def test_closed_files(self):
        done = self.traced(self.program, "closed")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([launch["stores"] for launch in self.launches()], [128, 128])  # what the program closes is not ours


class MeetingsInStep(RuntimeProgramTest):
    """Before Volta the threads of a warp run in step. How long PoCL compiles is bounded however often they meet under conditions."""
    MOST_SECONDS = 30  # of the processor; PoCL alone took 21 for 13 steps, and doubles with each

    def test_unrolled_elimination(self):
        program = self.build("lockstep", "-arch=sm_60")
        began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = self.assert_same_program(program)
        self.assertEqual(done.stdout, "1 1 1 1\n", done.stderr)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began, self.MOST_SECONDS)
        # By hand: rows of B threads load B elements, and store them.
        self.assertEqual([launch["by_address_space"]["global"]["loads"] for launch in self.launches()], [b * b for b in (4, 8, 13, 20)])


if __name__ == "__main__":
    unittest.main()
