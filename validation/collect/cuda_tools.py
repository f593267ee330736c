"""Finds CUDA's tools, builds programs and runs them; what the GPU says about itself. Standard library only."""
import contextlib
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

from warpscope.base.errors import InputError
from warpscope.result import counter_names

PLACES = {
    "nvcc": ("/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc"),
    "ncu": ("/usr/local/cuda/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu", "/usr/local/cuda*/nsight-compute*/ncu",
            "/usr/local/NVIDIA-Nsight-Compute*/ncu", "/opt/cuda/bin/ncu"),
    "nvprof": ("/usr/local/cuda/bin/nvprof", "/opt/cuda/bin/nvprof"),
    "nvidia-smi": ("/usr/local/nvidia/bin/nvidia-smi", "/usr/lib/wsl/lib/nvidia-smi"),
}
CLOCKS = ("clocks.sm", "clocks.mem", "clocks.max.sm", "clocks.max.mem", "driver_version", "persistence_mode",
          "mig.mode.current", "ecc.mode.current", "power.limit", "temperature.gpu")


class NotPermitted(Exception):
    """The driver does not let this user read counters."""


class RunFailed(Exception):
    """A program of ours ended badly; the text is its last words."""


class TooSlow(RunFailed):
    """It was stopped when its time was over."""


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
    """Runs to the end, output as text; raises TooSlow when it takes too long. What it has started itself is then ended, too."""
    words = [str(word) for word in words]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               errors="replace", start_new_session=True,
                               env={**os.environ, "LC_ALL": "C", **(environment or {})})
    try:
        output, messages = process.communicate(timeout=timeout)
    except BaseException as error:
        # A profiler's program would otherwise go on alone, on the GPU that the next one is measured on.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise TooSlow(f"{pathlib.Path(words[0]).name}: not done after {timeout} s") from error
        raise
    return subprocess.CompletedProcess(words, process.returncode, output, messages)


def last_words(done):
    lines = [line for line in (done.stderr + "\n" + done.stdout).splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [f"exit status {done.returncode}"])[-1].strip()[:300]


def compile_program(nvcc, source, program, options, timeout=300):
    """Builds `program`; raises RunFailed with the compiler's first error."""
    temporary = program.with_name(program.name + ".new")
    polite = [nice, "-n", "10"] if (nice := shutil.which("nice")) else []  # others are being measured meanwhile
    done = run([*polite, nvcc, *options, "-o", temporary, source], timeout)
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
    smi, bus = find("nvidia-smi"), facts.pop("pci_bus", None)
    if smi:
        # One unknown name makes nvidia-smi refuse them all; then they are asked for one by one.
        for names in (CLOCKS, *((name,) for name in CLOCKS)):
            facts.update(_smi(smi, names, bus))
            if f"smi.{CLOCKS[0]}" in facts and len(names) > 1:
                break
    return facts


def _smi(smi, names, bus):
    """smi.NAME -> value of the GPU that programs use (on this PCI bus); nothing where nvidia-smi does not say."""
    try:
        done = run([smi, "--query-gpu=" + ",".join(names), "--format=csv,noheader", *(["-i", bus] if bus else [])], 30)
    except RunFailed:
        return {}
    values = [value.strip() for value in done.stdout.splitlines()[0].split(",")] if done.stdout.strip() else []
    return {f"smi.{name}": value for name, value in zip(names, values)} if done.returncode == 0 and len(values) == len(names) else {}


def compile_for(nvcc, folder, work, options):
    """Builds the program that a profiler is tried with; raises InputError where this nvcc does not know this GPU.

    Machine code for this very GPU: an older driver cannot translate what a newer nvcc would leave to it.
    """
    program = work / "device-here"
    try:
        compile_program(nvcc, folder / "device.cu", program, options)
    except RunFailed as error:
        if "architecture" not in str(error):
            raise InputError(f"{error}; expected an nvcc that works, with a C++ compiler and room in {work}") from error
        raise InputError(f"{error}; expected an nvcc that compiles for this GPU ({' '.join(options)}), or another one with --nvcc "
                         "PATH: CUDA 13 knows no GPU before compute capability 7.5, older ones know none that came later") from error
    return program


def slug(name):
    """A GPU's name as a folder name: nvidia-h100-80gb-hbm3."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


class Profiler:
    """What both profilers have: a path, metrics that they can count here, and counters without any."""

    def __init__(self, path, timeout=150, only=None):
        """`timeout`: seconds for one program's launches; `only`: these of our counters."""
        self.path = path
        self.timeout = timeout
        self.only = only
        self.metrics = []
        self.left_out = []


class Ncu(Profiler):
    """Counters per launch with Nsight Compute. Settings of the card stay as they are (--clock-control none)."""

    name = "ncu"

    def __init__(self, path, cache_control="all", timeout=150, only=None):
        super().__init__(path, timeout, only)
        self.cache_control = cache_control

    @property
    def conditions(self):
        return f"ncu --cache-control {self.cache_control} --clock-control none, kernel replay"

    def version(self):
        found = re.search(r"Version (\S+)", run([self.path, "--version"], 60).stdout)
        return found[1] if found else "unknown"

    def probe(self, program):
        """Finds the metrics that this ncu can count on this GPU, with a small program.

        Raises NotPermitted if this user may not read counters, RunFailed if the profiler does not work here.
        """
        _probe([self.path, "--csv", "--clock-control", "none", "--metrics", "smsp__inst_executed.sum", program, "probe"])
        try:
            done = run([self.path, "--query-metrics"], 120)
            listed = set(re.findall(r"(?m)^\s*([a-z][a-z0-9]*__[A-Za-z0-9_]+)", done.stdout))
        except RunFailed:
            listed = set()
        refused = set()
        while (wanted := counter_names.wanted("ncu", listed or None, refused, self.only)) != self.metrics:
            self.metrics = self._accepted(wanted, program)
            refused |= set(wanted) - set(self.metrics)  # of some counters there is another way
        if not self.metrics:
            raise RunFailed("ncu: it refuses every metric that is asked for; the first one: " + (min(refused) if refused else "none"))
        self.left_out = [counter.name for counter in counter_names.COUNTERS if counter.ncu and self._wants(counter)
                         and not any(set(choice) <= set(self.metrics) for choice in counter.choices("ncu"))]

    def _wants(self, counter):
        return self.only is None or counter.name in self.only

    def _accepted(self, metrics, program):
        """Those that ncu takes: what it names as unknown is left out, and what it refuses without a name is found by halves."""
        while metrics:
            done = run(self._words(metrics) + [program, "probe"], 120)
            if done.returncode == 0 and "==ERROR==" not in done.stdout + done.stderr:
                return metrics
            _refuse_without_permission(done.stdout + done.stderr)
            unknown = unknown_metrics(done.stdout + done.stderr)
            rest = [name for name in metrics if name not in unknown and name.split(".")[0] not in unknown]
            if len(rest) == len(metrics):
                break
            metrics = rest
        half = len(metrics) // 2
        return self._accepted(metrics[:half], program) + self._accepted(metrics[half:], program) if half else []

    def _words(self, metrics):
        return [self.path, "--csv", "--page", "raw", "--print-units", "base", "--cache-control", self.cache_control, "--clock-control",
                "none", "--metrics", ",".join(metrics)]

    def profile(self, program, launches, repeats, log):
        """For every launch a list of `repeats` dicts metric -> value; of one dict where all repeats would take too long."""
        try:
            return self._profile(program, launches, repeats, log)
        except TooSlow:
            if repeats == 1:
                raise
            return self._profile(program, launches, 1, log)

    def _profile(self, program, launches, repeats, log):
        log.unlink(missing_ok=True)  # of an earlier call
        done = run([*self._words(self.metrics), "--log-file", log, program, "plain", "--repeats", repeats], self.timeout)
        text = (log.read_text(encoding="utf-8", errors="replace") if log.exists() else "") + done.stdout + done.stderr
        _refuse_without_permission(text)
        if done.returncode != 0:
            raise RunFailed(f"ncu: {last_words_of(text)}")
        profiled = counter_names.parse_ncu(text, "ncu")
        if len(profiled) != len(launches) * repeats:
            raise RunFailed(f"ncu saw {len(profiled)} launches, expected {len(launches) * repeats}")
        for number, one in enumerate(profiled):
            launch = launches[number // repeats]
            if one.grid not in (None, launch.grid) or one.block not in (None, launch.local_size):
                raise RunFailed(f"ncu: launch {number} has grid {one.grid} and block {one.block}, expected {launch.grid} and "
                                f"{launch.local_size}")
        return [[one.values for one in profiled[at * repeats:(at + 1) * repeats]] for at in range(len(launches))]


def unknown_metrics(text):
    """The metrics that ncu says it does not know; it prints a name, or "regex:^name(\\.(sum|min|…))?$"."""
    found = re.findall(r"[Ff]ailed to find metric\s+(?:regex:)?\^?([A-Za-z0-9_.\\]+)", text)
    return {name.replace("\\", "").rstrip(".") for name in found}


class Nvprof(Profiler):
    """Counters of older GPUs: lowest, average and highest value over the repeats of one launch."""

    name = "nvprof"

    @property
    def conditions(self):
        return "nvprof: no cache control, kernel replay"

    def version(self):
        found = re.search(r"(\d+\.\d+\.\S+)", run([self.path, "--version"], 60).stdout)
        return found[1] if found else "unknown"

    def probe(self, program):
        """As Ncu.probe."""
        _probe([self.path, "--csv", "--metrics", "inst_executed", program, "probe"])
        listed = set()
        for option in ("--query-metrics", "--query-events"):
            done = run([self.path, option], 120)
            _refuse_without_permission(done.stdout + done.stderr)
            listed |= set(re.findall(r"(?m)^\s*([a-z][a-z0-9_]+):\s", done.stdout + done.stderr))
        self.metrics = counter_names.wanted("nvprof", listed or None, (), self.only)

    def profile(self, program, launches, repeats, log):
        metrics = [name for name in self.metrics if not name.startswith("event:")]
        events = [name.removeprefix("event:") for name in self.metrics if name.startswith("event:")]
        results = []
        for launch in launches:
            log.unlink(missing_ok=True)
            words = [self.path, "--csv", "--log-file", log]
            words += ["--metrics", ",".join(metrics)] if metrics else []
            words += ["--events", ",".join(events)] if events else []
            done = run([*words, program, "plain", "--repeats", repeats, "--launch", launch.name], self.timeout)
            text = (log.read_text(encoding="utf-8", errors="replace") if log.exists() else "") + done.stdout + done.stderr
            _refuse_without_permission(text)
            if done.returncode != 0:
                raise RunFailed(f"nvprof: {last_words_of(text)}")
            kernels = counter_names.parse_nvprof(text, "nvprof")
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
    if counter_names.NOT_PERMITTED.search(text):
        raise NotPermitted


def profiler_for(facts, choice, cache_control, given=None, only=None):
    """The profiler of this GPU, or None with the reason; `only`: these counters are asked for."""
    if choice == "none":
        return None, "not asked for"
    major = int(facts["compute_capability"].split(".")[0])
    name = choice if choice != "auto" else "ncu" if major >= 7 else "nvprof"
    path = find(name, given)
    if not path:
        return None, f"no {name} found"
    return (Ncu(path, cache_control, only=only) if name == "ncu" else Nvprof(path, only=only)), ""
