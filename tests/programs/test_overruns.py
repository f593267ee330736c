"""Accesses outside of buffers in programs: by 40 and 600 bytes, a page, and far away. What a GPU lets pass goes on and harms nothing else,
untraced and traced; the rest stops a CUDA kernel with an error, and is named. Sums are arithmetic: 1024 times 1, 2 and 3."""
import itertools
import unittest

from support import TEST_BIN, ProgramTest, RuntimeProgramTest

SUMS = ["1024", "2048", "3072"]
WEIGHTED = 1024 * 1025 // 2  # the sum of 1 to 1024


class CudaPrograms(RuntimeProgramTest):
    def setUp(self):
        super().setUp()
        self.program = self.build("overruns")

    def case(self, kind, which, distance, passes, reason=r"{} bytes behind own of 4096 bytes"):
        """The same untraced and traced."""
        with self.subTest(kind, buffer=which, distance=distance):
            words = (self.program, kind, which, distance)
            plain, traced = self.plain(*words), self.traced(*words)
            self.assertEqual(plain.stdout, traced.stdout, traced.stderr)
            name, *sums = plain.stdout.split()
            self.assertEqual(name, "cudaSuccess" if passes else "cudaErrorIllegalAddress", plain.stderr)
            if passes:  # what is there is 0; no buffer but the one that is added to changes
                self.assertEqual(sums, SUMS, plain.stderr)
                self.assertEqual((plain.returncode, plain.stderr), (0, ""))
                self.assertIn(f": {kind} of 4 bytes outside of ", traced.stderr)
                self.assertIn("; a GPU does not notice that within a page", traced.stderr)
            else:
                self.assertEqual(plain.returncode, 3)
                self.assertRegex(plain.stderr, rf"^warpscope: kernel '{kind}': " + reason.format(distance) + "\n$")
                self.assertRegex(traced.stderr, rf"warpscope: kernel '{kind}', overruns.cu:\d+:\d+: {kind} of 4 bytes: {reason.format(distance)}")
            self.assertEqual(traced.returncode, 3, traced.stderr)  # accesses outside of every buffer are in no count

    def test_overruns(self):
        near = r"{} bytes behind \S+ of 4096 bytes"
        for kind, which in itertools.product(("load", "store"), ("first", "last")):
            self.case(kind, which, 40, True)
            for distance in (600, 4096):
                self.case(kind, which, distance, kind == "load", near)  # a GPU's page has 2 MiB
            self.case(kind, which, 1 << 43, False, "wild pointer")

    def test_stores_behind_a_constant_array(self):
        for distance, passes in ((-4, True), (4000, False), (1 << 20, False)):
            plain, traced = (run(self.program, "change", distance) for run in (self.plain, self.traced))
            name = "cudaSuccess" if passes else "cudaErrorIllegalAddress"
            self.assertEqual((plain.stdout, traced.stdout), (f"{name}\n", f"{name}\n"), traced.stderr)
            self.assertEqual((plain.returncode, traced.returncode), (0, 0) if passes else (3, 3), traced.stderr)
            if not passes:
                self.assertIn(f"warpscope: kernel 'change': {distance} bytes behind table of 16 bytes", plain.stderr)
                self.assertRegex(traced.stderr, rf"kernel 'change', overruns.cu:\d+:\d+: store of 4 bytes: {distance} bytes behind table of 16 bytes")


class OpenClPrograms(ProgramTest):
    PROGRAM = TEST_BIN / "programs_overruns"

    def test_overruns(self):
        for kind, which, distance in itertools.product(("load", "store"), ("first", "last"), (40, 600, 4096, -8192)):
            with self.subTest(kind, buffer=which, distance=distance):
                done = self.traced(self.PROGRAM, kind, which, distance)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(f": 1 of 1 {kind}s are outside of 'from' (first: work-item 3 of work-group 0)", done.stderr)
                lines = [f"buffer: first {i}, weighted sum {i * WEIGHTED}" for i in (1, 2, 3)]
                self.assertEqual(done.stdout.splitlines(), lines)

    def test_wild_ones(self):
        for kind in ("load", "store"):
            done = self.traced(self.PROGRAM, kind, "first", 1 << 29)
            self.assertEqual(done.returncode, -11, done.stderr)
            self.assertRegex(done.stderr, rf"kernel '{kind}' faulted \(SIGSEGV\) in work-item 3 of work-group 0 at \S+: {kind} of 4 bytes "
                                          rf"through 'from', {1 << 29} bytes behind its end \(4096 bytes\): out of bounds")

    def test_what_opencl_says_of_buffers_stays(self):
        done = self.assert_same_program(self.PROGRAM)
        self.assertIn("references 1", done.stdout)


if __name__ == "__main__":
    unittest.main()
