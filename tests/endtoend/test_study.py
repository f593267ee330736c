"""warpscope study: serial, killed and sharded runs give the same tables, nothing is recorded twice, rows are single simulations."""
import contextlib
import csv
import os
import signal
import sqlite3
import subprocess
import time
import unittest

from support import BIN, ToolTest
from support import load_third as load_tests  # noqa: F401

KERNEL = """
#if STEP == 3
#error "STEP 3 is left out"
#endif
__kernel void k(__global float* a) { a[get_global_id(0) * STEP] += 1.0f; }
"""
STUDY = """
gpus = ["gtx480", "h100"]

[[program]]
kernel = "k.cl"
options = ["--global", "64", "--arg", "a=count=gx*32"]
parameters = { STEP = [1, 3, 32] }
local = ["32", "64"]
restrict = ["STEP < 32 or lx == 32"]

[[configuration]]
name = "plain"

[[configuration]]
name = "cycles"
engine = "timed"
"""
CAPTURES, TASKS = 5, 20  # STEP 1 and 3 with two sizes each, STEP 32 with one; times two GPUs and two configurations
TABLES = {"results": "key", "measures": "key, name", "listed": "number", "study": "name"}


class StudyTest(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "k.cl").write_text(KERNEL, encoding="utf-8")
        (self.folder / "s.toml").write_text(STUDY, encoding="utf-8")

    def study(self, *words, status=0, **more):
        done = self.call("warpscope", "study", *words, **more)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return done.stdout.decode()

    def rows(self, folder, query):
        with contextlib.closing(sqlite3.connect(self.folder / folder / "study.sqlite")) as base:
            return base.execute(query).fetchall()

    def dump(self, folder):
        """The result tables in the order of their keys."""
        return "".join(f"{table} {row}\n" for table, order in TABLES.items()
                       for row in self.rows(folder, f"SELECT * FROM {table} ORDER BY {order}")).encode()

    def wrapped_tools(self, script="exec"):
        """A folder with the tools, of which trace-kernel and cachesim write a line into calls.txt, then run `script` with the real one behind."""
        folder = self.folder / "tools"
        folder.mkdir()
        for path in BIN.iterdir():
            (folder / path.name).symlink_to(path.resolve())
        for name in ("trace-kernel", "cachesim"):
            (folder / name).unlink()
            text = (f'#!/bin/bash\n[[ "$*" == *--check-options* ]] || echo {name} >> {self.folder}/calls.txt\n'
                    f'{script} {(BIN / name).resolve()} "$@"\n')
            (folder / name).write_text(text, encoding="utf-8")
            (folder / name).chmod(0o755)
        return {"WARPSCOPE_BIN": str(folder)}

    def calls(self, name):
        path = self.folder / "calls.txt"
        return path.read_text(encoding="utf-8").split().count(name) if path.exists() else 0

    def assert_each_once(self, folder):
        """No capture was recorded twice, no task was answered twice."""
        self.assertEqual(self.rows(folder, "SELECT capture FROM recordings GROUP BY capture HAVING count(*) > 1"), [])
        self.assertEqual(self.rows(folder, "SELECT key FROM runs WHERE seconds IS NOT NULL GROUP BY key HAVING count(*) > 1"), [])
        self.assertEqual(self.rows(folder, "SELECT count(*) FROM recordings"), [(CAPTURES,)])
        self.assertEqual(self.rows(folder, "SELECT count(DISTINCT key) FROM runs WHERE seconds IS NOT NULL"), [(TASKS,)])


class Study(StudyTest):
    def test_shards_give_what_one_run_gives_and_nothing_is_recorded_twice(self):
        tools = self.wrapped_tools()
        text = self.study("s.toml", "-o", "serial", environment=tools)
        self.assertEqual(text, f"s.toml: {TASKS} of {TASKS} tasks done; {CAPTURES} captures; serial/study.sqlite\n  8 tasks without a whole result; "
                         'the first: k STEP=3 local=32 | gtx480 | plain: k.cl:3:2: error: "STEP 3 is left out"\n')
        # STEP 3 does not compile: two captures are no captures, and their tasks are not simulated.
        self.assertEqual((self.calls("trace-kernel"), self.calls("cachesim")), (CAPTURES, TASKS - 8))
        self.study("s.toml", "-o", "serial", environment=tools)
        for shard in (3, 1, 2, 1):
            self.study("worker", "s.toml", "--shard", f"{shard}/3", "--out", "shards", environment=tools)
        self.assertEqual((self.calls("trace-kernel"), self.calls("cachesim")), (2 * CAPTURES, 2 * (TASKS - 8)))
        self.study("merge", "s.toml", "shards", "-o", "merged", environment=tools)
        self.assertEqual(self.dump("serial"), self.dump("merged"))
        for folder in ("serial", "merged"):
            self.assert_each_once(folder)
        self.assertEqual(list((self.folder / "serial" / "captures").iterdir()) + list((self.folder / "shards" / "captures").iterdir()), [])
        self.assertEqual(self.rows("serial", "SELECT DISTINCT status, reason FROM results ORDER BY 1"),
                         [("compile", 'k.cl:3:2: error: "STEP 3 is left out"'), ("ok", "")])

    def end_when(self, process, is_time, number=signal.SIGKILL):
        """Sends a signal as soon as it is time; the exit status."""
        end = time.monotonic() + 100
        while not is_time() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.002)
        process.send_signal(number)
        return process.wait()

    def start(self, *words, environment):
        return subprocess.Popen([BIN / "warpscope", "study", *words, "--jobs", "1"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                env={**os.environ, **environment})

    def test_a_killed_run_goes_on_and_repeats_nothing(self):
        self.study("s.toml", "-o", "whole")
        key = "SELECT key FROM results"
        process = self.start("s.toml", "-o", "cut", environment={})
        self.end_when(process, lambda: (self.folder / "cut" / "study.sqlite").exists())  # its tables may not be there yet
        self.study("s.toml", "-o", "cut", "--list")
        process = self.start("s.toml", "-o", "cut", environment={})
        self.assertEqual(self.end_when(process, lambda: self.rows("cut", key), signal.SIGINT), 128 + signal.SIGINT)
        self.assertEqual(list((self.folder / "cut" / "captures").glob(".*")), [])  # Ctrl-C leaves nothing half done
        process = self.start("s.toml", "-o", "cut", environment={})
        self.end_when(process, lambda: len(self.rows("cut", key)) >= 5)
        left = len(self.rows("cut", key))
        self.assertTrue(5 <= left < TASKS, left)
        self.assertIn(f"{TASKS} of {TASKS} tasks done, {left} of them earlier", self.study("s.toml", "-o", "cut"))
        self.assertEqual(self.dump("whole"), self.dump("cut"))
        self.assert_each_once("cut")
        self.assertEqual([path.name for path in (self.folder / "cut" / "captures").iterdir()], [])

    def test_a_killed_worker_and_half_written_files_lose_and_repeat_nothing(self):
        self.study("s.toml", "-o", "whole")
        answers = self.folder / "out" / "answers"

        def lines():
            return b"".join(path.read_bytes() for path in answers.glob("*/*")).count(b'"answered"')

        process = self.start("worker", "s.toml", "--shard", "1/1", "--out", "out", environment={})
        self.end_when(process, lambda: lines() >= 2)
        parts = list(answers.glob("*/*.part"))
        self.assertEqual(len(parts), 1)
        with open(parts[0], "ab") as file:  # a line that a lost machine wrote half of
            file.write(b'{"kind":"answered","key":"')
        before = lines() - 1
        text = self.study("worker", "s.toml", "--shard", "1/1", "--out", "out")
        self.assertIn(f"{TASKS} of {TASKS} tasks done, {before} of them earlier", text)
        self.assertEqual(list(answers.glob("*/*.part")), [])
        self.study("merge", "s.toml", "out", "-o", "merged")
        self.assertEqual(self.dump("whole"), self.dump("merged"))
        self.assert_each_once("merged")
        one = max(answers.glob("*/*.jsonl"), key=lambda path: path.stat().st_size)
        whole = one.read_bytes().splitlines(keepends=True)
        one.write_bytes(b"".join(whole[:-1]) + b"\0" * 100 + b"\n")  # the last answer is lost
        self.assertIn(f"{TASKS - 1} of {TASKS}", self.study("merge", "s.toml", "out", "-o", "lacks", status=3))
        self.assertIn(f"{TASKS - 1} of them earlier", self.study("worker", "s.toml", "--shard", "1/1", "--out", "out"))
        self.study("merge", "s.toml", "out", "-o", "lacks")
        self.assertEqual(self.dump("whole"), self.dump("lacks"))

    def test_a_tool_that_is_ended_from_outside_is_no_answer(self):
        tools = self.wrapped_tools(f"[ $(wc -l < {self.folder}/calls.txt) = 4 ] && kill -9 $$; exec")
        done = self.call("warpscope", "study", "s.toml", "-o", "out", "--jobs", "1", environment=tools)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), r"s\.toml: 1 task missing \(cachesim was ended by signal 9\); run it again")
        self.study("s.toml", "-o", "out", environment=tools)
        self.assertEqual(self.rows("out", "SELECT count(*) FROM results"), [(TASKS,)])

    def test_a_time_limit_ends_a_tool_and_decides_no_answer(self):
        tools = self.wrapped_tools(f'[[ "$*" == *STEP=1* ]] && [ ! -e {self.folder}/fast ] && sleep 1000; exec')
        (self.folder / "s.toml").write_text("limit_seconds = 30\n" + STUDY, encoding="utf-8")
        done = self.call("warpscope", "study", "s.toml", "-o", "out", environment=tools)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), r"s\.toml: 8 tasks missing \(trace-kernel took more than 30 s\); run it again")
        self.assertEqual(self.rows("out", "SELECT status, count(*) FROM results GROUP BY 1"), [("compile", 8), ("ok", 4)])
        (self.folder / "fast").touch()
        self.study("s.toml", "-o", "out", environment=tools)
        self.assertEqual(self.rows("out", "SELECT count(*) FROM results"), [(TASKS,)])

    def test_what_a_machine_is_short_of_is_no_answer(self):
        tools = self.wrapped_tools(f"[ $(wc -l < {self.folder}/calls.txt) = 1 ] && echo 'x: No space left on device' >&2 && exit 2; exec")
        done = self.call("warpscope", "study", "s.toml", "-o", "out", "--jobs", "1", environment=tools)
        self.assertEqual(done.returncode, 3)
        self.assertIn("s.toml: 4 tasks missing (x: No space left on device); run it again", done.stderr.decode())
        self.study("s.toml", "-o", "out", environment=tools)
        self.assertEqual(self.rows("out", "SELECT DISTINCT status FROM results ORDER BY 1"), [("compile",), ("ok",)])

    def test_what_does_not_fit_a_gpu_is_a_row_and_drawn_cores_have_intervals(self):
        (self.folder / "s.toml").write_text("""
gpus = ["gtx480", "gtx280"]
program = [{ kernel = "k.cl", options = ["--global", "65536", "--arg", "a=count=gx*32", "-D", "STEP=1"], local = ["1024"] }]
configuration = [{ options = ["--sample-cores", "6"] }]
""", encoding="utf-8")
        self.study("s.toml", "-o", "out")
        self.assertEqual(self.rows("out", "SELECT gpu, status FROM results ORDER BY gpu"), [("gtx280", "constraints"), ("gtx480", "ok")])
        self.assertRegex(self.rows("out", "SELECT reason FROM results WHERE gpu = 'gtx280'")[0][0], "gtx280 allows 512")
        # 65,536 work-items load 4 bytes each: 2,048 lines of 128 bytes, of which each is loaded once.
        name = "estimate.load.transactions"
        low, value, high = (self.rows("out", f"SELECT value FROM measures WHERE name = '{name}{end}'")[0][0] for end in (".low", "", ".high"))
        self.assertTrue(low <= 2048 <= high and low <= value <= high, (low, value, high))

    def test_what_changes_is_done_anew_and_only_that(self):
        self.study("s.toml", "-o", "out", "--keep-captures")
        self.assertEqual(len(list((self.folder / "out" / "captures").glob("*.wtrace"))), CAPTURES - 2)
        text = STUDY + '\n[[configuration]]\nname = "small"\nset = { l1_size_kib = 16 }\noptions = ["--no-classes"]\n'
        (self.folder / "s.toml").write_text(text, encoding="utf-8")
        self.assertIn(f"30 tasks of {CAPTURES} captures, 10 left to do", self.study("s.toml", "-o", "out", "--list"))
        self.study("s.toml", "-o", "out", "--keep-captures")
        self.assertEqual(self.rows("out", "SELECT count(*) FROM recordings"), [(CAPTURES,)])
        (self.folder / "k.cl").write_text(KERNEL.replace("+=", "="), encoding="utf-8")
        self.assertIn("30 left to do", self.study("s.toml", "-o", "out", "--list"))

    def test_paths_begin_at_the_study_and_included_files_count(self):
        (self.folder / "deep").mkdir()
        (self.folder / "deep" / "s.toml").write_text("""
gpus = ["gtx480"]
program = [{ kernel = "../k2.cl", options = ["--launch-file", "k.launch"], local = "32" }]
""", encoding="utf-8")
        (self.folder / "k2.cl").write_text('#include "k.h"\n' + KERNEL, encoding="utf-8")
        (self.folder / "deep" / "k.launch").write_text('{"kernel": "k", "global": [64], "args": {"a": {"count": "gx*32"}}}', encoding="utf-8")
        for step, transactions in ((1, 2 * 2), (32, 2 * 64)):  # loads and stores: a line for a warp, a line for a work-item
            (self.folder / "k.h").write_text(f"#define STEP {step}\n", encoding="utf-8")
            self.assertIn("1 of 1 task done; 1 capture", self.study("deep/s.toml", "-o", "out"))
            self.study("report", "out")
            with open(self.folder / "out" / "results.csv", encoding="utf-8", newline="") as file:
                self.assertEqual([row["transactions"] for row in csv.DictReader(file)], [str(transactions)])


class Report(StudyTest):
    def test_every_row_is_the_single_simulation(self):
        self.study("s.toml", "-o", "out")
        self.assertIn(f"{TASKS} tasks: out/results.csv, study.html", self.study("report", "out"))
        with open(self.folder / "out" / "results.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), TASKS)
        for row in rows:
            if row["status"] != "ok":
                self.assertEqual((row["STEP"], row["status"], row["cycles"]), ("3", "compile", ""))
                continue
            self.run_tool("trace-kernel", "k.cl", "--global", "64", "--arg", "a=count=gx*32", "-D", f"STEP={row['STEP']}", "--local", row["local"],
                          "-o", "one.wtrace")
            words = ["timed"] if row["configuration"] == "cycles" else []
            total = self.result(*words, "one.wtrace", "--gpu", row["gpu"])["total"]
            self.assertEqual(int(row["transactions"]), sum(total[kind]["transactions"] for kind in ("load", "store", "atomic")))
            self.assertEqual(int(row["l1_misses"]), sum(total[kind]["misses"] + total[kind]["sector_misses"] for kind in ("load", "store", "atomic")))
            self.assertEqual(row["cycles"], str(total["timing"]["cycles"]) if words else "")
        page = (self.folder / "out" / "study.html").read_text(encoding="utf-8")
        # Two maps (cycles, sectors), and a front of each of the three pairs of measures.
        self.assertEqual(page.count('src="data:image/png;base64,'), 2 + 3)
        self.assertNotRegex(page.split("</style>")[1], "https?:|<script")
        self.assertIn("STEP 3 is left out", page)
        self.study("report", "out", "-o", "again")
        self.assertEqual(page, (self.folder / "again" / "study.html").read_text(encoding="utf-8"))

    def test_what_is_wrong_is_said(self):
        self.assert_refused(self.call("warpscope", "study", "report", "none"), r"none/study\.sqlite: no such file, expected the folder of a study")
        (self.folder / "x").mkdir()
        (self.folder / "x" / "study.sqlite").write_bytes(b"no database at all, but long enough to be taken for one" * 20)
        self.assert_refused(self.call("warpscope", "study", "report", "x"), r"x/study\.sqlite: file is not a database, expected the file of a study")
        self.assert_refused(self.call("warpscope", "study", "s.toml", "-o", "x"), "file is not a database")
        self.assert_refused(self.call("warpscope", "study", "merge", "s.toml", "x", "-o", "y"), "x: has no answers, expected a folder of")
        self.assert_refused(self.call("warpscope", "study", "worker", "s.toml", "--shard", "4/3", "--out", "x"), "--shard 4/3: expected I/N")
        self.assert_refused(self.call("warpscope", "study", "s.toml", "--shard", "1/2"), "'--shard': unknown option, expected one of --output")
        self.assert_refused(self.call("warpscope", "study", "none.toml"), "none.toml: No such file or directory, expected a study")


class BadStudies(StudyTest):
    def test_every_key_is_checked(self):
        good = {"gpus": '["gtx480"]', "program": '[{ kernel = "k.cl", options = ["--global", "64"] }]'}
        program = '[{{ kernel = "k.cl", {} }}]'
        for change, said in (
                ({"gpus": '"gtx480"'}, "s.toml: gpus: is 'gtx480', expected a list of texts"),
                ({"gpus": None}, "s.toml: no 'gpus', expected a list of texts"),
                ({"gpus": '["none.json"]'}, "gpus: none.json: no such file, expected a GPU"),
                ({"gpus": '["gtx9"]'}, "s.toml: configuration fixed: gpu gtx9: .*unknown GPU"),
                ({"gpus": '["h100", "h100"]'}, "gpu h100: is there twice, expected different names"),
                ({"gpu": '["gtx480"]'}, "s.toml: gpu: unknown key, expected one of gpus, program, configuration, limit_seconds"),
                ({"program": None}, "no 'program', expected tables, such as .\\[program"),
                ({"program": "[{}]"}, "program 1: found nothing, expected either kernel or command"),
                ({"program": '[{kernl = "a.cl"}]'}, "program 1: found kernl, expected either kernel or command"),
                ({"program": '[{ kernel = "x.cl" }]'}, "program x: kernel: x.cl: no such file, expected a kernel"),
                ({"program": program.format("option = []")}, "program k: option: unknown key, expected one of kernel, command, name, options"),
                ({"program": program.format('options = ["-o", "x"]')}, "program k: options: -o: the study says where captures go"),
                ({"program": program.format('inputs = ["*.dat"]')}, "program k: inputs: '.*dat': no such file"),
                ({"program": program.format("parameters = { N = true }")}, "program k: parameters.N: is True, expected a value, a list"),
                ({"program": program.format("parameters = { N = [1, 1] }")}, "parameters.N: .*expected different values"),
                ({"program": program.format('parameters = { "a b" = 1 }')}, "parameters.a b: is no name"),
                ({"program": program.format("parameters = { gpu = 1 }")}, "parameters.gpu: this name is taken"),
                ({"program": program.format('parameters = { N = [1, 2] }, restrict = ["M > 1"]')}, "program k: restrict: 'M > 1': no parameter 'M'"),
                ({"program": program.format('parameters = { N = [1, 2] }, restrict = ["N > 2"]')}, "program k: restrict: no variant fulfils N > 2"),
                ({"program": program.format('local = ["8y8"]')}, "program k: local: .*'8y8', expected a size"),
                ({"program": '[{ command = ["./a", "{N}"] }]'}, "program a: command: {N}: no such parameter"),
                ({"program": '[{ command = ["./a"], parameters = { N = 1 } }]'}, "program a: parameters.N: the command has no {N}"),
                ({"program": '[{ command = ["./a"], local = "8" }]'}, "program a: local: a command chooses its work-groups itself"),
                ({"limit_seconds": "0"}, "s.toml: limit_seconds: is 0, expected seconds, a number above 0"),
                ({"configuration": '[{ engine = "quick" }]'}, "configuration 1: engine: is 'quick', expected fixed or timed"),
                ({"configuration": "[{}, {}]"}, None),
                ({"configuration": '[{ name = "a" }, { name = "a" }]'}, "configuration a: is there twice"),
                ({"configuration": "[{ set = { l1_ways = [1] } }]"}, "configuration fixed: set.l1_ways: is .1., expected a number"),
                ({"configuration": "[{ set = { no_key = 1 } }]"}, "s.toml: configuration fixed: gpu gtx480: .*no_key"),
                ({"configuration": '[{ scheduler = "gto" }]'}, "scheduler: engine = 'fixed' has none, expected policy"),
                ({"configuration": '[{ options = ["--json", "x"] }]'}, "options: --json: the study gives it itself"),
                ({"configuration": "[{ carveout = -1 }]"}, "carveout: is -1, expected KiB")):
            with self.subTest(change):
                values = {name: value for name, value in {**good, **change}.items() if value is not None}
                (self.folder / "s.toml").write_text("".join(f"{name} = {value}\n" for name, value in values.items()), encoding="utf-8")
                if said is None:
                    self.study("s.toml", "--list")
                elif "gpu gtx" in said:  # the engines say it
                    self.assert_refused(self.call("warpscope", "study", "s.toml", "-o", "out"), said)
                else:
                    self.assert_refused(self.call("warpscope", "study", "s.toml", "--list"), said)
        (self.folder / "s.toml").write_text("gpus = [\n", encoding="utf-8")
        self.assert_refused(self.call("warpscope", "study", "s.toml"), r"s\.toml: Invalid value \(at end of document\), expected a study \(TOML\)")


if __name__ == "__main__":
    unittest.main()
