"""Host programs that use one feature of OpenCL each (host.cpp): what they print is the same when traced, and what
was recorded is what their source says."""
import json
import os
import resource
import signal
import subprocess
import time
import unittest

from support import BIN, TEST_BIN, ProgramTest
from support import load_third as load_tests  # noqa: F401

HOST = TEST_BIN / "programs_host"
# Launches, loads and stores by hand from host.cpp. An access that adds 0 is optimised away.
EXPECTED = {
    "one_launch": (1, 256, 256),
    "threads": (4 * 25, 3 * 25 * 64 + 24 * 64 + 64, 3 * 25 * 64 + 24 * 64 + 64),  # n = 0 is not a constant
    "out_of_order": (54, 4 * 64 + 50 * 32, 4 * 64 + 50 * 32),
    "sub_buffers": (4, 3 * 256 + 1024, 3 * 256 + 1024),
    "null_local": (9, 0, 64 + 100 + 4096 + 256 + 85 + 512 + 3000 + 13 + 2883),
    "offsets_and_tasks": (3, 64 + 64 + 15, 64 + 64 + 64 + 15),
    "clones": (1, 64, 64),
    "compile_and_link": (1, 64, 64),
    "own_binary": (1, 64, 64),
    "shared_memory": (2, 256 + 2 * 256, 256 + 256),
    "queries": (1, 64, 64),
    "rows_and_columns": (2, 2 * 64 * 64, 2 * 64),
    "reuse": (20, 15 * 32, 15 * 32),
}
ASKS = ("null_local", "queries")


class Host(ProgramTest):
    def assert_counts(self, launches, loads, stores):
        found = self.launches()
        self.assertEqual((len(found), sum(x["loads"] for x in found), sum(x["stores"] for x in found)),
                         (launches, loads, stores))

    def test_every_feature(self):
        for name, counts in EXPECTED.items():
            with self.subTest(name):
                # Two print what the device answers (test_suites.py has a GPU's).
                done = self.assert_same_program(HOST, name, options=["--device-like", "pocl"] if name in ASKS else [])
                self.assertNotIn("not traced", done.stderr)
                self.assertNotIn("outside", done.stderr)
                self.check()
                self.assert_counts(*counts)

    def test_sub_buffers_are_places_in_their_buffer(self):
        self.traced(HOST, "sub_buffers")
        view = json.loads(self.plain(BIN / "trace-view", "--json", "x.wtrace").stdout)
        self.assertEqual([buffer["size"] for buffer in view["buffers"]], [4096])
        self.assertEqual([launch["arguments"][0].get("offset", 0) for launch in view["launches"]], [0, 1024, 2048, 0])

    def test_several_devices_in_one_context(self):
        # PoCL 3.1 blocks itself where devices of different kinds wait for each other, so two of one kind.
        self.environment["POCL_DEVICES"] = "pthread pthread"
        for name, first_line in (("devices", "devices: 2"), ("sub_devices", "six rounds: first 24")):
            with self.subTest(name):
                done = self.assert_same_program(HOST, name)
                self.assertTrue(done.stdout.startswith(first_line), done.stdout)
                self.assertNotIn("not traced", done.stderr)
                self.check()
                self.assert_counts(6, 6 * 512, 6 * 512)

    def test_an_error_of_the_program_stays_its_own(self):
        done = self.assert_same_program(HOST, "uneven")  # PoCL has no groups of unequal size
        self.assertIn("100 in groups of 64: -54", done.stdout)
        self.assertIn("no kernel was recorded: the program launched no kernel, or no launch succeeded", done.stderr)

    def test_command_buffers_are_named(self):
        done = self.assert_same_program(HOST, "command_buffers", status=3)
        self.assertIn("not traced: kernel 'add' runs untraced: it is part of a command buffer", done.stderr)
        self.assert_counts(1, 64, 64)  # the launch outside

    def test_what_cannot_be_traced_runs_as_it_is(self):
        done = self.assert_same_program(HOST, "untraceable", status=3)
        self.assertRegex(done.stderr, r"not traced: plain.cl:2: kernel 'picture' runs untraced: argument 'i' is of "
                                      r"type image2d_t")
        self.assert_counts(1, 64, 64)

    def test_a_launch_whose_event_fails(self):
        done = self.assert_same_program(HOST, "failed_event", status=3)
        self.assertRegex(done.stderr, "launch 0 .*: 0 of 1 work-groups")

    def test_binaries_in_files(self):
        cache = ["--cache-dir", self.folder / "cache"]
        self.plain(HOST, "kept_binary", "save", "untraced.bin", check=True)
        done = self.traced(HOST, "kept_binary", "load", "untraced.bin", options=cache)
        self.assertEqual(done.returncode, 3)
        self.assertIn("not traced: kernel 'twice' runs untraced: the program was made from a binary", done.stderr)
        self.assertIn("no kernel was recorded: every launch ran untraced, for the reason above\n", done.stderr)
        self.assertFalse((self.folder / "x.wtrace").exists())
        # Another binary, or it would be the same: what came out of a traced run is known in the next.
        self.environment["HOST_OPTIONS"] = "-DOTHER"
        self.traced(HOST, "kept_binary", "save", "traced.bin", options=cache)
        self.assert_same_program(HOST, "kept_binary", "load", "traced.bin", options=cache)
        self.assert_counts(1, 64, 64)

    def test_same_program_same_bytes(self):
        for output in ("a.wtrace", "b.wtrace"):
            self.traced(HOST, "sub_buffers", output=output)
        self.assertEqual((self.folder / "a.wtrace").read_bytes(), (self.folder / "b.wtrace").read_bytes())

    def test_many_launches(self):
        self.assert_same_program(HOST, "many", "3000")
        self.check()
        self.assert_counts(3000, 3000 * 64, 3000 * 64)
        self.assertLess((self.folder / "x.wtrace").stat().st_size, 3000 * 400)


class Endings(ProgramTest):
    """However a program ends, its launches are kept."""

    def test_exit_status_and_signals(self):
        for how in ("exit", "_exit", "abort", "kill", "interrupt", "crash"):
            with self.subTest(how):
                self.assert_same_program(HOST, "end", how)
                self.check()
                self.assertEqual(sum(launch["loads"] for launch in self.launches()), 20 * 64)
                self.assertFalse((self.folder / "x.wtrace.part").exists())

    def test_killed_in_the_middle_of_a_launch(self):
        done = self.traced(HOST, "middle")
        self.assertEqual(done.returncode, -9)
        self.assertRegex(done.stderr, r"launch 0 \(slow\): \d+ of 1024 work-groups are recorded")
        self.check()
        view = json.loads(self.plain(BIN / "trace-view", "--summary", "--json", "x.wtrace").stdout)
        self.assertTrue(view["partial"])
        launch = view["launches"][0]
        self.assertEqual(launch["loads"] % (64 * 20001), 0)  # whole work-groups
        self.assertGreater(launch["loads"], 0)

    def test_ended_from_outside_leaves_no_folder(self):
        """Whether the program has not started yet, runs, or has ended."""
        temporary = self.folder / "temporary"
        temporary.mkdir()
        words = [BIN / "trace-kernel", "-o", "x.wtrace", "--", "/bin/true"]
        for number in range(40):
            with subprocess.Popen(words, cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env={**self.environment, "TMPDIR": str(temporary)}) as process:
                while not list(temporary.iterdir()) and process.poll() is None:
                    pass
                time.sleep(number / 20_000)
                process.terminate()
                self.assertIn(process.wait(60), (0, -signal.SIGTERM), process.stderr.read())
            self.assertEqual(list(temporary.iterdir()), [], f"after {number / 20} ms")

    def test_killed_while_its_kernel_is_compiled_leaves_no_folder(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        cache = self.folder / "cache"  # empty: there is something to compile
        words = [BIN / "trace-kernel", "-o", "x.wtrace", "--", HOST, "one_launch"]
        with subprocess.Popen(words, cwd=self.folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, env={**self.environment, "TMPDIR": str(temporary),
                                                              "XDG_CACHE_HOME": str(cache)}) as process:
            while not list(temporary.rglob("unit.cl")) and process.poll() is None:
                pass
            process.terminate()
            self.assertEqual(process.wait(60), -signal.SIGTERM)
        self.assertEqual(list(temporary.iterdir()), [])

    def test_children(self):
        done = self.assert_same_program(HOST, "forked")
        self.assertEqual(len(self.launches("x.wtrace")), 2)
        self.assertEqual(len(self.launches("x-2.wtrace")), 1)
        (self.folder / "x-2.wtrace").unlink()
        done = self.assert_same_program(HOST, "forked", options=["--children", "ignore"])
        self.assertEqual(len(self.launches("x.wtrace")), 2)
        self.assertFalse((self.folder / "x-2.wtrace").exists(), done.stderr)

    def test_work_items_that_no_gpu_numbers_run_as_they_are(self):
        done = self.assert_same_program(HOST, "far_offset", status=3)
        self.assertIn("global size and offset are more than 2^31 - 1 together", done.stderr)

    def test_a_program_without_opencl(self):
        done = self.traced("/bin/sh", "-c", "exit 4")
        self.assertEqual(done.returncode, 4)
        self.assertIn("no kernel was recorded", done.stderr)
        self.assertFalse(list(self.folder.glob("x.wtrace*")))


class Options(ProgramTest):
    def ids(self, *options):
        done = self.traced(HOST, "offsets_and_tasks", options=options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check()
        return [launch["id"] for launch in self.launches()]

    def test_a_program_that_closes_files_that_it_did_not_open(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        # Numbers beyond the program's limit need a higher hard limit; else the layer has the last ones below it.
        for last in (199, min(1023, soft - 65), *([soft - 1] if hard == resource.RLIM_INFINITY or hard > soft else [])):
            done = self.traced(HOST, "close_files", last)
            self.assertEqual((done.returncode, "not traced" in done.stderr), (0, False), done.stderr)
            self.check()
            self.assertEqual([launch["loads"] for launch in self.launches()], [64] * 3)

    def test_choosing_launches(self):
        self.assertEqual(self.ids("--kernel", "^(at|ta)"), [0, 2])
        self.assertEqual(self.ids("--launch", "1-2"), [1, 2])
        self.assertEqual(self.ids("--launch", "0,2"), [0, 2])
        self.assertEqual(self.ids("--max-launches", "1"), [0])
        self.assertEqual(self.ids("--launch", "1-2", "--max-launches", "1"), [1])

    def test_launches_beyond_the_limit_are_counted_and_every_result_says_so(self):
        done = self.traced(HOST, "many", 1500, options=["--max-launches", "2"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not traced: 1,498 launches beyond --max-launches 2\n", done.stderr)
        self.check()
        self.plain(BIN / "warpsched", "x.wtrace", "-o", "x.wsched")
        for words in (("x.wtrace",), ("x.wsched",), ("timed", "x.wtrace")):
            shown = self.plain(BIN / "cachesim", *words, "--preset", "gtx480", "--json", "x.json")
            self.assertIn("not traced: 1,498 launches beyond --max-launches 2\n", shown.stdout, shown.stderr)
            result = json.loads((self.folder / "x.json").read_text())
            self.assertEqual(result["context"]["not_traced"], [{"launches": 1498, "why": "beyond --max-launches 2"}])
            self.assertEqual(len(result["launches"]), 2)
        self.assertIn("not traced: 1498 launches", self.plain(BIN / "trace-view", "x.wtrace").stdout)
        done = self.traced(HOST, "offsets_and_tasks")
        self.assertNotIn("beyond", done.stderr)

    def test_nothing_chosen_says_what_there_was(self):
        done = self.traced(HOST, "many", 3, options=["--kernel", "none"])
        self.assertIn("no kernel was recorded: none of the program's 3 launches, of add, is asked for", done.stderr)

    def test_choosing_work_groups(self):
        for which, groups in (("every:2", 2), ("1-3", 3), ("0", 1)):
            self.traced(HOST, "one_launch", options=["--work-groups", which])
            self.check()
            (launch,) = self.launches()
            self.assertEqual((launch["sampling"], launch["loads"]), (which, 64 * groups))

    def test_address_spaces_and_optimisation(self):
        self.traced(HOST, "offsets_and_tasks", options=["--address-space", "local", "--kernel", "fixed"])
        (launch,) = self.launches()
        self.assertEqual((launch["loads"], launch["stores"]), (64, 64))
        self.traced(HOST, "reuse", options=["--optimize", "O0"])
        self.assertEqual(sum(launch["loads"] for launch in self.launches()), 20 * 32)  # nothing is optimised away

    def test_slowdown(self):
        done = self.traced(HOST, "sub_buffers", options=["--slowdown"])
        self.assertRegex(done.stderr, r"slowdown\n(.*\d+\.\dx\n){4}")

    def test_size_limit(self):
        done = self.traced(HOST, "threads", options=["--limit-size", "8K"])
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("limit", done.stderr)
        self.assertLess((self.folder / "x.wtrace").stat().st_size, 9000)

    def test_bad_values(self):
        for options, message in ((["--launch", "x"], "--launch x: expected numbers"),
                                 (["--max-launches", "0"], "--max-launches 0"),
                                 (["--work-groups", "every:0"], "work-groups 'every:0'"),
                                 (["--kernel", "("], "regular expression"),
                                 (["--children", "both"], "expected trace or ignore"),
                                 (["--global", "4"], "--global: only with FILE.cl"),
                                 (["-o", "none/x.wtrace"], "is not a directory"),
                                 (["x.cl"], "no file before it")):
            done = self.plain(BIN / "trace-kernel", *options, "--", HOST, "one_launch")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, message)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(self.traced("./no-such-program").returncode, 2)

    def test_cache(self):
        cache = self.folder / "cache"
        options = ["--cache-dir", cache]
        self.traced(HOST, "one_launch", options=options)
        (entry,) = cache.iterdir()
        content = entry.read_bytes()
        entry.write_bytes(content[:-1] + b"?")  # damaged: made again
        self.assert_same_program(HOST, "one_launch", options=options)
        self.assertEqual(entry.read_bytes(), content)
        # A compiler is not even looked for.
        done = self.plain(BIN / "trace-kernel", *options, "-o", "x.wtrace", "--", "/usr/bin/env", "WARPSCOPE_PLUGIN=" +
                          str(BIN.parent / "lib" / "warpscope" / "libwarpscope-passes.so"), HOST, "one_launch")
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.folder / "file").write_text("")
        done = self.assert_same_program(HOST, "one_launch", options=["--cache-dir", self.folder / "file" / "x"])
        self.assertEqual(done.stderr.count("cannot write the cache"), 1)


class FrontCommand(ProgramTest):
    """`warpscope -- PROGRAM`."""

    def report(self, *program, options=()):
        done = self.plain(BIN / "warpscope", "--no-plots", *options, "-o", "out", "--", *program)
        path = self.folder / "out" / "result.json"
        return done, json.loads(path.read_text()) if path.exists() else None

    def test_a_program_ends_in_a_report(self):
        done, result = self.report(HOST, "large", 4096, "loop")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((result["total"]["load"]["lanes"], result["total"]["store"]["lanes"]), (4096 * 95, 4096))
        self.assertIn("in[(id + i * 4099) & 1048575]", (self.folder / "out" / "report.txt").read_text())
        self.assertTrue((self.folder / "out" / "programs_host.wtrace").exists())

    def test_the_program_s_status_stays(self):
        done, result = self.report(HOST, "end", "exit", options=("--launch", "3"))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(len(result["launches"]), 1)

    def test_without_a_launch_there_is_no_report(self):
        done, result = self.report("true")
        self.assertEqual((done.returncode, result), (2, None))
        self.assertIn("no kernel was recorded", done.stderr)
        done = self.plain(BIN / "warpscope", "--")
        self.assertEqual((done.returncode, "expected a program" in done.stderr), (2, True))


if __name__ == "__main__":
    unittest.main()
