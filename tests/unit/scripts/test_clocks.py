"""Which clocks a run takes, and how the second result is appended to the first."""
import json
import os
import pathlib
import tempfile
import unittest
import unittest.mock

import support
from warpscope.base.errors import InputError
from warpscope.run import budget, clocks
from warpscope.run.request import Fixed, Gpu, Request


def options(clock="auto", **fixed):
    return Request(Gpu("gtx480"), Fixed(**fixed), clock)


def program(*requests):
    """A result with one launch (of a group of its own) for each number of requests, each with as many transactions."""
    result = support.result()
    del result["launches"]
    result["launch_groups"] = [{**support.counts(load=support.kind(number, number)), "kernel": "k", "global": [1, 1, 1],
                                "local": [1, 1, 1], "count": 1, "first": first, "launches": str(first)}
                               for first, number in enumerate(requests)]
    result["total"] = support.counts(load=support.kind(sum(requests), sum(requests)))
    return result


class Plan(unittest.TestCase):
    def test_the_estimate_adds_accesses_of_all_memories_transactions_and_launches(self):
        counts = support.counts(load=support.kind(1_000_000, 2_000_000), store=support.kind(500_000, 500_000))
        counts["outside_l1"] = {"local": {"load": {"requests": 500_000}, "store": {"requests": 0}, "atomic": {"requests": 0}}}
        # 2 M warp accesses and 2.5 M transactions, 3 launches that count 1,000 each.
        self.assertEqual(clocks.work_of(counts, 3), 4_503_000)

    def test_short_runs_are_simulated_by_both(self):
        self.assertEqual(clocks.plan(program(1000), options())["launches"], None)

    def test_long_runs_are_simulated_in_part_those_with_most_work_first(self):
        # As many transactions as requests: 60 M, 20 M, 12 M and 6 M. The first does not fit into 40 M, the others do.
        what = clocks.plan(program(30_000_000, 3_000_000, 10_000_000, 6_000_000), options())
        self.assertEqual(what["launches"], [1, 2, 3])
        self.assertEqual(what["why"], "work 98 M, limit 40 M")

    def test_one_launch_that_is_too_long_is_left_out_unless_asked_for(self):
        self.assertEqual(clocks.plan(program(30_000_000), options())["launches"], [])
        for clock in ("timed", "both"):
            self.assertIsNone(clocks.plan(program(30_000_000), options(clock=clock))["launches"])

    def test_what_is_not_modelled_is_never_timed(self):
        result = program(1000, 100_000_000, 2_000_000)
        for number, group in enumerate(result["launch_groups"]):
            group["kernel"] = "hgemm" if number == 2 else f"k{number}"
        one = {"kernel": "hgemm", "uses": "wmma, cp.async", "launches": "2", "count": 1}
        result["context"]["not_timed"] = [one]
        for clock in ("auto", "both"):
            what = clocks.plan({**result, "launch_groups": result["launch_groups"][2:], "kernels": [{"launches": 1}]}, options(clock=clock))
            self.assertEqual((what["launches"], what["why"]), ([], "wmma, cp.async not modelled"))
        self.assertEqual(clocks.plan(result, options())["launches"], [0])
        self.assertEqual(clocks.plan(result, options(clock="both"))["why"], "wmma, cp.async not modelled")

    def test_of_a_launch_that_is_too_long_the_first_waves_are_simulated(self):
        result = program(28_000_000)  # 56 M
        result["launch_groups"][0].update({"global": [1000, 10, 1], "local": [100, 1, 1]})  # 100 work-groups
        result["context"].update({"cores": 4, "schedule": {"residency": [{"launch": 0, "work_groups": 2}]}})
        what = clocks.plan(result, options())
        # A wave is 4 x 2 work-groups, 8 % of 56 M: eight are 35.8 M, nine 40.3 M.
        self.assertEqual(what["waves"], {"launch": 0, "waves": 8, "work_groups": 64, "of": 100})
        self.assertEqual((what["launches"], what["why"]), ([], "work 56 M, limit 40 M"))
        result["context"]["cores"] = 11  # 22 %, 12.3 M
        self.assertEqual(clocks.plan(result, options())["waves"]["waves"], 3)
        result["context"]["cores"] = 12  # 24 %, 13.4 M: two waves only
        self.assertIsNone(clocks.plan(result, options())["waves"])
        self.assertIsNone(clocks.plan(result, options(clock="both"))["waves"])
        self.assertIsNone(clocks.plan(program(1000), options())["waves"])

    def test_options_of_the_fixed_order_leave_the_other_clock_out(self):
        for given in ({"clock": "fixed"}, {"cache": "16,128,4,LRU,WTNA"}, {"policy": "rr"}, {"repeat": "3"}, {"set_index": "linear"}):
            what = clocks.plan(program(10), options(**given))
            self.assertEqual(what["launches"], [], given)
            self.assertIn(f"--{next(iter(given)).replace('_', '-')}", what["why"])

    def test_captures_of_some_cores_are_of_the_fixed_order(self):
        result = program(10)
        result["context"]["sampled_cores"] = {"every": 4, "count": 4, "of": 15, "recorded": True}
        self.assertEqual(clocks.plan(result, options())["launches"], [])
        drawn = {**result, "context": {**result["context"], "sampled_cores": {"every": None, "count": 4, "of": 15, "recorded": False}}}
        self.assertIsNone(clocks.plan(drawn, options())["launches"])  # in a budget
        self.assertIsNone(clocks.plan(result, options(clock="both"))["launches"])  # which the engine refuses in its own words

    def test_refuses_unknown_clocks_and_options_that_exclude_each_other(self):
        with self.assertRaisesRegex(InputError, "--clock never: expected one of auto, fixed, timed, both"):
            clocks.check(options(clock="never"))
        for clock in ("timed", "both"):
            with self.assertRaisesRegex(InputError, f"--clock {clock}: --policy is an option of the fixed order, expected --clock fixed"):
                clocks.check(options(clock=clock, policy="rr"))


class Budget(unittest.TestCase):
    def test_work_is_what_the_engines_count(self):
        result = program(7)
        self.assertEqual(budget.fixed_work(result["total"]), 14)
        self.assertEqual(budget.timed_work({"total": {"timing": {"warp_instructions": 5, "tag_lookups": 3}}}), 8)
        self.assertEqual(budget.timed_work(None), 0)

    def test_advice_has_what_the_timed_engine_leaves_of_the_default_unless_it_is_given(self):
        with unittest.mock.patch.dict("os.environ"):
            os.environ.pop(budget.ADVICE, None)
            self.assertEqual(budget.of_advice(None, 100_000_000), 500_000_000)
            self.assertEqual(budget.of_advice(None, 100_000_000, gpus=2), 200_000_000)
            self.assertEqual(budget.of_advice(None, 700_000_000), 0)
            self.assertEqual(budget.of_advice("1.5G", 700_000_000, gpus=3), 500_000_000)
            os.environ[budget.ADVICE] = "7K"
            self.assertEqual([budget.of_advice(None, 9), budget.of_advice("0", 9)], [7000, 0])
            os.environ[budget.ADVICE] = "20s"
            with self.assertRaisesRegex(InputError, "^.WARPSCOPE_ADVICE_BUDGET 20s: expected a number of look-ups"):
                budget.of_advice(None, 0)

    def test_numbers_in_words(self):
        self.assertEqual([budget.text_of(work) for work in (0, 999, 1000, 9_949_999, 40_000_000, 2_000_000_000)],
                         ["0", "999", "1.0 K", "9.9 M", "40 M", "2.0 G"])

    def test_what_does_not_fit_is_not_used(self):
        work = budget.Work(10)
        self.assertEqual([work.take(6, 0.5), work.take(5, 0.5), work.take(6), work.take(5), work.used, work.left], [False, True, False, True, 10, 0])


class Append(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "result.json"

    def test_the_timed_result_is_there_whole(self):
        timed = self.folder / "timed.json"
        timed.write_text('{"total": {"timing": {"cycles": 7}}}\n')
        for end in ("}", "\n}\n", " }  \n"):
            self.file.write_text('{"schema": 1, "total": {}' + end)
            clocks.append(self.file, {"clocks": {"asked": "auto"}}, timed)
            self.assertEqual(json.loads(self.file.read_text()),
                             {"schema": 1, "total": {}, "clocks": {"asked": "auto"}, "timed": {"total": {"timing": {"cycles": 7}}}})

    def test_without_one_only_the_plan_is_added(self):
        self.file.write_text('{"schema": 1}\n')
        clocks.append(self.file, {"clocks": {"asked": "fixed"}, "kernels": [{"a": 1}, {"a": 2}], "none": []}, None)
        self.assertEqual(json.loads(self.file.read_text()), {"schema": 1, "clocks": {"asked": "fixed"}, "kernels": [{"a": 1}, {"a": 2}], "none": []})

    def test_keys_come_first_in_the_context(self):
        self.file.write_text('{\n "schema": 1,\n "context": {\n  "tool": "x"\n },\n "b": "' + "x" * 9000 + '"}\n')
        before = json.loads(self.file.read_text())
        clocks.put_in_context(self.file, {"work": {"timed": 7, "timed_limit": None}})
        after = json.loads(self.file.read_text())
        self.assertEqual(after["context"], {"work": {"timed": 7, "timed_limit": None}, "tool": "x"})
        self.assertEqual((after["b"], list(after)), (before["b"], list(before)))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["result.json"])

    def test_refuses_what_does_not_end_as_a_result(self):
        self.file.write_text('{"schema": 1')
        with self.assertRaisesRegex(InputError, "does not end as a result does"):
            clocks.append(self.file, {}, None)


if __name__ == "__main__":
    unittest.main()
