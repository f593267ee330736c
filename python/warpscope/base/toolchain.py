"""Finds the tools next to the script that runs or to this package, in build/*/bin of the source tree or on PATH, and runs them."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys

from warpscope.base import children
from warpscope.base.errors import InputError, ToolFailed
from warpscope.base.source import SOURCE

GPU_VARIABLE = "WARPSCOPE_GPU"
ARCHITECTURE = 80  # __CUDA_ARCH__ / 10 where nobody names one; CompileRequest of passes/driver/pipeline.h has the same
DEFAULT_GPU = "h100"  # kDefaultGpu of wrapper/cuda/device.cpp is the same
ENDED_FROM_OUTSIDE = (-signal.SIGTERM, -signal.SIGKILL)


def given_gpu():
    """The GPU of the environment; None without one."""
    return os.environ.get(GPU_VARIABLE) or None


def environment():
    """Of the tools that a script starts: their options say which GPU, or that there is none."""
    return {name: value for name, value in os.environ.items() if name != GPU_VARIABLE}


def folder():
    """Where the tools are: $WARPSCOPE_BIN, else next to the running script, else the newest build, else next to this package, else on
    PATH."""
    if "WARPSCOPE_BIN" in os.environ:
        return pathlib.Path(os.environ["WARPSCOPE_BIN"])
    here = pathlib.Path(sys.argv[0]).resolve().parent
    if (here / "cachesim").exists():
        return here
    preferred = SOURCE / "build" / "release" / "bin"
    others = sorted(SOURCE.glob("build/*/bin"), key=lambda path: path.stat().st_mtime, reverse=True)
    for candidate in [preferred, *others]:
        if (candidate / "cachesim").exists():
            return candidate
    installed = SOURCE.parents[1] / "bin"  # of the prefix that this package is installed in
    if (installed / "cachesim").exists():
        return installed
    if on_path := shutil.which("cachesim"):
        return pathlib.Path(on_path).resolve().parent
    raise InputError("tools not found, expected them in build/release/bin; build with: cmake --preset release && "
                     "cmake --build --preset release")


def command(tool, *arguments):
    """The command line of a tool as a list of strings."""
    path = folder() / tool
    if not path.exists():
        raise InputError(f"{path}: no such tool, expected a complete build")
    return [str(path), *(str(argument) for argument in arguments)]


def run(tool, *arguments, quiet=False, **options):
    """Runs a tool to its end. Its messages go to our standard error; with `quiet` only if it fails.

    Raises ToolFailed with its exit status.
    """
    messages = subprocess.PIPE if quiet else None
    done = children.run(command(tool, *arguments), stdin=subprocess.DEVNULL,
                        **{"stderr": messages, "env": environment(), **options})
    if done.returncode != 0:
        if done.returncode not in ENDED_FROM_OUTSIDE:  # what it had said by then is no reason
            sys.stderr.buffer.write(done.stderr or b"")
        raise ToolFailed(done.returncode if done.returncode > 0 else 1)
    return done


def attempt(tool, *arguments, **options):
    """Runs a tool whose failure is an answer: (exit status, standard output as text, messages as text). Nothing is printed."""
    done = children.run(command(tool, *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                        env=environment(), **options)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


@contextlib.contextmanager
def piped(tool, *arguments):
    """The standard output of a tool that runs meanwhile. Leaving before its end stops it; its failure is ours."""
    process = children.start(command(tool, *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             env=environment())
    try:
        yield process.stdout
        ended = process.stdout.read(1) == b""
    finally:
        process.stdout.close()
        status = process.wait()
    if ended and status != 0:
        raise ToolFailed(status if status > 0 else 1)


def output(tool, *arguments, quiet=False):
    """Runs a tool and returns what it writes to standard output."""
    return run(tool, *arguments, quiet=quiet, stdout=subprocess.PIPE).stdout


def has_timed_engine():
    """Whether this cachesim simulates cycle by cycle (cachesim timed)."""
    return b"--warp-scheduler" in subprocess.run(command("cachesim", "timed", "--help"), capture_output=True).stdout
