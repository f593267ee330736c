"""Captures launches and simulates them: every engine, and what the trivial predictors need. Results go to a store."""
import json
import math
import pathlib
import resource
import subprocess
import tempfile
import threading
import time

from truth import store as stores, tables
from truth.parts import (SOME_CORES, WAVES, counts_differ, cut, loads_of_all_groups, selected_groups, selection, share_of_memory, some_cores,
                         waves_of_some_cores, without)
from truth.turns import FairShare
from warpscope.base import children, toolchain
from warpscope.run.experiment import Experiment, Progress
from warpscope.run.kept import of_files

LARGE = 1 << 20                # warp accesses, from which a launch is simulated by `timed` in part
# What ends the name of a step with the values that the launch's own fold did not choose, by what is left out.
LEFT_OUT = {split: f"_without_{split}" for split in tables.SPLITS_BY}
BASIC = ("fixed", "counts", "cold", "in_block", "jitter", "timed")  # the cheap ones first
STEPS = (*BASIC, *(step + ending for ending in LEFT_OUT.values() for step in BASIC if step != "counts"))
SEEDS = (1, 2, 3)              # of the jittered order, whose counters are their mean
MOST_CORES = 1 << 14           # that are worth their time: a core for every work-group
# What a step adds to the options of cachesim. Without a cache's limits in fixed order: all work-groups on one core, and each on a
# core of its own.
OPTIONS = {
    "fixed": lambda launch: ["--reuse-histogram"],
    "counts": lambda launch: ["--no-classes", "--no-wavefronts"],
    "cold": lambda launch: ["--cores", "1", "--no-wavefronts"],
    "in_block": lambda launch: ["--cores", str(launch.groups), "--no-wavefronts"],
    "jitter": lambda launch: ["--policy", "jitter", "--no-classes", "--no-wavefronts"],
    "timed": lambda launch: [],
}


def basic(step):
    """The step that one with other values is the twin of; itself otherwise."""
    return step.split("_without_")[0]


def twins(launch, values, split=None):
    """The steps that are run again with left-out values: {step: words of cachesim}. `values`: of tables.left_out(); `split`: None for all."""
    found = {}
    for one, ending in LEFT_OUT.items():
        changed = tables.changes(launch, values, one) if split in (None, one) else []
        words = [word for value in changed for word in ("--set", f"{value.key}={value.value}")]
        found.update({step + ending: words for step in BASIC if step + ending in STEPS and changed
                      and (step == "timed" or not all(value.timed_only for value in changed))})
    return found


class Failed(Exception):
    """A step that gave no result, and why."""


class TooLong(Failed):
    """A step that was ended at the limit."""


def reduced(result):
    """What of a result the scores need. `groups`: work-groups of the launch that was captured, which may be a part of the measured one
    (--global); `sampling` says which of them were recorded."""
    context = result["context"]
    launch = result["launch_groups"][0]
    return {"total": result["total"], "cache": context["cache"], "cores": context["cores"],
            "groups": math.prod(-(-all_of // one) for all_of, one in zip(launch["global"], launch["local"])),
            "l1_kib": context.get("l1_kib"), "residency": context.get("schedule", {}).get("residency"),
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


class Runner:
    """Runs the steps of launches. `limit`: seconds that a step may take; `deadline`: no step begins after that."""

    def __init__(self, store, work, jobs=1, limit=600, deadline=None, steps=None, kept=None, left_out=(), machine=None):
        """`steps`: only these are run, and results of other builds are not enough for them; None: all that have no result. `kept`: a
        stores.Captures, or None. `left_out`: of tables.left_out(). `machine`: a MachineCode, whose code is captured; None: the kernel's source."""
        self.machine = machine
        self.left_out = left_out
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
                 "settings": [*self._settings(launch), *command.simulator_options]}
        if self.machine:
            words["machine"] = self.machine.made_with(launch)
        words["step"] = self._step_options(launch, step)
        if basic(step) != "timed":
            return words
        return {**words, "part": part, **({"memory": "share"} if launch.family in SOME_CORES else {})}

    def _step_options(self, launch, step):
        return [*OPTIONS[basic(step)](launch), *twins(launch, self.left_out).get(step, [])]

    def steps_of(self, launch, found):
        """The steps that say something of a launch. Work-groups are counted where some count otherwise than others. Of a part, the lines that the whole GPU reads once are not known. A core for every
        work-group takes too long where there are very many. Where no load is looked up in the L1 and no time was measured, fixed order
        says all."""
        load = found["fixed"]["total"]["load"] if "fixed" in found else {}
        if load.get("requests") and load["bypasses"] == load["transactions"] and not launch.timed:
            return ["fixed"]
        useless = {"counts": not counts_differ(launch), "cold": selection(launch.command.options) is not None,
                   "in_block": launch.groups > MOST_CORES}
        known = (*BASIC, *twins(launch, self.left_out))
        return [step for step in STEPS if step in known and not useless.get(basic(step))]

    @staticmethod
    def _kernel(command):
        """Changes when a file next to the kernel does."""
        return of_files(command.path.parent.iterdir() if command.path.exists() else [])

    def known(self, launch):
        """The steps' results that are stored: {step: reduced result}."""
        found = {}
        for step in (*BASIC, *twins(launch, self.left_out)):
            result = self.store.get(f"{launch.name} {step}", self.made_with(launch, step, self._part(launch, found)))
            if result is not None:
                found[step] = result
        return found

    def missing(self, launch):
        """The steps that are to be run."""
        found = self.known(launch)
        return [step for step in self.steps_of(launch, found) if self._wanted(launch, step, found)]

    def _wanted(self, launch, step, found):
        if self.steps is None or step not in found:
            return step not in found and (self.steps is None or step in self.steps)
        part = self._part(launch, found) if basic(step) == "timed" else None
        return step in self.steps and not self.store.is_of_this_build(f"{launch.name} {step}", self.made_with(launch, step, part))

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
        queue, progress, done = FairShare(launches, self.seconds, self.missing), Progress(), []
        todo = len(queue)

        def work(taken):
            began = time.monotonic()
            self._capture_and_simulate(taken[1])
            return time.monotonic() - began

        def add(taken, seconds):
            queue.add(taken[0], seconds)
            done.append(taken[1][0].name)
            progress.say(len(done), todo, done[-1])

        try:
            Experiment(work, self.jobs, self.work).run(lambda: None if self.late() else queue.take(), add)
        except BaseException:  # a signal, above all: what runs ends with us
            self.deadline = time.monotonic() - 1
            raise
        finally:
            progress.end()

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
        for step in STEPS:
            if step not in self.missing(launch) or self.late() or (step != "fixed" and "fixed" not in found):
                continue
            part = self._part(launch, found) if basic(step) == "timed" else None
            name, made_with = f"{launch.name} {step}", self.made_with(launch, step, part)
            key = json.dumps([basic(step), made_with])
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
        options = loads_of_all_groups(launch) if step == "counts" else self._options(launch, part)
        capture = self._captured(launch, options, captures, folder)
        captured = self._clock()
        seeds = [["--seed", str(seed)] for seed in SEEDS] if basic(step) == "jitter" else [[]]
        words = self._words(launch, step, capture)
        if basic(step) == "timed" and launch.family in SOME_CORES:
            words += self._few_cores(launch, found["fixed"]["cores"])
        results = [json.loads(self._output("cachesim", *words, *seed)) for seed in seeds]
        result = mean_of([reduced(one) for one in results])
        if step == "fixed" and not self.machine:  # which counts them itself
            result["fp32"] = fp32_operations(results[0], json.loads(self._output("trace-view", capture, "--cfg", "--json")))
        result["seconds"] = {"capture": captured - began, "simulation": self._clock() - captured}
        return result

    @staticmethod
    def _few_cores(launch, cores):
        """The options of a machine of few cores with their share of the memory behind them."""
        few = some_cores(cores)
        preset = json.loads(pathlib.Path(stores.preset_file(launch.preset)).read_text(encoding="utf-8"))
        return ["--cores", str(few), *share_of_memory(preset, few, cores)]

    def _clock(self):
        """Seconds of processor time that the tools have taken, so that other work on the machine does not count; with several jobs at a
        time, where these cannot be told apart, of the clock."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime if self.jobs == 1 else time.monotonic()

    def _words(self, launch, step, capture):
        words = ["timed"] if basic(step) == "timed" else []
        words += [capture, "--preset", stores.preset_file(launch.preset), *self._settings(launch), *launch.command.simulator_options]
        words += self._step_options(launch, step)
        if self.jobs > 1 and basic(step) != "timed":
            words += ["--threads", "1"]
        return [*words, "--launches", "groups", "--json", "-"]

    def _settings(self, launch):
        """What the row states; machine code has registers of its own."""
        return without(launch.options(), "--registers") if self.machine else launch.options()

    @staticmethod
    def _options(launch, part):
        """The options of trace-kernel for a launch or for a part of it."""
        options = launch.command.options
        if part is None:
            return options
        options = without(options, "--work-groups") + (() if part == "all" else ("--work-groups", part))
        if launch.family in SOME_CORES:
            options = without(options, "--global") + tuple(cut(launch.grid, launch.block, part))
        return options

    def _captured(self, launch, options, captures, folder):
        """The capture that these options make; once per folder."""
        if options not in captures:
            made_of = [launch.command.file, self._kernel(launch.command), list(options), *(self.machine.made_with(launch) if self.machine else [])]
            captures[options] = self.kept and self.kept.get(made_of)
            if captures[options] is None:
                path = folder / f"{len(captures)}.wtrace"
                more = ["--threads", "1"] if self.jobs > 1 else []
                if selection(options) not in (None, "all"):
                    more.append("--skip-others")  # no work-group here reads what another one writes
                words = self._source(launch, options, folder / f"{len(captures)}")
                self._output("trace-kernel", *words, *more, "-o", path)
                captures[options] = self.kept.keep(made_of, path) if self.kept else path
        return captures[options]

    def _source(self, launch, options, folder):
        """What trace-kernel captures: the kernel's file, or its machine code, which is made in `folder`."""
        if not self.machine:
            return [launch.command.path, *options]
        try:
            macros = [macro for word, macro in zip(options, options[1:]) if word == "-D"]
            return self.machine.words(launch, macros, without(options, "-D"), folder)
        except subprocess.CalledProcessError as error:
            raise Failed(f"nvcc: {error.stderr.decode('utf-8', 'replace').strip()}") from error

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
