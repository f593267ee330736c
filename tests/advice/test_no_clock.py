"""No wall clock decides an answer: with tools that begin late, and a clock that jumps by hours, every byte of a result is the same."""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "endtoend"))
from support import BIN, SOURCE, ToolTest  # noqa: E402

TOOLS = ("cachesim", "trace-change", "trace-view", "warpsched", "compile-kernel", "trace-kernel")
JUMPING = """
import itertools, time
hours = itertools.count(0, 3600)
time.monotonic = time.perf_counter = time.time = lambda: next(hours)
"""


class NoClock(ToolTest):
    def slow(self):
        """The environment of a machine whose tools begin a quarter of a second late."""
        folder = self.folder / "slow"
        folder.mkdir()
        for tool in TOOLS:
            (folder / tool).write_text(f'#!/bin/sh\nsleep 0.25\nexec "{BIN / tool}" "$@"\n')
            (folder / tool).chmod(0o755)
        (folder / "sitecustomize.py").write_text(JUMPING)
        return {**os.environ, "WARPSCOPE_BIN": str(folder), "PYTHONPATH": f"{folder}:{SOURCE / 'python'}"}

    def both(self, *words, output):
        """The bytes of a file that a command writes, as it is and slow."""
        environments = {"plain": {**os.environ, "WARPSCOPE_BIN": str(BIN), "PYTHONPATH": str(SOURCE / "python")}, "late": self.slow()}
        found = []
        for name, environment in environments.items():
            named = [str(word).replace("OUT", name) for word in words]
            done = subprocess.run([sys.executable, "-B", "-m", "warpscope", *named], cwd=self.folder, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            found.append((self.folder / output.replace("OUT", name)).read_bytes())
        return found

    def test_a_report_with_its_advice(self):
        self.capture("mt_tiled", "--size", "small", output="mt.wtrace")
        plain, late = self.both("mt.wtrace", "--gpu", "gtx480", "--no-plots", "-o", "OUT", output="OUT/result.json")
        self.assertIn(b'"change": ["--pad", "tile=+1"]', plain)
        self.assertTrue(plain == late)

    def test_a_what_if(self):
        self.capture("mt_tiled", "--size", "small", output="mt.wtrace")
        plain, late = self.both("what-if", "mt.wtrace", "--pad", "tile=+1", "--json", "OUT.json", output="OUT.json")
        self.assertTrue(plain == late)

    def test_a_tuning_run_by_any_number_of_workers(self):
        words = ("tune", SOURCE / "benchmarks" / "kernels" / "mm_tiled" / "mm_tiled.cl", "-D", "TILE=8,16", "--size", "small", "-o", "OUT")
        plain, late = self.both(*words, "--jobs", "2", output="OUT/results.csv")
        self.assertTrue(plain == late)
        done = self.call("warpscope", *words[:-1], "one", "--jobs", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "one" / "results.csv").read_bytes() == plain)


if __name__ == "__main__":
    unittest.main()
