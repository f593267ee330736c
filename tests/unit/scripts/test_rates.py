"""Every rate by hand: of 40 transactions of 10 warp accesses 4 bypass the L1, 20 hit, 4 wait for a fetch, 3 lack their sector, 9 their line."""
import unittest

import support  # noqa: F401

from warpscope.result import error_statistics, measures, rates

LOADS = {"requests": 10, "transactions": 40, "bypasses": 4, "hits": 20, "hits_pending": 4, "sector_misses": 3, "misses": 9}
NONE = dict.fromkeys(LOADS, 0)


class Rates(unittest.TestCase):
    def test_of_loads(self):
        self.assertEqual([one(LOADS) for one in (rates.looked_up, rates.hits, rates.missed)], [36, 24, 12])
        self.assertAlmostEqual(rates.hit_rate(LOADS), 2 / 3)
        self.assertAlmostEqual(rates.hit_rate_percent(LOADS), 200 / 3)
        self.assertAlmostEqual(rates.miss_rate_percent(LOADS), 100 / 3)
        self.assertEqual(rates.miss_ratio_with_bypasses(LOADS), 16 / 40)
        self.assertAlmostEqual(rates.duplicates(LOADS), 16 / 12)
        self.assertEqual(rates.per_request(40, 10), 4)
        self.assertEqual(rates.misses_at(75, 36), 9)

    def test_nothing_to_divide_by(self):
        for one in (rates.hit_rate, rates.hit_rate_percent, rates.miss_rate_percent, rates.miss_ratio_with_bypasses, rates.duplicates):
            self.assertIsNone(one(NONE))
        self.assertEqual((rates.percent(1, 0), rates.per_request(0, 0), rates.rest_percent(None), rates.percent_text(None)), (None, None, None, "-"))

    def test_changes(self):
        self.assertEqual((rates.growth(4, 1), rates.saved(4, 1), rates.saved(4, 6)), (0.25, 0.75, -0.5))
        self.assertEqual((rates.growth(0, 1), rates.growth(None, 1), rates.growth(1, None), rates.saved(0, 1)), (None, None, None, 0.0))

    def test_for_people(self):
        self.assertEqual((rates.percent_text(0.256), rates.percent_text(0.256, 1), rates.percent_text(None, none="–")), ("26 %", "25.6 %", "–"))


class Errors(unittest.TestCase):
    def test_points_of_rates_and_percent_of_counts(self):
        self.assertEqual(error_statistics.error(60.0, 75.0, error_statistics.POINTS), -15)
        self.assertEqual(error_statistics.error(60.0, 75.0, "%"), -20)

    def test_geometric_mean(self):
        self.assertAlmostEqual(error_statistics.geometric_mean([1, 4, 16]), 4)
        self.assertIsNone(error_statistics.geometric_mean([]))


class Measures(unittest.TestCase):
    def test_compared(self):
        self.assertEqual(measures.compared({"a": 4, "b": 0, "c": None}, {"a": 2, "b": 1, "c": 1})["ratio"], {"a": 0.5, "b": None, "c": None})


if __name__ == "__main__":
    unittest.main()
