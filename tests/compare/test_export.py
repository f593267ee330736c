"""warpscope export: every number of a result in the CSV, traces by the rules of their format, the profilers' CSV read back, charts."""
import csv
import io
import json
import pathlib
import re
import unittest

import support
from support import KINDS
from warpscope.base import csv_cells
from warpscope.explore.compare import measured, profiler_csv
from warpscope.result import counter_names
from warpscope.show.export import charts, long_csv, page_charts, request_charts, trace_events

NOT_COUNTERS = {"launches": ("launch", "source"), "launch_groups": ("first", "count"), "kernels": ("launches",), "cores": ("core",),
                "sites": ("site", "source", "width", "alignment"), "buffers": ("buffer", "address"), "total": ()}


def numbers(value):
    """How many numbers an object has, without those in lists."""
    if isinstance(value, dict):
        return sum(numbers(one) for one in value.values())
    return int(isinstance(value, (int, float)) and not isinstance(value, bool))


class LongCsv(support.ToolTest):
    @classmethod
    def setUpClass(cls):
        cls.result = support.result("mm_tiled")
        cls.rows = list(csv.DictReader(io.StringIO(long_csv.text(cls.result))))

    def value(self, **where):
        (row,) = [row for row in self.rows if all(row[key] == text for key, text in where.items())]
        return row

    def test_every_number_is_there_once(self):
        for clock, result in (("fixed", self.result), ("timed", self.result["timed"])):
            for part, without in NOT_COUNTERS.items():
                entries = [result["total"]] if part == "total" else result.get(part, [])
                expected = sum(numbers({key: one for key, one in entry.items() if key not in without}) for entry in entries)
                self.assertEqual(sum(row["clock"] == clock and row["part"] == part for row in self.rows), expected, (clock, part))

    def test_parts_add_up_to_the_total(self):
        for kind in KINDS:
            total = int(self.value(clock="fixed", part="total", counter=f"{kind}.transactions")["value"])
            self.assertEqual(total, self.result["total"][kind]["transactions"])
            for part in ("launches", "cores", "sites", "buffers"):
                self.assertEqual(sum(int(row["value"]) for row in self.rows if row["clock"] == "fixed" and row["part"] == part
                                     and row["counter"] == f"{kind}.transactions"), total)

    def test_names_and_units(self):
        cycles = self.value(clock="timed", part="launches", counter="timing.cycles")
        self.assertEqual((cycles["kernel"], cycles["launch"], cycles["unit"]), ("mm_tiled", "0", "cycles"))
        self.assertEqual(self.value(clock="fixed", part="buffers", name="A", counter="load.requests")["unit"], "warp accesses")
        site = next(row for row in self.rows if row["part"] == "sites")
        self.assertRegex(site["source"], r"^mm_tiled\.cl:\d+:\d+$")
        self.assertEqual(sorted({row["counter"] for row in self.rows if not row["unit"]}), [])


# What spreadsheets take for a formula (OWASP, "CSV Injection"), and what looks like it.
FORMULAS = ['=HYPERLINK("http://x","y")', "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "-DTILE=16"]
HARMLESS = ["a=1", "-1.5", "+3", "-1e-9", "-inf", "'quoted'", "", " =1", "a-b"]


class Formulas(unittest.TestCase):
    """A name of someone else's program does nothing where a spreadsheet opens the file."""

    def test_cells(self):
        for text in FORMULAS:
            self.assertEqual((csv_cells.cell(text), csv_cells.plain(csv_cells.cell(text))), ("'" + text, text))
        for value in [*HARMLESS, -1, -0.5, None]:
            self.assertEqual(csv_cells.cell(value), value)
        for text in HARMLESS:
            self.assertEqual(csv_cells.plain(text), text)

    def test_no_writer_but_this_one(self):
        """Every other module reads."""
        for path in pathlib.Path(csv_cells.__file__).parents[1].rglob("*.py"):
            if path != pathlib.Path(csv_cells.__file__):
                self.assertNotRegex(path.read_text(encoding="utf-8"), r"csv\.(writer|DictWriter)|to_csv", path)

    def test_names_in_a_result(self):
        result = support.result("mm_tiled")
        evil = json.loads(json.dumps(result))
        for name, entry in zip(FORMULAS, evil["sites"]):
            entry["source"] = name
        evil["launches"][0]["kernel"] = FORMULAS[0]
        for text in (long_csv.text(evil), profiler_csv.text(evil, "ncu")):
            cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
            self.assertIn("'" + FORMULAS[0], cells)
            self.assertEqual([cell for cell in cells if cell.startswith(csv_cells.FORMULA) and not re.fullmatch(r"-?[\d.e+-]+", cell)], [])


class TraceEvents(support.ToolTest):
    """The rules of "Trace Event Format" (Google, 2016) that Perfetto's documentation refers to."""

    def assert_is_a_trace(self, trace):
        self.assertIsInstance(trace["traceEvents"], list)
        self.assertIn(trace["displayTimeUnit"], ("ms", "ns"))
        by_thread = {}
        for event in trace["traceEvents"]:
            self.assertTrue({"ph", "pid", "tid", "name"} <= set(event), event)
            self.assertTrue(all(isinstance(event[key], int) and event[key] >= 0 for key in ("pid", "tid")), event)
            self.assertIn(event["ph"], "MXC")
            if event["ph"] == "M":
                self.assertIn(event["name"], ("process_name", "thread_name"))
                self.assertIsInstance(event["args"]["name"], str)
                continue
            self.assertGreaterEqual(event["ts"], 0)
            if event["ph"] == "C":
                self.assertTrue(event["args"] and all(isinstance(value, (int, float)) for value in event["args"].values()), event)
            else:
                self.assertGreater(event["dur"], 0, event)
                by_thread.setdefault((event["pid"], event["tid"]), []).append(event)
        for events in by_thread.values():
            self.assert_nested(events)

    def assert_nested(self, events):
        """Slices of a thread are in order of time, and one that begins within another ends within it."""
        open_until = []
        for event in events:
            begin, end = event["ts"], event["ts"] + event["dur"]
            while open_until and open_until[-1] <= begin:
                open_until.pop()
            self.assertTrue(not open_until or end <= open_until[-1], event)
            open_until.append(end)
        self.assertEqual([event["ts"] for event in events], sorted(event["ts"] for event in events))

    def test_of_a_result(self):
        result = support.result("mt_tiled")
        self.run_tool("warpscope", "export", support.result_path("mt_tiled"), "--format", "trace-json", "-o", "t.json")
        trace = json.loads((self.folder / "t.json").read_text())
        self.assert_is_a_trace(trace)
        events = trace["traceEvents"]
        cycles = result["timed"]["total"]["timing"]["cycles"]
        (launch,) = [event for event in events if event["ph"] == "X" and event["pid"] == trace_events.LAUNCHES]
        self.assertEqual((launch["name"], launch["ts"], launch["dur"]), ("mt_tiled", 0, cycles))
        self.assertLessEqual(max(event["ts"] + event.get("dur", 0) for event in events if event["ph"] != "M"), cycles + 1)
        core = next(one for one in result["timed"]["cores"] if one["core"] == 0)
        issues = [event for event in events if event["ph"] == "X" and event["name"].startswith("issue")]
        self.assertEqual(len(issues), core["timing"]["warp_instructions"])
        self.assertEqual(sum(event["name"] == "issue, memory" for event in issues), core["timing"]["memory_instructions"])
        look_ups = [event["args"] for event in events if event["ph"] == "C" and event["name"] == "L1 look-ups"]
        self.assertEqual(sum(one["hits"] + one["others"] for one in look_ups), sum(core[kind]["transactions"] for kind in KINDS))
        self.assertEqual(sum(one["hits"] for one in look_ups), sum(core[kind]["hits"] for kind in KINDS))

    def test_launches_follow_each_other_and_are_bounded(self):
        result = support.result("mm")
        first = result["timed"]["launches"][0]
        result["timed"]["launches"] = [{**first, "launch": number} for number in range(trace_events.MOST_LAUNCHES + 5)]
        trace = trace_events.events(result)
        launches = [event for event in trace["traceEvents"] if event["ph"] == "X" and event["pid"] == trace_events.LAUNCHES]
        cycles = first["timing"]["cycles"]
        self.assertEqual([event["ts"] for event in launches], [number * cycles for number in range(trace_events.MOST_LAUNCHES)])
        self.assertEqual(trace["otherData"]["launches_left_out"], 5)
        steps = [event for event in trace["traceEvents"] if event["ph"] == "C" and event["name"] == "warps per core"]
        self.assertLessEqual(len(steps), trace_events.MOST_OCCUPANCY + 1)

    def test_the_validator_sees_slices_that_overlap(self):
        with self.assertRaises(AssertionError):
            self.assert_nested([{"ts": 0, "dur": 3}, {"ts": 2, "dur": 3}])
        self.assert_nested([{"ts": 0, "dur": 3}, {"ts": 2, "dur": 1}, {"ts": 3, "dur": 1}])


class ProfilersCsv(support.ToolTest):
    def test_is_read_back(self):
        """hw-profile's parser reads what is written, launch by launch; compare-ncu finds no error in it."""
        for name, gpu, clock, profiler in (("mm", "h100", "both", "ncu"), ("mm", "gtx480", "fixed", "nvprof")):
            path = support.result_path(name, gpu, clock)
            self.run_tool("warpscope", "export", path, "--format", f"{profiler}-csv", "-o", "p.csv")
            rows = list(csv.reader(io.StringIO((self.folder / "p.csv").read_text())))
            self.assertEqual(rows[0][:11], list("ID,Process ID,Process Name,Host Name,Kernel Name,Context,Stream,Block Size,Grid Size,Device,CC".split(",")))
            result = support.result(name, gpu, clock)
            own = {**result.get("timed", result)["launches"][0]["profiler"][profiler], **result["launches"][0]["profiler"][profiler]}
            self.assertEqual({metric: float(value) for metric, value in zip(rows[0][11:], rows[2][11:])}, own)
            if profiler == "ncu":
                (launch,) = counter_names.parse_ncu((self.folder / "p.csv").read_text())
                self.assertEqual((launch.kernel, launch.block, launch.grid, launch.values), ("mm", [16, 16, 1], [2, 2, 1], own))
                found, notes, unknown = measured.compare("ncu", [launch], result)
                self.assertEqual(({row.error("fixed") or 0 for row in found}, notes, unknown), ({0}, [], []))


class Command(support.ToolTest):
    def test_charts(self):
        names = {*charts.CHARTS, "miss_classes", "reuse_distance", "roofline"}
        of_capture = {"access_pattern", "other_caches", "buffer_parts", "requests"}
        for suffix, source, more in (("svg", support.capture("mt_tiled"), of_capture), ("png", support.result_path("mt_tiled"), set())):
            gpu = ("--gpu", "h100") if more else ()
            self.run_tool("warpscope", "export", source, *gpu, "--format", suffix, "-o", suffix)
            self.assertEqual({path.stem for path in (self.folder / suffix).iterdir()}, names | more)
            for path in (self.folder / suffix).iterdir():
                self.assertEqual(path.suffix, f".{suffix}")
                self.assertTrue(path.read_bytes().startswith((b"\x89PNG", b"<?xml")))
        self.assertIn("barrier", (self.folder / "svg" / "timeline.svg").read_text())

    def test_what_a_result_has_no_data_for_is_left_out(self):
        self.run_tool("warpscope", "export", support.result_path("mm", "gtx480", "fixed"), "--format", "svg")
        names = {path.stem for path in (self.folder / "charts").iterdir()}
        self.assertEqual(names, {"buffers", "miss_classes", "miss_curve", "reuse_distance", "set_pressure"})

    def test_standard_output(self):
        shown = self.run_tool("warpscope", "export", support.result_path("mm"), "--format", "csv").decode()
        self.assertEqual(shown, long_csv.text(support.result("mm")))

    def test_bad_input(self):
        mm, fixed = support.result_path("mm"), support.result_path("mm", "gtx480", "fixed")
        for words, message in (((mm,), "no --format given, expected one of csv, trace-json"), ((mm, "--format", "xls"), "--format xls: expected one of"),
                               (("--format", "csv"), "0 inputs given, expected one"), ((fixed, "--format", "trace-json"), r"no timed part \(--clock fixed\)"),
                               ((mm, "--format", "nvprof-csv"), "no counters of nvprof, expected --format ncu-csv"),
                               ((fixed, "--format", "ncu-csv"), "no counters of ncu, expected --format nvprof-csv"),
                               ((mm, "--format", "csv", "-o", "no/x"), "--output no/x: no folder"),
                               ((mm, "--format", "csv", "--gpu", "v100"), "--gpu: .*results"), (("none", "--format", "csv"), "none: No such file"),
                               ((mm, "--format", "svg", "-o", mm), "result.json: is a file, expected a folder")):
            with self.subTest(words=words):
                done = self.call("warpscope", "export", *words)
                self.assert_refused(done, message)
                self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)

    def test_help(self):
        shown = self.run_tool("warpscope", "export", "--help").decode()
        self.assertEqual(len(re.findall(r"(?m)^  warpscope export ", shown)), 3)


class Curve(unittest.TestCase):
    def test_by_hand(self):
        """Distances 0 (5 times), 2 (3 times) and 2 cold: a cache of one line misses 5 of 10, one of three lines 2 of 10."""
        histogram = {"capacity_lines": 4, "cold": {"load": 2, "store": 0}, "bins": [
            {"from": number, "to": number, "load": count, "store": 0} for number, count in enumerate((5, 0, 3))]}
        result = {**support.result("mm"), "reuse_histogram": histogram}
        line = charts.miss_curve(result).axes[0].lines[0]
        kib = result["context"]["cache"]["line_bytes"] / 1024
        self.assertEqual([(round(x / kib), round(y)) for x, y in zip(*line.get_data())], [(1, 50), (2, 50), (3, 20), (4, 20)])


class PageCharts(unittest.TestCase):
    def test_roofline_by_hand(self):
        """600 instructions in 2 s are 300 a second; 60 bytes of the L1 are 10 instructions a byte. The L1's slope, 50 bytes a second, ends at the
        peak of 1,000 at 20 a byte. DRAM has no bytes, so no mark."""
        found = {"ceilings": {"instructions": 1000, "L1": 50, "DRAM": 10}, "assumed": ["DRAM"], "kernels": [
            {"kernel": "k", "seconds": 2, "instructions": 600, "flops": None, "bytes": {"L1": 60, "DRAM": 0}}]}
        (axes,) = page_charts.draw_roofline(found, "title").axes
        lines = [[tuple(map(float, point)) for point in zip(*line.get_data())] for line in axes.lines]
        self.assertIn([(10.0, 300.0)], lines)
        self.assertIn((20.0, 1000.0), [line[-1] for line in lines if line])
        self.assertEqual(sum(len(line) == 1 for line in lines), 1)
        self.assertIn("DRAM, 0 GB/s, assumed", [line.get_label() for line in axes.lines])
        self.assertIsNone(page_charts.draw_roofline(None, ""))

    def test_operations_where_every_kernel_has_some(self):
        found = {"ceilings": {"instructions": 1000, "flops": 4000, "L1": 50}, "assumed": [], "kernels": [
            {"kernel": "k", "seconds": 2, "instructions": 600, "flops": 1200, "bytes": {"L1": 60}}]}
        (axes,) = page_charts.draw_roofline(found, "title").axes
        self.assertIn((20.0, 600.0), [tuple(map(float, point)) for line in axes.lines for point in zip(*line.get_data())])
        self.assertIn("Floating-point", axes.get_ylabel())

    def test_work_of_the_cores_by_hand(self):
        cores = [{"core": number, "timing": {"active_cycles": cycles}} for number, cycles in enumerate((30, 10))]
        axes = charts.core_work({**support.result("mm"), "timed": {"cores": cores}}).axes[0]
        self.assertEqual([(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in axes.patches], [(0, 30), (1, 10)])
        self.assertEqual(list(axes.lines[0].get_ydata()), [20, 20])
        self.assertIsNone(charts.core_work({**support.result("mm"), "timed": {"cores": cores[:1]}}))

    def request(self, space, addresses):
        """(title, ends of the lines between lanes and sectors or banks, how many boxes) of a typical request of 4 bytes a lane."""
        result = {"context": {"warp_size": 32, "cache": {"line_bytes": 128, "sector_bytes": 32}}, "sites": [
            {"kernel": "k", "site": 0, "kind": "load", "width": 4, "locations": [{"file": "k.cl", "line": 7}], "buffers": [{"name": "a"}]}]}
        sample = {"kernel": "k", "requests": [{"site": 0, "space": space, "addresses": addresses}]}
        (axes,) = request_charts.draw(sample, result, "title").axes
        return axes.get_title(loc="left"), [tuple(line.get_xdata()) for line in axes.lines], len(axes.patches)

    def test_requests_by_hand(self):
        """Two lanes in the first and the last sector of one line, which is drawn 8 lanes wide in the middle of 32; two words of bank 1."""
        title, links, boxes = self.request("global", [256, 352])
        self.assertEqual((title, boxes), ("k.cl:7 load a: 2 lanes, 2 sectors", 32 + 4))
        self.assertEqual(links, [(0.5, 13.0), (1.5, 19.0)])
        title, links, boxes = self.request("local", [4, 132])
        self.assertEqual((title, boxes), ("k.cl:7 load a: 2 lanes, 2 words of 4 bytes, at most 2 in one bank", 32 + 2))
        self.assertEqual(links, [(0.5, 1.5), (1.5, 1.5)])

    def test_an_access_across_sectors_touches_both(self):
        self.assertEqual(request_charts.cells_of({"addresses": [24, 28]}, 8, 32), [(0, [0]), (1, [0, 1])])

    def test_other_caches_and_parts_of_buffers_are_what_the_page_has(self):
        found = {"sizes": [8, 16], "ways": [1, 2, 4], "misses": [[50.0, 40.0], [30.0, None], [20.0, 10.0]]}
        axes = page_charts.draw_caches(found, "title").axes[0]
        self.assertEqual([(*text.get_position(), text.get_text()) for text in axes.texts],
                         [(0, 0, "50.0"), (1, 0, "40.0"), (0, 1, "30.0"), (0, 2, "20.0"), (1, 2, "10.0")])
        sample = {"kernel": "k", "buffers": [{"name": "a", "size": 2500, "part_bytes": 1024, "loads": [4, 0, 1], "stores": [0, 2, 0]}]}
        loads, stores = page_charts.draw_buffers(sample, "title").axes[0].patches
        self.assertEqual([list(one.get_data().values) for one in (loads, stores)], [[4, 0, 1], [0, -2, 0]])
        self.assertEqual(list(loads.get_data().edges), [0, 1, 2, 2500 / 1024])


if __name__ == "__main__":
    unittest.main()
