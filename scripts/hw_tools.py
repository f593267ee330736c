"""Finds CUDA's tools, builds programs and runs them; what the GPU says about itself. Standard library only."""
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess

import hw_counters
from errors import InputError

PLACES = {
    "nvcc": ("/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc"),
    "ncu": ("/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu", "/usr/local/cuda*/nsight-compute*/ncu",
            "/opt/cuda/bin/ncu"),
    "nvprof": ("/usr/local/cuda/bin/nvprof", "/opt/cuda/bin/nvprof"),
}
CLOCKS = ("clocks.sm", "clocks.mem", "clocks.max.sm", "clocks.max.mem", "driver_version", "persistence_mode",
          "mig.mode.current", "ecc.mode.current", "power.limit", "temperature.gpu")


class NotPermitted(Exception):
    """The driver does not let this user read counters."""


class RunFailed(Exception):
    """A program of ours ended badly; the text is its last words."""


def find(tool, given=None):
    """A tool's path: what the user gave, else on PATH, else where NVIDIA installs it; None if nowhere."""
    if given:
        path = shutil.which(given)
        if not path:
            raise InputError(f"--{tool} {given}: no such program")
        return path
    path = shutil.which(tool)
    if path:
        return path
    found = [name for pattern in PLACES[tool] for name in sorted(glob.glob(pattern)) if os.access(name, os.X_OK)]
    return found[-1] if found else None


def need_nvcc(given=None):
    path = find("nvcc", given)
    if not path:
        raise InputError("no nvcc, expected it on PATH or in /usr/local/cuda/bin (NVIDIA's CUDA toolkit), or --nvcc PATH")
    return path


def run(words, timeout, environment=None):
    """Runs to the end and returns what subprocess.run does; raises RunFailed when it takes too long."""
    try:
        return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", timeout=timeout,
                              env={**os.environ, "LC_ALL": "C", **(environment or {})})
    except subprocess.TimeoutExpired as error:
        raise RunFailed(f"{pathlib.Path(str(words[0])).name}: not done after {timeout} s") from error


def last_words(done):
    lines = [line for line in (done.stderr + "\n" + done.stdout).splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [f"exit status {done.returncode}"])[-1].strip()[:300]


def compile_program(nvcc, source, program, options, timeout=300):
    """Builds `program`; raises RunFailed with the compiler's first error."""
    temporary = program.with_name(program.name + ".new")
    done = run([nvcc, *options, "-o", temporary, source], timeout)
    if done.returncode != 0:
        errors = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line]
        raise RunFailed(f"{source.name}: does not compile: {(errors or [last_words(done)])[0].strip()[:300]}")
    os.replace(temporary, program)


def lines_of(program, *words, timeout=120):
    """The JSON lines that a generated program prints."""
    done = run([program, *words], timeout)
    if done.returncode != 0:
        raise RunFailed(f"{pathlib.Path(program).name} {words[0] if words else ''}: {last_words(done)}")
    try:
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    except ValueError as error:
        raise RunFailed(f"{pathlib.Path(program).name}: unexpected output: {error}") from error


def device(nvcc, folder, work):
    """What the GPU is, with its clocks and driver as found; raises InputError where there is none."""
    program = work / "device"
    try:
        compile_program(nvcc, folder / "device.cu", program, [])
        facts = lines_of(program)[0]
    except (RunFailed, IndexError) as error:
        raise InputError(f"{error}; expected a machine with an NVIDIA GPU (--dry-run only compiles and plans)") from error
    smi = shutil.which("nvidia-smi")
    if smi:
        done = run([smi, "--query-gpu=" + ",".join(CLOCKS), "--format=csv,noheader"], 30)
        values = [value.strip() for value in done.stdout.splitlines()[0].split(",")] if done.stdout.strip() else []
        if done.returncode == 0 and len(values) == len(CLOCKS):
            facts.update({f"smi.{name}": value for name, value in zip(CLOCKS, values)})
    return facts


def slug(name):
    """A GPU's name as a folder name: nvidia-h100-80gb-hbm3."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


class Ncu:
    """Counters per launch with Nsight Compute. Settings of the card stay as they are (--clock-control none)."""

    name = "ncu"

    def __init__(self, path, cache_control="all", timeout=240):
        self.path = path
        self.cache_control = cache_control
        self.timeout = timeout
        self._metrics = None

    @property
    def conditions(self):
        return f"ncu --cache-control {self.cache_control} --clock-control none, kernel replay"

    def version(self):
        found = re.search(r"Version (\S+)", run([self.path, "--version"], 60).stdout)
        return found[1] if found else "unknown"

    def probe(self, program):
        """Raises NotPermitted if this user may not read counters, RunFailed if the profiler does not work here."""
        _probe([self.path, "--csv", "--clock-control", "none", "--metrics", "smsp__inst_executed.sum", program, "probe"])

    def metrics(self):
        """Those of ours that this GPU has."""
        if self._metrics is None:
            done = run([self.path, "--query-metrics"], 120)
            _refuse_without_permission(done.stdout + done.stderr)
            listed = set(re.findall(r"(?m)^\s*([a-z][a-z0-9]*__[A-Za-z0-9_]+)", done.stdout))
            self._metrics = hw_counters.wanted("ncu", listed or None)
        return self._metrics

    def profile(self, program, launches, repeats, log):
        """For every launch a list of `repeats` dicts metric -> value."""
        metrics = list(self.metrics())
        for _ in range(8):
            done = run([self.path, "--csv", "--page", "raw", "--print-units", "base", "--cache-control", self.cache_control,
                        "--clock-control", "none", "--log-file", log, "--metrics", ",".join(metrics), program, "plain",
                        "--repeats", repeats], self.timeout)
            text = (log.read_text(encoding="utf-8", errors="replace") if log.exists() else "") + done.stdout + done.stderr
            _refuse_without_permission(text)
            unknown = set(re.findall(r"Failed to find metric (?:regex:)?([A-Za-z0-9_.]+)", text))
            unknown = [name for name in metrics if name in unknown or name.split(".")[0] in unknown]
            if not unknown:
                break
            metrics = [name for name in metrics if name not in unknown]
            self._metrics = metrics
        if done.returncode != 0:
            raise RunFailed(f"ncu: {last_words_of(text)}")
        profiled = hw_counters.parse_ncu(text, "ncu")
        if len(profiled) != len(launches) * repeats:
            raise RunFailed(f"ncu saw {len(profiled)} launches, expected {len(launches) * repeats}")
        for number, one in enumerate(profiled):
            launch = launches[number // repeats]
            if one.grid not in (None, launch.grid) or one.block not in (None, launch.local_size):
                raise RunFailed(f"ncu: launch {number} has grid {one.grid} and block {one.block}, expected {launch.grid} and "
                                f"{launch.local_size}")
        return [[one.values for one in profiled[at * repeats:(at + 1) * repeats]] for at in range(len(launches))]


class Nvprof:
    """Counters of older GPUs: lowest, average and highest value over the repeats of one launch."""

    name = "nvprof"

    def __init__(self, path, timeout=240):
        self.path = path
        self.timeout = timeout
        self._metrics = None

    @property
    def conditions(self):
        return "nvprof: no cache control, kernel replay"

    def version(self):
        found = re.search(r"(\d+\.\d+\.\S+)", run([self.path, "--version"], 60).stdout)
        return found[1] if found else "unknown"

    def probe(self, program):
        """Raises NotPermitted if this user may not read counters, RunFailed if the profiler does not work here."""
        _probe([self.path, "--csv", "--metrics", "inst_executed", program, "probe"])

    def metrics(self):
        if self._metrics is None:
            listed = set()
            for option in ("--query-metrics", "--query-events"):
                done = run([self.path, option], 120)
                _refuse_without_permission(done.stdout + done.stderr)
                listed |= set(re.findall(r"(?m)^\s*([a-z][a-z0-9_]+):\s", done.stdout + done.stderr))
            self._metrics = hw_counters.wanted("nvprof", listed or None)
        return self._metrics

    def profile(self, program, launches, repeats, log):
        metrics = [name for name in self.metrics() if not name.startswith("event:")]
        events = [name.removeprefix("event:") for name in self.metrics() if name.startswith("event:")]
        results = []
        for launch in launches:
            words = [self.path, "--csv", "--log-file", log]
            words += ["--metrics", ",".join(metrics)] if metrics else []
            words += ["--events", ",".join(events)] if events else []
            done = run([*words, program, "plain", "--repeats", repeats, "--launch", launch.name], self.timeout)
            text = (log.read_text(encoding="utf-8", errors="replace") if log.exists() else "") + done.stdout + done.stderr
            _refuse_without_permission(text)
            if done.returncode != 0:
                raise RunFailed(f"nvprof: {last_words_of(text)}")
            kernels = hw_counters.parse_nvprof(text, "nvprof")
            if len(kernels) != 1 or kernels[0].launches != repeats:
                raise RunFailed(f"nvprof saw {[(one.kernel, one.launches) for one in kernels]}, expected one kernel, "
                                f"{repeats} launches")
            one = kernels[0]
            results.append([one.lowest, one.values, one.highest] if repeats > 1 else [one.values])
        return results


def _probe(words):
    done = run(words, 120)
    text = done.stdout + done.stderr
    _refuse_without_permission(text)
    if done.returncode != 0 or "==ERROR==" in text:
        raise RunFailed(f"{pathlib.Path(words[0]).name}: {last_words_of(text)}")


def last_words_of(text):
    lines = [line for line in text.splitlines() if "ERROR" in line or "rror:" in line]
    return (lines or [line for line in text.splitlines() if line.strip()] or ["no output"])[-1].strip()[:300]


def _refuse_without_permission(text):
    if hw_counters.NOT_PERMITTED.search(text):
        raise NotPermitted


def profiler_for(facts, choice, cache_control, given=None):
    """The profiler of this GPU, or None with the reason."""
    if choice == "none":
        return None, "not asked for"
    major = int(facts["compute_capability"].split(".")[0])
    name = choice if choice != "auto" else "ncu" if major >= 7 else "nvprof"
    path = find(name, given)
    if not path:
        return None, f"no {name} found"
    return (Ncu(path, cache_control) if name == "ncu" else Nvprof(path)), ""
