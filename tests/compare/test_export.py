"""warpscope export: every number of a result in the CSV, traces by the rules of their format, the profilers' CSV read back, charts."""
import csv
import io
import json
import re
import unittest

import support
from support import KINDS
from warpscope.compare import measured
from warpscope.export import charts, long_csv, trace_events
from warpscope.hardware import counter_names

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
        names = {*charts.CHARTS, "miss_classes", "reuse_distance"}
        for suffix, source, more in (("svg", support.capture("mt_tiled"), {"access_pattern"}), ("png", support.result_path("mt_tiled"), set())):
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


if __name__ == "__main__":
    unittest.main()
