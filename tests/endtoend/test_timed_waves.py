"""cachesim timed --waves: the first work-groups alone are the launch."""
import json
import unittest

from support import ToolTest, without_instructions

GPU = ("--gpu", "v100", "--cores", "2", "--max-workgroups", "2")


class TimedWaves(ToolTest):
    def timed(self, capture, *words):
        self.run_tool("cachesim", "timed", capture, *GPU, *words, "--json", "result.json")
        return json.loads((self.folder / "result.json").read_text())

    def test_three_waves_are_a_capture_of_their_work_groups(self):
        whole = self.capture("mm", "--global", "128,64", "--local", "16,16")  # 32 work-groups
        part = self.capture("mm", "--global", "128,64", "--local", "16,16", "--work-groups", "0-11", output="part.wtrace")
        first, alone = self.timed(whole, "--waves", "3"), self.timed(part)
        self.assertEqual(first["context"]["timed"]["waves"], {"waves": 3, "work_groups": 12, "of": 32})  # 3 x 2 cores x 2
        self.assertEqual(without_instructions(first["total"]), without_instructions(alone["total"]))
        self.assertEqual(self.timed(whole, "--waves", "8")["total"], self.timed(whole)["total"])  # all 32
        self.assertNotIn("waves", self.timed(whole)["context"]["timed"])


if __name__ == "__main__":
    unittest.main()
