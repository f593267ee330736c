"""warpscope what-if: the comparison equals the results of the engines, and its own errors."""
import json
import os
import sys
import unittest

from laws import LawTest
from support import BIN, SOURCE

os.environ["WARPSCOPE_BIN"] = str(BIN)
sys.path.insert(0, str(SOURCE / "python"))
from warpscope.commands import what_if  # noqa: E402
from warpscope.explore import whatif  # noqa: E402


class WhatIf(LawTest):
    def setUp(self):
        super().setUp()
        self.capture("mt_tiled", "--size", "small", output="mt.wtrace")

    def compared(self, *words):
        return json.loads(self.run_tool("warpscope", "what-if", *words, "--json", "-"))

    def test_transposition(self):
        """32 lanes of a column of an unpadded tile share a bank: 32 cycles for each of its loads, and one after."""
        found = self.compared("mt.wtrace", "--pad", "tile=+1", "--gpu", "h100")
        requests = 64 * 64 // 32
        fixed, timed = found["fixed"], found["timed"]
        self.assertEqual(fixed["before"]["local_wavefronts"], requests * (1 + 32))
        self.assertEqual(fixed["after"]["local_wavefronts"], requests * (1 + 1))
        self.assertEqual(fixed["after"]["local_conflicts"], 0)
        self.assertAlmostEqual(fixed["ratio"]["local_wavefronts"], 2 / 33)
        self.assertEqual(fixed["ratio"]["transactions"], 1)
        self.assertEqual(timed["ratio"]["warp_instructions"], 1)
        self.assertLess(timed["ratio"]["cycles"], 1)
        self.assertEqual((found["timed_launches"], found["not_timed"], found["not_simulated"]), ("all", None, []))

    def test_equals_the_engines(self):
        found = self.compared("mt.wtrace", "--transpose", "idata=64x64:4", "--gpu", "gtx480", "-o", "kept.wtrace")
        for when, path in (("before", "mt.wtrace"), ("after", "kept.wtrace")):
            loads, stores = (self.simulated(path, "gtx480")["total"][kind] for kind in ("load", "store"))
            self.assertEqual(found["fixed"][when]["transactions"], loads["transactions"] + stores["transactions"])
            self.assertEqual(found["timed"][when]["cycles"], self.timed(path, "gtx480")["total"]["timing"]["cycles"])
        self.assertEqual(found["not_simulated"], ["copies by the host that assume the old layout: idata"])

    def test_a_known_result_is_not_simulated_again(self):
        self.run_tool("warpscope", "mt.wtrace", "--gpu", "h100", "--no-plots", "-o", "report")
        before = json.loads((self.folder / "report" / "result.json").read_text())
        asked, _ = what_if.parse([str(self.folder / "mt.wtrace"), "--pad", "tile=+1", "--gpu", "h100"])
        expected = whatif.answer(asked)
        self.assertEqual(whatif.answer(asked, before), expected)
        before["total"]["local_memory"]["wavefronts"] += 1  # it is this result that is compared with
        found, status = whatif.answer(asked, before)
        self.assertEqual(found["fixed"]["before"]["local_wavefronts"], expected[0]["fixed"]["before"]["local_wavefronts"] + 1)
        self.assertEqual((found["timed"], status), (expected[0]["timed"], 0))

    def test_machine(self):
        found = self.compared("mt.wtrace", "--set", "cores=1", "--registers", "32", "--gpu", "gtx480")
        self.assertEqual(found["machine"], ["--set cores=1", "--registers 32"])
        self.assertGreater(found["timed"]["ratio"]["cycles"], 1)
        self.assertEqual(found["fixed"]["ratio"]["transactions"], 1)

    def test_fixed_clock_only(self):
        found = self.compared("mt.wtrace", "--pad", "tile=+1", "--clock", "fixed")
        self.assertEqual((found["timed"], found["not_timed"]), (None, "--clock fixed"))

    def test_same_text_twice(self):
        words = ("what-if", "mt.wtrace", "--pad", "tile=+1", "--gpu", "h100")
        self.assertEqual(self.run_tool("warpscope", *words), self.run_tool("warpscope", *words))

    def test_refused(self):
        (self.folder / "text").write_text("no capture\n")
        for words, message, status in (
                (("mt.wtrace",), "no change given", 2), (("--pad", "tile=+1"), "no capture given", 2),
                (("mt.wtrace", "--pad"), "--pad: has no value", 2), (("mt.wtrace", "other", "--pad", "tile=+1"), "a capture already", 2),
                (("text", "--pad", "tile=+1"), "text: not a capture", 2), (("none", "--pad", "tile=+1"), "none: No such file", 2),
                (("mt.wtrace", "--pad", "tile=1"), r"expected OBJECT=\+ELEMENTS", 2), (("mt.wtrace", "--pads", "x=1"), "--pads: not an option of warpscope what-if; see --help", 2),
                (("mt.wtrace", "--pad", "til=+1"), "no object 'til', expected one of idata, odata, tile", 2),
                (("mt.wtrace", "--pad", "tile=+1", "--gpu", "x"), "x", 2), (("mt.wtrace", "--set", "x=1"), "unknown key", 2),
                (("mt.wtrace", "--pad", "tile=+1", "--clock", "x"), "--clock x", 2),
                (("mt.wtrace", "--pad", "tile=+1", "--gpu", "h100", "--gpu", "gtx480"), "is given already", 2),
                (("mt.wtrace", "--set", "cores=1", "-o", "kept"), "only the machine changes", 2),
                (("mt.wtrace", "--pitch", "tile=32:16", "-o", "kept.wtrace"), r"mt_tiled.cl:\d+:\d+: store of 4 bytes", 3)):
            done = self.call("warpscope", "what-if", *words)
            self.assert_refused(done, message, status)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["mt.wtrace", "text"])

    def test_help_has_examples(self):
        self.assertGreaterEqual(self.run_tool("warpscope", "what-if", "--help").decode().count("  warpscope what-if "), 3)


if __name__ == "__main__":
    unittest.main()
