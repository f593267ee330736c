"""The line of the summary about cycles of launches whose data do not stay in the L2."""
import unittest
from unittest import mock

import support
from test_summary import timed_result
from warpscope.show.summary import advised, layout, rate_lines


class BeyondL2(unittest.TestCase):
    """Cycles of a launch whose data do not stay in the L2, next to its own 100."""

    def result(self, cycles):
        result = support.result()
        return {**result, "timed": timed_result(result), "beyond_l2": {"why_not": "", "cycles": cycles}}

    def test_only_a_difference_of_more_than_a_tenth_is_told(self):
        self.assertEqual(rate_lines.beyond_l2_text(self.result(111)), "100 cycles; 111 if its data do not stay in the L2")
        for cycles in (90, 110, None):
            self.assertEqual(rate_lines.beyond_l2_text(self.result(cycles)), "")
        self.assertEqual(rate_lines.beyond_l2_text({**self.result(200), "timed": None}), "")

    def test_what_a_remedy_gains_then(self):
        gain = {"measure": "cycles", "factor": 5.0, "least": 4.5, "most": 5.5, "whole": 5.0}
        self.assertEqual(advised.gain_text({"gain": gain}), "5.00 × as fast (4.50 to 5.50)")
        self.assertEqual(advised.gain_text({"gain": {**gain, "beyond_l2": 2.92}}), "5.00 × as fast (4.50 to 5.50; 2.92 if its data do not stay in the L2)")
        self.assertEqual(advised.gain_text({"gain": {**gain, "beyond_l2": 4.9}}), "5.00 × as fast (4.50 to 5.50)")

    def test_nothing_that_the_summary_says_goes_for_it(self):
        with_line = "  100 cycles; 200 if its data do not stay in the L2"
        for facts in range(30):
            with mock.patch.object(layout, "_facts", return_value=[f"fact {number}" for number in range(facts)]):
                before, after = layout.summary(self.result(None)), layout.summary(self.result(200))
            self.assertEqual([line for line in after if line and line != with_line], [line for line in before if line])
            self.assertLessEqual(len(after), max(len(before), layout.LINES))
            self.assertEqual(with_line in after, len(before) < layout.LINES or "" in before[4:])


if __name__ == "__main__":
    unittest.main()
