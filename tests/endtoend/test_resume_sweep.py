"""--resume of sweeps: killed at random moments and called again, they write the bytes of an uninterrupted run."""
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from support import BIN, SOURCE
from test_resume import PART, Resume

LRU = ("--ways", "1-128", "--sets", "8-128*2")
OTHERS = ("--index", "linear", "--ways", "1-4", "--sets", "16,32", "--replacement", "LRU,Rand,FIFO,tree-PLRU", "--write", "WTNA,WBWA,WENA")
FEW = ("--index", "linear", "--ways", "1,4", "--sets", "32", "--replacement", "LRU,Rand,FIFO")


class Sweep(Resume):
    OUTPUTS = ("json", "csv")

    def sweep(self, capture, *words):
        return ("sweep", capture, *words)

    def test_one_launch(self):
        kept = [self.killed_again_and_again(*self.sweep(self.mm, *more))
                for more in (("--gpu", "v100", *LRU), ("--gpu", "v100", *LRU, "--threads", "1"), ("--gpu", "gtx480", *OTHERS, "--threads", "3"),
                             ("--gpu", "h100", "--size", "8-128:8", "--classes"), ("--line", "32,128", "--sector", "0,32", *LRU))]
        self.assertTrue(any(kept), kept)

    def test_one_core(self):
        """The configurations are cut where the cores cannot be."""
        for more in ((*LRU, "--index", "linear,xor-fold", "--write", "WTNA,WBWA,WENA,WTWA", "--threads", "1"), (*OTHERS, "--threads", "1"), (*OTHERS, "--threads", "5"),
                     ("--gpu", "v100", "--core", "3", *OTHERS, "--line", "64,128", "--sector", "0")):
            self.killed_again_and_again(*self.sweep(self.mm, *more))

    def test_several_launches(self):
        for more in (("--gpu", "h100", "--ways", "1-16", "--sets", "16-64*2"), (*FEW, "--cores", "5", "--seed", "3"), ("--gpu", "gtx480", "--keep-l1", *FEW),
                     ("--gpu", "gtx480", "--launch", "3-40", *LRU, "--assign", "random"), (*LRU, "--cores", "1")):
            self.killed_again_and_again(*self.sweep(self.solver, *more))

    def test_the_own_point_follows_the_launches(self):
        self.killed_again_and_again(*self.sweep(self.local, "--gpu", "v100", *LRU))

    def test_other_threads_go_on(self):
        for more in (("--gpu", "v100", *LRU), LRU):
            words = self.sweep(self.mm, *more)
            expected = self.whole(*words)[0]
            self.begin(*words, "--threads", "1")
            self.assertEqual(self.finish(*words, "--threads", "5", "--top", "3"), expected)

    def test_whatever_becomes_of_the_part(self):
        self.damaged_again_and_again(*self.sweep(self.solver, "--gpu", "gtx480", *LRU))

    def test_another_command_is_refused(self):
        words = self.sweep(self.mm, "--gpu", "v100", *LRU)
        self.assert_others_are_refused(
            words, (((*words[:-1], "8-64*2"), "--sets"), ((*words, "--write", "WBWA"), "--write"), ((*words, "--classes"), "--classes"),
                    (self.sweep(self.mm, "--gpu", "a100", *LRU), "--gpu"), (self.sweep(self.local, "--gpu", "v100", *LRU), "capture"),
                    ((self.mm, "--gpu", "v100"), "command")))

    def test_another_version_is_refused(self):
        words = self.sweep(self.mm, *LRU)
        commit = re.search(r"\(([\w-]+)\)", self.run_tool("cachesim", "--version").decode()).group(1).encode()
        program = (BIN / "cachesim").read_bytes()
        other = self.folder / "cachesim"
        other.write_bytes(program.replace(commit, commit[::-1]))
        other.chmod(0o755)
        subprocess.run([other, *words, *self.options("x"), "--resume", "--keep-resume"], cwd=self.folder, check=True, capture_output=True)
        self.assert_refused(self.call("cachesim", *words, *self.options("x"), "--resume"), "is of a run with another version")

    def test_what_cannot_be_kept_is_refused(self):
        self.run_tool("warpsched", self.mm, "-o", "mm.wsched")
        self.run_tool("cachesim", "coalesce", self.mm, "-o", "mm.wtxn")
        for words, message in (((self.mm, *LRU), "expected --json FILE or --csv FILE as well"),
                               ((self.mm, *LRU, "--json", "-"), "expected --json FILE or --csv FILE as well"),
                               (("mm.wsched", *LRU, "--json", "x.json"), "is a binary stream and is read in one go, expected a capture"),
                               (("mm.wtxn", *LRU, "--json", "x.json"), "is read in one go, expected a capture")):
            self.assert_refused(self.call("cachesim", "sweep", *words, "--resume"), message)
        self.assert_refused(self.call("cachesim", "sweep", self.mm, *LRU, "--keep-resume"), "expected --resume as well")
        self.assertFalse(self.part.exists())

    def test_a_table_alone(self):
        words = ("cachesim", "sweep", self.mm, "--gpu", "v100", *LRU, "--csv")
        self.run_tool(*words, "whole.csv")
        self.run_tool(*words, "x.csv", "--json", "-", "--resume", "--keep-resume")
        self.assertTrue((self.folder / "x.csv.resume").exists())
        self.run_tool(*words, "x.csv", "--resume")
        self.assertEqual((self.folder / "x.csv").read_bytes(), (self.folder / "whole.csv").read_bytes())
        self.assertFalse((self.folder / "x.csv.resume").exists())

    def test_a_signal_says_how_to_go_on(self):
        self.signals_say_how_to_go_on("cachesim sweep", *self.sweep(self.mm, "--gpu", "v100", *LRU))

    def test_a_full_disk_keeps_what_was_kept(self):
        self.full_disk_keeps_what_was_kept(*self.sweep(self.mm, "--gpu", "v100", *LRU))

    def test_a_damaged_capture_is_refused_as_without(self):
        content = bytearray(self.mm.read_bytes())
        content[len(content) // 2] ^= 1
        (self.folder / "damaged.wtrace").write_bytes(content)
        words = ("cachesim", "sweep", "damaged.wtrace", "--gpu", "v100", *LRU, "--json", "x.json")
        without = self.call(*words)
        self.assertEqual(without.returncode, 2)
        self.assertEqual(self.call(*words, "--resume").stderr, without.stderr)


class TimedSweep(Resume):
    """scripts/timed-sweep keeps the combinations that are done."""

    WORDS = ("--gpu", "v100,gtx480", "--set", "l1_hit_latency_cycles=20,28,40", "--warp-scheduler", "lrr,gto", "--launch", "0,5")

    def command(self, *words):
        return [sys.executable, str(SOURCE / "scripts" / "timed-sweep"), str(self.solver), *words]

    def begin_sweep(self, *words):
        return subprocess.Popen(self.command(*words), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, "WARPSCOPE_BIN": str(BIN)}, start_new_session=True)

    def sweep(self, *words):
        child = self.begin_sweep(*words)
        output, messages = child.communicate()
        return child.returncode, output, messages.decode()

    def kept_rows(self):
        return self.part.read_bytes().count(b"\n") - 1 if self.part.exists() else 0

    def interrupt_sweep(self, number, rows):
        """After so many rows more; what it says."""
        rows += self.kept_rows()
        child = self.begin_sweep(*self.WORDS, "--json", "x.json", "--resume", "--threads", "2")
        while self.kept_rows() < rows:
            self.assertIsNone(child.poll())
            time.sleep(0.005)
        if number == signal.SIGKILL:
            os.killpg(child.pid, number)
        else:
            child.send_signal(number)
        messages = child.communicate()[1].decode()
        self.assertNotEqual(child.returncode, 0)
        self.assertGreaterEqual(self.kept_rows(), rows)
        return messages

    def test_goes_on(self):
        status, table, messages = self.sweep(*self.WORDS, "--json", "whole.json")
        self.assertEqual((status, messages), (0, ""))
        self.interrupt_sweep(signal.SIGKILL, 3)
        self.assertEqual(self.interrupt_sweep(signal.SIGTERM, 3), f"timed-sweep: interrupted; the same command goes on from {PART}\n")
        self.part.write_bytes(self.part.read_bytes()[:-7])
        self.assertEqual(self.sweep(*self.WORDS, "--json", "x.json", "--resume", "--threads", "1"), (0, table, ""))
        self.assertEqual((self.folder / "x.json").read_bytes(), (self.folder / "whole.json").read_bytes())
        self.assertFalse(self.part.exists())

    def test_rows_that_are_there_are_not_simulated_again(self):
        self.interrupt_sweep(signal.SIGTERM, 5)
        kept = self.part.read_bytes()
        first, row = kept.splitlines(keepends=True)[:2]
        content = json.loads(row.partition(b" ")[2])
        content["row"]["cycles"] = 12345678
        text = json.dumps(content).encode()
        self.part.write_bytes(first + hashlib.blake2b(text, digest_size=8).hexdigest().encode() + b" " + text + b"\n")
        self.assertEqual(self.sweep(*self.WORDS, "--json", "x.json", "--resume")[0], 0)
        self.assertEqual((self.folder / "x.json").read_text().count('"cycles": 12345678'), 1)

    def test_a_damaged_row_is_simulated_again(self):
        self.sweep(*self.WORDS, "--json", "whole.json")
        self.interrupt_sweep(signal.SIGTERM, 5)
        self.part.write_bytes(self.part.read_bytes().replace(b'"cycles": ', b'"cycles": 1'))
        self.assertEqual(self.sweep(*self.WORDS, "--json", "x.json", "--resume")[0], 0)
        self.assertEqual((self.folder / "x.json").read_bytes(), (self.folder / "whole.json").read_bytes())

    def test_refusals(self):
        self.interrupt_sweep(signal.SIGTERM, 1)
        part = self.part.read_bytes()
        words = [*self.WORDS, "--json", "x.json", "--resume"]
        for other, message in (([*words, "--unroll", "2"], "another options"), (["--partial", *words], "another options")):
            status, _, messages = self.sweep(*other)
            self.assertEqual(status, 2)
            self.assertIn(f"{PART}: is of a run with {message}, expected one of this command; remove it to begin anew\n", messages)
        self.assertEqual(self.part.read_bytes(), part)
        self.part.write_bytes(b"x" + part)
        self.assertIn("was not left by an interrupted run", self.sweep(*words)[2])
        self.assertIn("expected --json FILE as well", self.sweep(*self.WORDS, "--resume")[2])

    def test_nothing_is_left_of_a_failure(self):
        self.assertEqual(self.sweep("--gpu", "v100", "--warp-scheduler", "nosuch", "--json", "x.json", "--resume")[0], 2)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
