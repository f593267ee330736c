"""repeat-chapter8 against hand arithmetic.

A warp of a 16 x 16 group is 2 rows of 16 work-items, of a 32 x 32 group 1 row of 32; rows are multiples of 64 bytes.
"""
import json
import math
import os
import signal
import subprocess
import time
import unittest

from support import BIN, SOURCE, ToolTest

CORES = 15


def groups_of_core_0(groups):
    return math.ceil(groups / CORES)


def transposition_reads(items, groups):
    """Half a line in each of two rows, or a whole line, per warp."""
    per_group = 8 * 2 if items == 16 else 32 * 1
    return groups_of_core_0(groups**2) * per_group


def multiplication_reads(items, groups):
    """Per warp and index: A one line per row, B one line; the index runs over the matrix width."""
    per_warp, warps = (2 + 1, 8) if items == 16 else (1 + 1, 32)
    return groups_of_core_0(groups**2) * per_warp * warps * items * groups


class Chapter8(ToolTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        import tempfile
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        done = subprocess.run([SOURCE / "validation" / "repeat-chapter8", "-o", folder, "--seeds", "2", "--resident", "0",
                               "8", "--no-plots"], env={**os.environ, "WARPSCOPE_BIN": str(BIN)}, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        with open(f"{folder}/chapter8.json", encoding="utf-8") as file:
            cls.rows = json.load(file)["rows"]

    def pick(self, **wanted):
        rows = [row for row in self.rows if all(row[key] == value for key, value in wanted.items())]
        self.assertTrue(rows, wanted)
        return rows

    def squares(self, kernel, **wanted):
        for row in self.pick(kernel=kernel, **wanted):
            yield row, *map(int, row["configuration"].split("x"))

    def test_all_configurations_are_there(self):
        for kernel, number in (("mt", 15), ("mm", 13), ("stencil", 1)):
            self.assertEqual(len({row["configuration"] for row in self.pick(kernel=kernel)}), number)

    def test_transposition_always_misses_with_round_robin(self):
        for row, items, groups in self.squares("mt", assignment="round-robin"):
            self.assertEqual(row["reads"], transposition_reads(items, groups), row)
            self.assertEqual(row["misses"], row["reads"], row)

    def test_transposition_16x10_reads_as_the_dissertation_simulated(self):
        for row in self.pick(kernel="mt", configuration="16x10"):
            self.assertEqual(row["reads"], 112)

    def test_multiplication_reads(self):
        for row, items, groups in self.squares("mm"):
            self.assertEqual(row["reads"], multiplication_reads(items, groups), row)

    def test_multiplication_misses_only_cold_where_a_core_has_one_group(self):
        for configurations, rate in ((("16x2", "16x3"), 6.25), (("32x2", "32x3"), 3.125)):
            for configuration in configurations:
                for row in self.pick(kernel="mm", configuration=configuration):
                    self.assertEqual(row["miss_rate_percent"], rate, row)

    def test_stencil_reads_with_round_robin(self):
        # 7,560 groups of two warps: 504 on core 0, every other one the last of its row. A full warp starts one element
        # behind a line: five reads at i and one at i + 1 touch 2 lines each, the one at i - 1 touches 1. The last warp
        # of a row ends two elements early: 1 line for each of its 7 reads.
        per_pair = 13 + 13 + 13 + 7
        for row in self.pick(kernel="stencil", assignment="round-robin"):
            self.assertEqual(row["reads"], 504 // 2 * per_pair, row)
        self.assertEqual(504 // 2 * per_pair, 11592)

    def test_multiplication_16x8_thrashes_linear_sets(self):
        # A row is 4 lines, so a column of A lies in 8 of 32 sets: room for 32 lines. Core 0 has groups 0, 15, 30, 45, 60,
        # which are at different y: 80 rows, and in lockstep none hits (2 of 3 reads). At x = 0, 7, 6, 5, 4 their columns of
        # B are 3 lines for 5 x 8 warps x 3 reads, misses once per index.
        for row in self.pick(kernel="mm", configuration="16x8", assignment="round-robin", set_index="linear"):
            self.assertAlmostEqual(row["miss_rate_percent"], 100 * (2 / 3 + 3 / (5 * 8 * 3)), places=9)

    def test_stencil_never_hits_with_all_groups_resident(self):
        # Before a group's next access the 503 others touch a line each at least, and the cache has 128.
        for row in self.pick(kernel="stencil", assignment="round-robin", resident=0):
            self.assertEqual(row["misses"], row["reads"], row)

    def test_our_compilation_gives_the_numbers_of_the_dissertations(self):
        by_mode = [[{**row, "optimize": ""} for row in self.pick(optimize=mode)] for mode in ("O0", "gpu")]
        self.assertEqual(*by_mode)


class Interrupted(ToolTest):
    """What is done is kept: a run that was stopped goes on, with equal rows, and says how far it is."""

    def start(self, folder, *words):
        command = [SOURCE / "validation" / "repeat-chapter8", "-o", self.folder / folder, "--kernels", "mt", "--optimize", "gpu", "--only", "16x2",
                   "--seeds", "2", "--no-plots", *words]
        return subprocess.Popen(command, env={**os.environ, "WARPSCOPE_BIN": str(BIN)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(self, *words):
        run = self.start(*words)
        messages = run.communicate()[1].decode()
        self.assertEqual(run.returncode, 0, messages)
        return messages

    def test_a_second_run_goes_on(self):
        first = self.start("out")
        while not list((self.folder / "out").glob("kept/*.kept")) and first.poll() is None:
            time.sleep(0.02)
        first.send_signal(signal.SIGINT)
        first.communicate()
        before = {path: path.stat().st_ino for path in (self.folder / "out" / "kept").glob("*.kept")}
        self.assertTrue(before)
        self.assertIn("repeat-chapter8: simulated 0 of 10 settings", self.finish("out"))
        self.assertEqual({path: path.stat().st_ino for path in before}, before)  # nobody made them again
        self.finish("whole")
        self.assertEqual(*((self.folder / name / "chapter8.csv").read_text() for name in ("out", "whole")))


if __name__ == "__main__":
    unittest.main()
