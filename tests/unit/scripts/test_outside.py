"""Accesses outside every buffer come first: in the summary, the report and the page; what they do gets no advice."""
import unittest

import support
from warpscope.result import machine, outside
from warpscope.show import report
from warpscope.show.page import data
from warpscope.show.summary import find, layout


def with_outside(lanes):
    """The result of support.py, with so many lanes of its first access outside, next to 134,306 inside on that line (64 of its second load)."""
    result = support.result()
    site = result["sites"][0]
    nothing = dict.fromkeys(("requests", "lanes"), 0)
    site[site["kind"]]["lanes"] = 134_242
    site["outside_l1"] = {"no_object": {"load": nothing, "store": nothing, "atomic": nothing} |
                                       {site["kind"]: {"requests": 5, "lanes": lanes}}}
    return result, site


class Outside(unittest.TestCase):
    def test_the_first_line_says_so(self):
        result, site = with_outside(127_838)
        place = site["locations"][0]
        line = f"OUTSIDE EVERY BUFFER: 127,838 of 262,144 {site['kind']}s at {place['file']}:{place['line']}"
        self.assertEqual(outside.line(result), line)
        lines = layout.summary(result)
        self.assertEqual(lines[0], line)
        self.assertEqual(lines[-1], layout.NEXT_OUTSIDE)
        self.assertLessEqual(len(lines[-1]), layout.COLUMNS)
        self.assertEqual(report.summary(result)[0], line)
        self.assertEqual(data._notes(result)[0], f"{line}.")  # pylint: disable=protected-access

    def test_its_line_gets_no_advice(self):
        result, site = with_outside(1)
        lines_of = lambda one: {(finding.access.file, finding.access.line) for finding in find.all_findings(one, machine.busy(one, None))
                                if finding.access and finding.access.kind == site["kind"]}
        place = (site["locations"][0]["file"], site["locations"][0]["line"])
        self.assertIn(place, lines_of(support.result()))
        self.assertNotIn(place, lines_of(result))

    def test_several_places(self):
        result, site = with_outside(7)
        other = {**site, "site": 9, "locations": [{**site["locations"][0], "line": 99}]}
        result["sites"].append(other)
        self.assertTrue(outside.line(result).endswith("; 1 more such line"), outside.line(result))

    def test_nothing_is_said_where_all_are_inside(self):
        for result in (support.result(), with_outside(0)[0]):
            self.assertEqual(outside.line(result), "")
            self.assertNotIn("OUTSIDE", "\n".join(layout.summary(result)))


if __name__ == "__main__":
    unittest.main()
