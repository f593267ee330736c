"""Which clock is shown, and the error that is printed with a hit rate: by hand."""
import dataclasses
import unittest

import support
from warpscope.result import error_classes, hit_rates
from warpscope.show.summary import clock


class Clocks(unittest.TestCase):
    @staticmethod
    def rows(generation, errors, rate=50.0, **more):
        """A launch for each family: its errors (fixed, timed) in points; `more`: rates that say how far our answers are apart."""
        return [error_classes.Measured(f"{generation}/{number}", "x", generation, f"family{number}", rate,
                                       {"fixed": rate + fixed, "timed": rate + timed, **more}) for number, (fixed, timed) in enumerate(errors)]

    def test_the_clock_with_the_smaller_error_is_shown(self):
        rows = self.rows("Fermi", [(30, 9)] * 12) + self.rows("Volta", [(3, 4)] * 6) + self.rows("Ampere", [(3, 4)] * 6)
        self.assertEqual(clock.best("Fermi", rows), "timed")
        self.assertEqual(clock.best("Volta", rows), "fixed")  # with its neighbours there are 12 launches
        self.assertEqual(clock.best("Maxwell", rows), clock.UNDECIDED)
        self.assertEqual(clock.best("CDNA", rows), clock.UNDECIDED)

    def test_of_twenty_families_the_nineteenth_is_the_bound(self):
        # ceil(21 x 0.9) = 19: of 20 errors 0.05, 0.1, … 1 the 19th is 0.95. The other answers are 0.5 points away.
        rows = [dataclasses.replace(one, rates={"fixed": one.rates["fixed"], "timed": one.rates["fixed"] - 0.5})
                for one in self.rows("Ampere", [(0.05 * number, 0.0) for number in range(1, 21)])]
        found = error_classes.error_of(rows, "Hopper", {"fixed": 70.0, "timed": 69.5}, "fixed")
        self.assertEqual((round(found.bound, 9), round(found.mean, 9), found.launches, found.families), (0.95, 0.525, 20, 20))
        self.assertEqual(found.text, "Volta and later, our answers within 1 point")

    def test_bounds_grow_with_what_our_answers_leave_open(self):
        # The launches that are known: 3 points off, the farthest answer 10 away, so 3 of 10 + 40 points are the error.
        rows = self.rows("Ampere", [(3, 3)] * 12, unlimited=63.0)
        for rate, other, bound in ((50.0, 80.0, 0.06 * 70), (50.0, 45.0, 0.06 * 45), (90.0, 10.0, 0.06 * 120)):
            found = error_classes.error_of(rows, "Hopper", {"timed": rate, "unlimited": other}, "timed")
            self.assertAlmostEqual(found.bound, bound)
            self.assertAlmostEqual(found.mean, bound)
        # No error is larger than the rate allows: of 50 % never more than 50 points.
        self.assertEqual(error_classes.Error("", 0.1, 0.9, 1, 1).points({"timed": 50.0, "unlimited": 100.0}, "timed").bound, 50.0)

    def test_private_memory_may_be_in_registers(self):
        # 53 % with private memory, 70 % without: 50 measured is 3 points outside of what these two say, 69 is inside, 74 is 4 outside.
        rows = [dataclasses.replace(self.rows("Ampere", [(0, 0)])[0], measured=measured, rates={"timed": 53.0, "no_private": 70.0}) for measured in (50, 69, 74)]
        self.assertEqual([round((17 + 40) * one.part_outside("timed"), 9) for one in rows], [3, 0, 4])
        found = error_classes.error_of([dataclasses.replace(rows[2], family=f"family{number}") for number in range(12)], "Hopper", rows[0].rates, "timed")
        self.assertAlmostEqual(found.bound, 17 + 4)
        self.assertAlmostEqual(found.mean, 21)

    def test_a_small_class_falls_back_to_a_wider_one_and_is_not_below_its_own(self):
        few = self.rows("Fermi", [(0, 0.9)], unlimited=50.5)
        wide = self.rows("Ampere", [(0.5, 0.5)] * 12, unlimited=50.0)
        found = error_classes.error_of(wide + few, "Fermi", {"timed": 50.0, "unlimited": 51.0}, "timed")
        # family0 has 0.5 points of 0.5 + 40, and 0.9 of 0.9 + 40: of 12 families the 12th, times 1 + 40.
        self.assertEqual((found.text, found.launches), ("all GPUs, our answers within 1 point", 13))
        self.assertAlmostEqual(found.bound, 41 * 0.9 / 40.9)
        self.assertAlmostEqual(error_classes.error_of(wide + few, "Hopper", {"timed": 50.0, "unlimited": 50.5}, "timed").bound, 0.5)
        # Launches whose answers agree say nothing of those whose answers differ.
        self.assertIsNone(error_classes.error_of(wide + few, "Ampere", {"timed": 50.0, "unlimited": 55.0}, "timed"))

    def test_answers_differ_by_capacity_order_and_stores(self):
        result = support.result()
        result["total"] = support.counts(load=support.kind(10, 80, hits=40, misses=40), store=support.kind(5, 20, hits=10), cold=10, capacity=20,
                                         conflict=10, invalidated=0, anti_conflict=4)
        # Of 100 transactions: 6 more hits fully associative, 30 without limits, 10 fewer without those of stores.
        of_loads, of_both = {"fixed": 50, "full_lru": 56, "unlimited": 80}, {"fixed": 50, "full_lru": 56, "unlimited": 80, "no_store_hits": 40}
        self.assertEqual(error_classes.answers_of(result, {"fixed": 50.0}, has_stores=False), of_loads)
        self.assertEqual(error_classes.answers_of(result, {"fixed": 50.0}, has_stores=True), of_both)
        self.assertEqual(error_classes.answers_of(result, {"fixed": 50.0, "timed": 35.0}, has_stores=False), {**of_loads, "timed": 35})
        # Private memory may be in registers: of 20 + 5 sectors of global memory 4 + 1 hit.
        counted = {"global_op_ld": 20, "global_op_st": 5, "global_op_ld_lookup_hit": 4, "global_op_st_lookup_hit": 1, "local_op_ld": 0, "local_op_st": 75}
        result["total"]["profiler"] = {"ncu": {f"l1tex__t_sectors_pipe_lsu_mem_{name}.sum": value for name, value in counted.items()}}
        self.assertEqual(error_classes.answers_of(result, {"fixed": 50.0}, has_stores=True), {**of_both, "no_private": 20})
        self.assertEqual(error_classes.answers_of(result, {"fixed": 50.0}, has_stores=False), of_loads)

    def test_the_error_of_a_class_or_that_there_is_none(self):
        result = support.result()
        result["context"]["preset"] = {"name": "x", "values": {"generation": {"value": "Fermi"}}}
        apart = error_classes.spread(error_classes.answers_of(result, hit_rates.of_both(result), hit_rates.has_stores(result)))
        rows = self.rows("Fermi", [(1, 1)] * 12, unlimited=51 - apart)
        self.assertEqual(clock.error_text(result, "fixed", rows), "error 1.0 points, 90 % below 1.0 (n = 12)")
        self.assertEqual(clock.error_text(result, "fixed", []), "not validated (n = 0)")


if __name__ == "__main__":
    unittest.main()
