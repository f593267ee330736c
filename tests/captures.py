"""Captures of the benchmark kernels that many tests read: one folder of a test run, where each is made once.

    path = capture("mm", "--size", "small")            a path that nobody may write to
    copy("mm", "--size", "small", to=path)              the same capture as a file of the test's own

The folder is $WARPSCOPE_TEST_CAPTURES, which CMakePresets.json sets; without it (a test run by hand) a temporary folder of the process.
A capture's name is a digest of all that it follows from: the kernel's files, the options, the variables that trace-kernel or PoCL read,
and which trace-kernel, plug-ins, PoCL and LLVM there are. A tool that was built again makes its captures again.
"""
import atexit
import fcntl
import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin")).resolve()
KERNELS = SOURCE / "benchmarks" / "kernels"
FOLDER = "WARPSCOPE_TEST_CAPTURES"
# What the recording of a launch depends on, in addition to the plug-ins and headers in lib/ and the presets in share/.
TOOLS = ("trace-kernel", "kernel-signatures")
SYSTEM = ("libpocl*.so*", "libLLVM-15*.so*", "libclang-cpp*15*")
# These say where tests find and keep things, and change no capture.
NO_INPUT = ("WARPSCOPE_BIN", "WARPSCOPE_CACHE", FOLDER, "WARPSCOPE_TEST_TIMES", "WARPSCOPE_TEST_KERNELS", "WARPSCOPE_SHARD", "POCL_CACHE_DIR")
# Options after which a run leaves more than its capture behind, or reads what the kernel's folder does not hold.
OWN_RUN = ("--dump-buffers", "--keep-temporaries", "--verify", "--count-only", "--run-only", "--launch-file", "--resume", "--cache-dir",
           "--no-cache", "-o", "--output", "--", "-")
KEPT_SECONDS = 24 * 3600


def can_be_shared(options):
    """Whether a run with these options gives a capture and nothing else, of the kernel's files alone."""
    words = [str(option) for option in options]
    return not any(word.split("=")[0] in OWN_RUN or "file:" in word for word in words)


def source(name):
    return KERNELS / name / f"{name}.cl"


def _file_identity(path):
    status = path.stat()
    return f"{path} {status.st_size} {status.st_mtime_ns}"


@functools.cache
def tools_identity():
    """Of the programs and libraries that make a capture: paths, sizes and times."""
    files = [BIN / tool for tool in TOOLS] + list((BIN.parent / "share").rglob("*.json"))
    files += [path for path in (BIN.parent / "lib").rglob("*") if path.suffix != ".py"]
    for pattern in SYSTEM:
        files += pathlib.Path("/usr/lib").glob(f"*/{pattern}")
    return "\n".join(_file_identity(path) for path in sorted(files) if path.is_file())


def _identity(name, options):
    environment = [f"{key}={value}" for key, value in sorted(os.environ.items())
                   if key.startswith(("WARPSCOPE_", "POCL_")) and key not in NO_INPUT]
    content = [f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}"
               for path in sorted((KERNELS / name).iterdir()) if path.suffix != ".py"]
    return "\n".join([tools_identity(), name, *map(str, options), *environment, *content])


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@functools.cache
def folder():
    """Where the captures of these tools are. Those of other tools are removed after a day; a run of theirs may not be over before."""
    base = os.environ.get(FOLDER)
    if not base:
        made = tempfile.TemporaryDirectory(prefix="warpscope-captures-")
        atexit.register(made.cleanup)
        base = made.name
    base = pathlib.Path(base)
    own = base / _digest(tools_identity())
    own.mkdir(parents=True, exist_ok=True)
    for other in base.iterdir():
        if other != own and time.time() - other.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(other, ignore_errors=True)
    return own


def _make(name, options, path):
    made = path.with_name(f"{path.stem}.making.wtrace")
    done = subprocess.run([str(BIN / "trace-kernel"), str(source(name)), *map(str, options), "-o", str(made)], cwd=path.parent,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"trace-kernel {' '.join(map(str, (name, *options)))}: {done.stderr}")
    made.chmod(0o444)
    made.rename(path)


def capture(name, *options):
    """Path of a capture of a benchmark kernel, which other tests read, too."""
    if not can_be_shared(options):
        raise ValueError(f"capture({name}, {options}): expected options of which the capture is all that remains")
    path = folder() / f"{name}-{_digest(_identity(name, options))}.wtrace"
    if not path.exists():
        with open(path.with_suffix(".lock"), "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # of test programs side by side, one makes it
            if not path.exists():
                _make(name, options, path)
    return path


def copy(name, *options, to):
    """A capture as a new file `to`, which a test may change."""
    shutil.copyfile(capture(name, *options), to)
    return to
