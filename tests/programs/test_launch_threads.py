"""A program of nvcc's prints the same and has the same capture, whichever number of threads executes its launches (POCL_MAX_PTHREAD_COUNT, --threads)."""
import re
import unittest

import support
import test_with_nvcc

THREADS = (1, 2, 7)


class LaunchThreadsNeedsCudaToolkit(test_with_nvcc.OfNvccNeedsCudaToolkit):
    def on(self, threads, *command):
        self.environment["POCL_MAX_PTHREAD_COUNT"] = str(threads)
        return self.plain(*command)

    def test_all_is_the_same(self):
        self.project("at_once")
        self.succeed(*test_with_nvcc.NVCC.split(), "-arch=native", "-std=c++17", "at_once.cu", "-o", "app")
        for check in (self.check_output, self.check_that_there_are_several, self.check_fault, self.check_captures):
            with self.subTest(check.__name__):
                check()

    def check_output(self):
        said = [self.on(threads, "./app").stdout for threads in THREADS]
        self.assertRegex(said[0], r"wrong: 0 copies, 0 values, 0 counts; sum [\d.e+]+; 65536 tickets of 65536; no error\n")
        self.assertEqual(said[0].count("work-group "), 4)
        self.assertEqual(len(set(said)), 1, said)

    def check_that_there_are_several(self):
        """Otherwise the other checks show nothing."""
        self.assertIn("one thread\n", self.on(1, "./app", "threads").stdout)
        self.assertIn("several threads\n", self.on(7, "./app", "threads").stdout)

    def check_fault(self):
        """That of the first work-group in order, whose address is another in each process."""
        ends = [self.on(threads, "./app", "outside") for threads in THREADS]
        self.assertIn("an illegal memory access", ends[0].stdout)
        self.assertIn("work-group (37, 0, 0)", ends[0].stderr)
        self.assertEqual(len({(end.returncode, end.stdout, re.sub("0x[0-9a-f]+", "", end.stderr)) for end in ends}), 1, ends)

    def check_captures(self):
        del self.environment["POCL_MAX_PTHREAD_COUNT"]
        captures = []
        for threads in THREADS:
            self.succeed(support.BIN / "trace-kernel", "--threads", str(threads), "-o", f"{threads}.wtrace", "--", "./app")
            captures.append((self.folder / f"{threads}.wtrace").read_bytes())
        self.assertEqual([one == captures[0] for one in captures], [True] * 3, [len(one) for one in captures])
        self.succeed(support.BIN / "trace-check", "2.wtrace")


if __name__ == "__main__":
    unittest.main()
