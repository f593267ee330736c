"""What a machine that nobody has tried may do: metrics it does not have, too old a compiler, no time, a kill, folders that
cannot be written."""
import pathlib
import signal
import subprocess
import time
import unittest

from stand_ins import NVPROF, StandInTest

from collect import cuda_tools, measurements, suite_launches

CSV = "out/nvidia-test-1/2026-01-02.csv"


class Metrics(StandInTest):
    def measured(self, **environment):
        done = self.profile("--kernels", "mm", **environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        context, (mm,) = measurements.read(self.folder / CSV)
        return done, context, mm.counters

    def test_what_ncu_does_not_know_is_left_out_however_it_says_so(self):
        gone = "launch__shared_mem_config_size,l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
        for wording in ("name", "pattern", "silent"):
            with self.subTest(wording):
                done, context, counters = self.measured(GONE=gone, WORDING=wording)
                self.assertRegex(done.stdout, r"ncu cannot count here: .*\bload\.sectors, ")
                self.assertIn("load.sectors", context["counters that it does not have"].split())
                self.assertTrue({"load.sectors", "shared.config_bytes"}.isdisjoint(counters))
                self.assertIn("load.requests", counters)
                self.assertIn("registers", counters)
            (self.checkout / "build" / "hw-profile" / "state").rename(self.folder / wording)

    def test_names_that_ncu_does_not_know(self):
        """The second wording is that of users' reports; a name then costs one more call, not a search by halves."""
        for text, names in (("==ERROR== Failed to find metric a__b.sum\n", {"a__b.sum"}),
                            ("==ERROR== Failed to find metric regex:^a__b\\.(sum|min|max|avg|pct|ratio|max_rate)$\n", {"a__b"}),
                            ("==ERROR== Failed to find metric regex:^a__b(\\.(sum|min))?$\nFailed to find metric c__d", {"a__b", "c__d"}),
                            ("==PROF== Connected\n", set())):
            self.assertEqual(cuda_tools.unknown_metrics(text), names)
        before = self.called("ncu")
        self.profile("--kernels", "mm", GONE="gpu__time_duration", WORDING="pattern")
        self.assertEqual(self.called("ncu") - before, 6)  # version, permission, list, refused, accepted, measured

    def test_of_some_counters_there_is_a_second_name(self):
        first, second = "smsp__inst_executed_op_shared_ld", "smsp__sass_inst_executed_op_shared_ld"
        _, context, counters = self.measured(LISTED=second)
        self.assertIn("shared_load.requests", counters)
        self.assertNotIn("shared_load.requests", context["counters that it does not have"].split())
        (self.checkout / "build" / "hw-profile" / "state").rename(self.folder / "state")
        counters = self.measured(LISTED=f"{first} {second}", GONE=first)[2]  # listed, and refused all the same
        self.assertIn("shared_load.requests", counters)

    def test_an_ncu_that_refuses_everything_is_no_reason_to_stop(self):
        done = self.profile("--kernels", "mm", GONE="l1tex__t_requests_pipe_lsu_mem_global_op_ld,smsp__inst_executed,"
                            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit,"
                            "launch__shared_mem_config_size,launch__registers_per_thread,gpu__time_duration")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("no counters: ncu: ==ERROR== Failed to find metric", done.stderr)

    def test_the_probe_asks_for_little(self):
        plan = self.folder / "plan.csv"
        plan.write_text("pattern,mask,step,places,rounds,hot\nchase,all,128,4,8,0\n")
        for name in ("probe", "store_load", "store_store"):
            self.kernel(name)
        done = self.profile("--probe", plan)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        context, launches = measurements.read(self.folder / "out/nvidia-test-1/2026-01-02-probe.csv")
        self.assertIn("load.hits", launches[0].counters)
        self.assertNotIn("instructions", launches[0].counters)
        self.assertNotIn("instructions", context["counters that it does not have"].split())

    def test_repeats_that_take_too_long_are_left_out(self):
        launch = suite_launches.find(self.checkout / "benchmarks" / "kernels", ["medium"], ["mm"])[0]
        program = self.folder / "program"
        program.write_text(f"entries = [({launch.name!r}, '4,2,1', '16,16,1')]\n")
        program.chmod(0o755)
        ncu = cuda_tools.Ncu(self.tools / "ncu", timeout=2)
        ncu.metrics = ["smsp__inst_executed.sum"]
        with self.environment(CALLS=self.calls, MOST_REPEATS="1"):
            began = time.monotonic()
            values = ncu.profile(program, [launch], 3, self.folder / "log")
        self.assertEqual(values, [[{"smsp__inst_executed.sum": 1000}]])
        self.assertLess(time.monotonic() - began, 20)


class OlderGpus(StandInTest):
    """Before compute capability 7.0: nvprof, with the lowest, average and highest of the repeats."""

    def setUp(self):
        super().setUp()
        self.tool("nvprof", NVPROF)

    def test_are_counted_with_nvprof(self):
        done = self.profile(CC="6.1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        context, (mm, reduction) = measurements.read(self.folder / CSV)
        self.assertEqual((context["counters"], context["profiler"]), ("nvprof: no cache control, kernel replay", "nvprof 10.1.168"))
        for name, values in (("load.sectors", (200, 100, 300)), ("load.hit_rate_percent", (50, 25, 75)),
                             ("occupancy.achieved_percent", (50, 25, 75)), ("shared_load.conflicts", (20, 10, 30)),
                             ("cycles.active_sum", (20, 10, 30)), ("instructions", (200, 100, 300))):
            self.assertEqual((name, mm.counters[name], reduction.counters[name]), (name, values, values))
        self.assertNotIn("store.sectors", mm.counters)  # not in the list of this GPU
        self.assertEqual(self.called("nvprof --csv --log-file"), 2)  # a launch at a time: the summary does not tell them apart
        self.assertEqual(self.called("ncu"), 0)

    def test_one_repeat_has_one_value(self):
        self.profile("--kernels", "mm", "--repeats", "1", CC="6.1")
        (mm,) = measurements.read(self.folder / CSV)[1]
        self.assertEqual(mm.counters["load.sectors"], (200, 200, 200))

    def test_without_permission(self):
        done = self.profile("--kernels", "mm", CC="6.1", DENIED="1")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("counters are not permitted", done.stderr)


class Stopped(StandInTest):
    def test_what_runs_too_long_ends_with_what_it_has_started(self):
        left = self.folder / "left"
        with self.assertRaisesRegex(cuda_tools.TooSlow, "sh: not done after 1 s"):
            cuda_tools.run(["sh", "-c", f"(sleep 2; touch {left}) & sleep 60"], 1)
        time.sleep(2)
        self.assertFalse(left.exists())

    def test_a_killed_call_leaves_what_it_has_measured(self):
        words, environment = self.call("--jobs", "1", SLOW="timed reduction")
        process = subprocess.Popen(words, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while "timed reduction" not in self.calls.read_text():
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        output, messages = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 143, messages)
        self.assertEqual(messages, "")
        self.assertEqual([one.launch for one in measurements.read(self.folder / CSV)[1]], ["mm/mm.launch:medium"])
        self.assertIn("1 of 2 programs are there from an earlier call", self.profile().stdout)


class Refused(StandInTest):
    def refused(self, message, *words, **environment):
        done = self.profile(*words, **environment)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stdout + done.stderr)
        self.assertRegex(done.stderr, message)
        self.assertEqual(self.called("timed"), 0)

    def test_a_compiler_that_does_not_know_the_gpu(self):
        self.refused("compute_70.*expected an nvcc that compiles for this GPU .*-arch=sm_70", CC="7.0", UNKNOWN_ARCH="sm_70")

    def test_folders_that_cannot_be_written_are_named_first(self):
        file = self.folder / "file"
        file.touch()
        for path in (file, file / "below", pathlib.Path("/proc/nowhere")):
            for option in ("--out", "--work"):
                self.refused(f"{option} {path}: .*, expected a folder that can be written", option, path)


class NoRoom(StandInTest):
    def test_what_is_measured_is_kept(self):
        """The results' name is taken by a folder, which refuses them as a full disk does."""
        (self.folder / CSV).mkdir(parents=True)
        done = self.profile("--kernels", "mm")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertRegex(done.stderr, f"{CSV}: Is a directory; what is measured stays in .*hw-profile: the same command with another --out")
        self.assertEqual(self.profile("--kernels", "mm", "--out", self.folder / "other").returncode, 0)
        self.assertEqual(self.called("timed"), 1)


class Clocks(StandInTest):
    def test_are_asked_for_one_by_one_where_one_is_unknown(self):
        self.tool("nvidia-smi", "#!{python} -SE\n"
                  "import sys\n"
                  "names = sys.argv[1].split('=')[1].split(',')\n"
                  "if 'mig.mode.current' in names: sys.exit('Field \"mig.mode.current\" is not a valid field to query.')\n"
                  "if sys.argv[-2:] != ['-i', '0000:07:00.0']: sys.exit('another GPU')\n"
                  "print(', '.join('345 MHz' for _ in names))\n")
        self.profile("--kernels", "mm")
        context, _ = measurements.read(self.folder / CSV)
        self.assertEqual((context["smi.clocks.sm"], context.get("smi.mig.mode.current")), ("345 MHz", None))


if __name__ == "__main__":
    unittest.main()
