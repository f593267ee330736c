"""A tool that is interrupted, or fails, leaves no FILE.part of what it was to write, and an older FILE as it was."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from support import BIN, ToolTest, kernel

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU)
DEADLINE_SECONDS = 60


class InterruptedOutputs(ToolTest):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.mm, cls.stream, cls.damaged = folder / "mm.wtrace", folder / "mm.wsched", folder / "damaged.wtrace"
        for tool, words in (("trace-kernel", (kernel("mm"), "--global", "512,512", "--local", "16,16", "-o", cls.mm)),
                            ("trace-kernel", (kernel("mm"), "--global", "128,128", "--local", "16,16", "-o", cls.damaged)),
                            ("warpsched", (cls.damaged, "--gpu", "v100", "-o", cls.stream))):
            subprocess.run([BIN / tool, *words], check=True, capture_output=True)
        content = bytearray(cls.damaged.read_bytes())
        content[len(content) // 2] ^= 1  # in the middle of the work, which has begun by then
        cls.damaged.write_bytes(content)

    def commands(self, capture):
        """Words and the files that they write."""
        yield ("cachesim", capture, "--gpu", "v100", "--json", "a.json"), ["a.json"]
        yield ("cachesim", "timed", capture, "--gpu", "v100", "--json", "a.json"), ["a.json"]
        yield ("cachesim", "sweep", capture, "--gpu", "v100", "--ways", "1-128", "--json", "a.json", "--csv", "a.csv"), ["a.json", "a.csv"]
        yield ("cachesim", capture, "--compare-generations", "--json", "a.json"), ["a.json"]
        yield ("cachesim", "coalesce", capture, "--gpu", "v100", "-o", "a.wtxn"), ["a.wtxn"]
        yield ("warpsched", capture, "--gpu", "v100", "-o", "a.wsched"), ["a.wsched"]
        yield ("warpsched", capture, "--gpu", "v100", "--format", "text", "-o", "a.txt"), ["a.txt"]

    def start(self, words, **options):
        return subprocess.Popen([BIN / words[0], *map(str, words[1:])], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)

    def wait_until_it_writes(self, child, names):
        end = time.monotonic() + DEADLINE_SECONDS
        while not all((self.folder / f"{name}.part").exists() for name in names):
            self.assertIsNone(child.poll(), "ended before it could be interrupted")
            self.assertLess(time.monotonic(), end)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_a_signal_leaves_nothing(self):
        for number, (words, names) in enumerate(self.commands(self.mm)):
            with self.subTest(words):
                for name in names:
                    (self.folder / name).write_text("older")
                child = self.start(words)
                self.wait_until_it_writes(child, names)
                child.send_signal(SIGNALS[number % len(SIGNALS)])
                messages = child.communicate()[1]
                self.assertEqual(child.returncode, -SIGNALS[number % len(SIGNALS)], messages)
                self.assertEqual(self.files(), sorted(names))
                for name in names:
                    self.assertEqual((self.folder / name).read_text(), "older")
                    (self.folder / name).unlink()

    def test_a_signal_that_is_ignored_stays_so(self):
        words, names = ("cachesim", self.mm, "--gpu", "v100", "--json", "a.json"), ["a.json"]
        child = self.start(words, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_until_it_writes(child, names)
        child.send_signal(signal.SIGHUP)
        messages = child.communicate()[1]
        self.assertEqual((child.returncode, messages), (0, b""))
        self.assertEqual(self.files(), names)

    def test_a_failure_leaves_nothing(self):
        for words, _ in self.commands(self.damaged):
            with self.subTest(words):
                self.assert_refused(self.call(*words), r"damaged\.wtrace: .*checksum")
                self.assertEqual(self.files(), [])

    def test_a_stream_that_stops_coming(self):
        """Of a pipe: what was read so far is simulated, the rest never comes."""
        reader, writer = os.pipe()
        child = subprocess.Popen([BIN / "cachesim", "-", "--gpu", "v100", "--json", "a.json"], cwd=self.folder, stdin=reader,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        os.close(reader)
        os.write(writer, self.stream.read_bytes()[:1 << 15])
        self.wait_until_it_writes(child, ["a.json"])
        child.send_signal(signal.SIGINT)
        child.communicate()
        os.close(writer)
        self.assertEqual(child.returncode, -signal.SIGINT)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
