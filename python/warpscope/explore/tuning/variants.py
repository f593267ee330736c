"""Simulates one variant of a kernel: captures it, runs both clocks, and keeps the answer in a folder under a name made from all it
depends on. So a run that was stopped goes on where it was, and the same variant is never simulated twice."""
from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Sequence

from warpscope.base import toolchain
from warpscope.base.command import version
from warpscope.base.errors import ToolFailed, why_of
from warpscope.explore.models import predictors
from warpscope.explore.tuning.launch import Launch
from warpscope.explore.tuning.space import Configuration, Parameter, Space, local_size
from warpscope.result import measures, results
from warpscope.run import kept
from warpscope.run.experiment import Ended, Experiment, check_ended, processors
from warpscope.run.record import machine_words
from warpscope.run.request import Gpu, LayoutChange, given

SCHEMA = 1
CLOCKS = ("both", "fixed")
EXIT_LEFT_OUT = 3
FINE = (0, EXIT_LEFT_OUT)
NO_CODE = re.compile("does not compile|^trace-kernel: (nvcc|ptxas): failed for ", re.MULTILINE)
NO_GPU = Gpu("")  # of a kernel that is only captured


@dataclass
class Kernel:
    """What is the same for all variants. `sizes`: (variant) -> options of trace-kernel that follow from it; `by`: the models that predict its
    time."""

    path: pathlib.Path
    gpu: Gpu
    launch: Launch = Launch()
    clock: str = "both"
    sizes: Callable[[dict[str, Any]], list[str]] = lambda named: []
    by: list[predictors.Predictor] = field(default_factory=list)

    def launch_file(self) -> Optional[pathlib.Path]:
        """The one that the options name, else NAME.launch next to the kernel; None without one."""
        if self.launch.file is not None:
            return self.launch.file
        found = self.path.with_suffix(".launch")
        return found if found.exists() else None


@dataclass
class Variant:
    """The answer. `invalidity`: "correct", "compile", "runtime" or "constraints" (does not fit the GPU), with `why` in one line.
    `fixed`, `timed`: measures as in docs/tools/what-if.md, or None. `milliseconds`: cycles at the GPU's clock.
    `models`: seconds by each model of --by, or in words why it has none."""

    configuration: dict[str, Any]
    invalidity: str = "correct"
    why: str = ""
    fixed: Optional[dict[str, Any]] = None
    timed: Optional[dict[str, Any]] = None
    milliseconds: Optional[float] = None
    models: dict[str, Any] = field(default_factory=dict)

    @property
    def is_valid(self) -> bool:
        return self.invalidity == "correct"

    def measure(self, name: str) -> Optional[float]:
        """A measure: cycles and what else only the timed clock has from there, else that of the fixed order."""
        if not self.is_valid:
            return None
        if name in self.models:
            return None if isinstance(self.models[name], str) else self.models[name]
        for clock in (self.fixed, self.timed):
            if clock and name in clock:
                value: Optional[float] = clock[name]
                return value
        return None


def attempt(tool: str, *words: Any) -> tuple[int, str, str]:
    """(exit status, standard output, messages) of a tool. Raises Ended."""
    status, output, said = toolchain.attempt(tool, *words)
    check_ended(tool, status, said)
    return status, output, said


def content_of(kernel: Kernel) -> str:
    """Of all files that a variant depends on, and of their names relative to the kernel."""
    files = [kernel.path, kernel.launch_file(), pathlib.Path(kernel.gpu.name) if kernel.gpu.name.endswith(".json") else None]
    return kept.of_files(kept.with_includes(files), kernel.path.parent)


def words_of(parameters: Sequence[Parameter], named: dict[str, Any]) -> tuple[list[str], list[str], list[str]]:
    """A variant as options: (of trace-kernel, of both engines, of trace-change)."""
    capture: list[str] = []
    machine: list[str] = []
    changes: list[str] = []
    for one in parameters:
        value = named[one.name]
        if one.kind == "define":
            capture += ["-D", f"{one.name}={value}"]
        elif one.kind == "local":
            capture += ["--local", ",".join(map(str, local_size(value)))]
        elif one.kind == "carveout":
            machine += given(carveout=str(value))
        elif value != "none":
            changes += LayoutChange(one.option, f"{one.target}={value}").words()
    return capture, machine, changes


def line_of(messages: str) -> str:
    """The line of a tool's messages that says why it ended; of a compiler's, its first error."""
    lines = [line for line in messages.splitlines() if line.strip()]
    compiler = next((line for line in lines if re.search(r"(:\d+:\d+|\(\d+\)): (fatal )?error: ", line)), None)
    line: str = compiler or why_of(messages)
    return re.sub(r"^[\w-]+: (?=\S)", "", re.sub(r"(?<![\w.])/\S*/(?=[^/\s]+:)", "", line))[:400]


def milliseconds_of(result: dict[str, Any]) -> Optional[float]:
    """Cycles of a timed result at the core clock of the GPU; None where that is not known."""
    megahertz = results.preset_values(result).get("core_clock_mhz")
    cycles: int = result["total"]["timing"]["cycles"]
    return cycles / megahertz / 1000 if isinstance(megahertz, (int, float)) else None


class Simulator:
    """Simulates variants of a kernel into a folder of answers."""

    def __init__(self, kernel: Kernel, space: Space, folder: pathlib.Path, jobs: int,
                 on_answer: Callable[[Variant], None] = lambda variant: None) -> None:
        self.kernel, self.space, self.folder, self.on_answer = kernel, space, folder, on_answer
        self.threads = max(1, processors() // jobs)
        self.answers = kept.Store(folder / "variants")
        self.experiment: Experiment[Configuration, Variant] = Experiment(self._simulate, jobs, folder, self)
        tools = kept.of_tools("trace-kernel", "trace-change", "cachesim", "warpsched", "trace-view")
        self._base = (SCHEMA, version(), tools, content_of(kernel), list(kernel.launch.words), kernel.gpu, kept.of_preset(kernel.gpu.name), kernel.clock,
                      kept.of_compilers(kernel.path, kernel.launch.words),
                      [(one.name, kept.of_file(one.gpu.path)) for one in kernel.by])
        self.answers.folder.mkdir(parents=True, exist_ok=True)
        self._tidy()

    @property
    def reused(self) -> int:
        """Answers that were there."""
        return self.experiment.reused

    def _tidy(self) -> None:
        """Removes what runs that were killed have left."""
        for left in self.folder.glob(".work-*"):
            process = left.name.split("-")[1]
            if not pathlib.Path(f"/proc/{process}").exists():
                shutil.rmtree(left, ignore_errors=True)

    def _name(self, configuration: Configuration) -> str:
        """Under which the answer is, or will be: it is made from all that it depends on."""
        named = self.space.named(configuration)
        return kept.digest(self._base, self.kernel.sizes(named), [(one.kind, one.option, one.target, one.name, named[one.name])
                                                                 for one in self.space.parameters])

    def get(self, task: Configuration) -> Optional[Variant]:
        """The answer of an earlier run."""
        content = self.answers.get(self._name(task))
        return None if content is None else Variant(**json.loads(content))

    def put(self, task: Configuration, answer: Variant) -> None:
        """Whole or not at all."""
        self.answers.put(self._name(task), json.dumps(vars(answer), indent=1).encode())

    def _simulate(self, configuration: Configuration) -> Variant:
        work = pathlib.Path(tempfile.mkdtemp(prefix=f".work-{os.getpid()}-", dir=self.folder))
        try:
            return self._run(self.space.named(configuration), work)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _run(self, named: dict[str, Any], work: pathlib.Path) -> Variant:
        capture, machine, changes = words_of(self.space.parameters, named)
        trace, engine = work / "variant.wtrace", [*self.kernel.gpu.words(), *machine]
        words = machine_words(self.kernel.path, self.kernel.launch.words, self.kernel.gpu.name)
        status, _, said = attempt("trace-kernel", self.kernel.path, *words, *self.kernel.sizes(named), *capture,
                                    "--threads", self.threads, "-o", trace)
        if status != 0:
            return Variant(named, "compile" if NO_CODE.search(said) else "runtime", line_of(said))
        if changes:
            status, _, said = attempt("trace-change", trace, *changes, "-o", work / "changed.wtrace")
            trace = work / "changed.wtrace"
            if status != 0:
                return Variant(named, "constraints", line_of(said))
        variant = Variant(named)
        for timed in (False, True)[:1 if self.kernel.clock == "fixed" else 2]:
            result, said = self._engine(trace, engine, timed)
            if result is None or result["context"].get("skipped"):
                return Variant(named, "constraints", line_of(said))
            if timed:
                variant.timed = measures.timed(result)
                variant.milliseconds = milliseconds_of(result)
            else:
                variant.fixed = measures.fixed(result)
        try:
            variant.models = dict(predictors.predict(trace, self.kernel.by))
        except ToolFailed:
            return Variant(named, "constraints", f"does not fit a GPU of --by {','.join(one.name for one in self.kernel.by)}")
        return variant

    def _engine(self, trace: pathlib.Path, engine: list[str], timed: bool) -> tuple[Optional[dict[str, Any]], str]:
        """(result, messages); no result where no launch fits the GPU, or it refuses the options."""
        status, output, said = attempt("cachesim", *(["timed"] if timed else []), trace, *engine, "--json", "-")
        return json.loads(output) if status in FINE and output else None, said

    def each(self, configurations: list[Configuration]) -> dict[Configuration, Variant]:
        """The answers in the order given. Raises InputError where the folder cannot be written, ToolFailed where a variant has no answer."""
        try:
            return dict(zip(configurations, self.experiment.each(configurations, self.on_answer)))
        except Ended as error:
            raise ToolFailed(EXIT_LEFT_OUT, f"a variant has no answer ({error}); run it again, the other answers are kept") from error
