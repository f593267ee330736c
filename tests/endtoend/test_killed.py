"""SIGKILL of a command ends what it has started: the tool, and the program that the tool traces."""
import os
import pathlib
import signal
import subprocess
import time
import unittest

import support


def children(process):
    try:
        return [int(child) for task in pathlib.Path(f"/proc/{process}/task").iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return []


def is_running(process):
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


class Killed(support.ToolTest):
    def wait_for(self, what, found):
        end = time.monotonic() + 60
        while not (answer := found()) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertTrue(answer, what)
        return answer

    def test_nothing_is_left(self):
        program = self.folder / "sleeps.sh"
        program.write_text("#!/bin/sh\nexec sleep 300\n")
        program.chmod(0o755)
        with subprocess.Popen([support.BIN / "warpscope", "--no-plots", "-o", "out", "--", program], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as front:
            # The front asks other tools first, which have no children.
            tool, traced = self.wait_for("the program", lambda: next(
                ((tool, traced) for tool in children(front.pid) for traced in children(tool)), None))
            self.wait_for("its beginning", lambda: b"sleep" in pathlib.Path(f"/proc/{traced}/cmdline").read_bytes())
            os.kill(front.pid, signal.SIGKILL)
            front.wait()
            self.wait_for("their end", lambda: not is_running(tool) and not is_running(traced))

    def test_the_tool_alone(self):
        with subprocess.Popen([support.BIN / "trace-kernel", "-o", "x.wtrace", "--", "/bin/sleep", "300"], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as tool:
            (traced,) = self.wait_for("the program", lambda: children(tool.pid))
            self.wait_for("its beginning", lambda: b"sleep" in pathlib.Path(f"/proc/{traced}/cmdline").read_bytes())
            os.kill(tool.pid, signal.SIGKILL)
            tool.wait()
            self.wait_for("its end", lambda: not is_running(traced))


if __name__ == "__main__":
    unittest.main()
