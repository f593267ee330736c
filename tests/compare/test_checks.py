"""--fail-if, --baseline and --tolerance: values of paths, verdicts, exit statuses, messages."""
import copy
import json
import operator
import random
import unittest

import support
from warpscope.base.errors import InputError
from warpscope.explore.compare import checks, difference, paths


def leaves(value, path=""):
    """(path, number) of every number in a result, as a user would write the path."""
    if isinstance(value, dict):
        for key, one in value.items():
            if not set(key) & set("[]"):
                yield from leaves(one, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from leaves(one, f"{path}[{at}]")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


class Paths(unittest.TestCase):
    def test_every_number_of_a_result(self):
        result = support.result("mm_tiled")
        found = list(leaves(result))
        self.assertGreater(len(found), 1000)
        for path, number in found:
            self.assertEqual(paths.value(result, path), number, path)

    def test_rates(self):
        """The multiplication of 32 × 32 elements: 4,096 sectors loaded, 512 of them missed."""
        result = support.result("mm")
        load = result["total"]["load"]
        self.assertEqual((load["transactions"], load["misses"] + load["sector_misses"], load["requests"]), (4096, 512, 2048))
        self.assertEqual(paths.value(result, "total.load.miss_rate"), 512 / 4096)
        self.assertEqual(paths.value(result, "sites[0].load.hit_rate") , 1 - 256 / 2048)
        self.assertEqual(paths.value(result, "total.load.transactions_per_request"), 2)
        self.assertEqual(paths.value(result, "kernels[mm].misses"), 640)
        self.assertEqual(paths.value(result, "buffers[A].load.requests"), 1024)

    def test_profilers_names(self):
        result = support.result("mm")
        counters = result["total"]["profiler"]["ncu"]
        for name, number in counters.items():
            for path in (f"profiler.{name}", f"profiler.ncu.{name}", f"total.profiler.ncu.{name}"):
                self.assertEqual(paths.value(result, path), number)
        cycles = "smsp__inst_executed.sum"
        self.assertEqual(paths.value(result, f"timed.profiler.{cycles}"), result["timed"]["total"]["profiler"]["ncu"][cycles])

    def test_units(self):
        for path, unit in (("total.load.miss_rate", "ratio"), ("total.load.misses", ""), ("profiler.l1tex__t_sector_hit_rate.pct", "percent"),
                           ("profiler.global_hit_rate", "percent"), ("profiler.achieved_occupancy", "ratio"),
                           ("timed.total.timing.memory.l2_load_hit_rate_percent", "percent"),
                           ("profiler.ncu.sm__maximum_warps_per_active_cycle_pct", "percent"),
                           ("profiler.sm__warps_active.avg.pct_of_peak_sustained_active", "percent")):
            self.assertEqual(paths.unit_of(path), unit, path)

    def test_what_is_not_there(self):
        result = support.result("mm", "h100", "fixed")
        for path, message in (("total.load.mises", "no 'mises', expected one such as misses"),
                              ("total.load", "'total.load': is an object, expected a number below it, such as requests"),
                              ("total.local_memory", "is null, expected a number"),
                              ("context.tool", "is a text"), ("context.partial", "is a text|is a"),
                              ("launches", "is a list"), ("launches[5].load.misses", r"\[5\]: has 1 elements"),
                              ("kernels[x].misses", r"\[x\]: 0 elements have this name"),
                              ("total[0]", r"\[0\]: not a list"), ("timed.total.timing.cycles", "no timed part .*--clock both"),
                              ("profiler.ncu.x", "no 'x', expected one such as"), ("a b", "no 'a b'"), ("total..load", "expected a key path"),
                              ("total.load.", "expected a key path"), ("[0]", "expected a key path")):
            with self.assertRaisesRegex(InputError, message, msg=path):
                paths.value(result, path)


class Conditions(unittest.TestCase):
    OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}

    @staticmethod
    def fails(text, after, before=None):
        return checks.parse(text, before is not None).failure(after, before) is not None

    def test_operators(self):
        draw = random.Random(1)
        for _ in range(300):
            misses, limit, name = draw.randint(0, 4), draw.randint(0, 4), draw.choice(list(self.OPERATORS))
            space = draw.choice(("", " "))
            self.assertEqual(self.fails(f"total.x{space}{name}{space}{limit}", {"total": {"x": misses}}), self.OPERATORS[name](misses, limit))

    def test_percent_of_a_ratio_and_of_percent(self):
        result = {"total": {"load": {"requests": 1, "transactions": 8, "hits": 7, "misses": 1, "sector_misses": 0, "bypasses": 0},
                            "profiler": {"nvprof": {"global_hit_rate": 87.5}}}}
        for text, verdict in (("total.load.miss_rate > 12.4%", True), ("total.load.miss_rate > 12.5%", False),
                              ("total.load.miss_rate >= 0.125", True), ("profiler.global_hit_rate < 87.6%", True),
                              ("profiler.global_hit_rate < 87.5", False)):
            self.assertEqual(self.fails(text, result), verdict, text)

    def test_changes(self):
        before, after = {"total": {"x": 200, "zero": 0}}, {"total": {"x": 210, "zero": 1}}
        for text, verdict in (("total.x > +5%", False), ("total.x > +4.9%", True), ("total.x > +10", False), ("total.x >= +10", True),
                              ("total.x > -5%", True), ("total.x < +6%", True), ("total.zero > +99%", True), ("total.zero > +0", True)):
            self.assertEqual(self.fails(text, after, before), verdict, text)
            self.assertFalse(self.fails("total.x != +0%", before, before))

    def test_wrong_ones(self):
        for text, message in (("", "expected 'PATH OP NUMBER"), ("total.x", "expected 'PATH OP"), ("total.x > ", "expected 'PATH OP"),
                              ("> 3", "expected 'PATH OP"), ("total.x = 3", "expected 'PATH OP"), ("total.x > 3 %%", "expected 'PATH OP"),
                              ("total.x > 1e999%x", "expected 'PATH OP"), ("total.load.misses > 5%", r"is no rate, expected .*> \+5%"),
                              ("total.x > +5%", "expected --baseline")):
            with self.assertRaisesRegex(InputError, message, msg=text):
                checks.parse(text, False)


class Tolerance(unittest.TestCase):
    def compared(self, change):
        before, after = support.result("mm_tiled"), support.result("mm_tiled")
        change(after)
        return difference.between(before, after, ("a", "b"))

    def test_a_measure_at_the_tolerance_passes_and_one_above_fails(self):
        def cycles(by):
            def change(after):
                after["timed"]["total"]["timing"]["cycles"] += by
            return change

        before = support.result("mm_tiled")["timed"]["total"]["timing"]["cycles"]
        one = before // 100
        self.assertEqual(checks.worse(self.compared(cycles(one)), 1), [])
        self.assertEqual(len(checks.worse(self.compared(cycles(one + 1)), 1)), 1)
        self.assertEqual(checks.worse(self.compared(cycles(-one)), 0), [])
        self.assertEqual(len(checks.worse(self.compared(cycles(1)), 0)), 1)

    def test_every_measure_counts(self):
        for measure, path in (("requests", ("total", "load", "requests")), ("transactions", ("total", "store", "transactions")),
                              ("L1 misses", ("total", "load", "misses")), ("wavefronts of local memory", ("total", "local_memory", "wavefronts")),
                              ("L1 wavefronts", ("total", "load", "wavefronts")),
                              ("bytes read from DRAM", ("timed", "total", "timing", "memory", "dram_read_bytes"))):
            def change(after):
                holder = after
                for key in path[:-1]:
                    holder = holder[key]
                holder[path[-1]] *= 3

            found = checks.worse(self.compared(change), 1)
            self.assertTrue(any(line.startswith(measure) for line in found), (measure, found))

    def test_a_kernel_cannot_hide_behind_another(self):
        before = support.result("mm")
        second = {**copy.deepcopy(before["kernels"][0]), "kernel": "other"}
        before["kernels"].append(second)
        after = copy.deepcopy(before)
        after["kernels"][0]["misses"] += 100
        after["kernels"][1]["misses"] -= 100
        self.assertEqual(checks.worse(difference.between(before, after, ("a", "b")), 5), ["kernel mm, misses: 640 -> 740 (+16 %)"])


class Command(support.ToolTest):
    def verdict(self, *words):
        done = self.call("warpscope", *words)
        return done.returncode, done.stderr.decode().splitlines()

    def test_a_run(self):
        capture = support.capture("mm")
        words = (capture, "--gpu", "h100", "--no-plots", "-o", "out", "--clock", "fixed")
        self.assertEqual(self.verdict(*words, "--fail-if", "total.load.miss_rate > 13%"), (0, []))
        self.assertEqual(self.verdict(*words, "--fail-if", "total.load.miss_rate > 12%", "--fail-if=total.load.misses == 0"),
                         (4, ["warpscope: --fail-if 'total.load.miss_rate > 12%': it is 12.5 %"]))
        self.assertTrue((self.folder / "out" / "result.json").exists())
        self.assertEqual(self.verdict("report", "out/result.json", "--no-plots", "--fail-if", "total.load.miss_rate > 12%")[0], 4)

    def test_a_baseline(self):
        tiled, padded = support.result_path("mt_tiled"), support.result_path("mt_padded_tile")
        words = ("--gpu", "h100", "--no-plots", "-o", "out")
        self.assertEqual(self.verdict(support.capture("mt_tiled"), *words, "--baseline", tiled), (0, []))
        self.assertEqual(self.verdict(support.capture("mt_padded_tile"), *words, "--baseline", tiled), (0, []))
        status, lines = self.verdict(support.capture("mt_tiled"), *words, "--baseline", padded, "--tolerance", "5%")
        self.assertEqual(status, 4)
        self.assertRegex("\n".join(lines), "by more than 5 %: cycles .*: [0-9,]+ -> [0-9,]+ ")
        self.assertEqual(self.verdict(support.capture("mt_tiled"), *words, "--baseline", padded, "--tolerance", "9999%")[0], 4)  # 0 -> n
        status, lines = self.verdict(support.capture("mt_padded_tile"), *words, "--baseline", tiled, "--fail-if",
                                     "timed.total.timing.cycles > -90%")
        self.assertEqual((status, len(lines)), (4, 1))

    def test_diff(self):
        words = ("diff", support.result_path("mt_padded_tile"), support.result_path("mt_tiled"))
        self.assertEqual(self.verdict(*words)[0], 0)
        self.assertEqual(self.verdict(*words, "--tolerance", "10%")[0], 4)
        self.assertEqual(self.verdict(*words, "--fail-if", "timed.total.timing.cycles > +10%")[0], 4)
        self.assertEqual(self.verdict(*words[::-1][:2], "--fail-if", "x > 1") [0], 2)

    def test_bad_input_is_known_before_the_work(self):
        mm, result = support.capture("mm"), support.result_path("mm")
        for words, message in ((("--fail-if", "total"), "--fail-if 'total': expected"), (("--fail-if",), "--fail-if: has no value"),
                               (("--tolerance", "1%"), "--tolerance 1%: expected --baseline"),
                               (("--baseline", "none.json"), "none.json: No such file"),
                               (("--baseline", mm), "not JSON|not text|no 'schema'"),
                               (("--baseline", result, "--tolerance", "-1%"), "--tolerance -1%: expected percent"),
                               (("--gpu", "h100,a100", "--fail-if", "total.load.misses > 1"), "--fail-if: --gpu h100,a100 makes several")):
            with self.subTest(words=words):
                done = self.call("warpscope", mm, "--no-plots", "-o", "out", *words)
                self.assert_refused(done, message)
                self.assertEqual(done.stderr.count(b"\n"), 1)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_bad_input_that_only_the_result_shows(self):
        words = (support.capture("mm"), "--no-plots", "-o", "out", "--clock", "fixed")
        for more, message in ((("--gpu", "h100", "--fail-if", "total.load.mises > 1"), "--fail-if 'total.load.mises': no 'mises'"),
                              (("--gpu", "gtx480", "--baseline", support.result_path("mm")), "GPU: h100, and gtx480 here, expected")):
            status, lines = self.verdict(*words, *more)
            self.assertEqual((status, len(lines)), (2, 1), lines)
            self.assertRegex(lines[0], message)


if __name__ == "__main__":
    unittest.main()
