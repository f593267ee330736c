"""Every benchmark kernel: what it computes, what its capture holds, and that the capture is the same each time."""
import json
import subprocess
import sys
import tempfile
import unittest

from launches import SOURCE, Launch
from support import ToolTest, kernel, kernels

# PoCL's threads; the same number twice: a run is like the next one.
THREADS = ("1", "2", "2")


class EveryKernel(ToolTest):
    def for_each(self, check):
        self.assertGreaterEqual(len(kernels()), 10)
        for name in kernels():
            with self.subTest(name):
                check(Launch(name))

    def trace(self, launch, *options, **more):
        return self.call("trace-kernel", launch.source, *launch.options, "-o", "x.wtrace", *options, **more)

    def assert_fine(self, done):
        self.assertEqual(done.returncode, 0, done.stderr.decode())

    def test_computes_what_the_host_computes_and_what_it_computes_uninstrumented(self):
        def check(launch):
            for mode in ("gpu", "O0"):
                done = self.trace(launch, "--verify", "--dump-buffers", "buffers", "--optimize", mode)
                self.assert_fine(done)
                self.assertIn(b"verified: all buffers equal", done.stderr)
                done = subprocess.run([sys.executable, "-B", launch.source.with_name("check.py"),
                                       self.folder / "buffers", *launch.options], capture_output=True)
                self.assert_fine(done)
                self.assert_sound()

        self.for_each(check)

    def assert_sound(self):
        """The invariants of a capture, and nothing of this machine in it."""
        self.assertIn(b"OK, 1 launch", self.run_tool("trace-check", "x.wtrace"))
        text = self.run_tool("trace-view", "--sites", "--json", "x.wtrace").decode()
        for place in (self.folder, SOURCE, tempfile.gettempdir()):
            self.assertNotIn(f"{place}/", text)

    def test_gives_the_same_bytes_with_any_number_of_threads(self):
        def check(launch):
            captures = set()
            for threads in THREADS:
                self.assert_fine(self.trace(launch, environment={"POCL_MAX_PTHREAD_COUNT": threads}))
                captures.add((self.folder / "x.wtrace").read_bytes())
            self.assertEqual(len(captures), 1, "captures differ")

        self.for_each(check)


class Multiplication(ToolTest):
    """256 x 256 in work-groups of 16 x 16: 2 * 256^3 loads, 256^2 stores."""

    OPTIONS = ("--global", "256,256", "--local", "16,16")

    def test_counts_of_a_full_capture(self):
        self.capture("mm", *self.OPTIONS)
        launch = json.loads(self.run_tool("trace-view", "--summary", "--json", "capture.wtrace"))["launches"][0]
        self.assertEqual((launch["loads"], launch["stores"], launch["atomics"]), (33_554_432, 65_536, 0))

    def test_counts_of_the_preliminary_pass(self):
        done = self.call("trace-kernel", kernel("mm"), *self.OPTIONS, "--count-only")
        self.assertEqual(done.returncode, 0)
        counts = {}
        for line in done.stderr.decode().splitlines():
            words = line.split()
            if len(words) == 6 and words[0].isdigit():
                counts[words[1]] = counts.get(words[1], 0) + int(words[4])
        self.assertEqual(counts, {"load": 33_554_432, "store": 65_536})
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
