"""Judges programs that write their results into files: the same command with the same seeds and sizes, next to a reference's."""
from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import signal
import tempfile
from typing import Any, Mapping, Optional, Sequence

import numpy

from warpscope.base import toolchain
from warpscope.base.errors import InputError, ToolFailed
from warpscope.explore.faults import find
from warpscope.explore.judge import compare, contents, costs, facts, host, reasons, report
from warpscope.explore.judge.compare import Rule
from warpscope.explore.judge.reasons import Refused
from warpscope.explore.judge.runs import LIMIT
from warpscope.explore.judge.setting import Wishes
from warpscope.run import confined, limited, simulation

SEEDS = 3  # different ones that each program gets
SEED, SIZE, OUT = "{seed}", "{size}", "{out}"  # what is replaced in a command: a number, one of the sizes, the folder of the outputs
OUTPUTS = "out"  # the folder that OUT becomes, in that of a run
MOST_SEED = 1 << 31


@dataclasses.dataclass(frozen=True)
class Output:
    """A file that a program leaves in its folder, and the type of its numbers, as NumPy calls it."""

    name: str
    kind: str


@dataclasses.dataclass(frozen=True)
class Program:
    """A command, with SEED, SIZE and OUT where these belong. `options`: of trace-kernel."""

    role: str
    words: Sequence[str]
    options: Sequence[str]
    gpu: str
    confined: bool
    cpu_seconds: int

    @property
    def name(self) -> str:
        return pathlib.Path(self.words[0]).name

    def uses(self, field: str) -> bool:
        return any(field in word for word in self.words)

    def replaced(self, fields: Mapping[str, str]) -> list[str]:
        words = list(self.words)
        for field, value in fields.items():
            words = [word.replace(field, value) for word in words]
        return words


@dataclasses.dataclass(frozen=True)
class Ran:
    """What a program left. `stopped`: why that is nothing to compare, as in the JSON's reasons, or None; `outputs`: by name; `memory`: who
    wrote what to device memory."""

    capture: pathlib.Path
    stopped: Optional[dict[str, Any]]
    outputs: Mapping[str, Any]
    memory: host.Memory = host.Memory()


def _is_own(folder: pathlib.Path, *names: str) -> bool:
    """Whether a file that a program left, by its names from the run's folder on, is one and its own: a link could lead to what another one left."""
    paths = [folder.joinpath(*names[:count]) for count in range(len(names) + 1)]
    return paths[-1].is_file() and not any(path.is_symlink() for path in paths) and paths[-1].stat().st_nlink == 1


def _read(program: Program, output: Output, folder: pathlib.Path) -> Any:
    """An output's numbers, of a run in this folder. Raises Refused where it is not there."""
    path = folder / OUTPUTS / output.name
    if not _is_own(folder, OUTPUTS, output.name):
        raise Refused(reasons.reason("not-written", f"{program.name} leaves no file {output.name} of its own in {OUT}"))
    size, each = path.stat().st_size, numpy.dtype(output.kind).itemsize
    if size % each:
        raise InputError(f"the {program.role}: {output.name} has {size:,} bytes, expected a multiple of {each} ({output.kind})")
    return numpy.fromfile(path, output.kind)


def _stopped(program: Program, status: int, messages: str) -> Optional[dict[str, Any]]:
    if status in LIMIT:
        return reasons.reason("no-end", f"{program.name} did not end within {program.cpu_seconds} s of a processor (--cpu-seconds)")
    faults, _ = find.of_messages(messages)
    if faults:
        return reasons.of_fault(faults[0], "", "")
    if status != 0 and not (status == simulation.EXIT_NOT_TRACEABLE and find.IN_CAPTURE in messages):  # accesses outside of buffers are in the capture
        how = f"signal {-status if status < 0 else status - 128}" if status < 0 or status > 128 else f"status {status}"
        return reasons.reason("crash", f"{program.name} ended with {how}")
    return None


def run(program: Program, fields: Mapping[str, str], outputs: Sequence[Output], folder: pathlib.Path) -> Ran:
    """Runs a program once, recorded, in `folder`, next to which its other runs are. Raises InputError where it cannot be started."""
    out, capture, writes = folder / OUTPUTS, folder / "run.wtrace", folder / "host.bin"
    out.mkdir(parents=True)
    words = program.replaced({**fields, OUT: str(out)})
    command = toolchain.command("trace-kernel", *program.options, "--unwritten", "--host-writes", writes, "--device-like", program.gpu, "-o", capture, "--", *words)
    if program.confined:
        command = confined.command(command, folder.parent, [pathlib.Path.cwd()], program.cpu_seconds)
    done = limited.run(command, {**confined.environment(folder.parent), toolchain.GPU_VARIABLE: program.gpu})
    messages = done.messages.decode("utf-8", "replace").replace(f"{folder}{os.sep}", "")
    if done.waited:
        text = f"{program.name} waits: it did nothing for {limited.IDLE_SECONDS} s"
        return Ran(capture, reasons.reason("no-end", text), {})
    if done.status in (-signal.SIGINT, -signal.SIGTERM):
        raise ToolFailed(128 - done.status)
    if "cannot be started" in messages or "confine: " in messages:
        raise InputError(f"the {program.role}: {messages.strip().splitlines()[-1].removeprefix('trace-kernel: ')}")
    if stopped := _stopped(program, done.status, messages):
        return Ran(capture, stopped, {})
    if not _is_own(folder, capture.name):
        return Ran(capture, reasons.reason("no-kernel", f"{program.name} launched no kernel that could be recorded"), {})
    return Ran(capture, None, {one.name: _read(program, one, folder) for one in outputs}, host.read(writes, _arguments(capture)))


def _arguments(capture: pathlib.Path) -> list[str]:
    """The values that the launches of a capture got as arguments."""
    launches = json.loads(toolchain.output("trace-view", "--summary", "--json", capture))["launches"]
    return [one["value"] for launch in launches for one in launch["arguments"] if "value" in one]


class ProgramJudgement:
    """Judges one program; report() is what the JSON says."""

    def __init__(self, candidate: Program, reference: Program, outputs: Sequence[Output], wishes: Wishes, folder: pathlib.Path) -> None:
        self._candidate, self._reference, self._outputs, self._wishes, self._folder = candidate, reference, outputs, wishes, folder
        self._report = report.Report(wishes)
        self._runs = 0
        self._work = ""

    def _run(self, program: Program, fields: Mapping[str, str]) -> Ran:
        self._runs += 1
        return run(program, fields, self._outputs, self._folder / program.role / f"run{self._runs}")

    def report(self) -> dict[str, Any]:
        """The verdict, without what the caller knows of files and versions. Raises InputError and ToolFailed."""
        sizes = list(self._wishes.sizes or [""])
        if not self._candidate.uses(SEED):
            self._report.left_out.append(f"contents: no {SEED} in the candidate's command, so what it gets can be known before")
        self._report.left_out.append("order of work-groups: not of programs")
        seeds = [str(int(contents.generator(self._wishes.seed, "program", number).integers(MOST_SEED))) for number in range(SEEDS)]
        last: Optional[tuple[str, Ran, Ran]] = None
        try:
            for size in sizes:
                for seed in seeds if self._candidate.uses(SEED) and not self._report.reasons else [] if self._report.reasons else seeds[:1]:
                    last = self._compare(size, seed)
        except Refused as refused:
            self._report.reasons.append(refused.reason)
        self._report.left_out += [self._work] if self._work else []
        if not self._report.reasons and self._wishes.with_cost and last:
            self._cost(*last)
        return self._report.whole()

    def _compare(self, size: str, seed: str) -> tuple[str, Ran, Ran]:
        """Runs both with one size and seed."""
        fields, values = {SEED: seed, SIZE: size}, f"seed {seed}"
        self._wishes.progress(f"size {size}, {values}" if size else values)
        right = self._run(self._reference, fields)
        if right.stopped:
            raise Refused(reasons.blamed(right.stopped))
        ran = self._run(self._candidate, fields)
        if ran.stopped:
            raise Refused({**ran.stopped, "size": size, "values": values})
        self._report.check(ran.capture, [], size, values)
        self._report.compared.append({"size": size, "values": values})
        (own, written), (theirs, _) = (facts.loads_and_writes(costs.simulated(one.capture, self._candidate.gpu)) for one in (ran, right))
        numbers = max(sum(array.size for array in right.outputs.values()), 1)
        rule = dataclasses.replace(self._wishes.rule, terms=max(1.0, theirs / numbers))  # the reference's: others could load to be compared less strictly
        self._work = f"work of the host: its kernels load {own / numbers:,.1f} numbers for each of the outputs, the reference's {theirs / numbers:,.1f}"
        self._report.describe({"name": size or "default", "global": None, "local": None, "terms": round(rule.terms, 1), "inputs": [],
                               "outputs": [one.name for one in self._outputs]}, rule.terms)
        if not ran.memory.is_known:
            self._work += "; what the host writes to device memory is not known, or not all of it"
        if sum(written.values()) < numbers:
            self._report.reasons.append(reasons.reason("host-work", f"kernels write {sum(written.values()):,} numbers, the outputs have {numbers:,}", size, values))
        for text in [*host.find(ran.outputs, ran.memory, right.memory), *host.not_of_kernels(ran.outputs, ran.memory, right.outputs, right.memory)]:
            self._report.reasons.append(reasons.reason("host-work", text, size, values))
        for one in self._outputs:
            self._differ(one, ran.outputs[one.name], right.outputs[one.name], rule, (size, values))
        return size, ran, right

    def _differ(self, output: Output, got: Any, expected: Any, rule: Rule, where: tuple[str, str]) -> None:
        if got.size != expected.size:
            text = f"{output.name} has {got.size:,} numbers, expected {expected.size:,}"
            self._report.reasons.append(reasons.reason("wrong-value", text, *where))
        elif found := compare.difference(got, expected, None, [], rule):
            self._report.reasons.append(reasons.of_difference(output.name, True, found, *where))

    def _cost(self, size: str, ran: Ran, right: Ran) -> None:
        gpu = self._candidate.gpu
        self._wishes.progress(f"costs on {gpu}")
        own, theirs = (costs.of_capture(one.capture, gpu, costs.simulated(one.capture, gpu)) for one in (ran, right))
        self._report.cost = {"gpu": gpu, "size": size or "default", "candidate": own, "reference": theirs, "bound": None, "speedup": costs.speedup(theirs, own)}
        self._report.demand()


def judge(candidate: Program, reference: Program, outputs: Sequence[Output], wishes: Wishes) -> dict[str, Any]:
    """The verdict as a dictionary. Raises InputError, and ToolFailed for what cannot be traced."""
    with tempfile.TemporaryDirectory(prefix="warpscope-judge-") as folder:
        return ProgramJudgement(candidate, reference, outputs, wishes, pathlib.Path(folder)).report()
