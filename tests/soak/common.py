"""What the parts of scripts/soak share: measured commands, progress, rows of the table."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "benchmarks/kernels"


class Failed(Exception):
    """A promise that was not kept: where, what, what was expected."""


class Done:
    """How a command ended: status, output, seconds, peak memory of its processes in MiB."""

    def __init__(self, words, status, out, err, seconds, mebibytes):
        self.words, self.status, self.out, self.err = words, status, out, err
        self.seconds, self.mebibytes = seconds, mebibytes

    def text(self):
        return " ".join(pathlib.Path(word).name if "/" in word else word for word in self.words)


def run(words, expected=(0,), **options):
    """Runs a command to its end. Failed unless it ends with one of the statuses (None: whatever it ends with)."""
    words = [str(word) for word in words]
    began = time.monotonic()
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, **options)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
        out.seek(0)
        err.seek(0)
        done = Done(words, process.returncode, out.read(), err.read(), seconds, usage.ru_maxrss / 1024)
    if expected is not None and done.status not in expected:
        raise Failed(f"{done.text()}: status {done.status}, expected {expected}: {done.err.strip()[-500:]}")
    return done


class Progress:
    """One line a minute, and the last one, so that a long part shows that it lives."""

    def __init__(self, part, total):
        self.part, self.total, self.last = part, total, time.monotonic()

    def update(self, count, what=""):
        now = time.monotonic()
        if count == self.total or now - self.last > 60:
            self.last = now
            print(f"{self.part}: {count:,} of {self.total:,} {what}", file=sys.stderr, flush=True)


class Table:
    """Rows of docs/validation/reliability.md."""

    def __init__(self):
        self.rows = []

    def add(self, part, what, count, seconds, mebibytes=None):
        self.rows.append((part, what, f"{count:,}" if isinstance(count, int) else count, f"{seconds:,.0f}",
                          "" if mebibytes is None else f"{mebibytes:,.0f}"))
        print("| " + " | ".join(self.rows[-1]) + " |", flush=True)

    @staticmethod
    def head():
        print("| part | what | count | seconds | peak MiB |\n|---|---|---:|---:|---:|", flush=True)

