"""hw-profile from end to end with stand-ins: results, resuming, slices, refusals."""
import pathlib
import tarfile
import unittest

from stand_ins import StandInTest

from collect import measurements, one_file

CSV = "out/nvidia-test-1/2026-01-02.csv"


class Profile(StandInTest):
    def test_writes_counters_times_and_placement(self):
        done = self.profile()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        context, launches = measurements.read(self.folder / CSV)
        self.assertEqual([one.launch for one in launches], ["mm/mm.launch:medium", "reduction/reduction.launch:medium"])
        self.assertEqual(context["gpu"], "NVIDIA Test 1")
        self.assertEqual(context["counters"], "ncu --cache-control all --clock-control none, kernel replay")
        self.assertEqual(context["profiler"], "ncu 2024.1.1.0")
        mm = launches[0]
        self.assertEqual((mm.global_size, mm.local_size), ([64, 32, 1], [16, 16, 1]))
        # The stand-in gives the first metric 1000, 1001, 1002 in the three repeats, the second 2000, …
        self.assertEqual(mm.counters["load.requests"], (1001, 1000, 1002))
        self.assertEqual(mm.counters["load.sectors"], (2001, 2000, 2002))
        self.assertEqual(mm.counters["time.milliseconds"], (0.5, 0.25, 1.0))
        self.assertNotIn("store.requests", mm.counters)  # the GPU's list does not have it
        self.assertNotIn("shared.config_bytes", mm.counters)  # refused, and left out of the second try
        placed = measurements.read_placement(measurements.placement_of(self.folder / CSV))
        self.assertEqual(placed["mm/mm.launch:medium"], ([0, 1, 2, 3, 0, 1, 2, 3], [32 * i for i in range(8)]))

    def test_writes_one_file_with_everything(self):
        self.assertEqual(self.profile().returncode, 0)
        content = one_file.read(self.folder / CSV.replace(".csv", ".json"))
        self.assertEqual(content["gpu"]["name"], "NVIDIA Test 1")
        self.assertEqual(content["profiler"]["name"], "ncu")
        mm = content["launches"][0]
        self.assertEqual((mm["launch"], mm["family"], mm["grid"], mm["block"]), ("mm/mm.launch:medium", "mm", [4, 2, 1], [16, 16, 1]))
        self.assertEqual(mm["counters"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
                         {"median": 1001, "lowest": 1000, "highest": 1002})
        self.assertEqual(mm["file"], "benchmarks/kernels/mm/mm.cu")

    def test_the_second_call_measures_nothing_again_and_writes_the_same_bytes(self):
        self.profile()
        files = [self.folder / CSV, measurements.placement_of(self.folder / CSV)]
        first = [path.read_bytes() for path in files]
        before = self.called("timed")
        done = self.profile()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 of 2 programs are there from an earlier call", done.stdout)
        self.assertEqual(self.called("timed"), before)
        self.assertEqual([path.read_bytes() for path in files], first)

    def test_a_changed_kernel_is_measured_again(self):
        self.profile()
        source = self.checkout / "benchmarks" / "kernels" / "mm" / "mm.cu"
        source.write_text(source.read_text() + "// changed\n")
        self.profile()
        self.assertEqual((self.called("timed mm"), self.called("timed reduction")), (2, 1))

    def test_stops_at_the_time_limit_and_goes_on(self):
        done = self.profile("--time-limit", "0.000001")
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("2 programs are left, run the same command again", done.stdout)
        self.assertEqual(self.called("timed"), 0)
        self.assertEqual(self.profile().returncode, 0)
        self.assertEqual(self.called("timed"), 2)

    def test_slices_share_the_programs(self):
        self.assertEqual(self.profile("--slice", "1/2").returncode, 0)
        self.assertEqual(self.profile("--slice", "2/2").returncode, 0)
        names = [[one.launch for one in measurements.read(self.folder / f"out/nvidia-test-1/2026-01-02-{part}of2.csv")[1]]
                 for part in (1, 2)]
        self.assertEqual(names, [["mm/mm.launch:medium"], ["reduction/reduction.launch:medium"]])
        for text in ("0/2", "3/2", "1", "a/b"):
            done = self.profile("--slice", text)
            self.assertEqual((done.returncode, done.stderr), (2, f"hw-profile: --slice {text}: expected i/n such as 1/3\n"))

    def test_without_permission_times_and_placement_remain(self):
        done = self.profile(DENIED="1")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("counters are not permitted", done.stderr)
        self.assertIn("NVreg_RestrictProfilingToAdminUsers=0", done.stderr)
        context, launches = measurements.read(self.folder / CSV)
        self.assertEqual(context["counters"], "not permitted by the driver: timings and placement only")
        self.assertIn("time.milliseconds", launches[0].counters)
        self.assertNotIn("load.requests", launches[0].counters)
        self.assertEqual(self.profile(DENIED="1").returncode, 3)
        self.assertEqual(self.called("timed"), 2)  # not measured twice
        self.assertEqual(self.profile().returncode, 0)  # but again once it is permitted
        self.assertIn("load.requests", measurements.read(self.folder / CSV)[1][0].counters)

    def test_a_wrong_output_is_a_failure_and_is_measured_again(self):
        check = self.checkout / "benchmarks" / "kernels" / "mm" / "check.py"
        self.launch("mm/mm.launch", "mm", ([64, 32], [16, 16]), {"width": "gx", "height": "gy"},
                    sizes={"small": {"global": [32, 32]}})
        for line, status, words in (("import sys; sys.exit('C[3] is 1, expected 2')", 1, "output: C[3] is 1, expected 2"), ("", 0, "")):
            check.write_text(line)
            done = self.profile("--kernels", "mm", "--check", "small", PYTHONPATH=str(self.numpy()))
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertIn(words, done.stderr)
        self.assertEqual(self.called("timed"), 2)
        small, own = sorted(measurements.read(self.folder / CSV)[1], key=lambda one: -one.counters["output_checked"][0])
        self.assertEqual((small.launch, small.median("output_checked"), own.median("output_checked")), ("mm/mm.launch:small", 1, 0))

    def numpy(self):
        """hw-profile checks outputs where numpy can be imported: something of that name."""
        (self.folder / "python").mkdir(exist_ok=True)
        (self.folder / "python" / "numpy.py").touch()
        return self.folder / "python"

    def test_a_profiler_that_does_not_work_is_no_reason_to_stop(self):
        done = self.profile("--kernels", "mm", UNUSABLE="1")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("hw-profile: no counters: ncu: ==ERROR== Failed to initialize the profiler: LibraryNotLoaded", done.stderr)
        context, (mm,) = measurements.read(self.folder / CSV)
        self.assertIn("LibraryNotLoaded", context["counters"])
        self.assertIn("time.milliseconds", mm.counters)

    def test_a_broken_kernel_is_named_and_the_others_are_measured(self):
        done = self.profile(BROKEN="mm_")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"hw-profile: mm: mm_mm_\w+\.cu: does not compile: .*identifier")
        self.assertEqual([one.launch for one in measurements.read(self.folder / CSV)[1]], ["reduction/reduction.launch:medium"])

    def test_sizes_with_defines_of_their_own_are_programs_of_their_own(self):
        self.launch("mm/mm.launch", "mm", ([64, 32], [16, 16]), {"width": "gx", "height": "gy"},
                    sizes={"small": {"global": [32, 32], "defines": {"X": 2}}, "large": {"global": [64, 64]}})
        done = self.profile("--dry-run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("/3] mm -DX=2: compiles", done.stdout)
        self.assertIn("mm/mm.launch:small: small, 4 work-groups of 16x16x1", done.stdout)
        self.assertNotIn("large", done.stdout)


class Refusals(StandInTest):
    def refused(self, message, *words, status=2, **environment):
        done = self.profile(*words, **environment)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertRegex(done.stderr, message)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_what_is_missing_is_named(self):
        self.refused("no such program", "--nvcc", "/nowhere/nvcc")
        self.refused("no GPU.*expected a machine with an NVIDIA GPU", NO_GPU="1")
        self.refused("--kernels nothing: no such folder", "--kernels", "nothing")
        self.refused("no launch file with size large", "--sizes", "large")
        self.refused("--date a/b", "--date", "a/b")
        self.refused("expected 1 or more", "--repeats", "0")
        self.refused("unrecognized arguments: --fast; see --help", "--fast")

    def test_a_launch_file_that_does_not_fit_is_named(self):
        for text, message in (("{", "mm.launch:1: not valid JSON"), ("{}", "no \"global\""),
                              ('{"global": [30], "local": [16]}', "is not divisible by local size 16"),
                              ('{"global": [32], "local": [16], "kernel": "other"}', "kernel 'other': 0 fit, expected one of: mm"),
                              ('{"global": [32], "local": [16], "args": {"n": "what"}}', "unknown name 'what'"),
                              ('{"global": [32], "local": [16], "args": {"n": "n+1"}}', r"mm\.launch: the value of 'n' depends on itself"),
                              ('{"global": [32], "local": [16], "args": {"n": "__import__(1)"}}', "expected an arithmetic expression"),
                              ('{"global": [32], "local": [16], "args": {"A": {"fill": "noise(1)"}}}', "fill 'noise")):
            (self.checkout / "benchmarks/kernels/mm/mm.launch").write_text(text)
            self.refused(message, "--dry-run")

    def test_no_profiler_is_said(self):
        (self.tools / "ncu").unlink()
        done = self.profile()
        if "no ncu found" not in done.stdout:
            self.skipTest("a real ncu is installed (NeedsGpu)")
        self.assertEqual(done.returncode, 0)
        self.assertIn("not collected: no ncu found", measurements.read(self.folder / CSV)[0]["counters"])


class Bundle(StandInTest):
    def test_holds_all_that_a_bare_machine_needs(self):
        archive = self.folder / "b.tar.gz"
        done = self.profile("--bundle", archive)
        self.assertEqual(done.returncode, 0, done.stderr)
        first = archive.read_bytes()
        self.profile("--bundle", archive)
        self.assertEqual(archive.read_bytes(), first)
        with tarfile.open(archive) as packed:
            packed.extractall(self.folder / "there")
        self.checkout = self.folder / "there" / "warpscope-hardware"
        done = self.profile(WARPSCOPE_BIN="/nonexistent")  # the launches come from launches.json
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(measurements.read(self.folder / CSV)[1]), 2)


if __name__ == "__main__":
    unittest.main()
