"""The formulas of rates, each once. A rate of a part is a fraction from 0 to 1, or in percent from 0 to 100 if its name ends in _percent.
Where there is nothing to divide by, it is None. How far rates are off is error_statistics.py.

`kind`: the counts of loads, stores or atomics, KIND of cachesim/RESULT.md, which defines them; all are numbers of events.
"""
from __future__ import annotations

from typing import Any, Mapping, Optional

Kind = Mapping[str, Any]


def fraction(part: float, whole: float) -> Optional[float]:
    """part / whole: 0 to 1 of a part."""
    return part / whole if whole else None


def percent(part: float, whole: float) -> Optional[float]:
    """100 part / whole: 0 to 100 of a part."""
    return 100.0 * part / whole if whole else None


def rest_percent(value: Optional[float]) -> Optional[float]:
    """Percent of the rest: the miss rate of a hit rate, and back."""
    return None if value is None else 100.0 - value


def percent_text(value: Optional[float], digits: int = 0, none: str = "-") -> str:
    """A fraction for people, in percent: 0.25 is "25 %", None is `none`."""
    return none if value is None else f"{100 * value:.{digits}f} %"


def looked_up(kind: Kind) -> Any:
    """Transactions that the L1 looked up: all but those that bypassed it."""
    return kind["transactions"] - kind["bypasses"]


def hits(kind: Kind) -> Any:
    """Transactions that found their data in the L1, or on its way there."""
    return kind["hits"] + kind["hits_pending"]


def missed(kind: Kind) -> Any:
    """Transactions that did not: neither the line nor, in a line that is there, the sector."""
    return kind["misses"] + kind["sector_misses"]


def hit_rate(kind: Kind) -> Optional[float]:
    """(hits + hits_pending) / (transactions - bypasses), a fraction of the transactions looked up (cachesim/RESULT.md)."""
    return fraction(hits(kind), looked_up(kind))


def hit_rate_percent(kind: Kind) -> Optional[float]:
    """The same in percent; also of counts whose hits are not apart."""
    return percent(looked_up(kind) - missed(kind), looked_up(kind))


def miss_rate_percent(kind: Kind) -> Optional[float]:
    """(misses + sector_misses) / (transactions - bypasses) in percent: the rest of the hit rate."""
    return percent(missed(kind), looked_up(kind))


def misses_at(hit_rate_in_percent: float, of: float) -> float:
    """How many of so many look-ups miss at a hit rate in percent."""
    return (100.0 - hit_rate_in_percent) / 100 * of


def miss_ratio_with_bypasses(kind: Kind) -> Optional[float]:
    """What of the transactions goes on to the L2, a fraction: those that miss, and those that bypass the L1."""
    return fraction(missed(kind) + kind["bypasses"], kind["transactions"])


def duplicates(kind: Kind) -> Optional[float]:
    """(misses + pending hits) / misses: transactions that want the same data while it is fetched, per fetch, from 1 on."""
    return fraction(missed(kind) + kind["hits_pending"], missed(kind))


def per_request(count: float, requests: float) -> Optional[float]:
    """Transactions, wavefronts or lanes per warp access: of transactions from 1 (coalesced) to the lanes of a warp."""
    return fraction(count, requests)


def growth(before: Optional[float], after: Optional[float]) -> Optional[float]:
    """after / before, from 0 on; None where one is missing, too."""
    return None if before is None or after is None else fraction(after, before)


def saved(before: Optional[float], after: Optional[float]) -> float:
    """1 - after / before: the part of a measure that a change saves; below 0 if it grows, 0 if it is not known or was 0."""
    left = growth(before, after)
    return 0.0 if left is None else 1 - left
