"""Reading ncu's and nvprof's tables; which of their counters are which of ours."""
import unittest

from stand_ins import SOURCE

from warpscope.base.errors import InputError
from warpscope.result import counter_names

SAMPLES = SOURCE / "tests" / "validation" / "samples"


def sample(name):
    return (SAMPLES / name).read_text(encoding="utf-8")


class Ncu(unittest.TestCase):
    def test_a_row_per_metric(self):
        profiler, launches = counter_names.parse(sample("ncu-details.csv"), "x")
        self.assertEqual(profiler, "ncu")
        self.assertEqual([(one.kernel, one.grid, one.block) for one in launches],
                         [("saxpy(int, float, float *, float *)", [blocks, 1, 1], [256, 1, 1]) for blocks in (4, 8)])
        self.assertEqual(counter_names.by_our_names(launches[0].values, "ncu"),
                         {"load.requests": 64, "load.sectors": 1256, "duration_ns": 3520})
        self.assertNotIn("smsp__inst_executed.sum", launches[0].values)  # n/a

    def test_a_column_per_metric_in_units_that_ncu_chose(self):
        (launch,) = counter_names.parse(sample("ncu-raw.csv"), "x")[1]
        self.assertEqual(launch.kernel, "scale<float, 4>(T1 *, int)")
        ours = counter_names.by_our_names(launch.values, "ncu")
        self.assertEqual(ours, {"load.requests": 1500, "duration_ns": 3520, "shared.config_bytes": 32770,
                                "l2.hit_rate_percent": 88.5})

    def test_numbers(self):
        for text, value in (("1,205.00", 1205), ("2,816", 2816), ("9,00", 9), ("0", 0), ("12,345,678", 12345678),
                            ("n/a", None), ("", None), ("nan", None), ("Low (1)", None), ("1e3", 1000)):
            self.assertEqual(counter_names.number(text), value, text)


    def test_numbers_in_the_way_of_other_languages(self):
        """A count, a time in microseconds, a rate: as ncu prints 1205, 3.52 and 88.125 there."""
        for count, time, rate in (("1,205", "3.52", "88.125"), ("1.205", "3,52", "88,125"), ("1 205", "3,52", "88,125"),
                                  ("1\u202f205", "3,52", "88,125"), ("1’205", "3.52", "88.125"), ("1205", "3,52", "88,125")):
            cells = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": count, "gpu__time_duration.sum": time,
                     "lts__t_sector_hit_rate.pct": rate}
            expected = {"load.requests": 1205, "duration_ns": 3520, "l2.hit_rate_percent": 88.125}
            units = ("request", "usecond", "%")
            raw = '"ID","Kernel Name",' + ",".join(f'"{name}"' for name in cells) + "\n" + '"","",' + \
                ",".join(f'"{unit}"' for unit in units) + '\n"0","k(int)",' + ",".join(f'"{cell}"' for cell in cells.values()) + "\n"
            details = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n' + "".join(
                f'"0","k(int)","{name}","{unit}","{cell}"\n' for (name, cell), unit in zip(cells.items(), units))
            for text in (raw, details, raw.replace("\n", "\r\n")):
                for content in (text.encode(), text.encode("utf-8-sig"), text.encode("utf-16")):
                    (launch,) = counter_names.parse(counter_names.text_of(content), "x")[1]
                    self.assertEqual(counter_names.by_our_names(launch.values, "ncu"), expected, text)

    def test_which_mark_separates_decimals(self):
        for cells, mark in ((["1,205"], None), (["1,205", "2.5"], "."), (["1.205", "2,5"], ","), (["1.205.300"], ","), (["0.125"], "."),
                            (["12,345.678"], "."), (["n/a", "7"], None), (["3.52", "3,52"], None), (["1234,567"], ",")):
            self.assertEqual(counter_names.decimal_mark(cells), mark, cells)


class Nvprof(unittest.TestCase):
    def test_events_and_metrics_of_a_kernel_are_joined(self):
        profiler, kernels = counter_names.parse(sample("nvprof.csv"), "x")
        self.assertEqual((profiler, len(kernels), kernels[0].launches), ("nvprof", 1, 2))
        self.assertEqual(counter_names.by_our_names(kernels[0].values, "nvprof"), {
            "load.requests": 128, "load.sectors": 512, "load.hit_rate_percent": 50, "occupancy.achieved_percent": 50,
            "shared_load.conflicts": 32})
        self.assertEqual((kernels[0].lowest["gld_transactions"], kernels[0].highest["gld_transactions"]), (256, 768))


    def test_a_trace_has_a_row_per_launch(self):
        profiler, launches = counter_names.parse(sample("nvprof-trace.csv"), "x")
        self.assertEqual((profiler, [one.kernel for one in launches]),
                         ("nvprof", ["saxpy(int, float, float*, float*)", "scale(float*)", "saxpy(int, float, float*, float*)"]))
        self.assertEqual([one.launches for one in launches], [1, 1, 1])
        self.assertEqual([one.values for one in launches],
                         [{"shared_ld_bank_conflict": 16, "gld_transactions": 256, "global_hit_rate": 25},
                          {"shared_ld_bank_conflict": 0, "gld_transactions": 64, "global_hit_rate": 0},
                          {"shared_ld_bank_conflict": 48, "gld_transactions": 768, "global_hit_rate": 75}])


    def test_a_trace_without_numbers_of_launches_and_with_units(self):
        """As output that users have published: the launch's number is behind its name, and a row of units may follow the header."""
        head, units = '"Start","Duration","Device","Context","Stream","Kernel",', 's,ms,,,,,'
        rows = "".join(f'0.1,0.2,"GeForce GTX 1080 Ti (0)","1","7","scan(uint4*) [{number}]",{{}}\n' for number in (1095, 1101))
        text = head + '"gld_transactions"\n' + units + "\n" + rows.format(5, 6) + head + '"inst_executed"\n' + rows.format(7, 8)
        _, launches = counter_names.parse(text, "x")
        self.assertEqual([(one.kernel, one.values) for one in launches],
                         [("scan(uint4*)", {"gld_transactions": 5, "inst_executed": 7}), ("scan(uint4*)", {"gld_transactions": 6, "inst_executed": 8})])


class WrongFiles(unittest.TestCase):
    def test_are_refused_with_what_was_expected(self):
        for text in ("", "a,b\n1,2\n", '"Type","Time(%)","Time"\n', "==PROF== Connected\n"):
            with self.assertRaisesRegex(InputError, "x: expected what ncu --csv or nvprof --csv writes"):
                counter_names.parse(text, "x")
        trace = '"Device","Context","Stream","Kernel","Correlation_ID","Invocations"\n'
        with self.assertRaisesRegex(InputError, "x: --print-gpu-trace without counters"):
            counter_names.parse(trace, "x")
        plain = ('"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem",'
                 '"Size","Throughput","Device","Context","Stream","Name"\n')  # of a GTX 1080 Ti, without --metrics
        with self.assertRaisesRegex(InputError, "x: --print-gpu-trace without counters"):
            counter_names.parse("==1== Profiling result:\n" + plain + "s,ms,,,,,,,,KB,B,MB,MB/s,,,,\n", "x")
        with self.assertRaisesRegex(InputError, "expected a header line with ID, Kernel Name"):
            counter_names.parse('"ID","What"\n"0","1"\n', "x")


class Names(unittest.TestCase):
    def test_every_counter_has_one_name_and_a_definition(self):
        names = [counter.name for counter in counter_names.COUNTERS]
        self.assertEqual(len(names), len(set(names)))
        page = (SOURCE / "validation" / "hardware-counters.md").read_text(encoding="utf-8")
        self.assertEqual([name for name in names if f"`{name}`" not in page and
                          f"`….{name.partition('.')[2]}`" not in page], [])

    def test_the_table_of_counters_has_the_same_metrics(self):
        page = (SOURCE / "docs" / "reference" / "counters.md").read_text(encoding="utf-8")  # written from counters.def
        rows = {line.split("`")[1]: line for line in reversed(page.splitlines()) if line.startswith("| `")}
        for name, ours in [("requests", "requests"), ("tag_lookups", "tag_lookups"), ("sectors", "sectors"), ("hits", "hits"),
                           ("misses", "misses"), ("wavefronts", "tag_wavefronts")]:
            metric = counter_names.BY_NAME[f"load.{name}"].ncu
            self.assertTrue(metric in rows[ours] or f"…{metric[metric.index('_op_ld'):]}" in rows[ours], name)

    def test_asks_only_for_what_the_gpu_has(self):
        available = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld", "smsp__inst_executed"}
        metrics = counter_names.wanted("ncu", available)
        self.assertEqual([name for name in metrics if not name.startswith(counter_names.UNLISTED)],
                         ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "smsp__inst_executed.sum"])

    def test_fermi_has_events_where_pascal_has_metrics(self):
        self.assertIn("global_load_requests", counter_names.wanted("nvprof", {"global_load_requests", "gld_request"}))
        fermi = counter_names.wanted("nvprof", {"gld_request", "l1_global_load_hit", "l1_global_load_miss"})
        self.assertEqual(fermi, ["event:gld_request", "event:l1_global_load_hit", "event:l1_global_load_miss"])
        ours = counter_names.by_our_names({"gld_request": 7, "l1_global_load_hit": 90, "l1_global_load_miss": 6}, "nvprof")
        self.assertEqual(ours, {"load.requests": 7, "load.line_hits_of_one_core": 90, "load.line_misses_of_one_core": 6})


if __name__ == "__main__":
    unittest.main()
