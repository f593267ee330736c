"""Oclgrind counts what trace-kernel counts, on every benchmark kernel.

Oclgrind interprets the kernel and knows nothing of our pass, PoCL or our recorder. Two comparisons:

- The default mode, with the very bitcode that is instrumented (--keep-temporaries keeps it): loads and stores of every
  address space, with their bytes, atomics and barriers. This is the test of instrumentation and recording. (Source
  text would not do: Oclgrind does not merge and promote accesses as a GPU's compiler does.)
- --optimize O0, with the source text, which Oclgrind compiles with its own compiler and without optimisation: all of
  that but private memory, which our mode still partly moves to registers (mem2reg). This also tests the front end.

The arguments' values come from tests/kernels/launches.py, a second reading of the launch file, because counts of some
kernels depend on them.
"""
import json
import shutil
import subprocess
import unittest

from counts import interpreted, recorded
from launches import Launch
from support import ToolTest, kernels

@unittest.skipUnless(shutil.which("oclgrind-kernel"), "needs Debian's package oclgrind")
class Oclgrind(ToolTest):
    def ours(self, launch, mode):
        self.run_tool("trace-kernel", launch.source, *launch.options, "--optimize", mode, "--keep-temporaries", "kept",
                      "-o", "x.wtrace")
        return recorded(json.loads(self.run_tool("trace-view", "--sites", "--json", "x.wtrace"))["launches"][0])

    def theirs(self, launch, program, *options):
        sim = self.folder / "launch.sim"
        launch.write_sim(sim, program)
        done = subprocess.run(["oclgrind-kernel", "--inst-counts", *options, sim], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("rror", done.stderr)
        return interpreted(done.stdout)

    def test_counts_equal_on_the_bitcode_that_is_instrumented(self):
        for name in kernels():
            with self.subTest(name):
                launch = Launch(name)
                ours = self.ours(launch, "gpu")
                self.assertEqual(ours, self.theirs(launch, self.folder / "kept" / "optimised.bc"))
                self.assertGreater(ours["load", "global"][0], 0)

    def test_counts_equal_on_the_source_without_optimisation(self):
        for name in kernels():
            with self.subTest(name):
                launch = Launch(name, groups=1)
                ours, theirs = (
                    {key: value for key, value in counts.items() if key[1] != "private"}
                    for counts in (self.ours(launch, "O0"),
                                   self.theirs(launch, launch.source, "--build-options",
                                               f"{launch.build_options} -cl-opt-disable")))
                self.assertEqual(ours, theirs)
                self.assertGreater(ours["load", "global"][0], 0)

    def test_a_sim_file_gives_the_same_capture_as_the_launch_file(self):
        for name in kernels():
            with self.subTest(name):
                launch = Launch(name)
                self.run_tool("trace-kernel", launch.source, *launch.options, "-o", "options.wtrace")
                shutil.copy(launch.source, self.folder / launch.source.name)
                launch.write_sim(self.folder / "launch.sim", launch.source.name)
                defines = [word for name, value in launch.defines.items() for word in ("-D", f"{name}={value}")]
                self.run_tool("trace-kernel", "launch.sim", *defines, "-o", "sim.wtrace")
                streams = [self.run_tool("warpsched", f"{one}.wtrace", "--format", "text", "-o", "-")
                           for one in ("options", "sim")]
                self.assertTrue(streams[0] == streams[1], "accesses differ")


if __name__ == "__main__":
    unittest.main()
