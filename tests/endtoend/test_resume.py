"""cachesim --resume: killed at random moments and called again, it writes the bytes of an uninterrupted run."""
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import unittest

from support import BIN, SOURCE, ToolTest, kernel

PROGRAM = SOURCE / "validation" / "launch_programs.py"
KILLS = 4
PART = "x.json.resume"


class Resume(ToolTest):
    OUTPUTS = ("json",)

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.mm, cls.solver, cls.local = folder / "mm.wtrace", folder / "solver.wtrace", folder / "local.wtrace"
        for path, words in ((cls.mm, (kernel("mm"), "--global", "256,256", "--local", "16,16")),
                            (cls.local, (kernel("mm_tiled"), "--global", "128,128")),
                            (cls.solver, ("--", "/usr/bin/python3", PROGRAM, "multigrid", "6"))):
            subprocess.run([BIN / "trace-kernel", "-o", path, *words], check=True, capture_output=True, env=os.environ)

    def setUp(self):
        super().setUp()
        self.random = random.Random(self.id())
        self.part = self.folder / PART

    def options(self, name):
        """For the outputs, NAME.json and so on."""
        return [word for kind in self.OUTPUTS for word in (f"--{kind}", f"{name}.{kind}")]

    def content(self, name):
        return b"".join((self.folder / f"{name}.{kind}").read_bytes() for kind in self.OUTPUTS)

    def start(self, *words):
        return subprocess.Popen([BIN / "cachesim", *map(str, words), *self.options("x"), "--resume"], cwd=self.folder,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def whole(self, *words):
        """The bytes of an uninterrupted run without --resume, and its seconds."""
        began = time.monotonic()
        self.run_tool("cachesim", *words, *self.options("whole"))
        return self.content("whole"), time.monotonic() - began

    def assert_others_are_refused(self, words, others):
        """What is kept of a run with `words` is of no other run, (words, what differs) each, and stays as it is."""
        part = self.begin(*words)
        for other, difference in others:
            with self.subTest(other):
                self.assert_refused(
                    self.call("cachesim", *other, "--json", "x.json", "--resume"),
                    rf"{PART}: is of a run with another {difference}, expected one of this command; remove it to begin anew")
        self.assertEqual(self.part.read_bytes(), part)
        self.assertEqual(self.finish(*words), self.whole(*words)[0])

    def interrupt(self, words, seconds, number=signal.SIGKILL):
        """Once, at a random moment; whether it was before the end."""
        child = self.start(*words)
        try:
            child.communicate(timeout=self.random.uniform(0, seconds))
        except subprocess.TimeoutExpired:
            child.send_signal(number)
        self.messages = child.communicate()[1]
        self.assertIn(child.returncode, (0, -number), self.messages)
        return child.returncode != 0

    def finish(self, *words):
        done = self.call("cachesim", *words, *self.options("x"), "--resume")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertFalse(self.part.exists())
        return self.content("x")

    def begin(self, *words, below=None):
        """Leaves a part of such a run, of less than `below` bytes if that is given, or fails."""
        seconds = self.whole(*words)[1]
        for _ in range(50):
            if self.interrupt(words, seconds) and self.part.exists() and (below is None or self.part.stat().st_size < below):
                return self.part.read_bytes()
            self.part.unlink(missing_ok=True)
        return self.fail("was never interrupted with something to keep")

    def size_of_all(self, *words):
        """Bytes of what is kept when the run is at its end."""
        self.run_tool("cachesim", *words, *self.options("x"), "--resume", "--keep-resume")
        size = self.part.stat().st_size
        self.part.unlink()
        return size

    def killed_again_and_again(self, *words):
        expected, seconds = self.whole(*words)
        kept = 0
        for _ in range(KILLS):
            if not self.interrupt(words, seconds):
                break
            kept = max(kept, self.part.stat().st_size if self.part.exists() else 0)
        self.assertEqual(self.finish(*words), expected, words)
        return kept

    def damaged_again_and_again(self, *words):
        expected = self.whole(*words)[0]
        part = self.begin(*words)
        for _ in range(20):
            damaged = bytearray(part)
            if self.random.random() < 0.5:
                del damaged[self.random.randrange(len(damaged)):]
            else:
                damaged[self.random.randrange(len(damaged))] ^= 1 << self.random.randrange(8)
            self.part.write_bytes(damaged)
            done = self.call("cachesim", *words, *self.options("x"), "--resume")
            if done.returncode == 0:
                self.assertEqual(self.content("x"), expected)
            else:
                self.assert_refused(done, rf"\Acachesim: {PART}: .*\n\Z")
                self.assertEqual(self.part.read_bytes(), damaged, "it stays as it is")

    def full_disk_keeps_what_was_kept(self, *words):
        # A part that lacks little fits into the limit, and then it is the result that does not.
        size = len(self.begin(*words, below=self.size_of_all(*words) - 4096))
        limit = f"ulimit -f {size // 1024 + 1}; exec "  # KiB
        done = subprocess.run(["bash", "-c", limit + f"{BIN}/cachesim {' '.join(map(str, [*words, *self.options('x')]))} --resume"],
                              cwd=self.folder, capture_output=True)
        self.assert_refused(done, rf"\Acachesim: {PART}: cannot write: File too large\n\Z")
        self.assertGreaterEqual(self.part.stat().st_size, size)
        self.assertEqual(self.finish(*words), self.whole(*words)[0])

    def signals_say_how_to_go_on(self, tool, *words):
        seconds = self.whole(*words)[1]
        for number in (signal.SIGINT, signal.SIGTERM):
            while not (self.interrupt(words, seconds, number) and self.messages):
                pass
            self.assertEqual(self.messages.decode(), f"{tool}: interrupted; the same command goes on from {PART}\n")
            self.assertEqual(list(self.folder.glob("*.part")), [])


class FixedOrder(Resume):
    def test_one_launch(self):
        kept = [self.killed_again_and_again(self.mm, "--gpu", "v100", *more)
                for more in ((), ("--threads", "1"), ("--threads", "3", "--no-classes"), ("--reuse-histogram",),
                             ("--sample-cores", "20"))]
        self.assertTrue(any(kept))

    def test_several_launches(self):
        for more in (("--gpu", "h100"), ("16", "128", "4", "Rand", "WBWA", "--cores", "5", "--seed", "3"), ("--gpu", "k40", "--reuse-by-source"),
                     ("--gpu", "gtx480", "--keep-l1"), ("--gpu", "v100", "--sample-launches", "30"), ("--gpu", "v100", "--repeat", "2"),
                     ("--gpu", "gtx480", "--launch", "3-40", "--self-check")):
            self.killed_again_and_again(self.solver, *more)

    def test_local_memory_takes_its_part(self):
        self.killed_again_and_again(self.local, "--gpu", "v100", "--reuse-histogram")

    def test_other_threads_go_on(self):
        expected = self.whole(self.mm, "--gpu", "v100")[0]
        self.begin(self.mm, "--gpu", "v100", "--threads", "1")
        self.assertEqual(self.finish(self.mm, "--gpu", "v100", "--threads", "5", "--top", "3"), expected)

    def test_whatever_becomes_of_the_part(self):
        self.damaged_again_and_again(self.solver, "--gpu", "gtx480")

    def test_another_command_is_refused(self):
        words = (self.mm, "--gpu", "v100", "--seed", "1")
        self.assert_others_are_refused(
            words, (((self.mm, "--gpu", "v100", "--seed", "2"), "--seed"), ((self.mm, "--gpu", "v100"), "--seed"),
                    ((self.mm, "--gpu", "a100", "--seed", "1"), "--gpu"), ((*words, "--no-classes"), "--no-classes"),
                    ((*words, "--set", "l1_replacement=FIFO"), "--gpu"), ((self.local, *words[1:]), "capture"), (("timed", *words), "command")))

    def test_what_cannot_be_kept_is_refused(self):
        self.run_tool("warpsched", self.mm, "-o", "mm.wsched")
        for words, message in (((self.mm, "--gpu", "v100"), "expected --json FILE as well"),
                               ((self.mm, "--gpu", "v100", "--json", "-"), "expected --json FILE as well"),
                               (("mm.wsched", "--gpu", "v100", "--json", "x.json"),
                                "is a binary stream and is read in one go, expected a capture"),
                               ((self.mm, "--gpu", "v100", "--json", "x.json", "--budget", "5s"),
                                "--resume and --budget: .*expected one of them"),
                               ((self.mm, "--compare-generations", "--json", "x.json"), "--resume: --compare-generations")):
            self.assert_refused(self.call("cachesim", *words, "--resume"), message)
        self.assert_refused(self.call("cachesim", self.mm, "--gpu", "v100", "--keep-resume"), "expected --resume as well")
        self.assertFalse(self.part.exists())

    def test_a_signal_says_how_to_go_on(self):
        self.signals_say_how_to_go_on("cachesim", self.mm, "--gpu", "v100")

    def test_one_at_a_time(self):
        words = (self.mm, "--gpu", "v100")
        self.begin(*words)
        with open(self.part, "rb") as part:
            subprocess.run(["flock", "-n", str(part.fileno())], pass_fds=[part.fileno()], check=True)
            self.assert_refused(self.call("cachesim", *words, "--json", "x.json", "--resume"), "another program is writing it")

    def test_a_full_disk_keeps_what_was_kept(self):
        self.full_disk_keeps_what_was_kept(self.mm, "--gpu", "v100")

    def test_keep_resume_leaves_it_for_more(self):
        words = (self.mm, "--gpu", "v100")
        expected = self.whole(*words)[0]
        for _ in range(2):
            self.run_tool("cachesim", *words, "--json", "x.json", "--resume", "--keep-resume")
            self.assertEqual((self.folder / "x.json").read_bytes(), expected)
            self.assertTrue(self.part.exists())


class Timed(Resume):
    def test_several_launches(self):
        kept = [self.killed_again_and_again("timed", self.solver, "--gpu", *more)
                for more in (("v100",), ("h100", "--timeline", "1000"), ("gtx480", "--effects"), ("v100", "--repeat", "2", "--launch", "0-60"),
                             ("rtx4090", "--sample-launches", "30", "--threads", "3"), ("v100", "--l2", "cold"))]
        self.assertTrue(any(kept))

    def test_launches_that_are_done_are_not_simulated_again(self):
        words = ("timed", self.solver, "--gpu", "v100")
        expected, seconds = self.whole(*words)
        self.run_tool("cachesim", *words, "--json", "x.json", "--resume", "--keep-resume")
        began = time.monotonic()
        self.assertEqual(self.finish(*words), expected)
        self.assertLess(time.monotonic() - began, seconds)

    def test_what_is_not_kept_is_refused(self):
        for words in (("--sample-cores", "8"), ("--write-assignment", "a"), ("--budget", "5s")):
            self.assert_refused(self.call("cachesim", "timed", self.solver, "--gpu", "v100", "--json", "x.json", "--resume", *words),
                                f"--resume and {words[0]}: .*expected one of them")


class WholePath(Resume):
    """warpscope keeps what each simulation has done in its folder."""

    def warpscope(self, *words):
        return ["warpscope", str(self.solver), "--gpu", "v100", "--no-plots", "--advice-seconds", "0", "--resume", "-o", "out", *words]

    def test_goes_on_with_what_is_in_the_folder(self):
        words = self.warpscope("--clock", "both")
        self.run_tool(*words)
        out = self.folder / "out"
        whole = (out / "result.json").read_bytes()
        (out / "result.json").unlink()
        kept = set()
        for turn in range(12):
            child = subprocess.Popen([BIN / words[0], *words[1:]], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, start_new_session=True)
            try:
                child.communicate(timeout=self.random.uniform(0.3, 3))
                break
            except subprocess.TimeoutExpired:
                if turn % 2:
                    os.killpg(child.pid, signal.SIGKILL)
                else:
                    child.send_signal(signal.SIGTERM)
                messages = child.communicate()[1].decode()
                if messages and list(out.glob("*.resume")):  # it may have ended before it could say anything
                    self.assertIn("the same command goes on from there", messages)
            kept |= {path.name for path in out.glob("*.resume")}
        self.run_tool(*words)
        self.assertEqual((out / "result.json").read_bytes(), whole)
        self.assertLessEqual(kept, {"result.json.resume", "result-timed.json.resume"})
        self.assertEqual(list(out.glob("*.resume")), [])

    def test_of_a_kernel(self):
        words = ("warpscope", kernel("gather"), "--global", "8192", "--local", "64", "--no-plots", "--advice-seconds", "0", "--resume",
                 "-o", "out")
        self.run_tool(*words)
        self.run_tool(*words)
        self.assertEqual([path.name for path in (self.folder / "out").glob("*.part")] + list((self.folder / "out").glob("*.resume")), [])


if __name__ == "__main__":
    unittest.main()
