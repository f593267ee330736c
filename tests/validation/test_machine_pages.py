"""The tables of machine code next to an H100 are those of the values that are kept."""
import pathlib
import struct
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "python"), str(SOURCE / "validation")]
from collect import csv_rows, group_classes, machine_counters, machine_outputs, machine_suite  # noqa: E402

NOTES = SOURCE / "validation" / "notes"


class MachinePages(unittest.TestCase):
    def test_suite(self):
        rows = csv_rows.read(NOTES / "machine-suite.csv")
        page = (SOURCE / "docs" / "validation" / "machine-code.md").read_text(encoding="utf-8")
        for table in (machine_suite.counts_table(rows), machine_suite.summary_table(rows), machine_suite.rates_table(rows)):
            self.assertIn(table, page)

    def test_counters(self):
        lines, _ = machine_counters.table(csv_rows.read(NOTES / "machine-code.csv"))
        page = (NOTES / "machine-code.md").read_text(encoding="utf-8")
        for table in "\n".join(lines).split("\n\n"):
            self.assertIn(table, page)

    def test_outputs(self):
        rows = csv_rows.read(NOTES / "machine-outputs.csv")
        self.assertFalse([row["name"] for row in rows if machine_outputs.differs(row)])
        page = (SOURCE / "docs" / "validation" / "machine-code.md").read_text(encoding="utf-8")
        for table in machine_outputs.tables(rows):
            self.assertIn(table, page)
        self.assertEqual(sorted((row["kind"], row["name"]) for row in rows), sorted(machine_outputs.subjects()))

    def test_each_program_is_run_or_says_why_not(self):
        self.assertEqual(machine_outputs.forgotten(), [])
        for name, why in machine_outputs.not_run().items():
            self.assertGreater(len(why.split()), 2, name)

    def test_what_is_equal(self):
        """By hand: 0.25 of a largest number of 2.5 is a tenth; a bound of none takes the same bytes only."""
        expected = {"a.bin": struct.pack("<3f", 1, -2.5, 0), "b.bin": b"same"}
        off = {**expected, "a.bin": struct.pack("<3f", 1.25, -2.5, 0)}
        self.assertEqual(machine_outputs.compared(dict(expected), expected, 0), "equal")
        self.assertEqual(machine_outputs.compared(off, expected, 0.11), "within 0.11")
        for found, bound, message in ((off, 0.09, "a: 1.0e-01 of the largest number"), ({"a.bin": b""}, 1, "buffers a.bin, expected a.bin, b.bin"),
                                      ({**expected, "b.bin": struct.pack("<f", float("nan"))}, 1, "b: "), ({**expected, "b.bin": b"samesame"}, 1, "b: ")):
            with self.assertRaisesRegex(machine_outputs.Difference, message):
                machine_outputs.compared(found, expected, bound)

    def test_exact_pairs(self):
        """By hand: of four pairs one is zero on both sides, two lie within the runs of the GPU; clang ran for one of the three."""
        def row(counter, lowest, highest, machine, source):
            return {"launch": "a/b", "counter": counter, "lowest": lowest, "median": highest, "highest": highest, "machine": machine, "source": source}
        registers, loads = machine_counters.COMPARED[-1], machine_counters.COMPARED[2]
        rows = [row(loads, "0", "0", "0", "5"), row(loads, "7", "9", "8", "10"), row(registers, "32", "32", "32", ""), row(registers, "32", "32", "31", "")]
        lines, wrong = machine_counters.table(rows)
        self.assertIn("| all | 3 | 2 (66.7 %) | 0 of 1 |", lines)
        self.assertEqual([one["machine"] for one in wrong], ["31"])

    def test_kinds_of_work_groups(self):
        """By hand: 10 work-groups with one edge at the end, period 2: 9 are 0 alone, then 1 and 2 four times each; 9 is the edge."""
        self.assertEqual(group_classes.of_dimension(10, 2, (0, 1)), {1: [0, 9], 4: [1, 2]})
        self.assertEqual(group_classes.of_dimension(4, 2, (0, 1)), {1: [0, 1, 2, 3]})
        parts = group_classes.classes([10, 10, 1], ((2, (0, 1)), (1, (0, 0))))
        self.assertEqual(parts, {10: [0, 9], 40: [1, 2]})
        self.assertEqual(group_classes.as_text([0, 1, 2, 5, 7, 8]), "0-2,5,7-8")


if __name__ == "__main__":
    unittest.main()
