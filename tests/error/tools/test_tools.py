"""Every tool and subcommand meets the same arguments: help, version, options that do not exist, inputs that are none, GPUs that
contradict each other, disks that are full. One line, the documented status, nothing that a terminal would obey."""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "tests" / "endtoend"))
from support import BIN, ToolTest  # noqa: E402

CACHE = ("16", "128", "4", "LRU", "WTNA")
# Command, and what it needs behind its input.
COMMANDS = {("trace-view",): (), ("trace-check",): (), ("trace-change",): ("--groups", "morton", "-o", "out"),
            ("warpsched",): ("--policy", "warp"), ("cachesim",): CACHE,
            ("cachesim", "coalesce"): ("-o", "out"), ("cachesim", "sweep"): ("--ways", "1-2", "--sets", "32"),
            ("cachesim", "timed"): ("--gpu", "gtx480"), ("cachesim", "infer"): (), ("machine-code",): (), ("trace-kernel",): (), ("launch-file",): ()}
if not (BIN / "trace-kernel").exists():  # a build without the OpenCL parts
    del COMMANDS[("trace-kernel",)], COMMANDS[("launch-file",)]
ONE_GO = "a simulation runs in one go, expected no such option; trace-kernel and warpscope study have it"
# Options of the last release, with what replaces them.
REMOVED = [(command, option, ONE_GO) for command in (("cachesim",), ("cachesim", "sweep"), ("cachesim", "timed"))
           for option in ("--resume", "--keep-resume")]
REMOVED += [(("cachesim", "timed"), option, f"expected --set {instead}") for option, instead in (
    ("--unroll", "unrolled_iterations=N"), ("--predicated", "predicated_instructions=N"), ("--independent", "dependence_distance=N"),
    ("--allocate-on-fill", "l1_allocates_on_fill=true"), ("--l1-stages", "l1_stages=wavefronts or "), ("--l2", "l2_keeps_content=false"),
    ("--l2-slice-index", "l2_slice_index=INDEX"), ("--l2-set-index", "l2_set_index=INDEX"), ("--ideal", "ideal=issue or "))]
REMOVED.append((("cachesim", "timed"), "--sample-cores", "its intervals did not hold the whole GPU's cycles, expected --sample-launches N"))
WITH_GPU = [("warpsched",), ("cachesim",), ("cachesim", "coalesce"), ("cachesim", "sweep"), ("cachesim", "timed")]
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
WITHOUT_GPU = {"WARPSCOPE_GPU": ""}


class EveryTool(ToolTest):
    def setUp(self):
        super().setUp()
        lines = [f"0x{0x1000 + 4 * lane:x} R {lane // 64} {lane % 64 // 32} 1" for lane in range(256)]
        (self.folder / "text").write_text("\n".join(["32 4", *lines]) + "\n")

    def walk(self):
        return [(command[0], command[1:], rest) for command, rest in COMMANDS.items()]

    def refused(self, tool, *words, expected, **more):
        done = self.call(tool, *words, **{"environment": WITHOUT_GPU, **more})
        text = done.stderr.decode()
        self.assertEqual((done.returncode, text.count("\n"), done.stdout or b""), (2, 1, b""), (tool, words, text[:500]))
        self.assertTrue(text.startswith(f"{tool}: "), (words, text[:500]))
        self.assertLess(len(text), 2100)
        self.assertIsNone(CONTROL.search(text), repr(text))
        self.assertRegex(text, expected, (tool, words))
        self.assertEqual([path.name for path in self.folder.iterdir() if ".part" in path.name], [])

    def test_helps_and_says_its_version(self):
        for tool, sub, _ in self.walk():
            done = self.call(tool, *sub, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(b"--version" in done.stdout, not sub)  # of a subcommand only with --help-all
            done = self.call(tool, *sub, "--version")
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertRegex(done.stdout.decode(), rf"^{tool} [0-9]+\.[0-9]+\.[0-9]+ \(.+\)\n$")

    def test_one_list_of_options_for_help_and_scripts(self):
        shown = re.compile(r"(?m)^ {1,4}(?:-\w \[ )?(--[a-z][a-z0-9-]*)")
        for tool, sub, _ in self.walk():
            usual, everything = (set(shown.findall(self.run_tool(tool, *sub, word).decode())) for word in ("--help", "--help-all"))
            listed = json.loads(self.run_tool(tool, *sub, "--options-json"))
            self.assertEqual(listed["command"], " ".join((tool, *sub)))
            names = {one["name"] for one in listed["options"]}
            self.assertEqual((len(names), names), (len(listed["options"]), everything), tool)
            rare = {one["name"] for one in listed["options"] if one["shown"] == "help-all"}
            self.assertEqual(usual, everything - rare, (tool, sub))
            self.assertTrue(all(one["meaning"] and one["group"] for one in listed["options"]))

    def test_what_the_list_says_of_an_option(self):
        listed = {one.pop("name"): one for one in json.loads(self.run_tool("warpsched", "--options-json"))["options"]}
        self.assertEqual(listed["--output"], {"alias": "-o", "kind": "value", "value": "STREAM", "default": None, "group": "Output", "shown": "help",
                                              "meaning": "where the stream goes (default -, standard output)"})
        self.assertEqual([listed["--format"][key] for key in ("alias", "value", "default")], [None, "F", "binary"])
        self.assertEqual([listed["--partial"][key] for key in ("kind", "value")], ["switch", None])
        self.assertEqual([listed["--set"][key] for key in ("kind", "value")], ["list", "KEY=VALUE"])
        self.assertEqual(listed["--layout-seed"]["shown"], "help-all")

    def test_options_of_the_last_release_name_what_replaces_them(self):
        for command, option, instead in REMOVED:
            for word in (option, f"{option}=1"):
                self.refused(command[0], *command[1:], "text", *COMMANDS[command], word, expected=re.escape(f": {option}: {instead}"))

    def test_options_that_do_not_exist(self):
        for tool, sub, rest in self.walk():
            self.refused(tool, *sub, "text", *rest, "--no-such-option", expected="no-such-option")
            self.refused(tool, *sub, "text", *rest, "--no-\x1b[2J", expected=re.escape("\\x1b[2J"))

    def test_inputs_that_are_none(self):
        (self.folder / "empty").write_bytes(b"")
        for tool, sub, rest in self.walk():
            self.refused(tool, *sub, expected="no input|no capture|no launch file|no result|0 files|expected one of")
            self.refused(tool, *sub, "none", *rest, expected="none: cannot read")
            self.refused(tool, *sub, self.folder, *rest, expected="cannot read: Is a directory|cannot read")
            self.refused(tool, *sub, "n" * 300, *rest, expected="nnn…nnn.*cannot read: File name too long")
            self.refused(tool, *sub, "no\x1b[2J\u202ene", *rest, expected=re.escape("no\\x1b[2J\\u{202e}ne"))
            self.refused(tool, *sub, "/dev/zero", *rest, expected="/dev/zero: |no.*file")
            if tool != "trace-kernel":  # an empty program has no kernel
                self.refused(tool, *sub, "empty", *rest, expected="empty")

    def test_output_that_cannot_be_written(self):
        for tool, sub, _ in self.walk():
            with open("/dev/full", "wb") as full:
                self.refused(tool, *sub, "--help", stdout=full, expected="standard output: cannot write|cannot write to file")

    def test_options_are_checked_before_the_input(self):
        for words, expected in ((("warpsched", "none", "--format", "x"), "--format x"),
                                (("warpsched", "none", "--policy", "x"), "--policy x"),
                                (("warpsched", "none", "--assign", "nowhere"), "--assign nowhere: cannot read"),
                                (("cachesim", "none", *CACHE, "--policy", "x"), "--policy x"),
                                (("cachesim", "none", *CACHE, "--assign", "nowhere"), "--assign nowhere"),
                                (("cachesim", "sweep", "none", "--gpu", "gtx480", "--ways", "1", "--policy", "x"), "--policy x"),
                                (("cachesim", "timed", "none", "--gpu", "v100", "--warp-scheduler", "x"), "'x' is not a warp sch"),
                                (("cachesim", "timed", "none", "--gpu", "v100", "--set", "l2_slice_index=x"), "l2_slice_index x"),
                                (("cachesim", "timed", "none", "--gpu", "v100", "--assign", "nowhere"), "--assign nowhere")):
            with self.subTest(words):
                self.refused(*words, expected=expected)
        for words in (("cachesim", "none", *CACHE, "--check-options"),
                      ("cachesim", "timed", "none", "--gpu", "v100", "--check-options")):
            done = self.call(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_gpus_that_are_none(self):
        good = json.loads((SOURCE / "gpus" / "gtx480.json").read_text(encoding="utf-8"))
        deep = "[" * 100_000 + "]" * 100_000
        for name, text in (("deep.json", deep), ("wide.json", '{"description": 1e999}'), ("none.json", "none"),
                           ("short.json", json.dumps({"description": "x"})), ("list.json", "[]"),
                           ("type.json", json.dumps({**good, "cores": {"value": "\x1b[2J", "source": "x"}}))):
            (self.folder / name).write_text(text)
        (self.folder / "zero.json").symlink_to("/dev/zero")
        for command in WITH_GPU:
            rest = [word for word in COMMANDS[command] if word not in ("--gpu", "gtx480", *CACHE)]
            words = (*command, "none", *rest)
            with self.subTest(command):
                for name in ("deep.json", "wide.json", "none.json", "short.json", "list.json", "type.json", "zero.json"):
                    self.refused(*words, "--gpu", name, expected=f"{name}: ")
                self.refused(*words, "--gpu", f"{self.folder}/", expected="Is a directory")
                self.refused(*words, "--gpu", "g" * 256, expected="--gpu ggg.*…ggg.*: unknown GPU, expected one of .*gtx480")
                self.refused(*words, "--preset", "nothing", expected="--preset nothing: unknown GPU")
                self.refused(*words, "--gpu", "gtx480", "--preset", "v100", expected="--gpu gtx480 and --preset v100: .*expected one")
                self.refused(*words, environment={"WARPSCOPE_GPU": "nothing"}, expected="WARPSCOPE_GPU nothing: unknown GPU")
                for change in ("l1_ways=1e999", "l1_ways=" + "[" * 50_000, "no=1", "l1_ways"):
                    self.refused(*words, "--gpu", "gtx480", "--set", change, expected="--set ")

    def test_machines_that_nothing_here_simulates(self):
        for command in WITH_GPU:
            for change, expected in (("warp_size=65", "warp_size=65: expected a whole number from 1 to 64 or unknown"),
                                     ("warp_size=4294967295", "from 1 to 64"), ("cores=65537", "from 1 to 65536"),
                                     ("l2_hit_latency_cycles=100000000", "=100000000: expected a number from 0.001 to 100000 or unknown"),
                                     ("dram_latency_cycles=1e300", "to 100000 or"), ("l2_bytes_per_cycle_per_slice=1e-300", "from 0.001 to 1000000"), ("int_alu_per_cycle=1e-6", "from 0.001 to 1000000"),
                                     ("l2_size_kib=4294967295", "to 1048576 or"), ("l1_ways=33554432", "to 65536 or"),
                                     ("l1_ways=65536", "l1_size_kib is 262144, expected a whole number from 0 to 65536")):
                self.refused(*command, "none", "--gpu", "gtx480", "--set", change, expected=expected)

    def result(self, *words, environment=None):
        done = self.call("cachesim", "text", *words, "--json", "-", environment={**WITHOUT_GPU, **(environment or {})})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_gpu_by_option_by_alias_and_by_variable(self):
        by_option = self.result("--gpu", "gtx480")
        self.assertEqual(json.loads(by_option)["context"]["preset"]["name"], "gtx480")
        self.assertEqual(self.result("--preset=gtx480"), by_option)
        self.assertEqual(self.result(environment={"WARPSCOPE_GPU": "gtx480"}), by_option)
        # Whoever names a GPU means that one.
        self.assertEqual(self.result("--gpu", "gtx480", environment={"WARPSCOPE_GPU": "v100"}), by_option)

    def test_a_cache_in_five_words_does_not_depend_on_the_variable(self):
        plain = self.result(*CACHE)
        self.assertIsNone(json.loads(plain)["context"]["preset"])
        self.assertEqual(self.result(*CACHE, environment={"WARPSCOPE_GPU": "v100"}), plain)
        self.assertEqual(self.result(*CACHE, environment={"WARPSCOPE_GPU": "nothing"}), plain)

    def test_a_sweep_prints_the_same_every_time(self):
        runs = [self.run_tool("cachesim", "sweep", "text", *COMMANDS[("cachesim", "sweep")], environment=WITHOUT_GPU) for _ in "ab"]
        self.assertEqual(runs[0], runs[1])
        self.assertNotRegex(runs[0].decode(), r"[0-9] s\n")

    def test_a_closed_standard_output_is_no_place_for_a_report(self):
        """What is opened first must not take the number of standard output."""
        script = f'"{BIN}/cachesim" text {" ".join(CACHE)} --json result.json >&-'
        done = self.shell(script)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        if (self.folder / "result.json").exists():
            json.loads((self.folder / "result.json").read_text())

    def shell(self, script):
        return subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, env={**os.environ, **WITHOUT_GPU})

    def test_a_reader_that_has_gone(self):
        for command in (f"cachesim text {' '.join(CACHE)}", "cachesim --help", "warpsched --help", "cachesim sweep --help",
                        f"cachesim text {' '.join(CACHE)} --json -"):
            with self.subTest(command):
                reader, writer = os.pipe()
                os.close(reader)  # before the tool starts, so that nothing depends on who is faster
                tool, *words = command.split()
                done = subprocess.run([f"{BIN}/{tool}", *words], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE,
                                      env={**os.environ, **WITHOUT_GPU})
                os.close(writer)
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_tables_that_are_none(self):
        for name, text in (("nul.csv", "a\0b"), ("escape.csv", "\x1b[2J,b\n1,2\n"), ("long.csv", "x" * 300_000),
                           ("column.csv", "pattern,step,places\x85\n")):
            (self.folder / name).write_text(text)
            self.refused("cachesim", "infer", name, expected=name)

    def test_text_streams_that_are_none(self):
        for name, text in (("words", "32 4\n" + "y" * 200_000 + "\n"), ("escape", "32 4\n0x1 R \x1b[2J 0 1\n"),
                           ("endless", "32 4\n" + "0" * (2 << 20)), ("warp", "65 4\n"), ("group", "32 1\n0x1 R 1 0 1\n")):
            (self.folder / name).write_text(text)
            self.refused("cachesim", name, *CACHE, expected=f"{name}:")

    def test_launch_files_that_are_none(self):
        if ("trace-kernel",) not in COMMANDS:
            return
        (self.folder / "k.cl").write_text("__kernel void k(__global int* a) { a[get_global_id(0)] = 1; }\n")
        deep = "[" * 100_000
        for name, text, expected in (("deep", '{"global": ' + deep, "deep:1: .*nested more than 64 deep"),
                                     ("wide", '{"global": 1e999}', "finite numbers"),
                                     ("none", "// only a comment\n", "none:[0-9]+: not valid JSON"),
                                     ("key", json.dumps({"\x1b[2J" + "k" * 5000: 1}), "unknown key"),
                                     ("size", json.dumps({"global": [0]}), "global"),
                                     ("type", json.dumps({"global": {"x": "\x1b"}}), "global")):
            (self.folder / name).write_text(text)
            self.refused("trace-kernel", "k.cl", "--launch-file", name, expected=expected)
        self.refused("trace-kernel", "k.cl", "--launch-file", "/dev/zero", expected="/dev/zero: has a line of more than 1 MiB")
        self.refused("trace-kernel", "k.cl", "--launch-file", self.folder, expected="cannot read: Is a directory")


if __name__ == "__main__":
    unittest.main()
