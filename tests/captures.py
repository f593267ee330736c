"""Captures of the benchmark kernels that many tests read: one folder of a test run, where each is made once.

    path = capture("mm", "--size", "small")            a path that nobody may write to
    copy("mm", "--size", "small", to=path)              the same capture as a file of the test's own

The folder is $WARPSCOPE_TEST_CAPTURES, which CMakePresets.json sets; without it (a test run by hand) a temporary folder of the process.
A capture's name is a digest of all that it follows from (warpscope/run/kept.py): the kernel's files, the options, the variables that
trace-kernel or PoCL read, and which trace-kernel, plug-ins, PoCL and LLVM there are.
"""
import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from unittest import mock

SOURCE = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(SOURCE / "python"))
from warpscope.run import kept  # noqa: E402

BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin")).resolve()
KERNELS = SOURCE / "benchmarks" / "kernels"
FOLDER = "WARPSCOPE_TEST_CAPTURES"
# These say where tests find and keep things, and change no capture.
NO_INPUT = ("WARPSCOPE_BIN", "WARPSCOPE_CACHE", FOLDER, f"{FOLDER}_MOST", "WARPSCOPE_TEST_TIMES", "WARPSCOPE_TEST_KERNELS", "WARPSCOPE_SHARD", "POCL_CACHE_DIR")
# Options after which a run leaves more than its capture behind, or reads what the kernel's folder does not hold.
OWN_RUN = ("--dump-buffers", "--keep-temporaries", "--verify", "--count-only", "--run-only", "--launch-file", "--resume", "--cache-dir",
           "--no-cache", "-o", "--output", "--", "-")
MOST_BYTES = 1 << 30  # of the folder; captures that were used longest ago leave


def can_be_shared(options):
    """Whether a run with these options gives a capture and nothing else, of the kernel's files alone."""
    words = [str(option) for option in options]
    return not any(word.split("=")[0] in OWN_RUN or "file:" in word for word in words)


def source(name):
    return KERNELS / name / f"{name}.cl"


def _name(name, options):
    """What a capture is called: all that it follows from."""
    environment = [f"{key}={value}" for key, value in sorted(os.environ.items())
                   if key.startswith(("WARPSCOPE_", "POCL_")) and key not in NO_INPUT]
    content = kept.of_files(path for path in (KERNELS / name).iterdir() if path.suffix != ".py")
    presets = kept.of_files((BIN.parent / "share").rglob("*.json"))
    return f"{name}-{kept.digest(_tools(), presets, [str(option) for option in options], environment, content)}"


def _tools():
    with mock.patch.dict(os.environ, {"WARPSCOPE_BIN": str(BIN)}):
        return kept.of_tools("trace-kernel")


@functools.cache
def store():
    """$WARPSCOPE_TEST_CAPTURES, without it a folder of this process."""
    base = os.environ.get(FOLDER)
    if not base:
        made = tempfile.TemporaryDirectory(prefix="warpscope-captures-")
        atexit.register(made.cleanup)
        base = made.name
    return kept.Store(pathlib.Path(base).absolute(), int(os.environ.get(f"{FOLDER}_MOST", MOST_BYTES)))


def _make(name, options, path):
    done = subprocess.run([str(BIN / "trace-kernel"), str(source(name)), *map(str, options), "-o", str(path)], cwd=path.parent,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"trace-kernel {' '.join(map(str, (name, *options)))}: {done.stderr}")
    path.chmod(0o444)


def capture(name, *options):
    """Path of a capture of a benchmark kernel, which other tests read, too."""
    if not can_be_shared(options):
        raise ValueError(f"capture({name}, {options}): expected options of which the capture is all that remains")
    return store().make_file(_name(name, options), ".wtrace", lambda path: _make(name, options, path))


def copy(name, *options, to):
    """A capture as a new file `to`, which a test may change."""
    shutil.copyfile(capture(name, *options), to)
    return to
