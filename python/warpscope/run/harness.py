"""Captures kernels and simulates the captures: what compare-hw, the studies and the golden numbers have in common."""
import hashlib
import json
import pathlib
import subprocess

from warpscope.base import toolchain
from warpscope.base.source import SOURCE


def kernel(name):
    """The source of a kernel of the suite."""
    return SOURCE / "benchmarks" / "kernels" / name / f"{name}.cl"


class Captures:
    """Captures in a folder; one that is there is not made again."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def of(self, source, *options, name=None):
        """The capture of a kernel file with these options of trace-kernel. Give a name if what the files hold may change: without
        one it is made from the paths and options. Raises ToolFailed when trace-kernel has said why it refuses."""
        name = name or hashlib.sha256(repr([str(word) for word in (source, *options)]).encode()).hexdigest()[:16]
        path = self.folder / f"{name}.wtrace"
        if not path.exists():
            toolchain.run("trace-kernel", source, *options, "-o", path, quiet=True, stdout=subprocess.DEVNULL)
        return path


def simulate(capture, *options, timed=False):
    """The result (cachesim/RESULT.md) of `cachesim`, with `timed` of `cachesim timed`. Raises ToolFailed as above."""
    engine = ["timed"] if timed else []
    return json.loads(toolchain.output("cachesim", *engine, capture, *options, "--json", "-", quiet=True))
