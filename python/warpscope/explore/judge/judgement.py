"""A verdict about a candidate: it runs on several sizes and contents next to the reference, is checked for faults, and gets its costs."""
from __future__ import annotations

import dataclasses
import pathlib
import tempfile
from typing import Any, Mapping, Sequence

import numpy

from warpscope.base.errors import InputError
from warpscope.explore.judge import compare, contents, costs, facts, problem, reasons, runs
from warpscope.explore.judge.compare import Rule
from warpscope.explore.judge.compiled import Compiled
from warpscope.explore.judge.reasons import Refused
from warpscope.explore.judge.report import Report
from warpscope.explore.judge.runs import Kernel, Run
from warpscope.explore.judge.setting import Known, Reference, Setting, Wishes

NUDGES = 1  # further runs of the reference, whose inputs differ in their last bits
COST_VALUES = contents.SETS[0]
ORDER, DESCENDING, MIRRORED = "--group-order", "descending", "mirrored"
TOGETHER = "store-together"  # a fault that refuses only what depends on it


class Judgement:
    """Judges one candidate; report() is what the JSON says."""

    def __init__(self, candidate: Kernel, reference: Reference, wishes: Wishes, folder: pathlib.Path) -> None:
        self._candidate, self._reference, self._wishes = candidate, reference, wishes
        self._setting, self._folder = Setting(candidate, reference, wishes, folder), folder
        self._report = Report(wishes)
        self._kept: dict[str, Run] = {}  # by size: those with values of COST_VALUES

    def report(self, names: Sequence[str]) -> dict[str, Any]:
        """The verdict, without what the caller knows of files and versions. `names`: the sizes of the launch file. Raises InputError and ToolFailed."""
        found = self._report.reasons
        compiled = Compiled(self._reference, self._folder / self._reference.role) if isinstance(self._reference, Kernel) else None
        if compiled:
            compiled.restore()
        try:
            known = self._setting.sizes(names)
            if not known:
                raise InputError(f"no size can be judged: {self._setting.left_out[-1]}")
            for one in known:
                self._report.describe(one.description(), one.terms)
                for values in self._wishes.values if not found else ():  # what is wrong in a small size is not tried in larger ones
                    if not any(reason["code"] == "no-end" for reason in found):
                        self._compare(one, values)
            if not found:
                self._order(known[0])
            if not found and self._wishes.with_cost:
                self._cost(known[-1])
        except Refused as refused:
            found[:] = [refused.reason]
        if compiled:
            compiled.keep()
        self._report.left_out = self._setting.left_out
        return self._report.whole()

    def _compare(self, known: Known, values: str) -> None:
        """Runs both on one set of values, and adds what differs and what is wrong."""
        size = known.size.name
        self._wishes.progress(f"size {size}, values {values}")
        try:
            expected = self._setting.expected(known, values)
        except Refused as refused:
            if values == COST_VALUES:
                raise
            self._setting.left_out.append(f"size {size}, values {values}: the reference has faults there ({refused.reason['code'].removeprefix('reference-')})")
            return
        recorded = values == COST_VALUES or size != problem.OWN
        inputs = self._setting.inputs(known, values)
        ran = self._setting.run(self._candidate, known.size.candidate, inputs, recorded)
        if found := facts.stopped(ran, size, values, self._candidate):
            self._report.reasons.append(found)
            return
        self._report.check(ran.capture, ran.faults, size, values)
        self._report.compared.append({"size": size, "values": values})
        nudged = [self._setting.expected(known, values, nudge + 1) for nudge in range(NUDGES)] if self._needs_nudges(known) else []
        self._differences(known, values, ran, inputs, expected, nudged)
        if values == COST_VALUES:
            self._kept[size] = ran

    def _needs_nudges(self, known: Known) -> bool:
        rule = self._wishes.rule
        floats = any(one.is_output and (contents.number_type(one.argument["element"]) or "u1")[0] == "f" for one in known.buffers)
        return not rule.exact and (rule.relative is None or not floats) and problem.can_be_nudged(known.buffers)

    def _differences(self, known: Known, values: str, ran: Run, inputs: Mapping[str, bytes], expected: Mapping[str, Any],
                     nudged: Sequence[Mapping[str, Any]]) -> None:
        theirs = ran.buffers()
        for one in known.buffers:
            if one.name not in theirs:
                raise InputError(f"the candidate has no buffer '{one.name}', expected the reference's: {', '.join(expected)}")
            got = _in_type(ran.bytes_of(one.name), expected[one.name])
            rule = dataclasses.replace(self._wishes.rule, terms=known.terms) if one.is_output else Rule(exact=True)
            before = _in_type(inputs[one.name], expected[one.name]) if one.is_pure else None
            found = compare.difference(got, expected[one.name], before, [each[one.name] for each in nudged] if one.is_output else [], rule)
            if found:
                self._report.reasons.append(reasons.of_difference(one.name, one.is_output, found, known.size.name, values))

    def _order(self, known: Known) -> None:
        """Whether the candidate's results depend on the order in which its work-groups run, or on which lane's store stays: the smallest size again,
        the last one first, and in an order that is drawn."""
        if known.size.name not in self._kept:
            return
        self._wishes.progress("order of work-groups")
        together = self._report.fault(TOGETHER)
        backwards = self._in_order(known, MIRRORED if together else DESCENDING)
        if backwards.launch is None and together:
            self._report.reasons.append(reasons.of_fault(together, known.size.name, COST_VALUES))
        elif backwards.launch is None:
            self._setting.left_out.append("order of work-groups: the candidate does not run with the last one first")
        else:
            self._same_in(known, backwards, f"the last {'work-group and lane run' if together else 'work-group runs'} first")
            drawn = f"random({contents.generator(self._wishes.seed, 'order').integers(1, 1 << 31)})"  # a kernel may notice that it runs in the other two
            shuffled = self._in_order(known, drawn)
            if shuffled.launch is None:
                self._setting.left_out.append(f"order of work-groups: the candidate does not run in another one ({drawn})")
            elif not self._report.reasons:
                self._same_in(known, shuffled, f"work-groups run in another order ({drawn})")

    def _in_order(self, known: Known, order: str) -> Run:
        return self._setting.run(self._candidate, known.size.candidate, self._setting.inputs(known, COST_VALUES), words=(ORDER, order))

    def _same_in(self, known: Known, other: Run, how: str) -> None:
        """Adds what differs between a size's first run and one in another order; `how`: as a sentence's part behind "if"."""
        for buffer in known.buffers:
            if buffer.is_output:
                first, second = (ran.numbers_of(buffer.argument) for ran in (self._kept[known.size.name], other))
                rule = dataclasses.replace(self._wishes.rule, terms=known.terms)
                if found := compare.difference(second, first, None, [], rule):
                    self._report.reasons.append(reasons.of_order(buffer.name, how, found, known.size.name, COST_VALUES))

    def _cost(self, known: Known) -> None:
        """Of the last size, with values that the candidate cannot know."""
        gpu, ran = self._wishes.gpu, self._kept.get(known.size.name)
        if ran is None:
            return
        self._wishes.progress(f"costs on {gpu}")
        own = costs.of_capture(ran.capture, gpu, costs.simulated(ran.capture, gpu))
        found: dict[str, Any] = {"gpu": gpu, "size": known.size.name, "candidate": own, "reference": None, "bound": None, "speedup": None}
        if isinstance(self._reference, Kernel):
            theirs = known.facts["cost"]
            found |= {"reference": theirs, "bound": known.facts["bound"], "speedup": costs.speedup(theirs, own)}
        self._report.cost = found


def judge(candidate: Kernel, reference: Reference, wishes: Wishes, names: Sequence[str]) -> dict[str, Any]:
    """The verdict as a dictionary. `names`: the sizes of the launch file. Raises InputError, and ToolFailed for what cannot be traced."""
    runs.refuse_our_names(candidate.path, candidate.words)
    with tempfile.TemporaryDirectory(prefix="warpscope-judge-") as folder:
        return Judgement(candidate, reference, wishes, pathlib.Path(folder)).report(names)


def _in_type(content: bytes, like: Any) -> Any:
    return numpy.frombuffer(content[:like.nbytes], like.dtype)

