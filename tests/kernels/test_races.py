"""Races in local memory: none in the suite's kernels; and in copies without barriers where Oclgrind sees some, which interprets the kernel
step by step and knows nothing of traces."""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from launches import BIN, Launch
from support import captures, kernels

# Their addresses and ways do not depend on local memory, so a copy without barriers does no harm; and they are small for Oclgrind.
COMPARED = ("atax", "bitonic", "histogram", "mm_tiled", "mt_tiled", "reduction", "reduction_ladder", "scan", "stencil2d")
BARRIER = re.compile(r"\bbarrier\(CLK_LOCAL_MEM_FENCE[^)]*\);")


class Races(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_tool(self, tool, *words, status=(0,)):
        done = subprocess.run([str(BIN / tool), *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        self.assertIn(done.returncode, status, done.stderr)
        return done.stdout

    def ours(self, capture):
        """The lines of the source that race."""
        found = json.loads(self.run_tool("trace-view", "--races", "--race-groups", "all", "--json", capture, status=(0, 4)))
        self.assertEqual((found["in_part"], found["not_checked"]), (False, []))
        return {access["line"] for race in found["races"] for access in race["accesses"]}

    def theirs(self, launch, source):
        sim = self.folder / "oclgrind.sim"
        launch.write_sim(sim, source)
        done = subprocess.run(["oclgrind-kernel", "--data-races", "--max-errors", "100000", "--build-options",
                               f"{launch.build_options} -cl-opt-disable", sim], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        reports = re.findall(r"data race at local memory.*?(?=data race at|\Z)", done.stderr, re.S)
        return {int(line) for report in reports for line in re.findall(r"At line (\d+)", report)}


def add_tests():
    for name in kernels():
        launch = Launch(name)
        text = launch.source.read_text()
        if not BARRIER.search(text):
            continue

        def test(self, name=name, launch=launch, text=text):
            self.assertEqual(self.ours(captures.capture(name, *launch.options)), set())
            if name not in COMPARED:
                return
            if not shutil.which("oclgrind-kernel"):
                self.skipTest("needs Debian's package oclgrind")
            self.assertEqual(self.theirs(launch, launch.source), set())
            broken = self.folder / launch.source.name
            broken.write_text(BARRIER.sub("", text))
            shutil.copy(launch.source.with_suffix(".launch"), self.folder)
            self.run_tool("trace-kernel", broken, *launch.options, "-o", "broken.wtrace")
            ours, theirs = self.ours("broken.wtrace"), self.theirs(launch, broken)
            self.assertTrue(ours & theirs, (ours, theirs))  # it names a place or two of each byte, not all that race

        setattr(Races, f"test_{name}", test)


add_tests()
if __name__ == "__main__":
    unittest.main()
