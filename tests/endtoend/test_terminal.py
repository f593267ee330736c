"""What a recording that takes long says on a terminal: how long, and how to take less."""
import os
import pty
import select
import signal
import subprocess
import time
import unittest

from support import BIN, ToolTest, kernel

DEADLINE_SECONDS = 120


class Terminal(ToolTest):
    def start(self, *words):
        """trace-kernel, with a terminal as its standard error; what it writes there comes from the second value."""
        terminal, other_end = pty.openpty()
        self.addCleanup(os.close, terminal)
        child = subprocess.Popen([BIN / "trace-kernel", *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=other_end)
        self.addCleanup(child.kill)
        os.close(other_end)
        return child, terminal

    def read(self, terminal, wanted):
        """Text until it has `wanted`, or until nobody writes any more."""
        text, end = "", time.monotonic() + DEADLINE_SECONDS
        while wanted not in text:
            self.assertTrue(select.select([terminal], [], [], max(0, end - time.monotonic()))[0], f"no more came after {text[-500:]!r}")
            try:
                text += os.read(terminal, 4096).decode()
            except OSError:  # it is closed
                break
        return text

    def test_how_to_take_less(self):
        child, terminal = self.start(kernel("mm"), "--global", "4096,4096", "--local", "16,16", "--threads", "1", "-o", "x.wtrace")
        text = self.read(terminal, "takes a while") + self.read(terminal, "left")
        self.assertIn("--work-groups waves:3 or random-cores:10 with --gpu records a part; after Ctrl-C, --resume goes on from there\r\n", text)
        self.assertRegex(text, r"mm: \d+ of 65536 work-groups \(\d+ %\), .* left")
        child.send_signal(signal.SIGINT)
        text = self.read(terminal, "--resume goes on from there\r\n")
        self.assertEqual(child.wait(DEADLINE_SECONDS), 128 + signal.SIGINT)
        self.assertRegex(text, r"\r\x1b\[Ktrace-kernel: interrupted after \d+ of 65536 work-groups")
        self.assertNotIn("takes a while", text, "it says so once")

    def test_who_has_chosen_knows(self):
        child, terminal = self.start(kernel("mm"), "--global", "4096,4096", "--local", "16,16", "--threads", "1", "--work-groups", "0-30000",
                                     "-o", "x.wtrace")
        text = self.read(terminal, " left")
        child.send_signal(signal.SIGINT)
        text += self.read(terminal, "nothing more")
        self.assertNotIn("takes a while", text)


if __name__ == "__main__":
    unittest.main()
