"""warpscope with stand-ins for the tools: exit statuses, options, no partial output."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import support

TRACE_KERNEL = """#!/bin/sh
echo "trace-kernel $*" >> "$CALLS"
for word; do last=$word; done
[ "$TRACE_STATUS" = 2 ] || printf WSCAPTUR > "$last"
exit $TRACE_STATUS
"""
WARPSCHED = """#!/bin/sh
echo "warpsched $*" >> "$CALLS"
[ "$SCHED_STATUS" = 0 ] || echo "warpsched: told to fail" >&2
exit $SCHED_STATUS
"""
CACHESIM = """#!/bin/sh
case "$*" in *--check-options*)
  echo "cachesim $*" >> "$CALLS.checked"
  [ "${CHECK_STATUS:-0}" = 0 ] || echo "cachesim: told to refuse ${WARPSCOPE_GPU-without variable}" >&2
  exit ${CHECK_STATUS:-0} ;;
esac
echo "cachesim $*" >> "$CALLS"
cat > /dev/null
for word; do last=$word; done
case "$SIM_STATUS" in 0|3) cp "$RESULT" "$last";; esac
[ "$SIM_STATUS" = 0 ] || echo "cachesim: told to fail" >&2
exit $SIM_STATUS
"""

TRACE_VIEW = """#!/bin/sh
echo '{"count": 0, "races": [], "common_stores": [], "not_checked": []}'
"""


# Notes its process and that of its child, and does not end by itself.
ENDLESS = """#!/bin/sh
sleep 60 & echo $$ $! > "$CALLS.running"; mv "$CALLS.running" "$CALLS"
wait
"""
STUBBORN = ENDLESS.replace("sleep", "trap '' TERM; sleep")


def is_running(process):
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


class Front(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in (("trace-kernel", TRACE_KERNEL), ("warpsched", WARPSCHED), ("cachesim", CACHESIM), ("trace-view", TRACE_VIEW)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        (self.folder / "result.json").write_text(json.dumps(support.result()))
        (self.folder / "copy.cl").write_text(support.KERNEL)
        (self.folder / "copy.wtrace").write_bytes(b"WSCAPTUR")

    def warpscope(self, *words, gpu="", **statuses):
        environment = {**os.environ, "WARPSCOPE_BIN": str(self.folder), "CALLS": str(self.folder / "calls"),
                       "RESULT": str(self.folder / "result.json"), "PYTHONDONTWRITEBYTECODE": "1", "WARPSCOPE_GPU": gpu}
        for name in ("TRACE_STATUS", "SCHED_STATUS", "SIM_STATUS", "CHECK_STATUS"):
            environment[name] = str(statuses.get(name, 0))
        return subprocess.run([str(support.SCRIPTS / "warpscope"), *words, "--no-plots"], env=environment,
                              cwd=self.folder, capture_output=True, text=True)

    def calls(self):
        return (self.folder / "calls").read_text()

    def left_behind(self):
        return sorted(path.name for path in self.folder.iterdir() if path.name.startswith((".", "out")))

    @staticmethod
    def no_plots(words):
        """With our options where they belong."""
        return ["-o", "out", "--no-plots", *words] if words[0] == "--" else [*words, "-o", "out", "--no-plots"]

    def stop(self, number, *words):
        """Sends a signal to warpscope once its tool runs; its status and the processes that the tool had."""
        (self.folder / "calls").unlink(missing_ok=True)
        environment = {**os.environ, "WARPSCOPE_BIN": str(self.folder), "CALLS": str(self.folder / "calls"),
                       "PYTHONDONTWRITEBYTECODE": "1"}
        with subprocess.Popen([str(support.SCRIPTS / "warpscope"), *self.no_plots(words)], env=environment, cwd=self.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            end = time.monotonic() + 60
            while not (self.folder / "calls").exists() and time.monotonic() < end:
                time.sleep(0.02)
            process.send_signal(number)
            process.wait(60)
            return process.returncode, self.calls().split()

    def test_a_signal_ends_the_tools_and_leaves_nothing(self):
        (self.folder / "trace-kernel").write_text(ENDLESS)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for words in (("--", "true"), ("copy.cl",)):
                with self.subTest(number, words=words):
                    status, processes = self.stop(number, *words)
                    self.assertEqual(status, 128 + number)
                    self.assertEqual([process for process in processes if is_running(process)], [])
                    self.assertEqual(self.left_behind(), [])

    def test_a_tool_that_does_not_end_is_ended_with_what_it_started(self):
        (self.folder / "trace-kernel").write_text(STUBBORN)
        status, processes = self.stop(signal.SIGTERM, "--", "true")
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertEqual([process for process in processes if is_running(process)], [])
        self.assertEqual(self.left_behind(), [])

    def test_runs_the_path_and_names_its_files(self):
        done = self.warpscope("copy.cl", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("copy.wtrace", "report.txt", "result.json"):
            self.assertTrue((self.folder / "out" / name).is_file(), name)
        self.assertIn("\nFiles: out/ (copy.wtrace, report.txt, report.html, result.json)\n", done.stdout)
        self.assertLessEqual(done.stdout.count("\n"), 25)
        self.assertEqual(self.left_behind(), ["out"])

    def test_passes_unknown_options_to_the_capture_and_ours_to_the_rest(self):
        done = self.warpscope("copy.cl", "--global", "512,512", "--preset", "gtx480", "-D", "N=3", "--policy=rr",
                              "--cache", "48,128,6,LRU,WTNA", "--set-index", "linear")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(self.calls(), r"trace-kernel copy.cl --global 512,512 -D N=3 -o \S+copy.wtrace\n")
        self.assertRegex(self.calls(), r"warpsched \S+ --policy rr --gpu gtx480 -o -\n")
        self.assertRegex(self.calls(), r"cachesim - 48 128 6 LRU WTNA --gpu gtx480 --set-index linear ")

    def test_passes_changes_of_the_preset_to_both_tools(self):
        done = self.warpscope("copy.cl", "--set", "cores=2", "--set=l1_ways=8")
        self.assertEqual(done.returncode, 0, done.stderr)
        changed = "--gpu h100 --set cores=2 --set l1_ways=8"
        self.assertRegex(self.calls(), rf"warpsched \S+ --policy warp {changed} -o -\n")
        self.assertRegex(self.calls(), rf"cachesim - {changed} ")

    def test_asks_about_the_simulation_before_it_captures(self):
        done = self.warpscope("copy.cl", "-o", "out", "--policy", "rr", CHECK_STATUS=2)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual((self.folder / "calls.checked").read_text(), "cachesim - --gpu h100 --policy rr --check-options\n")
        self.assertFalse((self.folder / "calls").exists())
        self.assertEqual(self.left_behind(), [])

    def test_the_gpu_comes_from_an_option_or_the_variable(self):
        for words, gpu, expected in ((["--gpu", "v100"], "k40", "v100"), (["--preset", "v100"], "k40", "v100"), ([], "k40", "k40"),
                                     ([], "", "h100")):
            with self.subTest(words):
                self.assertEqual(self.warpscope("copy.cl", *words, gpu=gpu).returncode, 0)
                self.assertRegex(self.calls(), rf"warpsched \S+ --policy warp --gpu {expected} -o -\n\Z|cachesim - --gpu {expected} ")
        done = self.warpscope("copy.cl", gpu="none", CHECK_STATUS=2)
        self.assertIn("told to refuse none", done.stderr)  # the tool reads the variable, and names it
        for words in (["--gpu", "v100", "--preset", "k40"], ["--gpu=v100", "--gpu=k40"]):
            done = self.warpscope("copy.cl", *words)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
            self.assertIn("a GPU is given already (v100)", done.stderr)

    def test_several_gpus_are_one_table(self):
        done = self.warpscope("copy.wtrace", "--gpu", "v100,k40", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("; 2 GPUs\n", done.stdout)
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()),
                         ["report.html", "report.txt", "result-k40.json", "result-v100.json"])
        self.assertIn("Files: out/ (report.txt, report.html, result-v100.json, result-k40.json)\n", done.stdout)
        for words, message in ((["--gpu", "v100,"], "expected different GPUs with a comma"), (["--gpu", "k40,k40"], "expected different GPUs"),
                               (["--gpu", ",".join("abcdefghi")], "9 GPUs, expected at most 8"),
                               (["--gpu", "v100,k40", "--details"], "--details: --gpu v100,k40 compares"),
                               (["--clock", "never"], "--clock never: expected one of auto, fixed, timed, both"),
                               (["--clock", "both", "--policy", "rr"], "--policy is an option of the fixed order")):
            done = self.warpscope("copy.wtrace", *words, "-o", "none")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), words)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.folder / "none").exists())

    def test_details_prints_tables_and_lines(self):
        plain, details = self.warpscope("copy.wtrace", "-o", "out"), self.warpscope("copy.wtrace", "-o", "out", "--details")
        self.assertNotIn("warp accesses", plain.stdout)
        self.assertIn("warp accesses", details.stdout)
        self.assertIn("out[i] = in[i] + in[i + 1];", details.stdout)
        self.assertIn("out[i] = in[i] + in[i + 1];", (self.folder / "out" / "report.txt").read_text())

    def test_what_a_result_says_does_not_reach_the_terminal_as_it_is(self):
        result = support.result()
        evil = "\x1b[2J\u202e"
        result["launches"][0]["kernel"] = result["sources"][0]["text"] = result["buffers"][0]["name"] = evil
        result["context"]["cache"]["replacement"] = evil
        (self.folder / "evil.json").write_text(json.dumps(result))
        done = self.warpscope("report", "evil.json", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in (done.stdout, (self.folder / "out" / "report.txt").read_text()):
            self.assertNotRegex(text, "[\x1b\u202e]")
            self.assertIn("\\x1b[2J\\u{202e}", text)

    def test_a_report_that_nobody_reads_and_a_full_disk(self):
        script = f'set -o pipefail; "{support.SCRIPTS}/warpscope" report result.json -o out --no-plots'
        for rest, status, said in (("| true", 0, ""), ("> /dev/full", 2, "warpscope: output: No space left on device\n")):
            done = subprocess.run(["bash", "-c", f"{script} {rest}"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (status, said))

    def test_takes_a_capture(self):
        done = self.warpscope("copy.wtrace", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("trace-kernel", self.calls())
        self.assertFalse((self.folder / "out" / "copy.wtrace").exists())

    def test_passes_on_bad_input_of_each_tool_and_leaves_only_the_capture(self):
        for tool in ("TRACE_STATUS", "SCHED_STATUS", "SIM_STATUS"):
            with self.subTest(tool):
                done = self.warpscope("copy.cl", "-o", "out", **{tool: 2})
                self.assertEqual(done.returncode, 2)
                # The capture is never deleted.
                kept = [path.name for path in (self.folder / "out").glob("*")]
                self.assertEqual(kept, [] if tool == "TRACE_STATUS" else ["copy.wtrace"])
                self.assertEqual(self.left_behind(), ["out"] if kept else [])

    def test_reports_what_fits_and_exits_3_when_launches_were_skipped(self):
        done = self.warpscope("copy.cl", "-o", "out", SCHED_STATUS=3, SIM_STATUS=3)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertTrue((self.folder / "out" / "result.json").is_file())

    def test_takes_the_kernel_file_behind_options(self):
        self.assertEqual(self.warpscope("--gpu", "v100", "--global", "4", "copy.cl").returncode, 0)
        self.assertRegex(self.calls(), r"trace-kernel copy.cl --global 4 -o ")

    def test_shows_only_the_first_tools_message(self):
        done = self.warpscope("copy.cl", "-o", "out", SCHED_STATUS=2, SIM_STATUS=2)
        self.assertIn("warpsched: told to fail", done.stderr)
        self.assertNotIn("cachesim: told to fail", done.stderr)

    def test_reports_what_it_has_and_exits_3_when_something_could_not_be_traced(self):
        done = self.warpscope("copy.cl", "-o", "out", TRACE_STATUS=3)
        self.assertEqual(done.returncode, 3)
        self.assertTrue((self.folder / "out" / "result.json").is_file())
        self.assertIn("cannot be traced", done.stderr)

    def test_refuses_bad_options(self):
        for words, message in ((["missing.cl"], "missing.cl: No such file"),
                               (["--global", "4", "copy"], "expected a kernel file or a capture, too: warpscope KERNEL.cl --global 4 copy"),
                               (["copy.cl", "--cache", "16,128"], "expected SIZE_KIB,LINE,WAYS,REPLACEMENT,WRITE"),
                               (["copy.wtrace", "--global", "4"], "'--global': not an option here"),
                               (["report"], "expected one result.json"),
                               (["report", "copy.cl"], "copy.cl: not JSON")):
            with self.subTest(words):
                done = self.warpscope(*words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_remakes_a_report(self):
        done = self.warpscope("report", "result.json", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("out[i] = in[i] + in[i + 1];", (self.folder / "out" / "report.txt").read_text())


if __name__ == "__main__":
    unittest.main()
