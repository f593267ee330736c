"""Runs programs with and without trace-kernel and reads what was captured."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
# Compiled kernels of trace-kernel: nothing that another run or checkout left, or takes. Those of PoCL are shared by the tests of a run.
CACHES = tempfile.TemporaryDirectory(prefix="warpscope-test-")
OF_CACHES = {"XDG_CACHE_HOME": CACHES.name, "POCL_CACHE_DIR": os.environ.get("POCL_CACHE_DIR") or os.path.join(CACHES.name, "pocl")}
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin"))
TEST_BIN = BIN.parent / "test-bin"


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

    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        self.environment.pop("WARPSCOPE_GPU", None)

    def build(self, name, *options):
        """Returns the command that runs it."""
        done = self.plain(BIN / "warpscope-nvcc", *options, self.PROGRAMS / f"{name}.cu", "-o", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return f"./{name}"

    def build_quietly(self, name, *options):
        """As build(), without a word."""
        done = self.plain(BIN / "warpscope-nvcc", *options, self.PROGRAMS / f"{name}.cu", "-o", name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return f"./{name}"
