"""Runs what others have written to its end: what it says is bounded, it may not wait for ever, and nothing of it is left."""
from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import os
import pathlib
import select
import signal
import subprocess
import time
from typing import Mapping, Sequence

from warpscope.base import children

MOST_MESSAGES = 1 << 20  # bytes that are kept of what a run says
IDLE_SECONDS = 60  # that nothing of a run may use a processor, or be ready to
_LOOK_SECONDS = 1.0  # between two looks at the processes
_CHUNK = 1 << 20  # of a pipe, so that reading what is dropped costs less than writing it
_SET_PIPE_SIZE = 1031  # F_SETPIPE_SZ, which Python 3.9 has no name for


@dataclasses.dataclass(frozen=True)
class Done:
    """`status`: as subprocess has it; `messages`: the first MOST_MESSAGES bytes of standard error; `waited`: it was ended because it did nothing."""

    status: int
    messages: bytes
    waited: bool = False


def _ticks(session: int) -> tuple[int, bool]:
    """(processor time that the processes of a session have used, whether one of them runs or is ready to)."""
    used, ready = 0, False
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()  # from the state on; a name may have blanks
            if int(fields[3]) == session:
                used += sum(map(int, fields[11:15]))
                ready |= fields[0] in "RD"
    return used, ready


class _Watch:
    """Whether a session has done nothing for IDLE_SECONDS."""

    def __init__(self, session: int) -> None:
        self._session, self._used, self._since, self._next = session, -1, time.monotonic(), 0.0

    def is_idle(self) -> bool:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _LOOK_SECONDS
            used, ready = _ticks(self._session)
            if ready or used != self._used:
                self._used, self._since = used, now
        return now - self._since >= IDLE_SECONDS


def _end(session: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)


def run(words: Sequence[str], environment: Mapping[str, str]) -> Done:
    """Runs a command in a process group that it cannot leave when confined, without input and standard output. Raises OSError where it cannot be started."""
    child = children.start(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, start_new_session=True)
    messages, watch, waited, is_open = bytearray(), _Watch(child.pid), False, True
    with contextlib.suppress(OSError):  # the user's pipes may be at their limit
        fcntl.fcntl(child.stderr.fileno(), _SET_PIPE_SIZE, _CHUNK)
    try:
        while not waited:
            ended = child.poll() is not None
            if ended:
                _end(child.pid)  # what is left of it may hold the pipe
            if is_open and select.select([child.stderr], [], [], 0.0 if ended else 0.1)[0]:
                chunk = os.read(child.stderr.fileno(), _CHUNK)
                is_open = bool(chunk) and not (ended and len(messages) == MOST_MESSAGES)
                messages += chunk[:MOST_MESSAGES - len(messages)]
            elif ended:
                break
            elif not is_open:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(0.1)
            waited = not ended and watch.is_idle()
    except BaseException:
        children.end_all()
        raise
    finally:
        _end(child.pid)
        child.wait()
        child.stderr.close()
        children.forget(child)
    return Done(child.returncode, bytes(messages), waited)
