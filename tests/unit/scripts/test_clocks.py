"""Which clocks a run takes, and how the second result is appended to the first."""
import json
import pathlib
import tempfile
import unittest

import support
from warpscope.base.errors import InputError
from warpscope.run import clocks
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
        # 2 M warp accesses and 2.5 M transactions at 0.7 µs each, 3 launches at 1 ms.
        self.assertAlmostEqual(clocks.seconds_of(counts, 3), 1.4 + 1.75 + 0.003)

    def test_short_runs_are_simulated_by_both(self):
        self.assertEqual(clocks.plan(program(1000), options())["launches"], None)

    def test_long_runs_are_simulated_in_part_those_with_most_work_first(self):
        # A million of each takes 1.4 s: 14 s, 5.6 s, 2.8 s and 1.4 s. The first does not fit into 10 s, the others do.
        what = clocks.plan(program(10_000_000, 1_000_000, 4_000_000, 2_000_000), options())
        self.assertEqual(what["launches"], [1, 2, 3])
        self.assertEqual(what["why"], "all would take about 24 s")

    def test_one_launch_that_is_too_long_is_left_out_unless_asked_for(self):
        self.assertEqual(clocks.plan(program(10_000_000), options())["launches"], [])
        for clock in ("timed", "both"):
            self.assertIsNone(clocks.plan(program(10_000_000), options(clock=clock))["launches"])

    def test_of_a_launch_that_is_too_long_the_first_waves_are_simulated(self):
        result = program(10_000_000)  # 14 s
        result["launch_groups"][0].update({"global": [1000, 10, 1], "local": [100, 1, 1]})  # 100 work-groups
        result["context"].update({"cores": 4, "schedule": {"residency": [{"launch": 0, "work_groups": 2}]}})
        what = clocks.plan(result, options())
        # A wave is 4 x 2 work-groups, 8 % of 14 s: eight take 9.0 s, nine 10.1 s.
        self.assertEqual(what["waves"], {"launch": 0, "waves": 8, "work_groups": 64, "of": 100})
        self.assertEqual((what["launches"], what["why"]), ([], "all would take about 14 s"))
        result["context"]["cores"] = 11  # 22 %, 3.08 s
        self.assertEqual(clocks.plan(result, options())["waves"]["waves"], 3)
        result["context"]["cores"] = 12  # 24 %, 3.36 s: two waves only
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

    def test_refuses_what_does_not_end_as_a_result(self):
        self.file.write_text('{"schema": 1')
        with self.assertRaisesRegex(InputError, "does not end as a result does"):
            clocks.append(self.file, {}, None)


if __name__ == "__main__":
    unittest.main()
