"""warpscope --repeat: the report's range is that of cachesim --repeat."""
import json
import unittest

from support import ToolTest


class PathRepeat(ToolTest):
    def warpscope(self, *words):
        return self.call("warpscope", "capture.wtrace", "--no-plots", "-o", "out", *words)

    def setUp(self):
        super().setUp()
        self.capture("mm", "--global", "64,64", "--local", "16,16")

    def test_the_report_shows_the_range_of_every_rate(self):
        done = self.warpscope("--repeat", "3", "--policy", "warp")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads((self.folder / "out" / "result.json").read_text())
        expected = self.result("capture.wtrace", "--preset", "h100", "--repeat", 3)
        self.assertEqual(result["total"]["spread"], expected["total"]["spread"])
        report = (self.folder / "out" / "report.txt").read_text()
        self.assertIn("3 repetitions with other layout of the buffers, placement of the work-groups on cores", report)
        rate = expected["total"]["spread"]["load.hit_rate_percent"]
        row = next(line for line in report.splitlines() if line.startswith("load.hit rate percent"))
        self.assertEqual(row.split()[-3:], [f"{rate[key]:.6g}" for key in ("min", "median", "max")])

    def test_without_it_there_is_no_range(self):
        self.assertEqual(self.warpscope().returncode, 0)
        self.assertNotIn("repetitions", (self.folder / "out" / "report.txt").read_text())

    def test_bad_numbers_are_refused(self):
        for number in ("1", "few"):
            done = self.warpscope("--repeat", number)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--repeat: '{number}', expected a whole number from 2 to 10000", done.stderr.decode())
            self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
