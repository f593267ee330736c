"""How predictors order variants of a kernel: ranks, rank correlations, and the sign of every pair.

The sign plot is that of S. Dasgupta, "CUDA Performance Analyzer", MSc thesis, Georgia Institute of Technology, 2011, section 5.2.3:
1 where one variant is faster than another by more than 10 %, -1 where it is slower by more, else 0.
"""
from __future__ import annotations

import itertools
from typing import NamedTuple, Optional, Sequence

from warpscope.result.error_statistics import kendall_tau, spearman

Times = Sequence[Optional[float]]
WITHIN = 0.1


class Agreement(NamedTuple):
    """Of two columns: Kendall's tau-b and Spearman's rho (None: fewer than two variants, or a constant), over `variants` that both
    have; `signs` of `pairs` pairs have the same sign."""

    tau: Optional[float]
    rho: Optional[float]
    variants: int
    signs: int
    pairs: int


def sign(time: float, other: float, within: float = WITHIN) -> int:
    """1 if `time` is better than `other` by more than `within` of itself, -1 if it is worse by as much, else 0."""
    if other > time * (1 + within):
        return 1
    return -1 if time > other * (1 + within) else 0


def signs(times: Times, within: float = WITHIN) -> list[list[Optional[int]]]:
    """The sign plot: row over column. It is antisymmetric."""
    return [[None if None in (row, column) else sign(row, column, within) for column in times] for row in times]  # type: ignore[arg-type]


def agreement(first: Times, second: Times, within: float = WITHIN) -> Agreement:
    """How well two columns agree on the variants that both know."""
    known = [(one, other) for one, other in zip(first, second) if one is not None and other is not None]
    pairs = list(itertools.combinations(known, 2))
    same = sum(sign(a[0], b[0], within) == sign(a[1], b[1], within) for a, b in pairs)
    if len(known) < 2:
        return Agreement(None, None, len(known), same, len(pairs))
    columns = [list(column) for column in zip(*known)]
    return Agreement(kendall_tau(*columns), spearman(*columns), len(known), same, len(pairs))
