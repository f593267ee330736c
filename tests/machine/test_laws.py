"""The laws of today's tests on captures of machine code. Needs no toolkit: suite/make made the code."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests")]
from support import TEST_BIN, OfMachineCode, ToolTest, kernel  # noqa: E402

MACHINES = 12  # drawn at random, for each capture
# Divergent loops, tiles, trees with barriers, atomics, rows of different lengths.
LAUNCHES = {"bfs": ("--size", "small"), "flow": ("--size", "small"), "histogram": ("--global", "1024"), "mm": ("--size", "small"), "mt_tiled": ("--global", "64,64"),
            "reduction": ("--global", "1024"), "spmv_csr": ("--size", "small"), "stencil": ("--global", "64,8,4")}


@unittest.skipUnless((TEST_BIN / "laws_test").exists(), "needs the target laws_test")
class Laws(OfMachineCode, ToolTest):
    def test_whole_and_parts(self):
        """Whole = sum of launches = stream = shares of threads = cell of a sweep = timed in fixed order; timed by one thread = by several."""
        captures = [self.capture(name, *words, output=f"{name}.wtrace") for name, words in LAUNCHES.items()]
        environment = {"WARPSCOPE_LAW_CAPTURES": ":".join(map(str, captures)), "WARPSCOPE_LAW_PROGRAMS": str(MACHINES)}
        done = subprocess.run([TEST_BIN / "laws_test", "--gtest_filter=Laws.HoldForMachineCode"], capture_output=True, text=True, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("[  PASSED  ] 1 test", done.stdout)


class Races(OfMachineCode, ToolTest):
    """Of kernels whose barriers were taken away: they race at the lines at which the same source races as the other compiler reads it."""
    KERNELS = ("bitonic", "mm_tiled", "mt_tiled", "reduction", "scan", "stencil2d")

    def lines(self, capture):
        done = self.call("trace-view", "--races", "--race-groups", "all", "--json", capture)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["in_part"], found["not_checked"]), (False, []))
        return {access["line"] for race in found["races"] for access in race["accesses"]}

    def test_with_and_without_barriers(self):
        for name in self.KERNELS:
            with self.subTest(kernel=name):
                source = kernel(name).with_suffix(".cu")
                small = ["--size", "small"] if '"small"' in source.with_suffix(".launch").read_text() else []
                self.assertEqual(self.lines(self.capture(name, *small)), set())
                code, *machine = self.machine_code(name, self.SUITE / "broken" / f"{name}.fatbin")
                broken = code.with_suffix(".cu")
                broken.write_text(source.read_text().replace("__syncthreads();", ""))
                self.run_tool("trace-kernel", code, *machine, *small, "-o", "machine.wtrace")
                self.run_tool("trace-kernel", broken, *small, "-o", "source.wtrace")
                self.assertEqual(self.lines("machine.wtrace"), self.lines("source.wtrace"))
                self.assertTrue(self.lines("machine.wtrace"))


if __name__ == "__main__":
    unittest.main()
