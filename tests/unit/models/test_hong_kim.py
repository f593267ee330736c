"""Hong and Kim's worked example (ISCA 2009), the three cases, and a kernel without memory instructions."""
import json
import unittest

import support

EXAMPLE = {name: entry["value"] for name, entry in
           json.loads((support.SOURCE / "models/examples/hong-kim.json").read_text(encoding="utf-8")).items()}


def answer(**changes):
    return support.answer("hong-kim", **{**EXAMPLE, **changes})


class WorkedExample(unittest.TestCase):
    def test_is_the_published_one(self):
        part = answer().part
        self.assertEqual((part("memory latency"), part("departure delay")), (730, 320))
        self.assertEqual((part("MWP without bandwidth limit"), part("MWP")), (2.28125, 2.28125))
        self.assertEqual((part("computation cycles"), part("memory cycles")), (132, 4380))
        self.assertEqual((round(part("MWP at peak bandwidth"), 1), round(part("CWP full"), 2), part("CWP")), (28.5, 34.18, 20))
        self.assertEqual((part("repetitions"), part("case")), (1, "B"))
        self.assertEqual((int(part("execution cycles")), part("barrier cycles"), int(part("cycles"))), (38428, 12300, 50728))

    def test_with_mwp_rounded_it_is_the_number_in_print(self):
        mwp = 2.28  # 50,738 in the paper: 38,450 and 12,288
        execution = 4380 * 20 / mwp + 132 / 6 * (mwp - 1)
        self.assertEqual((int(execution), round(320 * (mwp - 1) * 6 * 5)), (38449, 12288))
        self.assertLess(abs(answer().part("cycles") - 50738), 10.5)

    def test_seconds_are_cycles_over_the_clock(self):
        self.assertEqual(answer().seconds, answer().part("cycles") / 1e9)
        self.assertEqual(answer(clock=500).part("departure delay"), 320)


class Cases(unittest.TestCase):
    def test_all_warps_in_flight_is_case_a(self):
        # N = 2 < MWP 2.28 and CWP: (4380 + 132 + 22 · 1) · 80 / (0.5 · 16)
        result = answer(warps_per_core=2, groups_per_core=0.5, barriers=0)
        self.assertEqual((result.part("case"), result.part("cycles")), ("A", (4380 + 132 + 22) * 10))

    def test_much_computation_is_case_c(self):
        # coalesced: L 420, delay 4, MWP min(105, 16.4, 20); computation 4 · 1006 > memory 2520: literal B; strict C
        changes = dict(compute_insts=1000, coalesced_insts=6, uncoalesced_insts=0, barriers=0)
        strict, literal = answer(case_rule="strict", **changes), answer(**changes)
        self.assertEqual((strict.part("case"), literal.part("case")), ("C", "B"))
        self.assertEqual(strict.part("cycles"), 420 + 4024 * 20)

    def test_literal_case_c(self):
        # computation 4 · 206 = 824 < memory 2520; CWP 4.06 < MWP 16.4
        result = answer(compute_insts=200, coalesced_insts=6, uncoalesced_insts=0, barriers=0)
        self.assertEqual((result.part("case"), result.part("cycles")), ("C", 420 + 824 * 20))

    def test_without_memory_instructions_only_computation_counts(self):
        result = answer(uncoalesced_insts=0)
        self.assertEqual(result.part("cycles"), 27 * 4 * 20)

    def test_no_more_cores_work_than_there_are_work_groups(self):
        self.assertEqual(answer(work_groups=8, groups_per_core=1).part("repetitions"), 1)


if __name__ == "__main__":
    unittest.main()
