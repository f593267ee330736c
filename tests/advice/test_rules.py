"""The page of advice lists the rules as their files say them, and each has a kernel with its problem. With --update, writes the page."""
import re
import sys
import types
import unittest
from unittest import mock

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


class AtOnce(unittest.TestCase):
    def remedy(self, type_name, width=4):
        """The remedy of wide-loads for a buffer of a type."""
        access = types.SimpleNamespace(buffers=["p"], width=width)
        proposal = types.SimpleNamespace(rule="wide-loads", finding=types.SimpleNamespace(access=access), changes=types.SimpleNamespace(layout=[]), kernels=[])
        with mock.patch.object(catalogue.declarations, "type_of", return_value=type_name), \
                mock.patch.object(catalogue.declarations, "padded", return_value=""), mock.patch.object(catalogue.machine, "is_amd", return_value=False):
            return catalogue.texts(proposal, types.SimpleNamespace(result={}))["remedy"]

    def test_the_vector_has_the_type_of_the_buffer(self):
        for type_name, width, vector in (("float", 4, "float4"), ("int", 4, "int4"), ("unsigned int", 4, "uint4"), ("double", 8, "double2"),
                                         ("uchar", 1, "uchar4")):
            self.assertEqual(self.remedy(type_name, width), f"load them at once ({vector})")

    def test_of_a_structure_only_the_bytes_are_known(self):
        for type_name in ("flowvector", "struct Node", ""):
            self.assertEqual(self.remedy(type_name), "load them at once (16 bytes per work-item)")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        PAGE.write_text(written(), encoding="utf-8")
    else:
        unittest.main()
