"""Runs the tools on real kernels in a folder of its own."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "tests"))
import captures  # noqa: E402
import sampled  # noqa: E402, F401
from sampled import load_third, load_quarter  # noqa: E402, F401

BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin"))
TEST_BIN = BIN.parent / "test-bin"
KINDS = ("load", "store", "atomic")
GTX480_L1 = ("16", "128", "4", "LRU", "WTNA")


def kernel(name):
    return SOURCE / "benchmarks" / "kernels" / name / f"{name}.cl"


def kernels():
    """Names of all benchmark kernels."""
    return sorted(path.parent.name for path in (SOURCE / "benchmarks" / "kernels").glob("*/*.cl")
                  if path.stem == path.parent.name)


def without_instructions(total):
    """A capture of machine code has counts of instructions of all that it holds, not by core."""
    ncu = total["profiler"]["ncu"]
    return {**total, "profiler": {**total["profiler"], "ncu": {name: value for name, value in ncu.items() if "inst_executed" not in name}}}


class ToolTest(unittest.TestCase):
    """A test with its own folder; tools are run there."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def call(self, tool, *words, environment=None, **options):
        """Runs a tool and returns what subprocess.run returns; output is bytes."""
        options.setdefault("stdout", subprocess.PIPE)
        if "input" not in options:
            options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([str(BIN / tool), *map(str, words)], cwd=self.folder, stderr=subprocess.PIPE,
                              env={**os.environ, **(environment or {})}, **options)

    def run_tool(self, tool, *words, **options):
        """Runs a tool that must succeed; returns its standard output."""
        done = self.call(tool, *words, **options)
        self.assertEqual(done.returncode, 0, f"{tool} {words}: {done.stderr.decode()}")
        return done.stdout

    def capture(self, name, *options, output="capture.wtrace", **more):
        """Captures a benchmark kernel, or copies the capture that another test has made; returns the path."""
        if not more and captures.can_be_shared(options):
            return captures.copy(name, *options, to=self.folder / output)
        self.run_tool("trace-kernel", kernel(name), *options, "-o", output, **more)
        return self.folder / output

    def result(self, *words):
        return json.loads(self.run_tool("cachesim", *words, "--json", "-"))

    def assert_refused(self, done, message, status=2):
        """One clear line on standard error, the exit status, nothing on standard output."""
        text = done.stderr.decode()
        self.assertEqual(done.returncode, status, text)
        self.assertRegex(text, message)
        self.assertFalse(done.stdout)

    def assert_conserved(self, result):
        """The laws of cachesim/RESULT.md."""
        parts = ("launches", "cores", "sites", "buffers")
        for part in [result["total"]] + [item for name in parts for item in result[name]]:
            for kind in KINDS:
                counts = part[kind]
                outcomes = ("hits", "hits_pending", "sector_misses", "misses", "bypasses")
                self.assertEqual(sum(counts[name] for name in outcomes), counts["transactions"])
        for name in parts:
            for kind in KINDS:
                for counter, total in result["total"][kind].items():
                    self.assertEqual(sum(item[kind][counter] for item in result[name]), total, (name, kind, counter))
            for counter, total in result["total"]["miss_classes"].items():
                self.assertEqual(sum(item["miss_classes"][counter] for item in result[name]), total, (name, counter))
        classes = result["total"]["miss_classes"]
        misses = looked_up = 0
        cache = result["context"]["cache"]
        for site in result["sites"]:
            policy = cache["private_write_policy" if site["space"] == "private" else "write_policy"]
            for kind in ("load", "store") if policy in ("WBWA", "WTWA", "WTWL") else ("load",):
                misses += site[kind]["misses"] + site[kind]["sector_misses"]
                looked_up += site[kind]["transactions"] - site[kind]["bypasses"]
        self.assertEqual(result["total"]["classified"], looked_up)
        self.assertEqual(sum(classes[name] for name in ("cold", "invalidated", "capacity", "conflict")), misses)


class OfMachineCode:
    """Before a ToolTest in a class's bases: its captures are of machine code for an architecture (tests/machine/suite has sm_75, sm_80 and sm_90)."""
    ARCHITECTURE = 80
    SUITE = SOURCE / "tests" / "machine" / "suite"

    def machine_code(self, name, code=None):
        """The words of trace-kernel: code with its launch file next to it, and its source, which has the names."""
        folder = self.folder / "machine"
        folder.mkdir(exist_ok=True)
        for path in (code or self.SUITE / f"{name}.fatbin", *(kernel(name).with_suffix(suffix) for suffix in (".cu", ".launch"))):
            shutil.copy(path, folder)
        return folder / f"{name}.fatbin", f"--machine=sm_{self.ARCHITECTURE}"

    def capture(self, name, *options, output="capture.wtrace", **more):
        self.run_tool("trace-kernel", *self.machine_code(name), *options, "-o", output, **more)
        return self.folder / output
