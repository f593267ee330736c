"""Counters under the names of real GPUs' counters, on a launch that can be counted by hand; compare-hw on a user's program."""
import contextlib
import csv
import io
import subprocess
import sys
import unittest

from support import SOURCE, ToolTest

sys.path[:0] = [str(SOURCE / "python"), str(SOURCE / "validation")]
import accuracy_hardware  # noqa: E402
import accuracy_page  # noqa: E402
from collect import comparison, measurements, suite_launches  # noqa: E402
from warpscope.result import simulated_counters  # noqa: E402

# One work-group of two warps. Lanes of the first load are 4 bytes apart: a line of 128 bytes, 4 sectors. Those of the second are
# a sector apart: 8 lines, 32 sectors. Those of the store 8 bytes: 2 lines, 8 sectors.
PROBE = """
__kernel void probe(__global const float* a, __global float* b, __global int* c, __local float* s) {
  const int i = get_local_id(0);
  const float x = a[i];
  const float y = a[8 * i];
  s[i] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  b[2 * i] = y + s[63 - i];
  atomic_add(c, 1);
}
"""
BY_HAND = {
    "load.requests": 4,       # two loads, two warps
    "store.requests": 2,
    "atomic.requests": 2,
    "shared_load.requests": 2,
    "shared_store.requests": 2,
    "private_load.requests": 0,
    "private_store.requests": 0,
    # a's 64 sectors are each read for the first time once, whatever the order; a line of Fermi brings four of them.
    "l2.reads_of_l1": 64,
    "l1.read_sectors_from_l2": 64,
    # Neighbouring words, forwards and backwards: each of the 32 banks has one.
    "shared_load.wavefronts": 2,
    "shared_store.wavefronts": 2,
    "shared_load.conflicts": 0,
    "shared_store.conflicts": 0,
}
SECTORED = {
    "load.sectors": 2 * (4 + 32),
    "load.misses": 64,
    "load.hits": 72 - 64,
    "load.hit_rate_percent": 100 * 8 / 72,
    "store.sectors": 2 * 8,
    "store.hits": 0,          # no line of b was there: each is stored by one access
    "store.misses": 16,
    "l2.writes_of_l1": 16,    # written through
    "l1.write_sectors_to_l2": 16,
    "private_load.sectors": 0,
    "private_store.sectors": 0,
}
# All lanes of a request together, lines of 128 bytes; four tags per cycle, neighbouring lines in different banks of tags.
VOLTA = {
    **SECTORED,
    "load.tag_lookups": 2 * (1 + 8),
    "load.wavefronts": 2 * (1 + 2),
    "store.tag_lookups": 2 * 2,
}
# Eight lanes at a time, four lines per cycle: the second load's parts touch 8 / 4 lines each, the store's half a line.
PASCAL = {
    **SECTORED,
    "load.tag_lookups": 2 * (4 + 4 * 2),
    "load.wavefronts": 2 * (4 + 4),
    "store.tag_lookups": 2 * 4,
}
FERMI = {
    "load.line_misses_of_one_core": 16,           # 64 sectors are 16 lines
    "load.line_hits_of_one_core": 2 * (1 + 8) - 16,
    "load.hit_rate_percent": 100 * 2 / 18,
}
# Two warps. Private memory: a word per lane, so a line per request; two stores and a load, whose places no compiler knows. Local
# memory: stores to every second word use 16 banks, loads of every fourth one 8.
PRIVATE = """
__kernel void spill(__global const float* a, __global float* b, __local float* s, int n, int m) {
  const int i = get_local_id(0);
  float p[8];
  p[n & 7] = a[i];
  p[m & 7] = a[i + 64];
  s[2 * i] = p[(n ^ m) & 7];
  barrier(CLK_LOCAL_MEM_FENCE);
  b[i] = s[4 * i & 127];
}
"""
PRIVATE_BY_HAND = {
    "load.requests": 4,
    "load.sectors": 16,
    "load.misses": 16,
    "store.sectors": 8,
    "private_load.requests": 2,
    "private_load.sectors": 8,
    "private_store.requests": 4,
    "private_store.sectors": 16,
    "private_store.misses": 16,
    "private_load.misses": 8,
    "l2.writes_of_l1": 8,  # b; what is private stays in the L1
    "shared_store.wavefronts": 2 * 2,
    "shared_store.conflicts": 2 * 1,
    "shared_load.wavefronts": 2 * 4,
    "shared_load.conflicts": 2 * 3,
    # The word that is loaded, 1 ^ 3 = 2, was never stored: 8 sectors in addition to the 16 of a.
    "l2.reads_of_l1": 24,
    "l1.read_sectors_from_l2": 24,
}
NAMES = {
    "load.requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "load.sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "load.hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "load.misses": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
    "store.requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "store.sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load.requests": "smsp__inst_executed_op_shared_ld.sum",
    "l2.reads_of_l1": "lts__t_sectors_srcunit_tex_op_read.sum",
}


class HandCounted(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "probe.cl").write_text(PROBE)
        self.run_tool("trace-kernel", "probe.cl", "--global", "64", "--local", "64", "--arg", "a=count=512", "--arg", "b=count=128",
                      "--arg", "c=count=1,fill=zero", "--arg", "s=256", "-o", "probe.wtrace")

    def test_every_counter_is_what_hand_arithmetic_gives(self):
        # 32 groups of 256 bytes fit a core; on an H100 each has 1 KiB more, for the driver, which makes 40 KiB.
        for preset, own in (("h100", {**VOLTA, "shared.config_bytes": 64 * 1024}), ("v100", {**VOLTA, "shared.config_bytes": 8192}),
                            ("titanx", PASCAL), ("gtx480", FERMI)):
            self.assert_by_hand("probe.wtrace", preset, {**BY_HAND, **own}, "--set", "l1_caches_global_loads=true")
        counters = simulated_counters.counters(self.result("probe.wtrace", "--preset", "gtx480"))
        self.assertNotIn("load.sectors", counters)  # Fermi has none
        self.assertNotIn("shared.config_bytes", counters)  # a cache of its own
        self.assertEqual({*BY_HAND, *VOLTA, *FERMI, "shared.config_bytes", "cycles.active_sum", "cycles.elapsed"}, set(comparison.COMPARED))
        self.assertNotIn("cycles.elapsed", counters)
        timed = self.result("timed", "probe.wtrace", "--preset", "gtx480")
        for launch in (None, 0):  # one work-group, on one core
            counters = simulated_counters.counters(timed, launch)
            self.assertEqual(counters["cycles.elapsed"], timed["total"]["timing"]["cycles"])
            self.assertEqual(counters["cycles.active_sum"], counters["cycles.elapsed"])

    def assert_by_hand(self, capture, preset, expected, *options):
        counters = simulated_counters.counters(self.result(capture, "--preset", preset, *options))
        for name, value in expected.items():
            with self.subTest(preset=preset, counter=name):
                self.assertAlmostEqual(counters[name], value)

    def test_private_memory_and_conflicts(self):
        (self.folder / "spill.cl").write_text(PRIVATE)
        self.run_tool("trace-kernel", "spill.cl", "--global", "64", "--local", "64", "--arg", "a=count=128", "--arg", "b=count=64",
                      "--arg", "s=512", "--arg", "n=1", "--arg", "m=3", "-o", "spill.wtrace")
        for preset, own in (("h100", {"l2.writes_of_l1": 8 + 16}), ("titanx", {})):  # since Volta private memory is written through
            self.assert_by_hand("spill.wtrace", preset, {**PRIVATE_BY_HAND, **own}, "--set", "l1_caches_global_loads=true")
        self.run_tool("trace-kernel", "probe.cl", "--global", "64", "--local", "64", "--arg", "a=count=512", "--arg", "b=count=128",
                      "--arg", "c=count=1,fill=zero", "--arg", "s=17000", "-o", "more.wtrace")
        self.assert_by_hand("more.wtrace", "h100", {"shared.config_bytes": 228 * 1024})  # 12 groups of 16.6 + 1 KiB
        self.assert_by_hand("more.wtrace", "h100", {"shared.config_bytes": 32 * 1024}, "--carveout", "32")
        # The word that is loaded, 2 ^ 0, has been stored: it is in the L1, unless stores do not bring it in.
        self.run_tool("trace-kernel", "spill.cl", "--global", "64", "--local", "64", "--arg", "a=count=128", "--arg", "b=count=64",
                      "--arg", "s=512", "--arg", "n=2", "--arg", "m=0", "-o", "again.wtrace")
        kept = {**PRIVATE_BY_HAND, "private_load.misses": 0, "l2.reads_of_l1": 16, "l1.read_sectors_from_l2": 16}
        self.assert_by_hand("again.wtrace", "h100", {**kept, "l2.writes_of_l1": 8 + 16})
        self.assert_by_hand("again.wtrace", "h100", kept, "--private-write", "WBWA")
        through = {**PRIVATE_BY_HAND, "private_store.misses": 16, "l2.writes_of_l1": 8 + 16}
        self.assert_by_hand("again.wtrace", "h100", through, "--private-write", "WTNA")

    def compare(self, text, *words):
        (self.folder / "profile.csv").write_text(text)
        return subprocess.run(["/usr/bin/python3", "-B", SOURCE / "validation" / "compare-hw", "--profile", "profile.csv", "--capture",
                               "probe.wtrace", "-o", "out", *words], cwd=self.folder, capture_output=True, text=True)

    def test_a_users_profile_is_compared_with_a_capture(self):
        values = {**BY_HAND, **SECTORED, "load.misses": 80, "load.hits": -8 + 72}  # misses as if the L1 were smaller: 80 of 144
        values["load.sectors"] = 144
        head = '"ID","Process ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"\n'
        rows = "".join(f'"0","7","probe(const float *, float *, int *)","(64, 1, 1)","(1, 1, 1)","{metric}","","{values[name]:,}"\n'
                       for name, metric in NAMES.items())
        done = self.compare(head + rows, "--preset", "h100")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "out" / "comparison.csv", newline="", encoding="utf-8") as file:
            errors = {row["counter"]: float(row["error"]) for row in csv.DictReader(file)}
        self.assertEqual(errors["load.requests"], 0)
        self.assertEqual(errors["load.sectors"], -50)       # 72 of 144
        self.assertEqual(errors["load.misses"], -20)        # 64 of 80
        self.assertAlmostEqual(errors["load.hit_rate_percent"], 100 * 8 / 72 - 100 * 64 / 144, places=3)
        self.assertIn("coalescing differs: same warp loads, -50.0 % sectors", done.stdout)
        self.assertTrue((self.folder / "out" / "scatter.png").exists())

    def test_cycle_by_cycle_counts_the_same_requests_and_sectors(self):
        head = '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
        rows = "".join(f'"0","7","probe(int *)","{NAMES[name]}","","{value}"\n' for name, value in
                       (("load.requests", 4), ("load.sectors", 72), ("load.hits", 8), ("load.misses", 64), ("l2.reads_of_l1", 64)))
        done = self.compare(head + rows, "--preset", "h100", "--engine", "timed")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "out" / "comparison.csv", newline="", encoding="utf-8") as file:
            errors = {row["counter"]: float(row["error"]) for row in csv.DictReader(file)}
        # No sector is asked for again before it has arrived and missed twice: 64 misses, the rest hits or pending hits.
        self.assertEqual([errors[name] for name in ("load.requests", "load.sectors", "load.misses", "l2.reads_of_l1")], [0] * 4)

    def test_labels_instead_of_metrics_are_refused(self):
        head = '"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"\n'
        done = self.compare(head + '"0","probe(int *)","Memory Workload Analysis","L1/TEX Hit Rate","%","93.75"\n', "--preset", "h100")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("profile.csv: holds no counter that is compared, expected metrics by name", done.stderr)
        self.assertIn("--ncu-options", done.stderr)

    def test_several_devices_are_said(self):
        head = '"ID","Process ID","Kernel Name","Device","Metric Name","Metric Unit","Metric Value"\n'
        rows = "".join(f'"0","{process}","probe(int *)","{device}","{NAMES["load.requests"]}","","4"\n' for process, device in ((7, 0), (8, 1)))
        done = self.compare(head + rows, "--preset", "h100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("launches on 2 devices (0, 1)", done.stdout)

    def test_another_programs_profile_is_refused_by_name(self):
        head = '"ID","Kernel Name","Metric Name","Metric Value"\n'
        done = self.compare(head + '"0","other(int)","x","1"\n', "--preset", "h100")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "no launch in common with probe.wtrace; kernels there: probe; here: other")


class Collected(ToolTest):
    """A CSV as hw-profile writes it, of mm at its small size, all four work-groups on one core of 132. By arithmetic: 32 warps,
    each two loads for every of 32 steps, of two sectors each (two rows of A; 16 neighbours in B); 128 sectors of A and as many
    of B come once if one core has all groups, twice if each has its own."""
    LAUNCH = "mm/mm.launch:small"

    def setUp(self):
        super().setUp()
        self.csv = self.folder / "h100" / "2026-01-01.csv"
        digest = suite_launches.launch_named(self.LAUNCH, SOURCE / "benchmarks" / "kernels").input
        launch = {"launch": self.LAUNCH, "input": digest, "global": [32, 32, 1], "local": [16, 16, 1]}
        gone = {**launch, "launch": "gone/gone.launch:small"}
        rows = [measurements.row(one, counter, [value]) for one in (launch, gone)
                for counter, value in (("load.requests", 2048), ("load.sectors", 4096), ("load.misses", 256))]
        measurements.write(self.csv, {"gpu": "NVIDIA H100 80GB HBM3", "compute_capability": "9.0"}, rows)
        measurements.write_placement(measurements.placement_of(self.csv), {self.LAUNCH: ([7] * 4, [0] * 4)})

    def compare(self, *words):
        done = subprocess.run(["/usr/bin/python3", "-B", SOURCE / "validation" / "compare-hw", self.csv, "--work", "captures", "-o", "out",
                               *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / "out" / "comparison.csv", newline="", encoding="utf-8") as file:
            return done.stdout, {row["counter"]: float(row["error"]) for row in csv.DictReader(file)}

    def test_is_simulated_on_the_recorded_placement(self):
        text, errors = self.compare()
        self.assertEqual(errors, dict.fromkeys(("load.requests", "load.sectors", "load.misses", "load.hit_rate_percent"), 0))
        self.assertIn("preset h100", text)
        self.assertIn("on the simulator's own 6.25 points", text)
        self.assertIn("gone/gone.launch:small: no such launch", text)

    def test_the_accuracy_page_shows_it_with_its_slices_together(self):
        slices = [self.csv.with_name(f"2026-01-01-{part}of2.csv") for part in (1, 2)]
        context, launches = measurements.read(self.csv)
        self.csv.rename(slices[0])
        rows = [measurements.row({"launch": "stride/stride.launch:small", "input": "old", "global": [64, 64, 1], "local": [16, 16, 1]},
                               "load.requests", [1])]
        measurements.write(slices[1], context, rows)
        measurements.write(self.csv.with_name("2026-01-01-probe.csv"), context, rows)  # is cachesim infer's
        self.csv.with_name("2026-01-01-times.csv").write_text("what,setting,value,unit\nlatency,load_l1,36,cycles\n")  # is a micro-benchmark's
        of_family = [measurements.row({"launch": "transpose/v1-cr0", "input": "x", "global": [64, 64, 1], "local": [16, 16, 1]}, "load.requests", [1])]
        measurements.write(self.csv.with_name("2026-01-01-families.csv"), context, of_family)  # is accuracy --add's
        with contextlib.redirect_stderr(io.StringIO()):
            sections = accuracy_hardware.collected(self.folder / "captures", self.folder)
        (name, title, text, figure), timed = sections
        self.assertEqual(name, "h100, 2026-01-01")
        self.assertEqual(timed[0], "h100, 2026-01-01, cycle by cycle")
        self.assertNotIn("cycles", text)
        self.assertIn("preset h100. gone/gone.launch:small: no such launch", title)
        self.assertIn("stride/stride.launch:small: kernel or launch file has changed", title)
        self.assertIn("| `load.requests` | 2 | 1 |", text)
        figure.savefig(self.folder / "x.png")
        page = accuracy_page.page([], sections)
        self.assertIn("### h100, 2026-01-01\n", page)
        self.assertIn("(figures/hardware-h100-2026-01-01.png)", page)
        self.assertNotIn("None yet", page)
        self.assertEqual(list(accuracy_page.figures([], sections)), ["hardware-h100-2026-01-01", "hardware-h100-2026-01-01-cycle-by-cycle"])

    def test_without_the_placement_its_error_remains(self):
        _, errors = self.compare("--placement", "none")
        self.assertEqual((errors["load.requests"], errors["load.sectors"]), (0, 0))
        self.assertEqual((errors["load.misses"], errors["load.hit_rate_percent"]), (100, -6.25))


if __name__ == "__main__":
    unittest.main()
