"""Whether two buffers have the same numbers: bit by bit, or within what rounding in another order may change."""
from __future__ import annotations

import dataclasses
from typing import Any, Optional

import numpy

FACTOR = 8.0  # of sqrt(terms) roundings: five standard deviations of a random walk (Higham and Mary, 2019, doi:10.1137/18M1226312), and some more
UNITS = {"f2": 2.0**-11, "f4": 2.0**-24, "f8": 2.0**-53}  # half of the distance from 1 to the next number
MOST_UNDECIDED = 0.5  # of a buffer of integers; of one that all depends on last bits (a hash, packed floats) nothing else would be compared
SMALLEST = {"f2": 2.0**-14, "f4": 2.0**-126, "f8": 2.0**-1022}  # normal numbers; smaller ones may be flushed to zero


@dataclasses.dataclass(frozen=True)
class Rule:
    """`exact`: bit by bit. `relative`: what the user gave, of the larger of the expected number and the root mean square of its buffer; None:
    by type and `terms`, the numbers that one output is made of."""

    exact: bool = False
    relative: Optional[float] = None
    terms: float = 1.0

    def text(self) -> str:
        if self.exact:
            return "bit by bit"
        if self.relative is not None:
            return f"within {self.relative:g} of the larger of each number and the root mean square of its buffer"
        return f"within {FACTOR:g}·√{self.terms:,.0f} of what a last bit of every input, or of the number itself, changes"


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first element that differs. `ulps`: units in the last place between both; None where one is no number."""

    index: int
    got: float
    expected: float
    ulps: Optional[int]
    count: int
    of: int
    unwritten: bool  # all that differ are as before the launch


def _ordered(array: Any) -> Any:
    """Floats as integers in their order, so that neighbours are 1 apart."""
    bits = array.view(f"i{array.dtype.itemsize}").astype("i8")
    return numpy.where(bits < 0, -(bits & ((1 << (8 * array.dtype.itemsize - 1)) - 1)), bits)


def _ulps(got: Any, expected: Any) -> Optional[int]:
    if got.dtype.kind != "f" or not (numpy.isfinite(got) and numpy.isfinite(expected)):
        return None
    both = _ordered(numpy.array([got, expected]))
    return abs(int(both[0]) - int(both[1]))


def _allowed(expected: Any, nudged: Any, rule: Rule) -> Any:
    """How far each number may be from the expected one. `nudged`: the reference's numbers from inputs that differ in their last bits."""
    kind = f"f{expected.dtype.itemsize}"
    exact = expected.astype("f8")
    size = numpy.abs(exact)
    finite = size[numpy.isfinite(size)]
    mean = float(numpy.sqrt(numpy.mean(finite * finite))) if finite.size else 0.0
    if rule.relative is not None:
        return rule.relative * numpy.maximum(size, mean) + SMALLEST[kind]
    changed = numpy.zeros_like(exact)
    for one in nudged:
        moved = numpy.abs(one.astype("f8") - exact)
        changed = numpy.maximum(changed, numpy.where(numpy.isfinite(moved), moved, 0.0))
    usual = float(numpy.median(changed)) if changed.size else 0.0
    each = numpy.maximum(numpy.maximum(UNITS[kind] * size, changed), usual)
    if not nudged:  # inputs that have fewer bits than the output: nothing to learn from their last ones
        each = numpy.maximum(each, UNITS[kind] * mean)
    return FACTOR * numpy.sqrt(max(rule.terms, 1.0)) * each + SMALLEST[kind]


def _differ(got: Any, expected: Any, nudged: Any, rule: Rule) -> Any:
    """Which elements differ."""
    unequal = got.view(f"u{got.dtype.itemsize}") != expected.view(f"u{got.dtype.itemsize}")
    if rule.exact or not unequal.any():
        return unequal
    if expected.dtype.kind != "f":
        undecided = numpy.zeros(unequal.shape, bool)
        for one in nudged:  # what a last bit of an input decides is not for us to say
            undecided |= one != expected
        return unequal & ~undecided if undecided.mean() <= MOST_UNDECIDED else unequal
    with numpy.errstate(all="ignore"):
        distance = numpy.abs(got.astype("f8") - expected.astype("f8"))
        close = (numpy.isfinite(distance) & (distance <= _allowed(expected, nudged, rule))) | (got == expected)
    return unequal & ~(close | (numpy.isnan(got) & numpy.isnan(expected)))


def difference(got: Any, expected: Any, before: Any, nudged: Any, rule: Rule) -> Optional[Difference]:
    """The first difference of two arrays of one type and length; None where they are the same. `before`: what was there before the launch, or
    None. `nudged`: arrays of the reference, from inputs that differ in their last bits."""
    places = numpy.flatnonzero(_differ(got, expected, nudged, rule))
    if not places.size:
        return None
    first = int(places[0])
    unwritten = before is not None and bool((got.view("u1").reshape(got.size, -1)[places] == before.view("u1").reshape(got.size, -1)[places]).all())
    return Difference(first, got[first].item(), expected[first].item(), _ulps(got[first], expected[first]), int(places.size), int(got.size), unwritten)
