"""Statistics and the comparison: hand values, names, what is listed apart, refusals."""
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from support import VALIDATION

from collect import compare_hw, comparison, measurements
from warpscope.base.errors import InputError
from warpscope.base.source import SOURCE
from warpscope.result import counter_names, error_statistics, results, simulated_counters


class Statistics(unittest.TestCase):
    def test_kendalls_tau(self):
        self.assertEqual(error_statistics.kendall_tau([1, 2, 3], [10, 20, 30]), 1)
        self.assertEqual(error_statistics.kendall_tau([1, 2, 3], [3, 2, 1]), -1)
        # One of six pairs is the other way round: (5 - 1) / 6.
        self.assertAlmostEqual(error_statistics.kendall_tau([1, 2, 3, 4], [1, 2, 4, 3]), 4 / 6)
        # One pair tied in the first list: 5 concordant of 5 untied and 6: 5 / sqrt(6 * 5).
        self.assertAlmostEqual(error_statistics.kendall_tau([1, 2, 2, 3], [1, 3, 2, 4]), 5 / math.sqrt(30))
        self.assertIsNone(error_statistics.kendall_tau([1, 1, 1], [1, 2, 3]))

    def test_skill_is_what_is_added_to_a_trivial_predictor(self):
        self.assertEqual(error_statistics.skill([1, -1, 2], [2, -4, 2]), 0.5)
        self.assertEqual(error_statistics.skill([0, 0], [3, 1]), 1)
        self.assertEqual(error_statistics.skill([4, 4], [2, 2]), -1)
        for perfect in (0, 1e-14):
            self.assertIsNone(error_statistics.skill([1], [perfect]))

    def test_errors(self):
        self.assertEqual(error_statistics.relative_error(110, 100), 10)
        self.assertEqual(error_statistics.relative_error(0, 0), 0)
        self.assertIsNone(error_statistics.relative_error(5, 0))
        self.assertEqual(error_statistics.mean_absolute([-1, 3, None]), 2)
        self.assertEqual(error_statistics.largest_absolute([-4, 3, None]), 4)


def kind(**counts):
    return {**dict.fromkeys(("requests", "lanes", "transactions", "hits", "hits_pending", "sector_misses", "misses", "bypasses",
                             "reservation_fails"), 0), **counts}


def result(load, classes, store=None, private=None, sector_bytes=32, line_bytes=128, shared=0):
    """A result of one launch with a load site, and perhaps a store site and a load site of private memory."""
    none = dict.fromkeys(("cold", "invalidated", "capacity", "conflict", "anti_conflict"), 0)
    sites = [{"kind": "load", "space": "global", "load": load, "miss_classes": {**none, **classes}}]
    sites += [{"kind": "store", "space": "global", "store": store, "miss_classes": none}] if store else []
    sites += [{"kind": "load", "space": "private", "load": private, "miss_classes": none}] if private else []
    total = {"load": load, "store": store or kind(), "atomic": kind(), "miss_classes": {**none, **classes},
             "outside_l1": {"local": {"load": {"requests": shared, "lanes": 32 * shared}, "store": {"requests": 0, "lanes": 0}}}}
    return {"context": {"cache": {"line_bytes": line_bytes, "sector_bytes": sector_bytes, "size_kib": 16, "write_policy": "WTNA"}},
            "total": total, "launches": [total], "cores": [{"core": 0, **total}], "sites": sites, "buffers": []}


class Simulated(unittest.TestCase):
    """A warp of a sectored GPU: 10 loads of 4 sectors; 6 sectors miss for the first time, 2 pending, 4 sector misses."""

    def setUp(self):
        load = kind(requests=10, transactions=40, hits=28, hits_pending=2, sector_misses=4, misses=6)
        store = kind(requests=3, transactions=12, hits=5, misses=7)
        private = kind(requests=2, transactions=8, hits=8)
        self.result = result(load, {"cold": 6, "capacity": 3, "conflict": 1, "anti_conflict": 2}, store, private, shared=9)

    def value(self, counter):
        return simulated_counters.counters(self.result)[counter]

    def test_requests_are_warp_accesses(self):
        self.assertEqual([self.value(f"{name}.requests") for name in ("load", "store", "private_load")], [10, 3, 2])

    def test_requests_of_private_memory_are_those_of_nsight_compute(self):
        self.result["total"]["profiler"] = {"ncu": {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum": 5}}
        self.assertEqual([self.value(f"private_{name}.requests") for name in ("load", "store")], [5, 0])

    def test_sectors_are_transactions(self):
        self.assertEqual([self.value(f"{name}.sectors") for name in ("load", "store", "private_load")], [40, 12, 8])

    def test_pending_hits_are_hits(self):
        self.assertEqual((self.value("load.hits"), self.value("store.hits")), (30, 5))

    def test_sector_misses_are_misses(self):
        self.assertEqual((self.value("load.misses"), self.value("store.misses")), (10, 7))

    def test_the_hit_rate_is_of_loads(self):
        self.assertEqual(self.value("load.hit_rate_percent"), 75)

    def test_what_misses_in_the_l1_the_l2_reads(self):
        self.assertEqual((self.value("l2.reads_of_l1"), self.value("l1.read_sectors_from_l2")), (10, 10))

    def test_private_memory_is_read_from_the_l2_too(self):
        private = kind(requests=2, transactions=8, hits=2, misses=1, sector_misses=5)
        counters = simulated_counters.counters(result(kind(requests=1, transactions=4, misses=4), {}, private=private))
        self.assertEqual((counters["load.misses"], counters["l2.reads_of_l1"]), (4, 10))

    def written(self, policy, private_policy, back=5, private_store=None):
        store = kind(requests=3, transactions=12, hits=4, misses=6, bypasses=2)
        one = result(kind(requests=1, transactions=4, hits=4), {}, store)
        one["context"]["cache"].update(write_policy=policy, private_write_policy=private_policy)
        if private_store:
            one["sites"].append({"kind": "store", "space": "private", "store": private_store, "miss_classes": {}})
        if back is not None:
            one["total"]["write_back_sectors"] = back
        counters = simulated_counters.counters(one)
        self.assertEqual(counters.get("l2.writes_of_l1"), counters.get("l1.write_sectors_to_l2"))
        return counters.get("l2.writes_of_l1")

    def test_the_l2_is_written_through_past_the_l1_or_when_dirty_sectors_leave(self):
        private = kind(requests=2, transactions=8, hits=3, misses=5)
        self.assertEqual(self.written("WTNA", "WTNA", 0), 12)
        self.assertEqual(self.written("WBWA", "WBWA"), 2 + 5)          # what bypasses the L1, and what left dirty
        self.assertEqual(self.written("WBNA", "WBNA"), 2 + 6 + 5)      # misses go through, too
        self.assertEqual(self.written("WTNA", "WBWA", 5, private), 12 + 5)
        self.assertEqual(self.written("WTNA", "WTNA", 0, private), 12 + 8)
        self.assertEqual(self.written("WTNA", "WTNA", None), 12)       # results of old say nothing, and need not
        self.assertIsNone(self.written("WTNA", "WBWA", None, private))

    def test_which_policies_allocate_is_what_the_table_of_the_tools_says(self):
        table = (SOURCE / "cachesim" / "l1" / "write_policy.def").read_text(encoding="utf-8")
        says = dict(re.findall(r'^WRITE_POLICY\("(\w+)", (true|false)', table, re.MULTILINE))
        self.assertEqual({name: str(results.allocates(name)).lower() for name in says}, says)

    def test_the_writes_of_one_launch_of_several_are_not_separated_from_private_ones(self):
        several = {**self.result, "launches": [self.result["total"]] * 2}
        self.assertIn("l2.writes_of_l1", simulated_counters.counters(several, 0))
        several["context"]["cache"]["private_write_policy"] = "WBWA"
        self.assertNotIn("l2.writes_of_l1", simulated_counters.counters(several, 0))

    def test_local_memory_is_shared_memory(self):
        self.assertEqual(self.value("shared_load.requests"), 9)

    def test_a_line_is_four_sectors_and_fermi_counts_one_core(self):
        lines = result(kind(requests=5, transactions=20, hits=15, misses=5), {"cold": 5}, sector_bytes=None)
        counters = simulated_counters.counters(lines)
        self.assertNotIn("load.sectors", counters)
        self.assertEqual((counters["l2.reads_of_l1"], counters["load.line_hits_of_one_core"],
                          counters["load.line_misses_of_one_core"]), (20, 15, 5))
        # A core's loads are not separated by memory: with private ones they are not Fermi's global loads.
        private = kind(requests=2, transactions=2, misses=2)
        mixed = simulated_counters.counters(result(kind(requests=5, transactions=20, hits=15, misses=5), {}, private=private,
                                             sector_bytes=None))
        self.assertNotIn("load.line_misses_of_one_core", mixed)

    def test_what_passes_by_is_in_no_rate(self):
        passing = result(kind(requests=5, transactions=20, bypasses=20), {})
        counters = simulated_counters.counters(passing)
        for name in ("load.hit_rate_percent", "load.hits", "l2.reads_of_l1"):
            self.assertNotIn(name, counters)

    def test_trivial_predictors(self):
        # 6 of 40 are cold; the fully associative shadow misses those, the capacity misses and the anti-conflict hits.
        self.assertEqual(simulated_counters.predictors(self.result),
                         {"cold misses only": 15, "fully associative LRU": 100 * (6 + 3 + 2) / 40})


class Comparison(unittest.TestCase):
    def compared(self, measured, name="mm/mm.launch:small", **more):
        load = kind(requests=10, transactions=40, hits=30, misses=10)
        return comparison.Compared(name, measured, result(load, {"cold": 4, "conflict": 6, **more}))

    def test_counts_in_percent_and_rates_in_points(self):
        one = self.compared({"load.sectors": 50, "load.misses": 10})
        self.assertEqual(one.error("load.sectors"), -20)
        self.assertEqual(one.error("load.hit_rate_percent"), 75 - 80)
        self.assertIsNone(one.error("store.sectors"))
        self.assertEqual(one.predicted_error("cold misses only"), 90 - 80)

    def test_launches_near_the_cold_misses_are_apart(self):
        # 4 cold misses: up to 4.8 measured ones is near.
        for misses, near in ((4, True), (4.8, True), (4.9, False), (40, False)):
            self.assertEqual(self.compared({"load.sectors": 40, "load.misses": misses}).near_cold, near, misses)
        text = comparison.summary([self.compared({"load.sectors": 40, "load.misses": 4})])
        self.assertIn("Apart: 1 launches", text)

    def test_the_worst_is_explained_by_what_else_differs(self):
        for measured, words in (({"load.requests": 5, "load.sectors": 40, "load.misses": 5}, "the launch itself differs: +100.0 %"),
                                ({"load.requests": 10, "load.sectors": 20, "load.misses": 1}, "coalescing differs"),
                                ({"load.requests": 10, "load.sectors": 40, "load.misses": 5}, "60 % of the simulated misses are conf"),
                                ({"load.requests": 10, "load.sectors": 40, "load.misses": 30}, "hardware misses more")):
            self.assertIn(words, self.compared(measured).mechanism())
        one = self.compared({"load.sectors": 40, "load.misses": 30, "shared.config_bytes": 16384})
        one.simulated["shared.config_bytes"] = 8192
        self.assertIn("the driver set 16 KiB of its memory apart for shared memory, and 8 KiB were simulated; --carveout 16", one.mechanism())

    def test_the_order_of_variants(self):
        ones = [self.compared({"load.sectors": 40, "load.misses": misses}, name) for name, misses in
                (("mt/mt.launch:small", 5), ("mt_padded/mt_padded.launch:small", 6), ("mt_tiled/mt_tiled.launch:small", 7))]
        for one, rate in zip(ones, (1, 3, 2)):
            one.simulated["load.hit_rate_percent"] = rate
        # Measured rates fall from one to the next; simulated 1, 3, 2: one pair of three in the same order.
        self.assertIn("| mt, small | 3 | -0.33 |", comparison.summary(ones))

    def test_plots_hold_zero_and_missing_values(self):
        one = self.compared({"load.sectors": 40, "load.misses": 10, "store.sectors": 3})
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        comparison.scatter([one], ["load.hit_rate_percent", "load.sectors"], "title").savefig(folder / "x.png")
        self.assertGreater((folder / "x.png").stat().st_size, 1000)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = self.folder / "x.csv"
        self.launch = {"launch": "mm/mm.launch:small", "input": "abc", "global": [32, 32, 1], "local": [16, 16, 1]}

    def test_what_is_written_is_read(self):
        measurements.write(self.path, {"gpu": "NVIDIA: Test"}, [measurements.row(self.launch, "load.requests", [3, 1, 2]),
                                                             measurements.row(self.launch, "time.milliseconds", [0.125])])
        context, (one,) = measurements.read(self.path)
        self.assertEqual(context["gpu"], "NVIDIA: Test")
        self.assertEqual((one.launch, one.input, one.global_size, one.local_size),
                         ("mm/mm.launch:small", "abc", [32, 32, 1], [16, 16, 1]))
        self.assertEqual(one.counters, {"load.requests": (2, 1, 3), "time.milliseconds": (0.125, 0.125, 0.125)})

    def test_wrong_files_are_refused_by_line(self):
        head = "# warpscope hardware counters, format 1\n" + ",".join(measurements.COLUMNS) + "\n"
        good = "a:small,x,8x1x1,8x1x1,load.requests,1,2,2,2\n"
        for text, message in (("", "x.csv:1: expected '# warpscope"), ("a,b\n", "x.csv:1: expected"),
                              ("# warpscope hardware counters, format 9\n", "format 9, expected 1"),
                              ("# warpscope hardware counters, format 1\na,b\n", "x.csv:2: columns a,b, expected launch,"),
                              (head + "a:small,x\n", "x.csv:3: 2 columns, expected 9"),
                              (head + good.replace(",2,2,2", ",2,two,2"), "x.csv:3: .*expected numbers"),
                              (head + good + good, "x.csv:4: counter 'load.requests' of a:small is there twice")):
            self.path.write_text(text)
            with self.assertRaisesRegex(InputError, message):
                measurements.read(self.path)
        with self.assertRaisesRegex(InputError, "expected a CSV of hw-profile"):
            measurements.read(self.folder / "none.csv")
        self.path.write_text("not compressed")
        with self.assertRaisesRegex(InputError, "expected a placement file"):
            measurements.read_placement(self.path)

    def test_the_options_for_ncu_give_all_that_is_compared(self):
        done = subprocess.run([sys.executable, "-B", VALIDATION / "compare-hw", "--ncu-options"], capture_output=True, text=True, check=True)
        option, metrics = done.stdout.split()
        self.assertEqual(option, "--metrics")
        ours = counter_names.by_our_names(dict.fromkeys(metrics.split(","), 1.0), "ncu")
        without = {"load.hit_rate_percent", "load.line_hits_of_one_core", "load.line_misses_of_one_core"}  # of hits and misses; Fermi's
        self.assertEqual(set(comparison.COMPARED) - without - set(ours), set())
        self.assertIn("reduction.requests", ours)

    def test_compare_hw_says_what_it_expects(self):
        self.path.write_text("a,b\n")
        (self.folder / "ncu.csv").write_text('"ID","Kernel Name","Metric Name","Metric Value"\n')
        for words, message in ((["x.csv"], "x.csv:1: expected '# warpscope"), ([], "expected CSV files of hw-profile, or"),
                               (["--profile", "ncu.csv"], "or --profile FILE with --capture FILE"),
                               (["--profile", "x.csv", "--capture", "c"], "expected what ncu --csv or nvprof --csv writes"),
                               (["--profile", "none", "--capture", "c"], "none: No such file"),
                               (["--profile", "ncu.csv", "--capture", "c"], "--gpu: expected the GPU that was measured")):
            done = subprocess.run([sys.executable, "-B", VALIDATION / "compare-hw", *words], cwd=self.folder, capture_output=True,
                                  text=True)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertRegex(done.stderr, message)


class Names(unittest.TestCase):
    def test_a_kernels_name_without_its_parameters(self):
        for kernel, name in (("saxpy(int, float, float *, float *)", "saxpy"), ("void scale<float, 4>(T1 *, int)", "scale"),
                             ("void a::b<(int)3, c<d>>(x)", "b"), ("plain", "plain")):
            self.assertEqual(counter_names.base_name(kernel), name)

    def test_presets_are_found_by_the_gpus_name(self):
        self.assertEqual(compare_hw.preset_for({"gpu": "NVIDIA GeForce GTX 480"}), "gtx480")
        self.assertEqual(compare_hw.preset_for({"gpu": "Tesla C2050"}), "c2050")
        with self.assertRaisesRegex(InputError, "no preset for 'Radeon', expected --gpu with one of: .*gtx480"):
            compare_hw.preset_for({"gpu": "Radeon"})

    def test_recorded_cores_become_the_simulators(self):
        self.assertEqual(compare_hw.core_numbers([0, 2, 1], 4), [0, 2, 1])
        self.assertEqual(compare_hw.core_numbers([0, 8, 2], 4), [0, 2, 1])
        self.assertIsNone(compare_hw.core_numbers([0, 1, 2, 3, 9], 4))


if __name__ == "__main__":
    unittest.main()
