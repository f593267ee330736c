"""Counts of a multiplication of which all can be counted by hand."""
import json
import unittest

import launches  # noqa: F401  (finds support)
from support import ToolTest, kernel


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
