"""validation/accuracy on a few cheap launches that others measured: it compares, keeps results, and scores files of others."""
import contextlib
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from support import BIN, SOURCE, ToolTest

LAUNCHES = ("k40c/matmul_uncoalesced/n128", "k40c/matmul_sharedmem/n128")


class Sample(ToolTest):
    def accuracy(self, *words):
        return subprocess.run([sys.executable, "-B", str(SOURCE / "validation" / "accuracy"), *map(str, words), "--store", "store", "-o", "out"],
                              cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                              env={**os.environ, "WARPSCOPE_BIN": str(BIN)})

    def table(self, name="truth.csv"):
        with open(self.folder / "out" / name, newline="", encoding="utf-8") as file:
            return {(row["launch"], row["counter"]): row for row in csv.DictReader(file)}

    def running_here(self):
        """The processes whose folder is the test's."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.readlink(process / "cwd") == str(self.folder.resolve()):
                    found.append((process / "cmdline").read_text())
        return found

    def test_compares_what_was_measured(self):
        done = self.accuracy("--only", *LAUNCHES)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("## Targets", done.stdout)
        rows = self.table()
        for launch in LAUNCHES:
            rate = rows[launch, "l1_cache_global_hit_rate"]
            for series in ("fixed", "jitter", "timed", "cold", "in_block", "unlimited", "full_lru"):
                self.assertTrue(0 <= float(rate[series]) <= 100, (launch, series))
            self.assertGreaterEqual(float(rate["cold"]), float(rate["unlimited"]))
            self.assertGreaterEqual(float(rate["unlimited"]), float(rate["full_lru"]))
            transactions = rows[launch, "gld_transactions"]
            self.assertEqual(float(transactions["fixed"]), float(transactions["measured"]))
        # Nothing is simulated again: no capture can be made, and the table is the same.
        before = {path: path.stat().st_ino for path in (self.folder / "store" / "results").rglob("*.kept")}
        # Five steps as they are; timed again without what multiplications chose, all again without what the K40c chose.
        self.assertEqual(len(before), (5 + 1 + 5) * len(LAUNCHES))
        self.assertEqual(self.accuracy("--only", *LAUNCHES).returncode, 0)
        self.assertEqual(self.table(), rows)
        self.assertEqual({path: path.stat().st_ino for path in before}, before)

    def test_a_call_that_is_stopped_leaves_nothing_running_and_goes_on(self):
        words = [sys.executable, "-B", str(SOURCE / "validation" / "accuracy"), "--only", *LAUNCHES, "--store", "store", "-o", "out"]
        child = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                 env={**os.environ, "WARPSCOPE_BIN": str(BIN)})
        captures = self.folder / "store" / "captures"
        while child.poll() is None and not (captures.is_dir() and any(captures.iterdir())):
            time.sleep(0.01)
        child.send_signal(signal.SIGTERM)
        child.communicate()
        self.assertEqual(child.returncode, 128 + signal.SIGTERM)
        self.assertEqual(self.running_here(), [])
        self.assertEqual(list(captures.iterdir()), [])
        done = self.accuracy("--only", LAUNCHES[0])
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_scores_files_of_others(self):
        launch = {"launch": "mm/small", "file": "benchmarks/kernels/mm/mm.cl", "options": ["--size", "small"],
                  "grid": [2, 2, 1], "block": [16, 16, 1], "counters": {"l1tex__t_sector_hit_rate.pct": 50.0}}
        form = {"format": "warpscope launches", "version": 1, "gpu": {"name": "NVIDIA A100", "compute_capability": "8.0"}}
        (self.folder / "gpu.json").write_text(json.dumps({**form, "profiler": {"name": "ncu"}, "launches": [launch]}))
        other = {"launch": "mm/small", "counters": {"l1tex__t_sector_hit_rate.pct": {"median": 60}}}
        (self.folder / "other.json").write_text(json.dumps({**form, "simulator": {"name": "another"}, "launches": [other]}))
        done = self.accuracy("--add", "gpu.json", "--add", "other.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        row = self.table("added.csv")["mm/small", "l1tex__t_sector_hit_rate.pct"]
        self.assertEqual((row["measured"], row["another"]), ("50", "60"))
        self.assertTrue(row["fixed"] and row["timed"] and row["full_lru"])
        done = self.accuracy("--add", "gpu.json", "--only", "mm", "mn")
        self.assertEqual((done.returncode, done.stderr), (2, "accuracy: --only mn: expected families or launches of gpu.json\n"))
        (self.folder / "gpu.json").write_text("{}")
        done = self.accuracy("--add", "gpu.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("gpu.json: no 'format', expected a JSON file", done.stderr)


if __name__ == "__main__":
    unittest.main()
