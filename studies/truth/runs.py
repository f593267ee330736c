"""Captures launches and simulates them: every engine, and what the trivial predictors need. Results go to a store."""
import collections
import concurrent.futures
import itertools
import json
import math
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time

from truth import store as stores
from truth import tables
from warpscope import children, error_classes, toolchain

WAVES = 3                      # of work-groups on all cores, that `timed` simulates of a large launch
LARGE = 1 << 20                # warp accesses, from which a launch is simulated by `timed` in part
SOME_CORES = ("coulomb", "conv7x7", "convolution")  # families of which `timed` simulates few cores: blocks share at most a halo, by the L2
MOST_SOME_CORES = 4
STEPS = ("fixed", "cold", "in_block", "jitter", "timed")  # the cheap ones first
SEEDS = (1, 2, 3)              # of the jittered order, whose counters are their mean
MOST_CORES = 1 << 16
LOADS = ("gld_request", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "gld_transactions")
SHARED_LOADS = ("shared_load_transactions", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")
# What a step adds to the options of cachesim. Without a cache's limits in fixed order: all work-groups on one core, and each on a
# core of its own.
OPTIONS = {
    "fixed": lambda launch: ["--reuse-histogram"],
    "cold": lambda launch: ["--cores", "1", "--no-wavefronts"],
    "in_block": lambda launch: ["--cores", str(min(launch.groups, MOST_CORES)), "--no-wavefronts"],
    "jitter": lambda launch: ["--policy", "jitter", "--no-classes", "--no-wavefronts"],
    "timed": lambda launch: [],
}


class Failed(Exception):
    """A step that gave no result, and why."""


class TooLong(Failed):
    """A step that was ended at the limit."""


def selection(options):
    """The --work-groups of a command, or None."""
    for place, word in enumerate(options):
        if word == "--work-groups":
            return options[place + 1]
        if word.startswith("--work-groups="):
            return word.split("=", 1)[1]
    return None


def without(options, *names):
    """The options of a command less some that have a value."""
    words, skip = [], False
    for word in options:
        if skip or word.split("=", 1)[0] in names and "=" in word:
            skip = False
        elif word in names:
            skip = True
        else:
            words.append(word)
    return tuple(words)


def selected_groups(text, groups):
    """How many of a launch's work-groups a selection names; None where it draws them at random."""
    if text in (None, "all"):
        return groups
    if match := re.fullmatch(r"every:(\d+)", text):
        return math.ceil(groups / int(match[1]))
    if match := re.fullmatch(r"every-core:(\d+)/(\d+)", text):
        every, cores = int(match[1]), int(match[2])
        return groups // cores * math.ceil(cores / every) + math.ceil(groups % cores / every)
    if match := re.fullmatch(r"waves:(\d+)/(\d+)", text):
        return min(groups, int(match[1]) * int(match[2]))
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        return None
    count = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        count += min(int(last or first), groups - 1) - int(first) + 1
    return count


def reduced(result):
    """What of a result the scores need. `groups`: work-groups of the launch that was captured, which may be a part of the measured one
    (--global); `sampling` says which of them were recorded."""
    context = result["context"]
    launch = result["launch_groups"][0]
    return {"total": result["total"], "cache": context["cache"], "cores": context["cores"],
            "groups": math.prod(-(-all_of // one) for all_of, one in zip(launch["global"], launch["local"])),
            "l1_kib": context.get("l1_kib"), "residency": context.get("schedule", {}).get("residency"),
            "reuse": result.get("reuse_histogram"),
            "stores_share": error_classes.stores_share(result.get("buffers")),
            "sampling": context.get("sampling"), "commit": context.get("commit")}


FP32 = ("fp32_add", "fp32_mul", "fp32_fma")  # classes of instructions that profilers count as fp32 operations


def fp32_operations(result, program):
    """Executed by work-items, of what was recorded: per block of the kernel its fp32 instructions times the lane accesses of one of
    its memory instructions, which executes as often. None where a block with such instructions has no memory instruction.
    `program`: `trace-view --cfg --json`."""
    launch = program["launches"][0]
    lanes = {one["site"]: sum(part[kind]["lanes"] for part in (one, *one["outside_l1"].values()) for kind in ("load", "store", "atomic"))
             for one in result["sites"] if one["kernel"] == launch["kernel"]}
    total = 0
    for block in launch["blocks"]:
        operations = sum(block["mix"].get(name, 0) for name in FP32)
        if operations and not block["sites"]:
            return None
        total += operations and operations * max(lanes.get(site, 0) for site in block["sites"])
    return total


def mean_of(results):
    """Of results of several seeds: every number of `total` is their mean, the rest the first one's."""
    def average(values):
        if isinstance(values[0], dict):
            return {key: average([value[key] for value in values]) for key in values[0]}
        numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
        return sum(values) / len(values) if numbers else values[0]
    return {**results[0], "total": average([one["total"] for one in results])}


def recorded_share(launch):
    """Roughly which part of a launch its command records."""
    options, (x, y, z) = launch.command.options, launch.block
    share = 1.0
    for place, word in enumerate(options):
        if word == "--global":
            share = math.prod(int(size) for size in options[place + 1].split(",")) / (launch.groups * x * y * z)
    every = re.match(r"every(?:-core)?:(\d+)", selection(options) or "")
    return min(1.0, share) / (int(every[1]) if every else 1)


def cost(launch):
    """Roughly how long a launch takes, in warp accesses: measured requests and wavefronts of shared memory, else warps, of the part
    that is recorded."""
    measured, (x, y, z) = launch.measured, launch.block
    warps = launch.groups * -(-x * y * z // 32)
    global_loads = next((measured[name] for name in LOADS if name in measured), warps)
    shared_loads = next((measured[name] for name in SHARED_LOADS if name in measured), 0)
    return max(warps, global_loads + shared_loads) * recorded_share(launch)


def weight(launches):
    """By how much less the launches of a (GPU, family) tell than variants and those whose hit rate was measured."""
    rated = any(name in one.measured for one in launches for name in tables.HIT_RATES)
    return 1 if rated or launches[0].family in tables.VARIANTS else 4


def some_cores(cores):
    """The largest number up to MOST_SOME_CORES that divides a GPU's cores: work-group i is then on the same core as on all cores."""
    return next(few for few in range(MOST_SOME_CORES, 0, -1) if cores % few == 0)


def waves_of_some_cores(cores, resident, groups):
    """The work-groups of the first waves of the first some_cores(), as --work-groups takes them."""
    few = some_cores(cores)
    firsts = range(0, min(WAVES * resident * cores, groups), cores)
    return ",".join(f"{first}-{min(first + few, groups) - 1}" for first in firsts)


def cut(grid, block, part):
    """Options of trace-kernel for a grid that ends, in its last dimension, where the work-groups of `part` do: what comes later needs
    not be run."""
    x, y, z = grid
    needed = int(re.split("[,-]", part)[-1]) + 1
    y, z = (y, -(-needed // (x * y))) if z > 1 else (-(-needed // x), z)
    return ["--global", ",".join(str(groups * items) for groups, items in zip((x, y, z), block))]


class FairShare:
    """Launches in turn such that every (GPU, family) has had about the same time, whenever a run is stopped. In each the cheap launches
    come first; launches of one command are taken together."""

    def __init__(self, launches, seconds):
        """`seconds`: of a launch, what was spent on it before."""
        self._spent = {}
        self._queues = {}
        self._weights = {}
        families = {}
        for launch in sorted(launches, key=lambda one: (cost(one), one.name)):
            families.setdefault((launch.gpu, launch.family), []).append(launch)
        for family, ones in families.items():
            commands = {}
            for launch in ones:
                commands.setdefault((launch.command.file, launch.command.options), []).append(launch)
            self._queues[family] = collections.deque(commands.values())
            self._spent[family] = math.fsum(map(seconds, ones))
            self._weights[family] = weight(ones)
        self._lock = threading.Lock()

    def __len__(self):
        return sum(map(len, self._queues.values()))

    def take(self):
        """(family, launches of one command) to be run next; None at the end."""
        with self._lock:
            waiting = [family for family, queue in self._queues.items() if queue]
            if not waiting:
                return None
            family = min(waiting, key=lambda one: (self._spent[one] * self._weights[one], one))
            return family, self._queues[family].popleft()

    def add(self, family, seconds):
        with self._lock:
            self._spent[family] += seconds


class Runner:
    """Runs the steps of launches. `limit`: seconds that a step may take; `deadline`: no step begins after that."""

    def __init__(self, store, work, jobs=1, limit=600, deadline=None, steps=STEPS, kept=None):
        """`kept`: a stores.Captures, or None."""
        self.store = store
        self.kept = kept
        self.work = pathlib.Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.jobs = jobs
        self.limit = limit
        self.deadline = deadline
        self.steps = steps
        self.failures = {}
        self._lock = threading.Lock()

    def made_with(self, launch, step, part=None):
        """All that the result of a step depends on, besides the tools."""
        command = launch.command
        words = {"file": command.file, "kernel": self._kernel(command), "options": list(command.options),
                 "preset": [launch.preset, stores.preset_digest(launch.preset)],
                 "settings": [*launch.options(), *command.simulator_options]}
        words["step"] = OPTIONS[step](launch)
        return {**words, "part": part} if step == "timed" else words

    def steps_of(self, launch, found):
        """The steps that say something of a launch. Of a part, the lines that the whole GPU reads once are not known. Where no load
        is looked up in the L1 and no time was measured, fixed order says all."""
        load = found["fixed"]["total"]["load"] if "fixed" in found else {}
        if load.get("requests") and load["bypasses"] == load["transactions"] and not launch.timed:
            return ["fixed"]
        return [step for step in self.steps if step != "cold" or selection(launch.command.options) is None]

    @staticmethod
    def _kernel(command):
        """Changes when a file next to the kernel does."""
        return stores.file_digest(*sorted(path for path in command.path.parent.iterdir() if path.is_file()) if command.path.exists() else [])

    def known(self, launch):
        """The steps' results that are stored: {step: reduced result}."""
        found = {}
        for step in self.steps:
            result = self.store.get(f"{launch.name} {step}", self.made_with(launch, step, self._part(launch, found)))
            if result is not None:
                found[step] = result
        return found

    def missing(self, launch):
        """The steps that are to be run."""
        found = self.known(launch)
        return [step for step in self.steps_of(launch, found) if step not in found]

    def _part(self, launch, found):
        """The work-groups that `timed` simulates, as --work-groups takes them; None = as the command says."""
        fixed = found.get("fixed")
        if not fixed or not fixed.get("residency"):
            return None
        resident = fixed["residency"][0].get("work_groups") or 1
        if launch.family in SOME_CORES:
            return waves_of_some_cores(fixed["cores"], resident, launch.groups)
        part = WAVES * fixed["cores"] * resident
        chosen = selection(launch.command.options)
        recorded = selected_groups(chosen, fixed["groups"]) or fixed["groups"]
        accesses = sum(fixed["total"][kind]["requests"] for kind in ("load", "store", "atomic")) * fixed["groups"] / recorded
        if part >= fixed["groups"] or (chosen is None and accesses < LARGE):
            return "all" if chosen else None
        return f"0-{part - 1}"

    def seconds(self, launch):
        """What the stored steps of a launch took."""
        return math.fsum(part for entry in self.known(launch).values() for part in entry.get("seconds", {}).values())

    def run(self, launches):
        """Everything that is not stored, captures shared; progress on a terminal's standard error."""
        queue = FairShare([one for one in launches if self.missing(one)], self.seconds)
        todo, done = len(queue), itertools.count(1)

        def work():
            while not self.late() and (taken := queue.take()):
                began = time.monotonic()
                self._capture_and_simulate(taken[1])
                queue.add(taken[0], time.monotonic() - began)
                self._say(next(done), todo, taken[1])

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            workers = [pool.submit(work) for _ in range(self.jobs)]
            try:
                for worker in concurrent.futures.as_completed(workers):
                    worker.result()
            except BaseException:  # a signal, above all: what runs ends with us
                self.deadline = time.monotonic() - 1
                children.end_all()
                raise

    @staticmethod
    def _say(done, count, ones):
        if sys.stderr.isatty():
            print(f"\r\033[K[{done}/{count}] {ones[0].name}", end="\n" if done == count else "", file=sys.stderr, flush=True)

    def late(self):
        return self.deadline is not None and time.monotonic() > self.deadline

    def _capture_and_simulate(self, launches):
        """All launches of one command, which share captures and, where nothing else differs (a second measurement), results."""
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            captures, made = {}, {}
            for launch in launches:
                self._simulate(launch, captures, made, pathlib.Path(folder))

    def _simulate(self, launch, captures, made, folder):
        found = self.known(launch)
        for step in self.steps:
            if step in found or step not in self.steps_of(launch, found) or self.late() or (step != "fixed" and "fixed" not in found):
                continue
            part = self._part(launch, found) if step == "timed" else None
            name, made_with = f"{launch.name} {step}", self.made_with(launch, step, part)
            key = json.dumps([step, made_with])
            try:
                if self.store.gave_up(name, made_with, self.limit):
                    raise Failed(f"more than {self.limit:g} s")
                made[key] = made.get(key) or self._result(launch, step, part, found, captures, folder)
            except Failed as error:
                with self._lock:
                    self.failures[launch.name, step] = str(error)
                if isinstance(error, TooLong):
                    self.store.give_up(name, made_with, self.limit)
                continue
            found[step] = made[key]
            self.store.put(name, made_with, found[step])

    def _result(self, launch, step, part, found, captures, folder):
        """The reduced result of a step, with the `seconds` that it took: the capture, where the step made one, and the simulation."""
        began = self._clock()
        capture = self._captured(launch, part, captures, folder)
        captured = self._clock()
        seeds = [["--seed", str(seed)] for seed in SEEDS] if step == "jitter" else [[]]
        words = self._words(launch, step, capture)
        if step == "timed" and launch.family in SOME_CORES:
            words += ["--cores", str(some_cores(found["fixed"]["cores"]))]
        results = [json.loads(self._output("cachesim", *words, *seed)) for seed in seeds]
        result = mean_of([reduced(one) for one in results])
        if step == "fixed":
            result["fp32"] = fp32_operations(results[0], json.loads(self._output("trace-view", capture, "--cfg", "--json")))
        result["seconds"] = {"capture": captured - began, "simulation": self._clock() - captured}
        return result

    def _clock(self):
        """Seconds of processor time that the tools have taken, so that other work on the machine does not count; with several jobs at a
        time, where these cannot be told apart, of the clock."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime if self.jobs == 1 else time.monotonic()

    def _words(self, launch, step, capture):
        words = ["timed"] if step == "timed" else []
        words += [capture, "--preset", stores.preset_file(launch.preset), *launch.options(), *launch.command.simulator_options]
        words += OPTIONS[step](launch)
        if self.jobs > 1 and step != "timed":
            words += ["--threads", "1"]
        return [*words, "--launches", "groups", "--json", "-"]

    def _captured(self, launch, part, captures, folder):
        """The capture of a launch or of a part of it; once per folder."""
        options = launch.command.options
        if part is not None:
            options = without(options, "--work-groups") + (() if part == "all" else ("--work-groups", part))
            if launch.family in SOME_CORES:
                options = without(options, "--global") + tuple(cut(launch.grid, launch.block, part))
        if options not in captures:
            made_of = [launch.command.file, self._kernel(launch.command), list(options)]
            captures[options] = self.kept and self.kept.get(made_of)
            if captures[options] is None:
                path = folder / f"{len(captures)}.wtrace"
                threads = ["--threads", "1"] if self.jobs > 1 else []
                self._output("trace-kernel", launch.command.path, *options, *threads, "-o", path)
                captures[options] = self.kept.keep(made_of, path) if self.kept else path
        return captures[options]

    def _output(self, tool, *words):
        """What a tool writes to standard output. Raises Failed with its last words."""
        child = children.start(toolchain.command(tool, *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=toolchain.environment())
        try:
            output, messages = child.communicate(timeout=self.limit)
        except subprocess.TimeoutExpired:
            child.kill()
            child.communicate()
            raise TooLong(f"{tool}: more than {self.limit:g} s") from None
        if child.returncode != 0:
            said = messages.decode("utf-8", "replace").strip().splitlines()
            raise Failed(said[-1] if said else f"{tool}: exit status {child.returncode}")
        return output
