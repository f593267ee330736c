"""warpscope compare-ncu: the logs that hw-profile's tests read, against results; errors by hand; what is not compared."""
import copy
import csv
import io
import json
import re
import unittest

import support
from warpscope.base.errors import InputError
from warpscope.explore.compare import measured
from warpscope.result import counter_names

SAMPLES = support.SOURCE / "tests" / "validation" / "samples"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
HIT_RATE = "l1tex__t_sector_hit_rate.pct"


def renamed(result, *kernels):
    """The result with these kernels as its launches; each has n + 1 times the profiler's counts of the first."""
    result = copy.deepcopy(result)
    for part in (result, result.get("timed")):
        if not part:
            continue
        first, part["launches"] = part["launches"][0], []
        for number, kernel in enumerate(kernels):
            launch = copy.deepcopy(first)
            launch.update(launch=number, kernel=kernel)
            for profiler in launch["profiler"].values():
                profiler.update({name: value * (number + 1) for name, value in profiler.items() if not name.endswith("pct")})
            part["launches"].append(launch)
    return result


def raw(kernel, **metrics):
    """A line of ncu --page raw --csv per launch."""
    names = list(metrics)
    head = ["ID", "Kernel Name", "Block Size", "Grid Size", "Device", "CC", *names]
    rows = [head, [""] * len(head), ["0", kernel, "(16, 16, 1)", "(2, 2, 1)", "0", "9.0", *metrics.values()]]
    return "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows) + "\n"


class Compared(support.ToolTest):
    def setUp(self):
        super().setUp()
        self.mm = support.result("mm")

    def rows(self, name, result):
        profiler, profiled = counter_names.parse((SAMPLES / name).read_text(), name)
        return measured.compare(profiler, profiled, result)

    def test_ncu_a_row_per_metric(self):
        """The n-th launch of a kernel with its n-th; the multiplication loads with 2,048 requests of 4,096 sectors."""
        rows, notes, unknown = self.rows("ncu-details.csv", renamed(self.mm, "other", "saxpy", "saxpy"))
        self.assertEqual([(row.launch, row.metric, row.measured, row.fixed) for row in rows],
                         [(1, REQUESTS, 64, 2 * 2048), (1, SECTORS, 1256, 2 * 4096), (2, REQUESTS, 128, 3 * 2048)])
        self.assertEqual(rows[0].error("fixed"), 100 * (4096 - 64) / 64)
        self.assertEqual(unknown, ["gpu__time_duration.sum"])
        self.assertEqual(notes[0], "measured on compute capability 8.0, simulated is 9.0")
        self.assertIn("saxpy, launch 1: measured with blocks of [256, 1, 1], simulated with [16, 16, 1]", notes)

    def test_ncu_a_column_per_metric(self):
        rows, notes, unknown = self.rows("ncu-raw.csv", renamed(self.mm, "scale"))
        self.assertEqual([(row.metric, row.unit, row.measured, row.fixed, row.timed) for row in rows],
                         [(REQUESTS, "requests", 1500, 2048, 2048), ("launch__shared_mem_config_size", "bytes", 32770, 32768, 32768)])
        self.assertEqual(notes, [])  # 16 × 16 work-items in 2 × 2 groups, compute capability 9.0: the same launch
        self.assertIn("lts__t_sector_hit_rate.pct", unknown)

    def test_nvprofs_means(self):
        result = renamed(support.result("mm", "gtx1080", "fixed"), "saxpy", "saxpy", "other")
        rows, notes, unknown = self.rows("nvprof.csv", result)
        found = {row.metric: row for row in rows}
        sectors = result["launches"][0]["profiler"]["nvprof"]["gld_transactions"]
        self.assertEqual((found["gld_transactions"].measured, found["gld_transactions"].fixed), (512, 1.5 * sectors))
        self.assertEqual((found["gld_transactions"].launch, found["gld_transactions"].unit), (None, "transactions"))
        self.assertEqual((found["global_hit_rate"].measured, found["global_hit_rate"].unit), (50, "%"))
        self.assertAlmostEqual(found["global_hit_rate"].error("fixed"), found["global_hit_rate"].fixed - 50)
        self.assertEqual((notes, unknown), ([], ["achieved_occupancy"]))  # that of the timed clock
        del result["launches"][1]
        with self.subTest("another number of launches"):
            self.assertEqual(self.rows("nvprof.csv", result)[1], ["saxpy: 2 launches measured, 1 in the result"])

    def test_loads_of_pascal_by_8_bytes(self):
        """A coalesced copy has 16 transactions in a load request and 4 in a store: with -Xptxas -dlcm=ca a GTX 1080 Ti and a TITAN Xp
        (stackoverflow.com, mirrored at e-learn.cn/topic/4077873), without it a GTX 1060. 20 lanes of double are 10 pairs."""
        (self.folder / "k.cu").write_text("__global__ void copy(const float *a, float *b) { int i = blockIdx.x * blockDim.x + threadIdx.x; b[i] = a[i]; }\n"
                                          "__global__ void part(const double *a, double *b) { int i = threadIdx.x; if (i < 20) b[i] = a[i]; }\n")
        metrics = ("gld_transactions", "gld_transactions_per_request", "gst_transactions")
        for kernel, grid, block, expected in (("copy", 4, 128, (256, 16, 64)), ("part", 1, 32, (10, 10, 5))):
            self.run_tool("trace-kernel", "k.cu", "--kernel", kernel, "--grid", grid, "--block", block, "-o", f"{kernel}.wtrace")
            lines = ['"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"',
                     *(f'"GPU (0)","{kernel}",1,"{name}","",{value},{value},{value}' for name, value in zip(metrics, expected))]
            (self.folder / "nvprof.csv").write_text("\n".join(lines) + "\n")
            for takes in ("true", "false"):
                self.run_tool("warpscope", "compare-ncu", "nvprof.csv", f"{kernel}.wtrace", "--gpu", "gtx1080", "--clock", "fixed", "--set",
                              f"l1_caches_global_loads={takes}", "--csv", "rows.csv")
                rows = list(csv.DictReader(io.StringIO((self.folder / "rows.csv").read_text())))
                self.assertEqual([(row["metric"], float(row["fixed"])) for row in rows], list(zip(metrics, expected)), (kernel, takes))
                self.assertEqual([row["unit"] for row in rows], ["transactions", "transactions per request", "transactions"])

    def test_nvprofs_trace(self):
        result = renamed(support.result("mm", "gtx1080", "fixed"), "saxpy", "scale", "saxpy")
        rows, notes, _ = self.rows("nvprof-trace.csv", result)
        sectors = result["launches"][0]["profiler"]["nvprof"]["gld_transactions"]
        self.assertEqual([(row.kernel, row.launch, row.measured, row.fixed) for row in rows if row.metric == "gld_transactions"],
                         [("saxpy", 0, 256, sectors), ("scale", 1, 64, 2 * sectors), ("saxpy", 2, 768, 3 * sectors)])
        self.assertEqual(notes, [])

    def test_events_of_one_core_are_not_those_of_all(self):
        """Of a simulation with 15 cores, 4 of which have a work-group: the first core's hits."""
        result = support.result("mm", "gtx480", "fixed")
        core = result["cores"][0]["load"]
        log = '"Device","Kernel","Invocations","Event Name","Min","Max","Avg","Total"\n' + "".join(
            f'"GPU (0)","mm",1,"{name}",1,1,1,1\n' for name in ("l1_global_load_hit", "gld_request"))
        rows, _, _ = measured.compare(*counter_names.parse(log, "x"), result)
        self.assertEqual({row.metric: row.fixed for row in rows},
                         {"l1_global_load_hit": core["hits"], "gld_request": result["total"]["load"]["requests"]})
        self.assertGreater(result["total"]["load"]["hits"], core["hits"])

    def test_what_the_result_says_is_exact(self):
        """Every counter of the result, written as ncu writes it, has no error."""
        counters = self.mm["timed"]["launches"][0]["profiler"]["ncu"]
        (self.folder / "ncu.csv").write_text(raw("mm(const float *)", **{name: repr(value) for name, value in counters.items()}))
        self.run_tool("warpscope", "compare-ncu", "ncu.csv", support.result_path("mm"), "--json", "out.json")
        found = json.loads((self.folder / "out.json").read_text())
        self.assertEqual({row["metric"] for row in found["rows"]}, set(counters))
        self.assertEqual([row for row in found["rows"] if row["timed_error"] != 0], [])
        self.assertEqual((found["profiler"], found["not_simulated"], found["notes"]), ("ncu", [], []))


    def test_what_the_details_page_calls_a_metric(self):
        log = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n"0","mm","L1/TEX Hit Rate","%","80"\n'
        rows, _, _ = measured.compare(*counter_names.parse(log, "x"), self.mm)
        self.assertEqual([(row.metric, row.fixed) for row in rows], [(HIT_RATE, 100 * (4096 - 512) / (4096 + 128))])


class Command(support.ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "ncu.csv").write_text(raw("mm", **{REQUESTS: "2000", HIT_RATE: "80", "what__ever.sum": "3"}))

    def test_shows_values_and_errors(self):
        shown = self.run_tool("warpscope", "compare-ncu", "ncu.csv", support.result_path("mm")).decode()
        self.assertRegex(shown, rf"mm, launch 0\n.*\n{re.escape(REQUESTS)} +2,000 +2,048 +\+2\.40 % +2,048 ")
        rate = 100 * (4096 - 512) / (4096 + 128)  # stores of 128 sectors do not hit
        self.assertRegex(shown, rf"{re.escape(HIT_RATE)} +80 +{rate:.2f} +\+{rate - 80:.2f} points")
        self.assertIn("Measured, not simulated: what__ever.sum", shown)

    def test_csv(self):
        done = self.call("warpscope", "compare-ncu", "ncu.csv", support.capture("mm"), "--gpu", "h100", "--clock", "fixed", "--csv", "-")
        rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
        self.assertEqual([(row["kernel"], row["launch"], row["metric"], row["unit"], row["measured"], row["fixed"], row["fixed_error"],
                           row["timed"]) for row in rows][0], ("mm", "0", REQUESTS, "requests", "2000", "2048", "2.4000", ""))
        self.assertIn(b"launch 0", done.stderr)

    def test_a_kernel_of_many_launches_is_a_row_per_metric(self):
        result = renamed(support.result("mm"), *["mm"] * 3)
        (self.folder / "r.json").write_text(json.dumps(result))
        line = raw("mm", **{REQUESTS: "4096"})
        (self.folder / "three.csv").write_text(line + line.splitlines()[-1].replace('"0"', '"1"', 1) + "\n" +
                                               line.splitlines()[-1].replace('"0"', '"2"', 1) + "\n")
        shown = self.run_tool("warpscope", "compare-ncu", "three.csv", "r.json").decode()
        # 2048, 4096 and 6144 instead of 4096: -50, 0 and 50 %, 33.33 % on average
        self.assertRegex(shown, rf"mm, 3 launches\n.*\n{re.escape(REQUESTS)} +3 +33\.33 % +50\.00 % ")
        self.assertNotIn("launch 1", shown)
        self.assertIn("mm, launch 1\n", self.run_tool("warpscope", "compare-ncu", "three.csv", "r.json", "--launches").decode())

    def test_bad_input(self):
        mm = support.result_path("mm")
        (self.folder / "other.csv").write_text(raw("other", **{REQUESTS: "1"}))
        (self.folder / "no.csv").write_text(raw("mm", **{"a__b.sum": "1"}))
        (self.folder / "text.csv").write_text("a,b\n")
        large = support.result("mm")
        del large["launches"]
        (self.folder / "large.json").write_text(json.dumps(large))
        for words, message in ((("ncu.csv",), "1 inputs given, expected two"), (("none.csv", mm), "none.csv: No such file"),
                               (("text.csv", mm), "text.csv: expected what ncu --csv or nvprof --csv writes"),
                               (("other.csv", mm), "other.csv: nothing in common .* other: launch 0 measured, none in the result"),
                               (("no.csv", mm), "measured are a__b.sum; expected"),
                               (("ncu.csv", "ncu.csv"), "ncu.csv: not JSON"), (("ncu.csv", mm, "--clock", "fixed"), "--clock: .* result"),
                               (("ncu.csv", mm, "--csv", "no/x"), "--csv no/x: no folder"), (("ncu.csv", mm, "--all"), "'--all': unknown option"),
                               (("ncu.csv", "large.json"), "the result has no single launches")):
            with self.subTest(words=words):
                done = self.call("warpscope", "compare-ncu", *words)
                self.assert_refused(done, message)
                self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)

    def test_help(self):
        shown = self.run_tool("warpscope", "compare-ncu", "--help").decode()
        self.assertEqual(len(re.findall(r"(?m)^  warpscope compare-ncu ", shown)), 3)


class Units(unittest.TestCase):
    def test_of_the_generation(self):
        self.assertEqual(measured.unit_of("gld_transactions", "nvprof", "3.5"), "lines")
        self.assertEqual(measured.unit_of("gld_transactions", "nvprof", "6.1"), "transactions")
        self.assertEqual(measured.unit_of("l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum", "ncu", "9.0"), "look-ups")

    def test_a_result_without_launches_is_refused(self):
        with self.assertRaisesRegex(InputError, "no single launches"):
            measured.compare("ncu", [], {"launch_groups": []})


if __name__ == "__main__":
    unittest.main()
