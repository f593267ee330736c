"""Captures launches and simulates them: every engine, and what the trivial predictors need. Results go to a store."""
import concurrent.futures
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

from truth import store as stores
from warpscope import children, toolchain

WAVES = 3                      # of work-groups on all cores, that `timed` simulates of a large launch
LARGE = 1 << 20                # warp accesses, from which a launch is simulated by `timed` in part
STEPS = ("fixed", "timed", "cold", "in_block")
# In fixed order without a cache's limits: all work-groups on one core, and each on a core of its own.
PREDICTOR_OPTIONS = {"cold": lambda groups: ["--cores", "1"], "in_block": lambda groups: ["--cores", str(groups)]}
MOST_CORES = 1 << 16


class Failed(Exception):
    """A step that gave no result, and why."""


def selection(options):
    """The --work-groups of a command, or None."""
    for place, word in enumerate(options):
        if word == "--work-groups":
            return options[place + 1]
        if word.startswith("--work-groups="):
            return word.split("=", 1)[1]
    return None


def without_selection(options):
    words, skip = [], False
    for word in options:
        if skip or word.startswith("--work-groups="):
            skip = False
        elif word == "--work-groups":
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
            "sampling": context.get("sampling"), "commit": context.get("commit")}


def cost(launch):
    """A rough order of the launches, cheap first: measured requests, else warps."""
    names = ("gld_request", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "gld_transactions")
    x, y, z = launch.block
    return next((launch.measured[name] for name in names if name in launch.measured), launch.groups * -(-x * y * z // 32))


class Runner:
    """Runs the steps of launches. `limit`: seconds that a step may take; `deadline`: no step begins after that."""

    def __init__(self, store, work, jobs=1, limit=600, deadline=None, steps=STEPS):
        self.store = store
        self.work = pathlib.Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.jobs = jobs
        self.limit = limit
        self.deadline = deadline
        self.steps = steps
        self.failures = {}
        self.seconds = {}
        self._lock = threading.Lock()

    def made_with(self, launch, step, part=None):
        """All that the result of a step depends on, besides the tools."""
        command = launch.command
        folder = sorted(path for path in command.path.parent.iterdir() if path.is_file()) if command.path.exists() else []
        words = {"file": command.file, "kernel": stores.file_digest(*folder), "options": list(command.options),
                 "preset": [launch.preset, stores.preset_digest(launch.preset)],
                 "settings": [*launch.options(), *command.simulator_options]}
        return {**words, "part": part} if step == "timed" else words

    def known(self, launch):
        """The steps' results that are stored: {step: reduced result}."""
        found = {}
        for step in self.steps:
            result = self.store.get(f"{launch.name} {step}", self.made_with(launch, step, self._part(launch, found)))
            if result is not None:
                found[step] = result
        return found

    def _part(self, launch, found):
        """The work-groups that `timed` simulates, as --work-groups takes them; None = as the command says."""
        fixed = found.get("fixed")
        if not fixed or not fixed.get("residency"):
            return None
        resident = fixed["residency"][0].get("work_groups") or 1
        part = WAVES * fixed["cores"] * resident
        chosen = selection(launch.command.options)
        recorded = selected_groups(chosen, fixed["groups"]) or fixed["groups"]
        accesses = sum(fixed["total"][kind]["requests"] for kind in ("load", "store", "atomic")) * fixed["groups"] / recorded
        if part >= fixed["groups"] or (chosen is None and accesses < LARGE):
            return "all" if chosen else None
        return f"0-{part - 1}"

    def run(self, launches):
        """Everything that is not stored, captures shared; progress on a terminal's standard error."""
        groups = {}
        for launch in sorted(launches, key=cost):
            groups.setdefault((launch.command.file, launch.command.options), []).append(launch)
        todo = [ones for ones in groups.values() if any(len(self.known(one)) < len(self.steps) for one in ones)]
        done = 0
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            futures = {pool.submit(self._capture_and_simulate, ones): ones for ones in todo}
            try:
                for future in concurrent.futures.as_completed(futures):
                    done += 1
                    future.result()
                    self._say(done, len(todo), futures[future])
            except BaseException:  # a signal, above all: what runs ends with us
                for future in futures:
                    future.cancel()
                children.end_all()
                raise

    @staticmethod
    def _say(done, count, ones):
        if sys.stderr.isatty():
            print(f"\r\033[K[{done}/{count}] {ones[0].name}", end="\n" if done == count else "", file=sys.stderr, flush=True)

    def late(self):
        return self.deadline is not None and time.monotonic() > self.deadline

    def _capture_and_simulate(self, launches):
        """All launches of one command."""
        if self.late():
            return
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            captures = {}
            for launch in launches:
                try:
                    self._simulate(launch, captures, pathlib.Path(folder))
                except Failed as error:
                    with self._lock:
                        self.failures[launch.name] = str(error)

    def _simulate(self, launch, captures, folder):
        found = self.known(launch)
        for step in self.steps:
            if step in found or self.late():
                continue
            part = self._part(launch, found) if step == "timed" else None
            capture = self._captured(launch, part, captures, folder)
            began = time.monotonic()
            found[step] = reduced(json.loads(self._output("cachesim", *self._words(launch, step, capture))))
            with self._lock:
                self.seconds[launch.name, step] = time.monotonic() - began
            self.store.put(f"{launch.name} {step}", self.made_with(launch, step, part), found[step])

    def _words(self, launch, step, capture):
        words = ["timed"] if step == "timed" else []
        words += [capture, "--preset", stores.preset_file(launch.preset), *launch.options(), *launch.command.simulator_options]
        if step in PREDICTOR_OPTIONS:
            words += [*PREDICTOR_OPTIONS[step](min(launch.groups, MOST_CORES)), "--no-wavefronts"]
        if self.jobs > 1 and step != "timed":
            words += ["--threads", "1"]
        return [*words, "--launches", "groups", "--json", "-"]

    def _captured(self, launch, part, captures, folder):
        """The capture of a launch or of a part of it; once per folder."""
        options = launch.command.options
        if part is not None:
            options = without_selection(options) + (() if part == "all" else ("--work-groups", part))
        if options not in captures:
            path = folder / f"{len(captures)}.wtrace"
            threads = ["--threads", "1"] if self.jobs > 1 else []
            self._output("trace-kernel", launch.command.path, *options, *threads, "-o", path)
            captures[options] = path
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
            raise Failed(f"{tool}: more than {self.limit:g} s") from None
        if child.returncode != 0:
            said = messages.decode("utf-8", "replace").strip().splitlines()
            raise Failed(said[-1] if said else f"{tool}: exit status {child.returncode}")
        return output
