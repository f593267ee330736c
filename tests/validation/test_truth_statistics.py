"""The figures of validation/notes/truth.md, against arithmetic by hand."""
import unittest

from support import VALIDATION

from truth import statistics  # noqa: E402
from warpscope.result import error_statistics  # noqa: E402


class Averages(unittest.TestCase):
    def test_median_and_percentile(self):
        self.assertEqual(statistics.median([3, 1, 2]), 2)
        self.assertEqual(statistics.median([4, 1, 2, 3]), 2.5)
        self.assertEqual(statistics.median([None, 7]), 7)
        self.assertIsNone(statistics.median([]))
        self.assertEqual(statistics.percentile([0, 10], 25), 2.5)
        self.assertEqual(statistics.percentile([1, 2, 3, 4, 5], 90), 4.6)
        self.assertEqual(statistics.percentile([8], 97.5), 8)

    def test_share(self):
        self.assertEqual(statistics.share([0.1, 0.2, None, 0.5, 0.3], lambda value: value <= 0.3), 0.75)
        self.assertIsNone(statistics.share([None], bool))

    def test_macro_average_weighs_cells_alike(self):
        # |errors| 1 and 3: 2. One of 10. (2 + 10) / 2; over the three rows it would be 4.67.
        self.assertEqual(statistics.macro_average({("a", "x"): [1, -3], ("a", "y"): [10]}), 6)
        self.assertEqual(statistics.macro_average({("a", "x"): [None, 2], ("a", "y"): [None]}), 2)
        self.assertIsNone(statistics.macro_average({}))

    def test_bootstrap_draws_families_with_all_their_cells(self):
        cells = {("a", "x"): [1], ("b", "x"): [3], ("a", "y"): [10]}
        low, high = statistics.bootstrap(cells)
        # Of two families a draw is x x (mean 2), y y (10), or one of each: (1 + 3 + 10) / 3. The two extremes have a quarter each.
        self.assertEqual((low, high), (2, 10))
        self.assertEqual(statistics.bootstrap(cells), statistics.bootstrap(cells))
        self.assertIsNone(statistics.bootstrap({("a", "x"): [1], ("b", "x"): [3]}))
        self.assertEqual(statistics.bootstrap({("a", "x"): [4], ("a", "y"): [-4]}), (4, 4))


class Comparisons(unittest.TestCase):
    def test_log2_ratio(self):
        self.assertEqual(error_statistics.log2_ratio(8, 2), 2)
        self.assertEqual(error_statistics.log2_ratio(1, 4), -2)
        self.assertIsNone(error_statistics.log2_ratio(0, 4))
        self.assertIsNone(error_statistics.log2_ratio(3, None))

    def test_kendall_tau(self):
        # Of six pairs (1, 4) to (4, 2): concordant are 1-2, 1-3, 1-4, 2-3; discordant 2-4, 3-4.
        self.assertAlmostEqual(error_statistics.kendall_tau([1, 2, 3, 4], [1, 3, 4, 2]), (4 - 2) / 6)

    def test_regret(self):
        times = [20, 10, 12]
        self.assertEqual(error_statistics.regret([3, 1, 2], times), 0)
        self.assertAlmostEqual(error_statistics.regret([3, 2, 1], times), 0.2)
        self.assertAlmostEqual(error_statistics.regret([1, 1, 5], times), 0.5)  # the mean of 20 and 10 over 10


class Pairs(unittest.TestCase):
    def test_pairs_differ_in_one_parameter(self):
        variants = {"a": {"x": 8, "p": 0}, "b": {"x": 8, "p": 1}, "c": {"x": 4, "p": 1}, "d": {"x": 4}}
        self.assertEqual(statistics.pairs(variants), [("a", "b", "p"), ("c", "b", "x")])

    def test_scores_count_what_changes(self):
        changes = [(100, 200, 10, 19),    # ours 1.9 times, measured 2: within
                   (100, 50, 10, 11),     # the wrong way
                   (100, 104, 10, 90),    # changes too little
                   (100, 200, 10, 14),    # the right way, 0.7 of the ratio
                   (100, 200, 10, 10),    # no change is no right sign
                   (0, 5, 1, 2)]          # no ratio
        score = statistics.pair_scores(changes)
        self.assertEqual(score, {"pairs": 4, "sign": 0.5, "ratio": 0.25})
        self.assertEqual(statistics.pair_scores([]), {"pairs": 0, "sign": None, "ratio": None})


if __name__ == "__main__":
    unittest.main()
