"""Programs whose kernels fault, take more memory than they may, or whose capture another run writes: they end as they do
without us, and it is said what happened."""
import fcntl
import unittest

from support import TEST_BIN, ProgramTest

HOST = TEST_BIN / "programs_faults"


class Faults(ProgramTest):
    def assert_reported(self, done, signal, *, groups=None):
        """One report of the fault, and the capture holds what was complete."""
        self.assertEqual(done.stderr.count(" faulted ("), 1, done.stderr)
        self.assertIn(f"faulted ({signal})", done.stderr)
        self.check()
        fill, faulty = self.launches()
        self.assertEqual(fill["stores"], 64)
        if groups is not None:
            self.assertEqual(faulty["stores"], 16 * groups)
            self.assertIn(f"; {groups} of 4 work-groups of launch 1 are in x.wtrace", done.stderr)

    def test_the_program_s_handler_and_status_stay(self):
        # One thread: the work-groups before the one that faults are complete.
        for handler in (("none",), ("before", "leave"), ("after", "leave"), ("before", "info"), ("after", "info"),
                        ("before", "back"), ("before", "ignore")):
            with self.subTest(handler):
                done = self.assert_same_program(HOST, "null_store", *handler, options=["--threads", "1"])
                self.assertEqual(done.returncode, {"leave": 42, "info": 43}.get(handler[-1], -11))
                self.assertRegex(done.stderr, r"trace-kernel: kernel 'null_store' faulted \(SIGSEGV\) in work-item 0 of "
                                              r"work-group 2 at \S+:4:\d+: store of 4 bytes through 'p': null pointer")
                self.assert_reported(done, "SIGSEGV", groups=2)

    def test_traps_and_stacks(self):
        done = self.assert_same_program(HOST, "trap")
        self.assertEqual(done.returncode, -4)
        self.assertRegex(done.stderr, r"in work-item 0 of work-group \d+ at \S+:6:\d+: trap")
        self.assert_reported(done, "SIGILL")
        done = self.assert_same_program(HOST, "stack")
        self.assertEqual(done.returncode, -11)
        # A frame that reaches beyond the stack may lie in that of another thread, then an access in it faults.
        self.assertRegex(done.stderr, "the stack overflows|of 4 bytes through .t. at address")
        self.assert_reported(done, "SIGSEGV")

    def test_threads_that_fault_together_are_reported_once(self):
        for _ in range(2):  # which threads come to their report before the process ends is chance
            done = self.assert_same_program(HOST, "together", options=["--threads", "4"])
            self.assertEqual(done.returncode, -11)
            self.assert_reported(done, "SIGSEGV")

    def test_faults_of_the_program_s_own_are_its_own(self):
        for handler in ("jump", "nest"):
            done = self.assert_same_program(HOST, "own_faults", handler)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("faulted", done.stderr)


class Memory(ProgramTest):
    def test_a_work_group_that_takes_too_much_is_recorded_in_parts(self):
        # 16 work-items of 20,000 accesses take 16 * 20,000 * 48 bytes = 14.6 MiB; the others next to nothing.
        self.assert_same_program(HOST, "irregular", "20000", options=["--limit-memory", "1M"])
        self.check()
        self.assertEqual([launch["loads"] for launch in self.launches()], [64, 48 + 16 * 20000, 64])
        self.assertIn(b"PART", (self.folder / "x.wtrace").read_bytes())

    def test_without_memory_the_program_goes_on(self):
        # A limit of the address space stands for the machine's memory: 16 million records do not fit into it, but in steps they do.
        command = ("/bin/sh", "-c", f"ulimit -v 1000000; exec {HOST} irregular 1000000")
        done = self.assert_same_program(*command, status=3)
        self.assertIn("launch 1 (irregular): 3 of 4 work-groups are recorded: work-group 1 is not recorded: there is not enough memory; --limit-memory "
                      "below 1024M takes less at once", done.stderr)
        self.check()
        self.assertEqual([launch["loads"] for launch in self.launches()], [64, 48, 64])
        self.assert_same_program(*command, options=["--limit-memory", "64M"])
        self.check()
        self.assertEqual([launch["loads"] for launch in self.launches()], [64, 48 + 16 * 1000000, 64])


class Capture(ProgramTest):
    def test_that_another_run_writes(self):
        part = self.folder / "x.wtrace.part"
        with open(part, "wb") as file:
            file.write(b"of another run")
            file.flush()
            fcntl.flock(file, fcntl.LOCK_EX)
            for program in (("one_launch",), ("many", "50")):
                done = self.assert_same_program(TEST_BIN / "programs_host", *program, status=3)
                self.assertEqual(done.stderr.count("another program is writing it"), 1, done.stderr)
                self.assertEqual(done.stderr.count("not traced"), 1, done.stderr)
            done = self.assert_same_program(TEST_BIN / "programs_host", "end", "exit")
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertEqual(part.read_bytes(), b"of another run")
        self.assertFalse((self.folder / "x.wtrace").exists())


if __name__ == "__main__":
    unittest.main()
