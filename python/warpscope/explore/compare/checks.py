"""Conditions for continuous integration: --fail-if, and --baseline with --tolerance. What fails ends with exit status 4."""
import dataclasses
import math
import operator
import re
import sys

from warpscope.base.errors import InputError, printable_message
from warpscope.explore.compare import difference, paths, text
from warpscope.result import rates, results

EXIT_FAILED = 4
OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
EXPECTED = "'PATH OP NUMBER[%]' such as 'total.load.miss_rate > 5%' or, compared with the result before, 'timed.total.timing.cycles > +2%'"
TOLERANCE = "1%"
# What is worse where there is more of it.
FIXED = ("requests", "transactions", "sectors", "l1_misses", "l1_to_l2_read_sectors", "l1_wavefronts", "local_wavefronts",
         "local_conflicts")
TIMED = ("cycles", "warp_instructions", "core_to_l2_bytes", "l2_to_core_bytes", "dram_read_bytes")
KERNEL = ("transactions", "misses", "timed_cycles")


@dataclasses.dataclass
class Condition:
    """What must not be: `number` is of the value's own unit, or (`relative`) of its change, in percent if `percent`."""

    given: str
    path: str
    operator: str
    number: float
    percent: bool
    relative: bool

    def _limit(self):
        """The number in the unit of the value."""
        if not self.percent or self.relative:
            return self.number
        unit = paths.unit_of(self.path)
        if not unit:
            raise InputError(f"--fail-if '{self.given}': {self.path} is no rate, expected a number without %, or with a sign for its "
                             f"change: {self.path} {self.operator} +{self.number:g}%")
        return self.number if unit == "percent" else self.number / 100

    def failure(self, after, before=None):
        """Why it fails, as a line; None if it does not. `before`: the result that a change is measured from."""
        try:
            now = paths.value(after, self.path)
            then = paths.value(before, self.path) if self.relative else None
        except InputError as error:
            raise InputError(f"--fail-if {error}") from error
        measured = now if then is None else now - then
        if self.relative and self.percent:
            measured = rates.percent(measured, then) if then else 0.0 if not measured else math.inf
        if not OPERATORS[self.operator](measured, self._limit()):
            return None
        return f"--fail-if '{self.given}': it is {self._shown(now)}" + ("" if then is None else
                                                                        f", {measured:+.6g}{' %' if self.percent else ''} from {self._shown(then)}")

    def _shown(self, value):
        unit = paths.unit_of(self.path)
        if unit:
            return f"{value * (100 if unit == 'ratio' else 1):.6g} %"
        return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def parse(given, has_before):
    """The Condition that a user wrote. `has_before`: whether there is a result to measure changes from."""
    found = re.fullmatch(r"\s*(.*\S)\s*(<=|>=|==|!=|<|>)\s*([+-]?)(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)\s*(%?)\s*", given)
    if not found:
        raise InputError(f"--fail-if '{given}': expected {EXPECTED}")
    path, sign, percent = found[1], found[3], bool(found[5])
    if sign and not has_before:
        raise InputError(f"--fail-if '{given}': a number with a sign is a change, expected --baseline RESULT.json to measure it from")
    condition = Condition(given, path, found[2], float(sign + found[4]), percent, bool(sign))
    condition._limit()
    return condition


def tolerance(given):
    """1% or 0.5 as percent."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*%?\s*", given)
    if not found:
        raise InputError(f"--tolerance {given}: expected percent from 0 on, such as 1%")
    return float(found[1])


def worse(comparison, percent):
    """Measures of a comparison that are worse by more than `percent`, as lines: totals, then kernels."""
    found = []

    def check(what, measure, before, after):
        before, after = before or 0, after or 0
        if after > before * (1 + percent / 100) and after != before:
            found.append(f"{what}: {before:,.6g} -> {after:,.6g}" + (f" ({text.change_text(before, after)})" if before else ""))

    for clock, measures in (("fixed", FIXED), ("timed", TIMED)):
        part = comparison[clock]
        for measure in measures if part else ():
            check(text.name_of(measure), measure, part["before"][measure], part["after"][measure])
    if len(comparison["kernels"]) > 1:
        for row in comparison["kernels"]:
            if row["before"] and row["after"]:
                for measure in KERNEL:
                    sides = [row[side][measure] for side in ("before", "after")]
                    if None not in sides:
                        check(f"kernel {row['after']['kernel']}, {text.name_of(measure).replace('timed ', '')}", measure, *sides)
    return found


@dataclasses.dataclass
class Checks:
    """What a user asked for: conditions, and a result that the new one must not be worse than."""

    conditions: list
    baseline: object = None      # a result
    baseline_name: str = ""
    percent: float = None

    def __bool__(self):
        return bool(self.conditions) or self.percent is not None

    def failures(self, after, comparison=None):
        """Lines, one for each condition and measure that fails. `comparison`: of the baseline and `after`, if it is known already."""
        lines = [line for condition in self.conditions if (line := condition.failure(after, self.baseline))]
        if self.percent is None:
            return lines
        comparison = comparison or difference.between(self.baseline, after, (self.baseline_name, "this run"))
        if changes := comparison["context"]:
            one = changes[0]
            raise InputError(f"{self.baseline_name}: {one['what']}: {one['before']}, and {one['after']} here, expected a baseline with "
                             "the same GPU, options and compiler")
        return lines + [f"worse than {self.baseline_name} by more than {self.percent:g} %: {line}" for line in worse(comparison, self.percent)]


def of_options(fail_if, baseline, given_tolerance):
    """Checks of the options of warpscope; reads the baseline, so that what is wrong with it is known before the work."""
    if given_tolerance is not None and baseline is None:
        raise InputError(f"--tolerance {given_tolerance}: expected --baseline RESULT.json with it")
    conditions = [parse(given, baseline is not None) for given in fail_if]
    if baseline is None:
        return Checks(conditions)
    return Checks(conditions, results.load(baseline), baseline, tolerance(given_tolerance or TOLERANCE))


def say(failures):
    """Prints what fails, one line each; returns the exit status."""
    for line in failures:
        print(f"warpscope: {printable_message(line)}", file=sys.stderr)
    return EXIT_FAILED if failures else 0
