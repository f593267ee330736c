"""Orders of variants: ranks, correlations and signs by hand and from a paper's table; what is refused."""
import pathlib
import sys
import unittest

from support import SOURCE, CommandTest
from warpscope.commands import model_rank as rank_command
from warpscope.explore.models import machine, predictors, rank_table, ranking, sign_plot
from warpscope.result import error_statistics

sys.path.insert(0, str(SOURCE / "validation"))
import rank_models_page  # noqa: E402

# Dasgupta 2011, tables 12 to 16: measured and predicted milliseconds on a C1060
VARIANTS = ("baseline", "shmem", "ujam", "vecpack", "rsqrt", "prefetch")
MEASURED = [66.21315, 35.952, 49.972, 44.318, 64.98121, 62.896]
PREDICTED = [66.33431, 35.99694, 49.356, 45.608, 66.33422, 64.672]


class Numbers(unittest.TestCase):
    def test_equal_times_have_their_mean_rank(self):
        self.assertEqual(error_statistics.ranks([3.0, 1.0, None, 3.0, 2.0]), [3.5, 1.0, None, 3.5, 2.0])

    def test_correlations_by_hand(self):
        # one of six pairs is the other way round; the squares of rank differences sum to 2
        both = ranking.agreement([1.0, 2.0, 3.0, 4.0, None], [1.0, 3.0, 2.0, 4.0, 7.0])
        self.assertAlmostEqual(both.tau, (5 - 1) / 6)
        self.assertAlmostEqual(both.rho, 1 - 6 * 2 / (4 * (4**2 - 1)))
        self.assertEqual((both.variants, both.pairs), (4, 6))
        # with ties: tau-b = (2 - 0) / sqrt(2 * 3), rho = 1.5 / sqrt(1.5 * 2)
        tied = ranking.agreement([1.0, 1.0, 2.0], [1.0, 2.0, 3.0])
        self.assertAlmostEqual(tied.tau, 2 / 6**0.5)
        self.assertAlmostEqual(tied.rho, 1.5 / 3**0.5)
        self.assertEqual(ranking.agreement([1.0, 1.0], [1.0, 2.0])[:2], (None, None))
        self.assertEqual(ranking.agreement([1.0], [2.0])[:3], (None, None, 1))

    def test_signs_are_antisymmetric_and_count_from_the_limit_on(self):
        signs = ranking.signs([100.0, 110.0, 110.1, None])
        self.assertEqual(signs[:3], [[0, 0, 1, None], [0, 0, 0, None], [-1, 0, 0, None]])
        for row in range(3):
            for column in range(3):
                self.assertEqual(signs[row][column], -signs[column][row])

    def test_the_papers_six_variants(self):
        both = ranking.agreement(PREDICTED, MEASURED)
        self.assertEqual((both.tau, both.rho), (1, 1))
        # only unroll-and-jam over packed sources differs: 49.972 / 44.318 is above 1.1, 49.356 / 45.608 is not
        self.assertEqual((both.signs, both.pairs), (14, 15))
        self.assertEqual(ranking.sign(45.608, 49.356), 0)
        self.assertEqual(ranking.sign(44.318, 49.972), 1)

    def test_regret_is_the_price_of_the_choice(self):
        self.assertAlmostEqual(error_statistics.regret([2.0, 1.0, 1.0, None], [10.0, 12.0, 16.0, 1.0]), 0.4)
        self.assertIsNone(error_statistics.regret([None], [1.0]))


class Shown(CommandTest):
    def ranking(self, variants=6):
        return rank_table.Ranking(list(VARIANTS[:variants]), {"model": PREDICTED[:variants], "hardware": MEASURED[:variants]},
                                  {"model": "s", "hardware": "measured"}, "hardware")

    def test_text_and_csv(self):
        text = "\n".join(rank_table.lines(self.ranking()))
        self.assertIn("model: tau 1.00, rho 1.00, same sign in 93 % of 15 pairs; its best variant takes 0.0 % longer than the best", text)
        self.assertRegex(text, r"baseline +66.334 s +\(6\) +66.213[12] +\(6\)")
        self.assertEqual(rank_table.csv_text(self.ranking()).splitlines()[:2], ["variant,model (s),hardware (measured)", "baseline,66.33431,66.21315"])
        self.assertEqual(self.ranking().best("model"), "shmem")
        self.assertEqual(rank_table.as_json(self.ranking())["pairs"][0]["signs_alike"], 14)

    def test_a_chart_per_predictor(self):
        paths = sign_plot.save_all(self.ranking(), self.folder / "signs")
        self.assertEqual([path.name for path in paths], ["signs-model.png", "signs-model.svg"])
        svg = paths[1].read_text(encoding="utf-8")
        # of 15 pairs the three among baseline, rsqrt and prefetch are equal
        self.assertEqual((svg.count(">baseline<"), svg.count(">-1<"), svg.count(">1<")), (2, 12, 12))
        many = rank_table.Ranking([str(at) for at in range(60)], {"a": list(range(1, 61)), "b": list(range(1, 61))}, {"a": "s", "b": "s"}, "b")
        self.assertEqual(len(sign_plot.save_all(many, self.folder / "many")), 2)

    def test_measured_times(self):
        path = self.folder / "times.csv"
        path.write_text("# ours\nvariant,gpu a,gpu b\nfast,1.5,\nslow,3,4\n", encoding="utf-8")
        self.assertEqual(rank_command.read_times(str(path), ["slow", "fast", "other"]), {"gpu a": [3, 1.5, None], "gpu b": [4, None, None]})
        for content, message in (("a,b\n1,2\n", "a line variant,NAME"), ("variant\nx\n", "a line variant,NAME"),
                                 ("variant,a\nslow,x\n", "'x' is no time"), ("variant,a\nslow,-1\n", "'-1' is no time"),
                                 ("variant,a\nunknown,1\n", "no time of slow"), ("variant,a\nslow,1,2\n", "a line variant,NAME")):
            path.write_text(content, encoding="utf-8")
            with self.subTest(content), self.assertRaisesRegex(Exception, message):
                rank_command.read_times(str(path), ["slow"])


class WhoCanPredict(CommandTest):
    def test_models_with_parameters_of_the_gpu_and_the_engine(self):
        for gpu, known in (("c2050", ["gpuperf", "roofline", "timed"]), ("c1060", ["hong-kim", "dasgupta", "timed"]), ("h100", ["roofline", "timed"]),
                           ("k40", ["spt", "roofline", "timed"])):
            found, reasons = predictors.every(gpu)
            self.assertEqual([one.model for one in found], known)
            self.assertEqual(sorted({*known, *reasons}), sorted(predictors.KNOWN))
        self.assertEqual(predictors.why_not("gpuperf", machine.load("k40")), "no parameters of k40 with a source; known: c2050")

    def test_what_is_refused(self):
        for name in ("a", "b"):
            (self.folder / f"{name}.wtrace").write_bytes(b"no capture")
        for words, message in (([], "0 captures given, expected two or more"), (["a.wtrace"], "1 capture given"),
                               (["a.wtrace", "b.wtrace", "--no"], "--no: not an option of warpscope model --rank"),
                               (["a.wtrace", "b.wtrace", "--by"], "--by: has no value"),
                               (["a.wtrace", "b.wtrace", "--csv", "-", "--json", "-"], "both are standard output"),
                               (["a.wtrace", "b.wtrace", "--gpu", "k40", "--gpu", "k40"], "--gpu k40: is given already"),
                               (["none.wtrace", "b.wtrace"], "none.wtrace: ")):
            self.assert_refused(message, "--rank", *words)
        for text, gpu, message in (("x", None, "expected MODEL@GPU"), ("spt", None, "on which GPU is not given"), ("spt@", "k40", "expected MODEL@GPU"),
                                   ("spt@h100", None, "not applicable: no parameters of h100"), ("spt@k40,spt@k40", None, "given twice"),
                                   ("timed@8800gtx", None, "lacks what timed mode needs"), ("spt@nothing", None, "unknown GPU"),
                                   ("roofline@gtx280", None, "does not know fp32_per_cycle")):
            with self.subTest(text), self.assertRaisesRegex(Exception, message):
                predictors.listed(text, gpu)

    def test_help(self):
        self.assertIn("--by LIST", self.run_model("--rank", "--help"))


class Page(unittest.TestCase):
    """validation/notes/models.md, of which validation/rank-models --only rewrites one part."""
    TEXT = (SOURCE / "validation" / "notes" / "models.md").read_text(encoding="utf-8")

    def test_nothing_made_anew_is_the_page_as_it_is(self):
        self.assertEqual(rank_models_page.text({}, "abc", self.TEXT), self.TEXT)

    def test_one_part_is_made_anew(self):
        six = rank_table.Ranking(list(VARIANTS), {"dasgupta@c1060": PREDICTED, "measured": MEASURED}, {"dasgupta@c1060": "s", "measured": "s"}, "measured")
        answers, sections = rank_models_page._parts(self.TEXT)
        page = rank_models_page.text({"published": six}, "abc", self.TEXT)
        new_answers, new_sections = rank_models_page._parts(page)
        self.assertEqual((new_answers[1:], new_sections[1:]), (answers[1:], sections[1:]))
        self.assertTrue(new_answers[0].startswith("- On the hardware that it was made for, Dasgupta's model says of 14 of 15 pairs"))
        self.assertIn("\n\nSimulated with commit abc.\n\n", new_sections[0])
        self.assertIn("| dasgupta@c1060 | 1.00 | 1.00 | 6 | 93 % | 0 % |", new_sections[0])
        self.assertEqual(rank_models_page.text({"published": six}, "abc", page), page)


if __name__ == "__main__":
    unittest.main()
