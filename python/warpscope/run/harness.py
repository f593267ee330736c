"""Captures kernels and simulates the captures: what compare-hw, the studies and the golden numbers have in common."""
import json
import pathlib
import subprocess

from warpscope.base import toolchain
from warpscope.base.source import SOURCE
from warpscope.run import kept


def kernel(name):
    """The source of a kernel of the suite."""
    return SOURCE / "benchmarks" / "kernels" / name / f"{name}.cl"


class Captures:
    """Captures in a folder; one that is there is not made again."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def of(self, source, *options):
        """The capture of a kernel file with these options of trace-kernel. Raises ToolFailed when trace-kernel has said why it refuses."""
        words = [str(word) for word in options]
        files = kept.with_includes([source, pathlib.Path(source).with_suffix(".launch"), *words])
        name = kept.digest(kept.of_tools("trace-kernel"), str(source), words, kept.of_files(files))
        return kept.Store(self.folder).make_file(name, ".wtrace", lambda path: toolchain.run(
            "trace-kernel", source, *words, "-o", path, quiet=True, stdout=subprocess.DEVNULL))


def simulate(capture, *options, timed=False):
    """The result (cachesim/RESULT.md) of `cachesim`, with `timed` of `cachesim timed`. Raises ToolFailed as above."""
    engine = ["timed"] if timed else []
    return json.loads(toolchain.output("cachesim", *engine, capture, *options, "--json", "-", quiet=True))
