"""scripts/timed-sweep: every row is the single simulation's."""
import json
import os
import subprocess
import sys
import unittest

from support import BIN, SOURCE, ToolTest


class TimedSweep(ToolTest):
    def setUp(self):
        super().setUp()
        self.capture("mm", "--global", "64,64", "--local", "16,16")

    def sweep(self, *words):
        return subprocess.run([sys.executable, str(SOURCE / "scripts" / "timed-sweep"), *map(str, words)], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              env={**os.environ, "WARPSCOPE_BIN": str(BIN)})

    def test_every_row_is_the_single_simulation(self):
        words = ("capture.wtrace", "--preset", "gtx480,v100", "--warp-scheduler", "lrr,gto", "--cores", "2,4",
                 "--allocate-on-fill", "--json", "sweep.json", "--csv", "sweep.csv")
        done = self.sweep(*words, "--threads", 3)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        bytes_of = [(self.folder / name).read_bytes() for name in ("sweep.json", "sweep.csv")]
        cells = json.loads(bytes_of[0])["cells"]
        self.assertEqual(len(cells), 8)
        for cell in cells:
            options = cell["options"]
            self.run_tool("cachesim", "timed", "capture.wtrace", "--allocate-on-fill", "--preset", options["preset"],
                          "--warp-scheduler", options["warp-scheduler"], "--cores", options["cores"], "--json", "one.json")
            total = json.loads((self.folder / "one.json").read_text())["total"]
            self.assertEqual(cell["cycles"], total["timing"]["cycles"])
            for kind in ("load", "store", "atomic"):
                for key, value in cell[kind].items():
                    self.assertEqual(value, total[kind][key], (options, kind, key))
        self.assertGreater(len({cell["cycles"] for cell in cells}), 4)
        self.assertEqual(self.sweep(*words, "--threads", 1).returncode, 0)
        self.assertEqual(bytes_of, [(self.folder / name).read_bytes() for name in ("sweep.json", "sweep.csv")])

    def test_refusals(self):
        capture = ("capture.wtrace", "--preset", "v100")
        for words, message in (((), "Many configurations"), (("--preset", "v100"), "no capture given"),
                               ((*capture, "--unroll", "1,1"), "different values"),
                               ((*capture, "--effects"), "not an option here"),
                               ((*capture, "--set", "x"), "expected KEY=VALUE"),
                               ((*capture, "--threads", "0"), "from 1 to 1024"),
                               ((*capture, "--unroll"), "has no value"), ((*capture, "more"), "one capture"),
                               ((*capture, "--warp-scheduler", "lrr,nosuch"), "nosuch")):
            with self.subTest(words=words):
                done = self.sweep(*words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, (done.stderr + done.stdout).decode())


if __name__ == "__main__":
    unittest.main()
