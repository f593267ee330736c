"""Names of launches: where the program launches, and which NVTX ranges are open."""
import json
import unittest

from support import BIN, RuntimeProgramTest


class Names(RuntimeProgramTest):
    def test_launches(self):
        done = self.assert_same_program(self.build("names", "-std=c++17"))
        self.assertEqual(done.stdout.split(), ["1", "1", "6"])
        # By hand, from the source. "step 1" is pushed as the second range: NVTX counts from 0.
        self.assertEqual([(launch.get("call_site"), launch.get("range")) for launch in self.launches()],
                         [("names.cu:25", None), ("names.cu:14", "solver"), ("names.cu:29", "solver/step 1"), ("names.cu:14", "whole"),
                          ("names.cu:14", "whole/io:read"), (None, None)])
        self.check()
        listed = self.plain(BIN / "trace-view", "x.wtrace")
        self.assertIn("  launched at names.cu:29, in the range solver/step 1\n", listed.stdout)
        self.assertEqual(listed.stdout.count("launched at"), 5)

    def test_result_has_them(self):
        self.test_launches()
        simulated = self.plain(BIN / "cachesim", "x.wtrace", "--gpu", "v100", "--json", "x.json")
        self.assertEqual(simulated.returncode, 0, simulated.stderr)
        launches = json.loads((self.folder / "x.json").read_text())["launches"]
        self.assertEqual([(one.get("call_site"), one.get("range")) for one in launches][2], ("names.cu:29", "solver/step 1"))


if __name__ == "__main__":
    unittest.main()
