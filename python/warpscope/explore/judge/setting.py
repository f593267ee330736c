"""What a candidate is judged against: the reference in several sizes, what it takes and gives there, and its answers to contents."""
from __future__ import annotations

import dataclasses
import hashlib
import pathlib
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy

from warpscope.base.errors import InputError, ToolFailed
from warpscope.explore.judge import contents, facts, problem, reasons
from warpscope.explore.judge.compare import Rule
from warpscope.explore.judge.facts import Facts
from warpscope.explore.judge.problem import Buffer, Size
from warpscope.explore.judge.reasons import Refused
from warpscope.explore.judge.reference import Function
from warpscope.explore.judge.runs import Kernel, Run, run, sources

Reference = Union[Kernel, Function]
NOT_SCALED = "the candidate's work-groups do not scale with the reference's"


@dataclasses.dataclass(frozen=True)
class Wishes:
    """What the user asked for. `at_least`: the speedup that the candidate must be shown to have, or None; `values`: of contents.SETS; `progress`: is
    told what is done."""

    gpu: str
    seed: str
    rule: Rule
    sizes: Optional[Sequence[str]] = None
    at_least: Optional[float] = None
    with_cost: bool = True
    values: Sequence[str] = contents.SETS
    progress: Callable[[str], None] = lambda text: None


@dataclasses.dataclass(frozen=True)
class Known:
    """Of a size: the buffers, the numbers that one output is made of, and the facts of the reference (a function: of the candidate)."""

    size: Size
    buffers: Sequence[Buffer]
    terms: float
    facts: Facts

    @property
    def launch(self) -> Mapping[str, Any]:
        launch: Mapping[str, Any] = self.facts["launch"]
        return launch

    def description(self) -> dict[str, Any]:
        return {"name": self.size.name, "global": self.launch["global"], "local": self.launch["local"], "terms": round(self.terms, 1),
                "inputs": [one.name for one in self.buffers if not one.is_output], "outputs": [one.name for one in self.buffers if one.is_output]}


def seed_of(candidate: pathlib.Path, words: str) -> str:
    """Nobody who writes a candidate can know what its own content, with all that a kernel includes, will draw. `words`: its own options."""
    digest = hashlib.sha256(words.encode())
    try:
        digest.update(candidate.read_bytes())
        for path in sources(candidate if candidate.suffix in (".cl", ".cu") else candidate.with_suffix(".launch")):
            digest.update(b"\0" + hashlib.sha256(path.read_bytes()).digest())
    except OSError as error:
        raise InputError(f"{candidate}: {error.strerror}, expected the candidate") from error
    return digest.hexdigest()[:16]


class Setting:
    """The reference's side of a judgement. `left_out`: sizes and contents that it cannot be judged on, with reasons."""

    def __init__(self, candidate: Kernel, reference: Reference, wishes: Wishes, folder: pathlib.Path) -> None:
        self._candidate, self._reference, self._wishes, self._folder = candidate, reference, wishes, folder
        self._runs = 0
        self._cost_size = problem.OWN  # whose costs are told
        self._narrow: set[str] = set()  # sizes whose extreme integers are those that the reference takes
        self.left_out: list[str] = []

    def run(self, kernel: Kernel, size: Sequence[str], inputs: Mapping[str, bytes], recorded: bool = False, words: Sequence[str] = ()) -> Run:
        """In a folder of its own, among those of the same kernel."""
        self._runs += 1
        return run(kernel, size, inputs, self._folder / kernel.role / f"run{self._runs}", recorded, words)

    def inputs(self, known: Known, values: str, nudge: int = 0) -> dict[str, bytes]:
        drawn = contents.NARROW if values == contents.SETS[2] and known.size.name in self._narrow else values
        return problem.drawn_inputs(known.buffers, drawn, self._wishes.seed, known.size.name, nudge)

    def _facts(self, size: Size) -> Facts:
        """Of the reference on the launch file's own contents; of a function the candidate's."""
        kernel = self._reference if isinstance(self._reference, Kernel) else self._candidate
        words = size.reference if kernel is self._reference else size.candidate
        with_cost = self._wishes.with_cost and kernel is self._reference and size.name == self._cost_size

        def make() -> Facts:
            self._wishes.progress(f"{kernel.role}, size {size.name}")
            return facts.of_run(self.run(kernel, words, {}, recorded=True), kernel, size.name, kernel is self._reference, with_cost)

        return facts.of_reference(kernel, size.name, [*words, str(with_cost)], make) if kernel is self._reference else make()

    def _known(self, size: Size) -> Known:
        """Finds out what is an input and what an output."""
        found = self._facts(size)
        blame = reasons.blamed if isinstance(self._reference, Kernel) else lambda reason: reason
        for reason in [found["stopped"]] if found["stopped"] else [reasons.of_fault(fault, size.name, "") for fault in found["errors"]]:
            raise Refused(blame(reason))
        buffers = problem.buffers_of(found["launch"], found["counters"])
        if isinstance(self._reference, Function):
            arrays = self._arrays(buffers, problem.drawn_inputs(buffers, "random", self._wishes.seed, size.name))
            outputs = self._reference.outputs(found["launch"], arrays)
            buffers = [dataclasses.replace(one, is_output=one.name in outputs, is_pure=one.name in outputs and one.is_pure) for one in buffers]
        if not any(one.is_output for one in buffers):
            raise Refused(reasons.reason("reference-no-output", "the reference writes no buffer, so there is nothing to compare", size.name))
        return Known(size, buffers, problem.terms_of(found["counters"], buffers, found["launch"]), found)

    def sizes(self, names: Sequence[str]) -> list[Known]:
        """The sizes that are judged, small ones first: by default the file's `small`, an odd one, and the file's own. `names`: the file's."""
        wanted = list(self._wishes.sizes or [name for name in ("small", problem.ODD, problem.OWN) if name != "small" or "small" in names])
        self._cost_size = wanted[-1]
        found = {}
        for name in wanted:
            if name != problem.ODD or problem.ODD in names:
                words = [] if name == problem.OWN else ["--size", name]
                found[name] = self._known(Size(name, words, words))
        if problem.ODD in wanted and problem.ODD not in found and (odd := self._odd(next(iter(found.values()), None))):
            found[problem.ODD] = odd
        return [found[name] for name in wanted if name in found]

    def _odd(self, base: Optional[Known]) -> Optional[Known]:
        base = base or self._known(Size(problem.OWN, [], []))
        own = self.run(self._candidate, base.size.candidate, {}).launch if isinstance(self._reference, Kernel) else base.launch
        size = problem.odd_size(base.size, base.launch, own or base.launch, contents.generator(self._wishes.seed, "sizes"))
        if size is None and self._wishes.sizes:  # it was asked for, so a candidate cannot get around it
            raise Refused(reasons.reason("no-odd-size", f"{NOT_SCALED}: it has no size that its author does not know", problem.ODD))
        if size is None:
            self.left_out.append(f"size odd: {NOT_SCALED}; give both launch files a size 'odd'")
            return None
        try:
            return self._known(size)
        except (Refused, InputError, ToolFailed) as error:
            self.left_out.append(f"size odd ({' '.join(size.reference)}): {error}")
            return None

    @staticmethod
    def _arrays(buffers: Sequence[Buffer], inputs: Mapping[str, bytes]) -> dict[str, Any]:
        """{name: array} of what buffers hold before the launch."""
        return {one.name: numpy.frombuffer(inputs[one.name], contents.number_type(one.argument["element"]) or "u1") if one.name in inputs
                else contents.initial(dict(one.argument)) for one in buffers}

    def expected(self, known: Known, values: str, nudge: int = 0) -> dict[str, Any]:
        """{buffer: array} that the reference leaves. `nudge`: as in inputs(), which has smaller integers from now on where the reference does not take
        large ones. Raises Refused where it has no end or faults there."""
        try:
            return self._expected(known, values, nudge)
        except Refused as refused:
            is_wide = any(contents.is_wide(dict(one.argument)) for one in known.buffers if not one.is_pure)
            if values != contents.SETS[2] or known.size.name in self._narrow or not is_wide:
                raise
            self._narrow.add(known.size.name)
            self.left_out.append(f"size {known.size.name}, values {values}: integers below 0 and above 99, where the reference has faults"
                                 f" ({refused.reason['code'].removeprefix('reference-')})")
            return self._expected(known, values, nudge)

    def _expected(self, known: Known, values: str, nudge: int) -> dict[str, Any]:
        inputs, size = self.inputs(known, values, nudge), known.size
        if isinstance(self._reference, Function):
            arrays = self._arrays(known.buffers, inputs)
            return {**arrays, **self._reference.outputs(known.launch, arrays)}
        ran = self.run(self._reference, size.reference, inputs, recorded=nudge == 0 and size.name != problem.OWN)
        if found := facts.stopped(ran, size.name, values, self._reference):
            raise Refused(reasons.blamed(found))
        if ran.outside:
            raise Refused(reasons.reason("reference-out-of-bounds", f"the reference: {ran.outside}", size.name, values))
        return {one.name: ran.numbers_of(one.argument) for one in known.buffers}
