"""Runs programs with and without trace-kernel and reads what was captured."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "tests"))
from sampled import load_third, load_quarter  # noqa: E402, F401

CUDA_TABLES = [SOURCE / "wrapper/cuda" / name for name in ("api.def", "libraries/api.def")]
# Compiled kernels of trace-kernel: nothing that another run or checkout left, or takes. Those of PoCL are shared by the tests of a run.
CACHES = tempfile.TemporaryDirectory(prefix="warpscope-test-")
OF_CACHES = {"XDG_CACHE_HOME": CACHES.name, "POCL_CACHE_DIR": os.environ.get("POCL_CACHE_DIR") or os.path.join(CACHES.name, "pocl")}
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin"))
TEST_BIN = BIN.parent / "test-bin"


def cuda_functions():
    """The rows of wrapper/cuda/api.def and libraries/api.def: (function, header, part, status, test)."""
    rows = re.findall(r'^WARPSCOPE_CUDA_API\((\w+), "(.*)", "(.*)", (\w+), "(.*)"\)$', "".join(path.read_text() for path in CUDA_TABLES), re.MULTILINE)
    assert rows
    return rows


class ProgramTest(unittest.TestCase):
    """A test with its own folder and its own caches."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.environment = {**os.environ, "PYOPENCL_NO_CACHE": "1", **OF_CACHES}

    def plain(self, *command, **options):
        return subprocess.run(list(map(str, command)), cwd=self.folder, env=self.environment, capture_output=True,
                              text=True, timeout=240, **options)

    def traced(self, *command, options=(), output="x.wtrace"):
        return self.plain(BIN / "trace-kernel", *options, "-o", output, "--", *command)

    def check(self, output="x.wtrace"):
        """The invariant checker finds nothing."""
        done = self.plain(BIN / "trace-check", output)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def launches(self, output="x.wtrace"):
        done = self.plain(BIN / "trace-view", "--summary", "--json", output)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["launches"]

    def assert_calls(self, test, *command, status=0):
        """The program calls every function of CUDA for which api.def names it as the test. The dynamic loader tells: with -Wl,-z,lazy it
        looks a function up when it is called first."""
        log = self.folder / "bindings"
        done = subprocess.run(command, cwd=self.folder, env={**self.environment, "LD_DEBUG": "bindings,files", "LD_DEBUG_OUTPUT": str(log), "LD_BIND_NOW": ""},
                              capture_output=True, timeout=240, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        begin, program = f"transferring control: {command[0]}", re.escape(command[0])
        logs = (path.read_text() for path in self.folder.glob("bindings.*"))  # PoCL's compiler has some of its own
        text = "".join(log.split(begin)[1] for log in logs if begin in log)
        called = set(re.findall(rf"binding file {program} \[0\] to \S+ \[0\]: normal symbol `(\w+)'", text))
        self.assertEqual([row[0] for row in cuda_functions() if row[4] == test and row[0] not in called], [])

    def assert_same_program(self, *command, options=(), status=None):
        """Output and exit status are those of an untraced run; returns the traced run."""
        plain = self.plain(*command)
        traced = self.traced(*command, options=options)
        self.assertEqual(traced.stdout, plain.stdout, traced.stderr)
        self.assertEqual(traced.returncode, plain.returncode if status is None else status, traced.stderr)
        return traced


class RuntimeProgramTest(ProgramTest):
    """With the CUDA programs in cuda/runtime, which warpscope-nvcc builds for the default GPU."""
    PROGRAMS = SOURCE / "tests/programs/cuda/runtime"
    BUILT = {}  # what a program follows from -> (what nvcc said, the program): tests of one file build each once

    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        self.environment.pop("WARPSCOPE_GPU", None)

    def compile(self, name, options):
        variables = tuple(sorted(item for item in self.environment.items() if item[0].startswith("WARPSCOPE_")))
        key = (self.PROGRAMS, name, options, variables)
        if key not in self.BUILT:
            done = self.plain(BIN / "warpscope-nvcc", *options, self.PROGRAMS / f"{name}.cu", "-o", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.BUILT[key] = (done.stderr, shutil.copy(self.folder / name, os.path.join(CACHES.name, f"program-{len(self.BUILT)}")))
        said, program = self.BUILT[key]
        shutil.copy(program, self.folder / name)
        return said

    def build(self, name, *options):
        """Returns the command that runs it."""
        self.compile(name, options)
        return f"./{name}"

    def build_quietly(self, name, *options):
        """As build(), without a word."""
        self.assertEqual(self.compile(name, options), "")
        return f"./{name}"
