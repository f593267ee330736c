"""Launches measured by others: the tables fit together, parts are scaled, rows are scored, results are kept."""
import pathlib
import tempfile
import unittest

from support import SOURCE, kind

from warpscope.base.errors import InputError  # noqa: E402
from warpscope.result import rates  # noqa: E402
from truth import added, command, counters, page, parts, scores, store, tables, targets  # noqa: E402


def entry(load, store_kind=None, cold=0, capacity=0, sampling="all", sector=32, **total):
    classes = {"cold": cold, "invalidated": 0, "capacity": capacity, "conflict": 0, "anti_conflict": 0}
    parts = {"load": load, "store": store_kind or kind(), "atomic": kind()}
    return {"total": {**parts, "miss_classes": classes, "classified": rates.looked_up(load), **total}, "cores": 2,
            "cache": {"line_bytes": 128, "sector_bytes": sector}, "sampling": sampling, "groups": 100, "residency": [{"work_groups": 4}]}


def launch(name="g/f/n1", measured=(), family="softmax", cc="8.6", groups=100):
    one = tables.Launch(name, name.split("/")[0], "a100", cc, "ncu", family, "/".join(name.split("/")[:2]), "no", (groups, 1, 1), (64, 1, 1), {})
    one.measured = dict(measured)
    one.fold_family, one.fold_gpu = "rows", one.gpu
    return one


class Tables(unittest.TestCase):
    def setUp(self):
        self.launches = tables.launches()

    def test_every_launch_is_measured_and_in_a_group(self):
        names = [one.name for one in self.launches]
        self.assertEqual(len(names), len(set(names)))
        for one in self.launches:
            self.assertTrue(one.measured, one.name)
            self.assertTrue(one.fold_family and one.fold_gpu, one.name)
            self.assertTrue(one.name.startswith(one.group + "/") and one.group.startswith(one.gpu + "/"), one.name)
            self.assertIn(one.seen, ("yes", "mean", "no"))
            self.assertTrue(one.generation)

    def test_a_family_is_in_one_fold(self):
        folds = {}
        for one in self.launches:
            folds.setdefault(one.family, set()).add(one.fold_family)
        self.assertEqual({family: len(found) for family, found in folds.items()}, dict.fromkeys(folds, 1))

    def test_commands_name_kernels_that_are_there(self):
        for one in self.launches:
            if one.command:
                self.assertTrue(one.command.path.is_file(), f"{one.name}: {one.command.file}")
                self.assertNotIn("-o", one.command.options)

    def test_rows_state_their_options(self):
        one = launch()
        one.settings = {"dlcm": "ca", "registers": "40", "shared_static": "64"}
        self.assertEqual(one.options(), ["--set", "l1_caches_global_loads=true", "--registers", "40"])

    def test_fitted_values_count_for_the_groups_that_chose_them(self):
        value = tables.Fitted("a100", "l1_ways", "4", frozenset({"rows"}), frozenset({"g"}), "")
        for name, family, split, chose in (("g/f/n1", "rows", "family", True), ("g/f/n1", "sums", "family", False), ("g/f/n1", "sums", "gpu", True),
                                           ("other/f/n1", "rows", "family", True), ("other/f/n1", "rows", "gpu", False)):
            one = launch(name)
            one.fold_family = family
            self.assertEqual(tables.chosen_by(one, [value], split), [value] if chose else [])

    def test_every_fitted_value_has_one_that_its_fold_did_not_choose(self):
        known = {(value.split, value.fold, value.preset, value.key) for value in tables.left_out()}
        needed = {(split, tables.fold(one, split), one.preset, value.key) for split in tables.SPLITS_BY for one in self.launches
                  for value in tables.chosen_by(one, tables.fitted(), split)}
        self.assertEqual(known, needed)


class Parts(unittest.TestCase):
    def test_selections(self):
        self.assertEqual(parts.selection(("-D", "A=1", "--work-groups", "every:15")), "every:15")
        self.assertEqual(parts.without(("--work-groups", "0-3", "-D", "A=1", "--global=4"), "--work-groups", "--global"), ("-D", "A=1"))
        for text, count in ((None, 64), ("every:15", 5), ("0-9,20,60-99", 15), ("random:1%", None), ("every-core:15/15", 5),
                            ("every-core:4/10", 19), ("waves:2/20", 40), ("waves:9/20", 64)):
            self.assertEqual(parts.selected_groups(text, 64), count, text)

    def test_counts_of_a_part_are_scaled_and_rates_are_not(self):
        part = entry(kind(10, 40, 30, 10), sampling="0-24")
        self.assertEqual(counters.simulated(launch(), part, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 40)
        self.assertEqual(counters.simulated(launch(), part, "l1tex__t_sector_hit_rate.pct"), 75)
        self.assertEqual(counters.simulated(launch(), part, "lts__t_sectors_op_read.sum"), 40)
        for rate in ("sm__warps_active.avg.pct_of_peak_sustained_active", "sm__maximum_warps_per_active_cycle_pct", "achieved_occupancy"):
            self.assertFalse(counters.is_count(rate), rate)

    def test_profilers_own_counters_come_first(self):
        own = entry(kind(10, 40, 30, 10), profiler={"ncu": {"l1tex__t_sector_hit_rate.pct": 12.5}})
        self.assertEqual(counters.simulated(launch(), own, "l1tex__t_sector_hit_rate.pct"), 12.5)
        self.assertIsNone(counters.simulated(launch(), own, "no_such_counter"))

    def test_lines_are_four_sectors(self):
        lines = entry(kind(10, 40, 30, 10), sector=128)
        self.assertEqual(counters.simulated(launch(), lines, "l2_l1_read_transactions"), 40)
        self.assertIsNone(counters.simulated(launch(), lines, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"))


class Rows(unittest.TestCase):
    def row(self, measured, fixed, timed=None, name="g/f/n1", **more):
        found = {"fixed": fixed, "cold": entry(kind(), cold=5), "in_block": entry(kind(), cold=12)}
        return scores.row_of(launch(name, measured, **more), {**found, "timed": timed} if timed else found)

    def test_rates_and_predictors(self):
        # 80 loads, 20 stores that miss; measured misses 60 of 100, an unlimited cache's 8 + 20.
        row = self.row({"l1tex__t_sector_hit_rate.pct": 40.0}, entry(kind(20, 80, 50, 30), kind(5, 20, 0, 20), cold=8, capacity=12))
        self.assertEqual(row.rates, {"fixed": 50, "unlimited": 72, "full_lru": 60, "cold": 75, "in_block": 68})
        self.assertEqual((row.looked_up, row.misses), (100, 60))
        self.assertAlmostEqual(row.compulsory, 28)
        self.assertTrue(row.tests_cache)
        self.assertEqual(row.error("fixed"), 10)
        self.assertEqual(scores.cells([row], "fixed"), {("g", "softmax"): [10]})

    def test_scores_are_of_values_that_the_fold_did_not_choose(self):
        one = launch("a100/f/n1", {"l1tex__t_sector_hit_rate.pct": 40.0})
        chose = [tables.Fitted("a100", "l1_ways", "4", frozenset({"rows"}), frozenset({"a100"}), "")]
        found = {step: entry(kind(20, 100, hits, 100 - hits), cold=8) for step, hits in (("fixed", 50), ("jitter", 52), ("timed", 44),
                                                                                       ("fixed_without_family", 70), ("timed_without_family", 60))}
        left_out = [tables.LeftOut("family", "rows", "a100", "l1_ways", "7", "")]
        row = scores.row_of(one, found, chose, left_out)
        self.assertEqual([row.rates[name] for name in scores.ENGINES], [50, 52, 44])
        (again,) = scores.scored([row])  # what was not simulated without the fold is not known there
        self.assertEqual((again.rates["fixed"], again.rates["timed"], again.rates.get("jitter")), (70, 60, None))
        self.assertEqual(scores.scored([row], "gpu"), [])  # nobody said what the value would be
        self.assertEqual(scores.scored([scores.row_of(one, found)]), [scores.row_of(one, found)])  # it chose nothing
        del found["fixed_without_family"]
        self.assertEqual(scores.scored([scores.row_of(one, found, chose, left_out)]), [])

    def test_near_the_compulsory_misses_counting_is_tested(self):
        row = self.row({"l1_cache_global_hit_rate": 89.0}, entry(kind(20, 80, 70, 10), cold=8, sector=128))
        self.assertFalse(row.tests_cache)  # 8.8 misses, 8 compulsory

    def test_reads(self):
        row = self.row({"lts__t_sectors_op_read.sum": 20.0}, entry(kind(20, 80, 50, 30), cold=8, capacity=12))
        self.assertEqual((row.reads["fixed"], row.reads["unlimited"], row.reads["full_lru"]), (30, 8, 20))
        self.assertEqual(scores.read_rows([row]), ([row], []))
        self.assertEqual(row.read_error("fixed"), 0.5)

    def test_spills_and_large_code_are_not_compared(self):
        spills = {"lts__t_sectors_op_read.sum": 20.0, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum": 5.0}
        self.assertFalse(self.row(spills, entry(kind(1, 1, 1))).reads_comparable)
        reads = {"lts__t_sectors_op_read.sum": 20.0}
        for tile, compared in (("3x3", True), ("4x3", False)):
            row = self.row(reads, entry(kind(1, 1, 1)), name=f"g/convolution/8x8-t{tile}-p0-ro0", family="convolution")
            self.assertEqual(row.reads_comparable, compared)

    def test_working_sets_leave_the_first_round_out(self):
        # Four rounds of ten lines: 30 look-ups after the first, 15 of them miss.
        row = self.row({"l1_miss_ratio": 0.25}, entry(kind(40, 40, 15, 25), cold=10))
        self.assertEqual((row.hit_rate, row.rates["fixed"]), (75, 50))

    def test_loads_counted_of_all_work_groups_come_before_those_of_a_part(self):
        counter = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
        found = {"fixed": entry(kind(12, 48, 0, 48), sampling="every:10"), "counts": entry(kind(115, 460, 0, 460)),
                 "jitter": entry(kind(12, 48, 0, 48), sampling="every:10")}
        row = scores.row_of(launch("g/f/n1", {counter: 115.0}), found)
        self.assertEqual(row.values[counter], {"fixed": 115, "jitter": 120})

    def test_exact_values_and_causes(self):
        counter = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
        row = self.row({counter: 1000.0}, entry(kind(1002, 80, 50, 30)))
        for counted in (True, False):
            cause = tables.Cause("g/*", "l1tex__*", counted, "because")
            self.assertEqual(scores.exact_values([row], [tables.Cause("h/*", "*", True, "no"), cause]),
                             [scores.ExactValue(row, counter, 1000.0, 1002, False, cause)])
            self.assertEqual(scores.exact_values([row], [cause])[0].counted, counted)
        self.assertAlmostEqual(scores.exact_values([row])[0].error, 0.002)
        row.launch.spread[counter] = 2.0
        self.assertTrue(scores.exact_values([row])[0].exact)

    def test_two_measurements_of_a_launch_have_a_spread(self):
        known = {name: launch(name, {"gld_transactions": value}) for name, value in (("g/f/n1", 90.0), ("g/f/n1-run2", 110.0), ("g/f/n2", 5.0))}
        self.assertEqual(tables.spread_of_repeats(known), {("g", "gld_transactions"): 0.1})

    def test_parameters_of_variants(self):
        name = "rtx2080/transpose/v1-cr1-lm0-p0-32x2-t32x8-d0"
        self.assertEqual(scores.parameters(launch(name, family="transpose")),
                         {"v": 1, "cr": 1, "lm": 0, "p": 0, "block_x": 32, "block_y": 2, "tile_y": 8, "d": 0})

    def test_a_mean_says_of_how_many_launches_it_is(self):
        self.assertEqual(page.mean_error({("k40c", "sums"): [2.0, 4.0]}, 2), "3.0")
        self.assertEqual(page.mean_error({("k40c", "sums"): [2.0, 4.0]}, 5), "3.0 (2)")
        self.assertEqual(page.mean_error({}, 5), "–")

    def test_page_has_every_part(self):
        row = self.row({"l1tex__t_sector_hit_rate.pct": 40.0, "lts__t_sectors_op_read.sum": 20.0},
                       entry(kind(20, 80, 50, 30), kind(5, 20, 0, 20), cold=8, capacity=12))
        waiting = launch("g/f/n2", {"gld_request": 1.0})
        text = page.page([row.launch, waiting], [row], {}, [], [], [])
        self.assertIn("| softmax | g | 2 | 1 | 0 | 0 | 1 no command yet |", text)
        self.assertIn("| Ampere | g | softmax | 1 | 1 | 10.0 |", text)
        self.assertIn("| g/f | above | 1 | 50 % |", text)
        target = targets.all_targets([row])[0]
        self.assertEqual((target.figures["fixed"], target.met, target.rows), ("10.00", None, 0))  # timed, which decides, is not known

    def test_hit_rates_are_judged_by_the_clock_that_is_shown_first(self):
        fixed, near = entry(kind(20, 80, 50, 30), kind(5, 20, 0, 20), cold=8, capacity=12), entry(kind(20, 80, 38, 42), kind(5, 20, 0, 20))
        row = self.row({"l1tex__t_sector_hit_rate.pct": 40.0, "lts__t_sectors_op_read.sum": 20.0}, fixed, near)
        target = targets.all_targets([row])[0]  # 50 and 38 of 100 sectors hit
        self.assertEqual((target.figures["fixed"], target.figures["timed"], target.met, target.rows), ("10.00", "2.00", True, 1))


class Kept(unittest.TestCase):
    def test_results_of_the_same_tools_and_options_are_found_again(self):
        with tempfile.TemporaryDirectory() as folder:
            store.Store(folder, "tools").put("a", {"x": 1}, {"y": 2})
            self.assertEqual(store.Store(folder, "tools").get("a", {"x": 1}), {"y": 2})
            self.assertIsNone(store.Store(folder, "tools").get("a", {"x": 2}))
            self.assertIsNone(store.Store(folder, "others").get("a", {"x": 1}))
            self.assertEqual(store.Store(folder, "others", stale=True).get("a", {"x": 1}), {"y": 2})
            for path in pathlib.Path(folder).rglob("*.kept"):
                path.write_bytes(path.read_bytes()[:-1])
            self.assertIsNone(store.Store(folder, "tools").get("a", {"x": 1}))

    def test_a_sample_is_the_same_every_time(self):
        ones = [launch(f"g/f/n{number}") for number in range(20)]
        self.assertEqual(command.drawn(ones, 5), command.drawn(list(reversed(ones)), 5))
        self.assertTrue(SOURCE.is_dir())


class Added(unittest.TestCase):
    GPU = {"name": "NVIDIA A100 80GB PCIe", "compute_capability": "8.0"}

    def content(self, **more):
        one = {"launch": "mm/small", "file": "benchmarks/kernels/mm/mm.cl", "options": ["--size", "small"], "grid": [4, 4], "block": [16, 16, 1],
               "counters": {"lts__t_sectors_op_read.sum": {"median": 10.0, "lowest": 9.0, "highest": 12.0}}, **more}
        return {"gpu": self.GPU, "profiler": {"name": "ncu"}, "launches": [one]}

    def test_a_file_becomes_launches(self):
        one = added.launches_of(self.content(registers=40, settings={"dlcm": "ca"}), "x.json")[0]
        self.assertEqual((one.preset, one.family, one.groups, one.block), ("a100", "mm", 16, (16, 16, 1)))
        self.assertEqual(one.measured, {"lts__t_sectors_op_read.sum": 10.0})
        self.assertEqual(one.spread, {"lts__t_sectors_op_read.sum": 1.5})
        self.assertEqual(one.options(), ["--set", "l1_caches_global_loads=true", "--registers", "40"])

    def test_a_file_names_only_what_is_captured(self):
        for option in ("-o", "--dump-buffers=/tmp", "--run-only"):
            with self.assertRaisesRegex(InputError, f"option '{option}"):
                added.launches_of(self.content(options=[option]), "x.json")
        with self.assertRaisesRegex(InputError, "no file 'nowhere.cl'"):
            added.launches_of(self.content(file="nowhere.cl"), "x.json")

    def test_another_simulators_values_are_a_column(self):
        counter = "l1tex__t_sector_hit_rate.pct"
        row = scores.row_of(launch("g/f/n1", {counter: 40.0}), {"fixed": entry(kind(20, 80, 50, 30), kind(5, 20, 0, 20), cold=8)})
        computed = {"simulator": {"name": "other"}, "launches": [{"launch": "g/f/n1", "counters": {counter: {"median": 44.0}}}]}
        self.assertEqual(added.add_simulator([row], computed), ("other", 1))
        self.assertEqual(row.error("other"), 4)
        text = added.score_table([row], ["fixed", "other"])
        self.assertIn("| other | 1 | 4.00 | 0 | – | 0 | – | – |", text)


if __name__ == "__main__":
    unittest.main()
