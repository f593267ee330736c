"""Small kernels with one planted problem each: the first finding names it, and what the what-if counts is what the repaired kernel
counts. Some of each kind; all of them with WARPSCOPE_ADVICE_ALL=1 (scripts/test --long advice)."""
import os
import tempfile
import unittest

import planted

QUICK = ("column_load", "banks_padding", "misaligned_base", "group_order", "atomics", "divergent_constants", "local_copy")
ALL = "WARPSCOPE_ADVICE_ALL" in os.environ
CYCLES = 0.05        # cycles of the repaired kernel, where it has the same instructions
INSTRUCTIONS = 0.02


class Planted(unittest.TestCase):
    def rows(self, kind):
        rows = [row for row in planted.table("planted") if bool(row.get("observation")) == (kind == "observations")]
        return [row for row in rows if ALL or row["name"] in QUICK]

    def compared(self, row):
        with tempfile.TemporaryDirectory() as folder:
            found = planted.compare(row, folder)
        self.assertIsNotNone(found["first"], found["text"])
        return found

    def test_there_are_twenty(self):
        self.assertGreaterEqual(len(planted.table("planted")), 20)

    def test_advice(self):
        for row in self.rows("advice"):
            with self.subTest(row["name"]):
                found = self.compared(row)
                advice = found["advice"]
                self.assertIsNotNone(advice, found["text"])
                self.assertEqual(advice["rule"], row["rule"], found["text"])
                self.assert_gain(advice, *planted.measures(found["repaired"]), row.get("cycles", CYCLES))

    def assert_gain(self, advice, fixed, timed, most):
        """The what-if counts what the repaired kernel counts: exact counters always, cycles where the instructions are the same."""
        after = advice["fixed"]["after"]
        self.assertEqual({name: after[name] for name in planted.EXACT}, {name: fixed[name] for name in planted.EXACT})
        self.assertIsNotNone(advice["timed"])
        simulated, repaired = advice["timed"]["after"], timed
        if abs(repaired["warp_instructions"] / simulated["warp_instructions"] - 1) < INSTRUCTIONS:
            self.assertLessEqual(abs(repaired["cycles"] / simulated["cycles"] - 1), most)

    def test_observations(self):
        for row in self.rows("observations"):
            with self.subTest(row["name"]):
                found = self.compared(row)
                self.assertIsNone(found["advice"])
                self.assertEqual(found["first"].rule, row["rule"], found["text"])
                before, after = (planted.measures(found[name])[1]["cycles"] for name in ("result", "repaired"))
                self.assertLess(after, before)  # no gain is claimed, and there is one


if __name__ == "__main__":
    unittest.main()
