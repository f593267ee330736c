"""The tables of C++ that Python reads: every line of them, and what their documentation says of some."""
import unittest

import support

from warpscope.result import facts, tables


class Tables(unittest.TestCase):
    def lines(self, name, macro):
        text = (support.SOURCE / tables.FILES[name] / name).read_text(encoding="utf-8")
        return sum(line.startswith(f"{macro}(") for line in text.splitlines())

    def test_every_line_is_read(self):
        self.assertEqual(len(tables.instruction_classes()), self.lines("instruction_class.def", "INSTRUCTION_CLASS"))
        self.assertEqual(len(tables._rows("write_policy.def", "WRITE_POLICY")), self.lines("write_policy.def", "WRITE_POLICY"))  # pylint: disable=protected-access

    def test_write_policies(self):
        """Their names say it: WA allocates on a store miss, NA does not; WTWL does as WTWA (docs/reference/policies.md)."""
        self.assertEqual(tables.allocating_policies(), {"WBWA", "WTWA", "WTWL"})

    def test_operations(self):
        """A fused multiply-add is two operations. Square roots are of the special function unit, divisions are not."""
        self.assertEqual({name: weight for name, weight in facts.FP.items() if weight != 1}, {"fp32_fma": 2})
        self.assertEqual(facts.SPECIAL, ("fp32_special", "fp32_sqrt", "fp32_rsqrt"))
        self.assertNotIn("fp64", facts.FP)
        self.assertEqual(facts.FP64, {"fp64": 1, "fp64_fma": 2, "fp64_div": 1, "fp64_sqrt": 1, "fp64_special": 1})
        self.assertEqual(facts.FP16, {"fp16": 1, "fp16_fma": 2})


if __name__ == "__main__":
    unittest.main()
