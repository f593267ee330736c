"""When a change pays: examples by hand."""
import dataclasses
import pathlib
import sys
import types
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from warpscope.explore.advice import engine, gain, indices, observe, patterns  # noqa: E402
from warpscope.explore.advice.proposal import ESTIMATED, EXACT, MODELLED, Proposal  # noqa: E402
from warpscope.explore.whatif.question import Changes  # noqa: E402
from warpscope.result import accesses, measures  # noqa: E402
from warpscope.run.request import LayoutChange  # noqa: E402
from warpscope.show.summary import advised  # noqa: E402
from warpscope.show.summary.finding import Finding  # noqa: E402

FIXED = {"requests": 100, "transactions": 400, "l1_hit_rate": 0.5, "l1_misses": 200, "l1_to_l2_read_sectors": 200, "l1_wavefronts": 100,
         "local_wavefronts": None}
UNKNOWN = {"context": {"cache": {"line_bytes": 128}}, "total": {}}  # a result without a class: the error of hit rates is 10 points

PADDED = Changes((LayoutChange("pad", "a=+1"),))


def trial(fixed_after, cycles_after=None, rate_after=0.5, grade=EXACT):
    """A Trial of 1000 cycles before."""
    timed = None
    if cycles_after is not None:
        timed = measures.compared({"cycles": 1000, "l1_hit_rate": 0.5}, {"cycles": cycles_after, "l1_hit_rate": rate_after})
    return types.SimpleNamespace(proposal=Proposal("rule", None, PADDED, grade), timed=timed,
                                 fixed=measures.compared(FIXED, {**FIXED, **fixed_after}))


class Gain(unittest.TestCase):
    def judged(self, one):
        grade = gain.promises(one)
        return grade and gain.of_trial(one, grade, UNKNOWN)

    def test_an_exact_counter_that_falls_by_half(self):
        found = self.judged(trial({"transactions": 200}, 500))
        self.assertEqual((found.measure, found.grade, found.factor), ("cycles", EXACT, 2))
        # 2 % of the counters are 4 % of the half that is saved: 48 % to 52 % of the cycles go.
        self.assertAlmostEqual(found.least, 1 / 0.52)
        self.assertAlmostEqual(found.most, 1 / 0.48)

    def test_two_percent_are_no_gain(self):
        self.assertIsNone(self.judged(trial({"transactions": 393}, 500)))    # 1.75 % of the transactions
        self.assertIsNone(self.judged(trial({"transactions": 200}, 981)))    # 1.9 % of the cycles
        self.assertIsNotNone(self.judged(trial({"transactions": 390}, 970)))  # 2.5 % and 3 %

    def test_hits_must_rise_by_more_than_their_error(self):
        few = trial({"l1_misses": 160}, 800, rate_after=0.59, grade=MODELLED)
        self.assertEqual(gain.promises(few), MODELLED)
        self.assertIsNone(self.judged(few))                                 # 9 points of an error of 10
        found = self.judged(trial({"l1_misses": 100}, 800, rate_after=0.7, grade=MODELLED))
        self.assertEqual((found.grade, found.factor), (MODELLED, 1.25))
        self.assertAlmostEqual(found.least, 1 / 0.9)                        # 20 points, uncertain by 10: 10 % to 30 % of the cycles
        self.assertAlmostEqual(found.most, 1 / 0.7)

    def test_loads_that_start_to_look_the_l1_up_save_what_they_fetch(self):
        one = trial({"l1_hit_rate": 0.8, "l1_misses": 80, "l1_to_l2_read_sectors": 80, "transactions": 100}, 500, rate_after=0.8)
        one.fixed["before"] = {**FIXED, "l1_hit_rate": None, "l1_misses": 0}  # nothing was looked up
        one.timed["before"]["l1_hit_rate"] = None
        self.assertAlmostEqual(gain.worth(one.fixed), 0.75)                 # a quarter of the transactions, as lines are longer than sectors
        found = self.judged(one)
        self.assertEqual((found.grade, found.factor), (MODELLED, 2))        # hits are modelled, whatever else falls
        self.assertAlmostEqual(found.least, 1 / (1 - 0.5 * (1 - 10 / 80)))  # 80 points, uncertain by 10
        one.fixed["after"]["l1_to_l2_read_sectors"] = 200
        self.assertIsNone(self.judged(one))

    def test_what_only_the_timed_engine_knows_must_gain_a_tenth(self):
        self.assertIsNone(self.judged(trial({}, 910, grade=ESTIMATED)))
        self.assertIsNone(self.judged(trial({}, None, grade=ESTIMATED)))
        self.assertAlmostEqual(self.judged(trial({}, 800, grade=ESTIMATED)).factor, 1.25)

    def test_without_cycles_no_counter_may_grow(self):
        found = self.judged(trial({"transactions": 100}))
        self.assertEqual((found.measure, found.factor), ("transactions", 4))
        self.assertIsNone(self.judged(trial({"transactions": 100, "l1_misses": 300})))

    def test_a_change_that_moves_nothing_promises_nothing(self):
        self.assertIsNone(gain.promises(trial({})))


class Better(unittest.TestCase):
    """Which of two changes for one finding is named, by factor and instructions issued afterwards."""

    def named(self, *changes):
        finding, judged = Finding("rule", "text", EXACT, {}, kernel="k"), []
        for name, factor, instructions in changes:
            timed = {"after": {"warp_instructions": instructions}} if instructions else None
            judged.append((Proposal(name, finding, Changes((LayoutChange(name, "1"),))), types.SimpleNamespace(timed=timed),
                           types.SimpleNamespace(factor=factor, whole=factor)))
        return [proposal.rule for proposal in (one.proposal for one in engine._best(judged))]

    def test_the_larger_gain(self):
        self.assertEqual(self.named(("a", 2.0, 50), ("b", 2.1, 100)), ["b"])
        self.assertEqual(self.named(("a", 2.1, 100), ("b", 2.0, 50)), ["a"])

    def test_of_gains_alike_the_fewer_instructions(self):
        self.assertEqual(self.named(("a", 2.03, 100), ("b", 2.0, 50)), ["b"])
        self.assertEqual(self.named(("a", 2.0, 50), ("b", 2.03, 100)), ["a"])

    def test_else_the_first(self):
        self.assertEqual(self.named(("a", 2.0, 100), ("b", 2.03, 100)), ["a"])
        self.assertEqual(self.named(("a", 2.0, None), ("b", 2.03, None)), ["a"])


class Order(unittest.TestCase):
    """What the summary shows first."""

    def findings(self, rows, advice, **more):
        """`rows`: (rule, share of the cycles). `advice`: {rule: gain}; all of them are about the launch."""
        def entry(rule, **of):
            return {"finding": rule, "kernels": [], "kind": None, "file": None, "line": None, "column": None, "buffers": [], "title": "", "remedy": "",
                    "launches": "all", "change": ["--pad", "a=+1"], **of}

        given = [entry(rule, gain={"factor": factor, "whole": factor}) for rule, factor in advice.items()]
        advice = {"why_not": "", "given": given, "no_gain": [entry(rule) for rule in more.get("no_gain", ())], "refused": [],
                  "not_tried": [entry(rule) for rule in more.get("not_tried", ())]}
        found = [Finding(rule, rule, EXACT, {}, share=share) for rule, share in rows]
        original, advised.find.findings = advised.find.findings, lambda *_: (found, None)
        try:
            return [one.rule for one in advised.of_result({"advice": advice}, None)[0]]
        finally:
            advised.find.findings = original

    def test_gains_first_the_largest_first(self):
        rows = [("a", 0.15), ("b", 0.1), ("c", 0.05)]
        self.assertEqual(self.findings(rows, {"b": 1.1, "c": 1.2}), ["c", "b", "a"])

    def test_what_costs_over_a_fifth_and_more_than_the_best_gain_is_first(self):
        rows = [("a", 0.3), ("b", 0.1)]
        self.assertEqual(self.findings(rows, {"b": 1.25}), ["a", "b"])    # saves 20 % of the cycles
        self.assertEqual(self.findings(rows, {"b": 2.0}), ["b", "a"])     # saves 50 %
        self.assertEqual(self.findings([("a", 0.19), ("b", 0.1)], {"b": 1.1}), ["b", "a"])

    def test_without_advice_what_costs_over_a_fifth_is_first(self):
        self.assertEqual(self.findings([("a", 0.1), ("b", 0.3), ("c", 0.4)], {}), ["c", "b", "a"])
        self.assertEqual(self.findings([("a", 0.1), ("b", 0.19)], {}), ["b", "a"])

    def test_what_the_summary_says_already_is_not_first(self):
        self.assertEqual(self.findings([("idle-cores", 0.5), ("b", 0.1)], {"b": 1.1}), ["b", "idle-cores"])

    def test_a_remedy_that_gains_nothing_hides_its_finding(self):
        self.assertEqual(self.findings([("a", 0.3), ("b", 0.1)], {}, no_gain=["a"]), ["b"])
        self.assertEqual(self.findings([("a", 0.3), ("b", 0.1)], {}, no_gain=["a"], not_tried=["a"]), ["a", "b"])

    def test_a_finding_with_a_gain_is_shown_once(self):
        self.assertEqual(self.findings([("a", 0.3), ("b", 0.1)], {"a": 2.0}, not_tried=["a"]), ["a", "b"])


class Remedies(unittest.TestCase):
    def remedy(self, **tried):
        place = {"kernels": ["k"], "kind": "load", "file": "k.cl", "line": 3, "column": 5, "buffers": ["in"]}
        advice = {"observed": [{"rule": "scattered", "replaces": "uncoalesced", **place, "remedy": "sort by the index"}],
                "no_gain": [{"rule": "unsorted-index", "finding": "uncoalesced", **place, "change": ["--sort-index", "at"], **tried}]}
        observe.correct_remedies(advice)
        return advice["observed"][0]["remedy"]

    def test_rows_that_lanes_walk_along(self):
        """32 lanes, 32 sectors of 32 bytes where 4 would do; each lane's next element is its neighbour in memory, or anywhere."""
        access = self.access("load", "x", 320, transactions=320)
        index = self.access("load", "at", 320)
        for step, stored, remedy in ((4, 320, "give a row to a warp"), (128, 320, "sort by the index"), (128, 32, "at cannot be sorted")):
            pattern = patterns.Pattern(0, stride=40, regular=0.2, step=step)
            case = types.SimpleNamespace(pattern=lambda _, pattern=pattern: pattern, unit_bytes=32, unit="sectors", coalescing="volta", capture="",
                                         accesses=[access, index, self.access("store", "y", stored)])
            with unittest.mock.patch.object(observe.indices, "of_access", lambda *_: ["at"]):
                found = observe.scattered(case, access)
            self.assertIn("32.0 sectors per request, 4 would do", found.what)
            self.assertIn(remedy, found.remedy)

    @staticmethod
    def access(kind, name, lanes, **more):
        found = accesses.Access(["k"], kind, "global", [name], "k.cl", 3, 5, 4, 0, 1, requests=lanes // 32, lanes=lanes, wavefronts=lanes, missed=lanes)
        found.shapes[lanes // 32, lanes, 4] += 1
        return dataclasses.replace(found, **more)

    def test_elements_are_sorted_only_if_each_has_a_result(self):
        """32 results of 32 elements; of 320 elements, a row of ten each; of two elements at two places of the source."""
        def can(*loaded, stored, kind="store"):
            case = types.SimpleNamespace(accesses=[*(self.access("load", "at", lanes) for lanes in loaded), self.access(kind, "y", stored)])
            return indices.can_be_sorted(case, self.access("load", "x", 32), "at")

        self.assertEqual([can(32, stored=32), can(32, stored=32, kind="atomic"), can(320, stored=32), can(32, 32, stored=32)], [True, True, False, False])

    def test_sorting_that_gains_nothing_is_no_remedy_of_scattered_accesses(self):
        self.assertIn("sorting at gains nothing", self.remedy())
        self.assertEqual(self.remedy(line=4), "sort by the index")  # another access was tried
        self.assertEqual(self.remedy(rule="column-wise"), "sort by the index")


if __name__ == "__main__":
    unittest.main()
