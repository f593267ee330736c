"""How launches of validation/truth are run: whose turn it is, which steps, what is kept; and the classes of their errors."""
import csv
import pathlib
import re
import tempfile
import unittest

from support import kind

import accuracy_data  # noqa: E402
from collect import convolutions, machine_code, measurements, one_file  # noqa: E402
from truth import errors, parts, runs, scores, store, tables, turns  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402
from warpscope.result import error_classes  # noqa: E402


def launch(name, warps, measured=(), family="softmax", options=(), groups=10):
    one = tables.Launch(name, name.split("/")[0], "a100", "8.6", "ncu", family, name.rsplit("/", 1)[0], "no", (groups, 1, 1),
                        (32 * warps // groups, 1, 1), {})
    one.measured, one.command = dict(measured), tables.Command(f"{name}.cl", tuple(options))
    return one


RATE = {"l1tex__t_sector_hit_rate.pct": 50.0}


@unittest.skipUnless(cuda_tools.look("nvcc"), "no nvcc in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class MachineCodeNeedsCudaToolkit(unittest.TestCase):
    NAME, REQUESTS = "rtx2080/conv7x7/8x8-lm0-w1x2-v1-u7-p0", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"

    def test_loads_are_those_that_were_measured(self):
        """A published count has six digits."""
        one = {row.name: row for row in tables.launches()}[self.NAME]
        with tempfile.TemporaryDirectory() as folder:
            kept = store.Store(pathlib.Path(folder) / "results", "tools")
            runner = runs.Runner(kept, pathlib.Path(folder) / "work", steps=["fixed"], machine=machine_code.MachineCode())
            runner.run([one])
            self.assertEqual(runner.failures, {})
            found = runner.known(one)["fixed"]
        self.assertAlmostEqual(scores.counters.simulated(one, found, self.REQUESTS) / one.measured[self.REQUESTS], 1, delta=1e-5)
        self.assertEqual(found["residency"][0]["registers"], 64, "ptxas' of sm_75; published, too")


class Turns(unittest.TestCase):
    def taken(self, queue, seconds):
        """The launches in the order of their turns, if each takes `seconds[name]`."""
        names = []
        while taken := queue.take():
            for one in taken[1]:
                names.append(one.name)
                queue.add(taken[0], seconds[one.name])
        return names

    def test_families_have_had_the_same_time_and_cheap_launches_come_first(self):
        ones = [launch("a/f/big", 100, RATE), launch("a/f/small", 10, RATE), launch("b/f/1", 20, RATE), launch("b/f/2", 30, RATE)]
        queue = turns.FairShare(ones, lambda one: 0)
        self.assertEqual(len(queue), 4)
        self.assertEqual(self.taken(queue, {"a/f/small": 10, "a/f/big": 1, "b/f/1": 4, "b/f/2": 9}),
                         ["a/f/small", "b/f/1", "b/f/2", "a/f/big"])

    def test_what_was_spent_before_counts(self):
        ones = [launch("a/f/0", 10, RATE), launch("a/f/1", 10, RATE), launch("b/f/1", 10, RATE)]
        queue = turns.FairShare(ones, lambda one: 5 if one.name == "a/f/0" else 0, lambda one: one.name != "a/f/0")
        self.assertEqual(len(queue), 2)
        self.assertEqual(self.taken(queue, {"a/f/1": 1, "b/f/1": 1}), ["b/f/1", "a/f/1"])

    def test_launches_without_a_hit_rate_wait_longer(self):
        reads = {"lts__t_sectors_op_read.sum": 1.0}
        ones = [launch(f"a/f/{number}", 10 * number, RATE) for number in range(1, 6)] + [launch("b/g/1", 10, reads), launch("b/g/2", 20, reads)]
        self.assertEqual(self.taken(turns.FairShare(ones, lambda one: 0), dict.fromkeys([one.name for one in ones], 1)),
                         ["a/f/1", "b/g/1", "a/f/2", "a/f/3", "a/f/4", "a/f/5", "b/g/2"])

    def test_one_command_is_one_turn(self):
        first, second = launch("a/f/1", 10, RATE), launch("a/f/1-run2", 10, RATE)
        second.command = first.command
        self.assertEqual(len(turns.FairShare([first, second], lambda one: 0)), 1)

    def test_waves_of_some_cores(self):
        # Of 46 cores 2: cores 0 and 1 have groups 0, 1, 46, 47, 92, 93, …; two at a time, three waves.
        self.assertEqual([parts.some_cores(cores) for cores in (46, 68, 82, 108, 15)], [2, 4, 2, 4, 3])
        text = parts.waves_of_some_cores(46, 2, 1000)
        self.assertEqual(text, "0-1,46-47,92-93,138-139,184-185,230-231")
        self.assertEqual(parts.selected_groups(text, 1000), 12)
        self.assertEqual(parts.waves_of_some_cores(46, 2, 93), "0-1,46-47,92-92")
        self.assertEqual(parts.cut((10, 100, 1), (16, 4, 1), text), ["--global", "160,96,1"])  # 232 groups: 24 rows
        self.assertEqual(parts.cut((10, 10, 8), (16, 4, 1), text), ["--global", "160,40,3"])

    def test_few_cores_have_their_share_of_the_memory(self):
        preset = {key: {"value": value} for key, value in (
            ("l2_slices", 32), ("l2_bytes_per_cycle_per_slice", 32), ("l2_size_kib", 4096), ("l2_hit_latency_cycles", 177),
            ("dram_bandwidth_gb_per_s", 448), ("l1_size_kib", 64))} | {"description": "a GPU"}
        half = parts.share_of_memory(preset, 23, 46)
        self.assertEqual(half, ["--set", "dram_bandwidth_gb_per_s=224", "--set", "l2_bytes_per_cycle_per_slice=32", "--set", "l2_size_kib=2048",
                                "--set", "l2_slices=16"])
        # 2 of 46: 1.39 slices of 32 bytes are one of 44.5.
        self.assertEqual(parts.share_of_memory(preset, 2, 46)[1::2],
                         ["dram_bandwidth_gb_per_s=19.4783", "l2_bytes_per_cycle_per_slice=45", "l2_size_kib=178", "l2_slices=1"])
        self.assertEqual(parts.share_of_memory({"l1_size_kib": {"value": 64}}, 2, 46), [])
        self.assertIn("dram_channels=2", parts.share_of_memory({"dram_channels": {"value": 8}}, 1, 4))

    def test_a_part_costs_less(self):
        self.assertEqual(turns.cost(launch("a/f/1", 100)), 100)
        self.assertEqual(turns.cost(launch("a/f/1", 100, options=("--work-groups", "every:10"))), 10)
        self.assertEqual(turns.cost(launch("a/f/1", 100, options=("--global", "640", "--work-groups", "every-core:2/4"))), 10)


class Steps(unittest.TestCase):
    def runner(self, folder):
        return runs.Runner(store.Store(folder, "tools"), folder)

    def test_what_says_nothing_is_not_run(self):
        whole, part = launch("a/f/1", 10), launch("a/f/1", 10, options=("--work-groups", "every-core:2/4"))
        loads = {"fixed": {"total": {"load": kind(10, 40, 0, 0, bypasses=40)}}}
        with tempfile.TemporaryDirectory() as folder:
            runner = self.runner(folder)
            every = [step for step in runs.BASIC if step != "counts"]
            self.assertEqual(runner.steps_of(whole, {}), every)
            self.assertNotIn("cold", runner.steps_of(part, {}))
            self.assertEqual(runner.steps_of(whole, loads), ["fixed"])
            many = launch("a/f/1", 10, groups=1 << 15)
            self.assertNotIn("in_block", runner.steps_of(many, {}))
            whole.measured["gpu__time_duration.sum"] = 1.0
            self.assertEqual(runner.steps_of(whole, loads), every)

    def test_loads_of_uneven_work_groups_are_counted_of_all(self):
        loads = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 1000.0}
        options = ("-D", "tile_size_x=3", "--address-space", "global,local", "--work-groups", "every:68")
        with tempfile.TemporaryDirectory() as folder:
            runner = self.runner(folder)
            for ones, counted in ((launch("a/f/1", 10, loads, "convolution", options), True),
                                  (launch("a/f/1", 10, loads, "convolution", options[:4]), False),
                                  (launch("a/f/1", 10, {}, "convolution", options), False),
                                  (launch("a/f/1", 10, loads, "softmax", options), False)):
                self.assertEqual("counts" in runner.steps_of(ones, {}), counted)
        self.assertEqual(parts.loads_of_all_groups(launch("a/f/1", 10, loads, "convolution", options)),
                         ("-D", "tile_size_x=3", "-D", "copies_only=1", "--address-space", "global"))

    def test_steps_of_other_builds_are_run_again_by_name(self):
        one = launch("a/f/1", 10)
        loads = {"total": {"load": kind(10, 40)}}
        with tempfile.TemporaryDirectory() as folder:
            old = self.runner(folder)
            for step in ("fixed", "jitter"):
                old.store.put(f"a/f/1 {step}", old.made_with(one, step), loads)
            self.assertEqual(old.missing(one), ["cold", "in_block", "timed"])
            new = store.Store(folder, "newer", stale=True)
            self.assertEqual(runs.Runner(new, folder).missing(one), ["cold", "in_block", "timed"])
            again = runs.Runner(new, folder, steps=("fixed", "timed"))
            self.assertEqual(again.missing(one), ["fixed", "timed"])
            new.put("a/f/1 fixed", again.made_with(one, "fixed"), loads)
            self.assertEqual(again.missing(one), ["timed"])

    def test_values_that_a_fold_chose_are_run_again_without_them(self):
        one = launch("a/f/1", 10, RATE)
        one.fold_family, one.fold_gpu = "rows", "a"
        ways = tables.LeftOut("family", "rows", "a100", "l1_ways", "7", "")
        window = tables.LeftOut("gpu", "a", "a100", "dispatch_window_cycles", "9", "")
        same = tables.LeftOut("family", "rows", "a100", "l1_line_bytes", tables.preset_value("a100", "l1_line_bytes"), "")
        for values, steps, words in (([window], ["timed_without_gpu"], ["--set", "dispatch_window_cycles=9"]), ([same], [], []),
                                     ([ways, same], [f"{step}_without_family" for step in ("fixed", "cold", "in_block", "jitter", "timed")],
                                      ["--set", "l1_ways=7"]),
                                     ([tables.LeftOut("family", "sums", "a100", "l1_ways", "7", "")], [], [])):
            self.assertEqual(runs.twins(one, values), dict.fromkeys(steps, words))
            with tempfile.TemporaryDirectory() as folder:
                runner = runs.Runner(store.Store(folder, "tools"), folder, left_out=values)
                self.assertEqual([step for step in runner.steps_of(one, {}) if "_without_" in step], steps)
                for step in steps:
                    self.assertEqual(runner.made_with(one, step)["step"], runs.OPTIONS[runs.basic(step)](one) + words)
                    self.assertEqual(runner.made_with(one, runs.basic(step))["step"], runs.OPTIONS[runs.basic(step)](one))

    def test_a_limit_that_was_not_enough_is_not_tried_again(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = store.Store(folder, "tools")
            kept.give_up("a timed", {"x": 1}, 60)
            self.assertTrue(kept.gave_up("a timed", {"x": 1}, 60))
            self.assertFalse(kept.gave_up("a timed", {"x": 1}, 90))
            self.assertFalse(kept.gave_up("a timed", {"x": 2}, 60))
            self.assertFalse(store.Store(folder, "others").gave_up("a timed", {"x": 1}, 60))
            self.assertIsNone(kept.get("a timed", {"x": 1}))

    def test_small_captures_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder) / "0.wtrace"
            made.write_bytes(b"capture")
            kept = store.Captures(pathlib.Path(folder) / "kept", "tool")
            self.assertIsNone(kept.get(["a.cl", ["-D", "N=1"]]))
            self.assertEqual(kept.keep(["a.cl", ["-D", "N=1"]], made), kept.get(["a.cl", ["-D", "N=1"]]))
            self.assertEqual(kept.get(["a.cl", ["-D", "N=1"]]).read_bytes(), b"capture")
            self.assertIsNone(kept.get(["a.cl", ["-D", "N=2"]]))
            self.assertIsNone(store.Captures(kept.store.folder, "newer").get(["a.cl", ["-D", "N=1"]]))
            self.assertIsNotNone(store.Captures(kept.store.folder, "newer", stale=True).get(["a.cl", ["-D", "N=1"]]))
            made.write_bytes(b"capture")
            kept.LARGEST = 3
            self.assertEqual(kept.keep(["b.cl", []], made), made)

    def test_seeds_have_their_mean(self):
        results = [{"total": {"load": {"hits": hits}, "classes": None}, "cores": 2} for hits in (1, 2, 6)]
        self.assertEqual(runs.mean_of(results), {"total": {"load": {"hits": 3}, "classes": None}, "cores": 2})


class Operations(unittest.TestCase):
    def site(self, number, lanes, kernel="f", **outside):
        parts = {"load": {"lanes": lanes}, "store": {"lanes": 0}, "atomic": {"lanes": 0}}
        empty = {name: {"lanes": 0} for name in parts}
        return {"kernel": kernel, "site": number, **parts, "outside_l1": {"local": {**empty, **outside}}}

    def test_blocks_execute_as_often_as_their_memory_instructions(self):
        # 64 lanes in the first block, 640 in the loop, whose only access is one of local memory.
        blocks = [{"mix": {"fp32_mul": 1, "int_alu": 5}, "sites": [0]}, {"mix": {"branch": 1}, "sites": []},
                  {"mix": {"fp32_fma": 2, "fp32_add": 1, "fp32_special": 1}, "sites": [1]}]
        program = {"launches": [{"kernel": "f", "blocks": blocks}]}
        result = {"sites": [self.site(0, 64), self.site(1, 0, load={"lanes": 640}), self.site(0, 1000, kernel="g")]}
        self.assertEqual(runs.fp32_operations(result, program), 64 + 3 * 640)
        blocks[1]["mix"]["fp32_add"] = 1
        self.assertIsNone(runs.fp32_operations(result, program))


class Table(unittest.TestCase):
    def row(self, name, rates, fold="", **scored):
        row = scores.Row(launch(name, 10, RATE), rates=rates)
        row.launch.fold_family = fold
        row.fixed = {"commit": "abc", "total": {"load": kind(1, 30, hits=20), "store": kind(1, 10, hits=5), "atomic": kind()}}
        row.scored = {"family": row} if not scored else scored
        return row

    def test_measured_launches_join_the_table(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "errors.csv"
            errors.write(path, [self.row("a/f/1", {"fixed": 52.126, "timed": 50.0}), self.row("a/f/2", {"fixed": 51.0})])
            errors.write(path, [self.row("a/f/1", {"fixed": 60.0}), self.row("a/f/2", {"fixed": 60.0}), self.row("a/f/3", {"fixed": 1.0}, "rows", gpu=None)])
            found = {one.launch: one for one in error_classes.table(path)}
            # A clock that is known stays; a value that its own family chose is not taken.
            self.assertEqual({name: one.rates["fixed"] for name, one in found.items()}, {"a/f/1": 52.13, "a/f/2": 60.0})
            self.assertEqual(found["a/f/1"].rates["timed"], 50.0)


    def test_published_miss_rates_join_it_as_hit_rates(self):
        point = accuracy_data.Point("124 KiB", 3.04, False, {"fixed order": 100.0, "timed": 2.42}, {"cold misses only": 0.0, "fully associative LRU": 100.0})
        stencil = accuracy_data.Point("stencil 8x8", 40.0, False, {"fixed order": 30.0})
        datasets = [accuracy_data.Dataset("x", "", preset, "miss rate of loads, %", "points", "", (), [one])
                    for preset, one in (("v100", point), ("gtx480", stencil), ("a100", stencil))]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "errors.csv"
            errors.write_published(path, datasets, "abc")
            self.assertEqual(path.read_text(encoding="utf-8").splitlines()[1:],
                             ["gtx480/stencil/8x8,gtx480,Fermi,stencils,60,70,,,,,,abc,clang",
                              "v100/working_set/kib124,v100,Volta,working_set,96.96,0,97.58,0,100,,,abc,clang"])

    def test_hit_rates_of_convolutions_are_those_of_their_sectors(self):
        # ncu counts sectors and the rate in different passes, a few tenths of a point apart.
        folder = tables.SOURCE / "validation" / "hardware" / "nvidia-h100-80gb-hbm3"
        measured = {one.launch: one for one in measurements.read(folder / "2026-11-27-unseen-convolution.csv")[1] if one.median("load.sectors")}
        both = [one for one in measured.values() if not one.median("private_load.sectors")]
        self.assertEqual((len(measured), len(both)), (75, 60))
        for one in both:
            whole, _, _ = one.counters.pop("l1.hit_rate_percent")
            self.assertAlmostEqual(convolutions.hit_rate(one), whole, delta=0.5)
        self.assertIsNone(convolutions.hit_rate(next(one for one in measurements.read(folder / "2026-11-26-convolution.csv")[1]
                                                     if one.median("private_load.sectors"))))
        written = one_file.read(folder / "2026-11-27-convolutions.json")["launches"]
        self.assertEqual(len(written), 179 - 34 + 75)

    def test_bounds_of_families_left_out_and_one_for_all(self):
        def measured(family, error, other):
            return error_classes.Measured(f"{family}/{other}", "x", "Ampere", family, 50.0, {"fixed": 50.0 + error, "timed": 50.0 + error + other})
        rows = [measured(f"f{number}", number, 10.0) for number in range(1, 12)] + [measured("f11", 1, 10.0)]
        # Of f1 to f11 each is judged by ten others: ceil(11 x 0.9) is the tenth. Parts are n / (10 + 40), times 50 again.
        found = errors.inside(rows, "fixed")
        self.assertEqual({family: (one.inside, one.of) for family, one in found.items() if one.share < 1}, {"f11": (1, 2)})
        self.assertAlmostEqual(found["f1"].bound, 11)
        self.assertAlmostEqual(found["f11"].bound, 10)
        one_for_all = errors.constant(rows, "fixed")
        self.assertEqual((one_for_all["f11"].bound, one_for_all["f1"].bound, one_for_all["f11"].inside), (10, 11, 1))


class Coverage(unittest.TestCase):
    ROWS = error_classes.table()

    @staticmethod
    def deviations():
        """{(family, clock): (inside, of)} of the table in DEVIATIONS.md: families of which fewer are inside."""
        text = (tables.SOURCE / "tests" / "validation" / "DEVIATIONS.md").read_text(encoding="utf-8")
        return {(family, engine): (int(inside), int(of))
                for family, engine, inside, of in re.findall(r"^   \| `(\w+)` \| (fixed|timed) \| (\d+) of (\d+) \|", text, re.MULTILINE)}

    def test_errors_hold_for_every_family_left_out(self):
        found = {(family, engine): (one.inside, one.of) for engine in error_classes.ENGINES
                 for family, one in errors.inside(self.ROWS, engine).items() if one.share < errors.LEAST_INSIDE}
        self.assertEqual(found, self.deviations())

    def test_they_hold_where_the_answers_differ(self):
        for engine in error_classes.ENGINES:
            inside = [one.error(engine) <= error.bound for one, error in error_classes.left_out(self.ROWS, engine)
                      if one.spread > error_classes.ALIKE]
            self.assertGreaterEqual(len(inside), 100)
            self.assertGreaterEqual(sum(inside) / len(inside), errors.LEAST_INSIDE, engine)

    def test_they_are_narrower_than_one_bound_for_all(self):
        for engine in error_classes.ENGINES:
            ours, one_for_all = ([one.bound for one in families.values()]
                                 for families in (errors.inside(self.ROWS, engine), errors.constant(self.ROWS, engine)))
            self.assertLess(sum(ours), 0.75 * sum(one_for_all), engine)

    def test_every_architecture_has_errors(self):
        for generation in (one for members in error_classes.ARCHITECTURES.values() for one in members):
            for unlimited in (50.5, 55.0, 100.0):
                for engine in error_classes.ENGINES:
                    answers = {engine: 50.0, "unlimited": unlimited}
                    self.assertIsNotNone(error_classes.error_of(self.ROWS, generation, answers, engine), (generation, answers))

    def test_the_page_shows_them(self):
        page = (tables.SOURCE / "docs" / "validation" / "accuracy.md").read_text(encoding="utf-8")
        self.assertTrue("\n".join(errors.section(self.ROWS)) in page, "validation/accuracy --errors validation/truth/errors.csv makes that section again")

    def test_the_committed_table_is_whole(self):
        with open(error_classes.TABLE, newline="", encoding="utf-8") as file:
            self.assertEqual(tuple(csv.DictReader(file).fieldnames), error_classes.COLUMNS)
        self.assertEqual(len({one.launch for one in self.ROWS}), len(self.ROWS))
        for one in self.ROWS:
            self.assertIsNotNone(error_classes.architecture_of(one.generation), one.launch)
            self.assertTrue(0 <= one.measured <= 100 and "fixed" in one.rates and one.family, one.launch)


if __name__ == "__main__":
    unittest.main()
