"""Latency and throughput of an operation from its times at several multiplicities: the inflection point.

A core with N warps of k independent operations each has M = N · k in flight. An operation then takes max(c, L / M) cycles of the core: L is
its latency, c the cycles that the core needs for one of a warp, and M* = L / c the inflection (Karsin, PhD thesis, University of Hawai'i
2018, sections 3.2 and 4.2; with N = warps and c = the departure delay the same curve as Dasgupta 2011, equations 24 to 26; with
c = warp size / SIMD width that of Sim et al. 2012, equations 3 to 5).
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Optional, Sequence

from warpscope.result.error_statistics import geometric_mean

LATENCY, THROUGHPUT = "latency", "throughput"
CLOSE = 1.02  # a factor: points on both sides of the knee that fit both lines


@dataclass(frozen=True)
class Point:
    """`multiplicity`: operations in flight on a core, M. `cycles`: of the core per operation of a warp. `bound`: LATENCY or THROUGHPUT
    where it is known which of them shows."""

    multiplicity: float
    cycles: float
    bound: Optional[str] = None


@dataclass(frozen=True)
class Curve:
    """`latency` L and `cycles` c, None where the points do not show it; `error`: the largest |fitted / measured - 1|."""

    latency: Optional[float]
    cycles: Optional[float]
    error: float
    points: int

    @property
    def inflection(self) -> Optional[float]:
        """M*; None where one side is not known."""
        return None if self.latency is None or self.cycles is None else self.latency / self.cycles

    def at(self, multiplicity: float) -> float:
        """Cycles per operation at a multiplicity."""
        waiting = 0.0 if self.latency is None else self.latency / multiplicity
        return max(waiting, self.cycles or 0.0)


def _of(points: Sequence[Point], waiting: int) -> Curve:
    """The curve if the first `waiting` points show the latency and the others the throughput."""
    curve = Curve(geometric_mean([one.multiplicity * one.cycles for one in points[:waiting]]), geometric_mean([one.cycles for one in points[waiting:]]), 0.0,
                  len(points))
    error = max(abs(curve.at(one.multiplicity) / one.cycles - 1) for one in points)
    return Curve(curve.latency, curve.cycles, error, len(points))


def _squares(curve: Curve, points: Sequence[Point]) -> float:
    return sum(math.log(curve.at(one.multiplicity) / one.cycles) ** 2 for one in points)


def _agrees(points: Sequence[Point], waiting: int) -> bool:
    return all(one.bound in (None, LATENCY if at < waiting else THROUGHPUT) for at, one in enumerate(points))


def fit(points: Sequence[Point]) -> Curve:
    """The curve with the least squares of relative errors. A side that a single point of several suggests without need is not claimed:
    points that all lie on one line give that line only. Raises ValueError where points contradict their `bound`, or one point does not
    say what bounds it."""
    ordered = sorted(points, key=lambda one: one.multiplicity)
    if len(ordered) == 1 and ordered[0].bound is None:
        raise ValueError("one multiplicity does not tell latency from throughput, expected several or a value in 'bound'")
    splits = [waiting for waiting in range(len(ordered) + 1) if _agrees(ordered, waiting)]
    if not splits:
        raise ValueError("points bound by throughput have fewer operations in flight than points bound by latency")
    curves = {waiting: _of(ordered, waiting) for waiting in splits}
    one_sided = [curves[waiting] for waiting in (0, len(ordered)) if waiting in curves and curves[waiting].error < CLOSE - 1]
    if one_sided:
        return min(one_sided, key=lambda curve: _squares(curve, ordered))
    return min(curves.values(), key=lambda curve: _squares(curve, ordered))
