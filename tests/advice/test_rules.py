"""The page of advice lists the rules as their files say them, and each has a kernel with its problem. With --update, writes the page."""
import re
import sys
import unittest

import planted
from warpscope.explore.advice import catalogue, rules

PAGE = planted.SOURCE / "docs/tools/advice.md"
TABLE = re.compile(r"(<!-- table rules [^\n]*-->\n).*?(<!-- end of table -->)", re.DOTALL)
NOT_PLANTED = {"streams-evict", "occupancy"}


def written():
    """The page with the table of today."""
    return TABLE.sub(lambda found: found[1] + catalogue.table() + found[2], PAGE.read_text(encoding="utf-8"))


class Rules(unittest.TestCase):
    def test_the_page_lists_them(self):
        self.assertIn("| carve-out | capacity misses next to local memory | ", written())
        self.assertEqual(PAGE.read_text(encoding="utf-8"), written(), "run tests/advice/test_rules.py --update")

    def test_names_are_unique(self):
        self.assertEqual(len(catalogue.RULES), sum(len(module.RULES) for module in rules.MODULES))

    def test_each_has_a_kernel_with_its_problem(self):
        known = {row["rule"] for row in planted.table("planted")}
        self.assertEqual(set(catalogue.RULES) - known, NOT_PLANTED)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(written(), encoding="utf-8")
    else:
        unittest.main()
