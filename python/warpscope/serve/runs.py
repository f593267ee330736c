"""A call's program: `warpscope WORDS` in a process of its own, which can be cancelled and watched."""
import dataclasses
import os
import pathlib
import signal
import subprocess
import sys
import threading

from warpscope.base import children, toolchain
from warpscope.base.errors import printable_message, why_of

LONGEST_NOTE = 200  # characters of a progress message


class Cancelled(Exception):
    """The client does not want the answer any more."""


@dataclasses.dataclass
class Ended:
    """How a program ended: its exit status, and the files that hold what it said."""

    status: int
    output: pathlib.Path
    messages: pathlib.Path

    def text(self):
        return self.output.read_text(encoding="utf-8", errors="replace")

    def why(self):
        """One line: why it failed."""
        return why_of(self.messages.read_text(encoding="utf-8", errors="replace"))


class Run:
    """One call: where its long answers go, and its program while that runs."""

    def __init__(self, folder):
        """`folder`: exists, and is this call's own."""
        self.folder, self._process, self._cancelled, self._lock = folder, None, False, threading.Lock()

    def front(self, words, directory):
        """Runs `warpscope WORDS` to its end. Raises Cancelled."""
        package = pathlib.Path(__file__).resolve().parents[2]
        path = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": path, "WARPSCOPE_BIN": str(toolchain.folder()), "WARPSCOPE_PROPOSE": "0"}
        ended = Ended(1, self.folder / "output.txt", self.folder / "messages.txt")
        with open(ended.output, "wb") as output, open(ended.messages, "wb") as messages:
            with self._lock:
                if self._cancelled:
                    raise Cancelled
                self._process = children.start([sys.executable or "python3", "-m", "warpscope", *words], stdin=subprocess.DEVNULL, stdout=output,
                                               stderr=messages, cwd=directory, env=environment, start_new_session=True)
            ended.status = self._process.wait()
        children.forget(self._process)
        if self._cancelled:
            raise Cancelled
        return ended

    def cancel(self):
        """Ends the program, now or as soon as it would begin; it tidies up as at Ctrl-C."""
        with self._lock:
            self._cancelled = True
            process = self._process
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(children.GRACE_SECONDS + 2)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)

    def note(self):
        """What the program said last."""
        try:
            lines = (self.folder / "messages.txt").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return ""
        return printable_message(lines[-1].strip())[:LONGEST_NOTE] if lines else ""
