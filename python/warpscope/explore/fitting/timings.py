"""Timings of micro-benchmarks as a table, from the timed engine or from a GPU: a line per run.

operation     register, special, local, barrier, global, transaction_32b, transaction_64b, transaction_128b, transaction_vector, launch;
              memory_barrier: barriers among work that is the same in runs with fewer of them
warps         of a core, all with the same work
operations    of a warp in the run
cycles        of the run; or seconds with clock_mhz
chains        optional: operations of a warp that are independent of each other (default 1)
transactions  optional: of an operation (default 1)
bound         optional: latency or throughput, where one multiplicity is all there is; of launches and memory_barrier always throughput
memory_share  of memory_barrier: memory instructions / instructions of a warp, without the barriers

Runs that differ in `operations` only are subtracted from each other, which takes away what is the same: launch, addresses, the end.
"""
from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from typing import Optional

from warpscope.base.errors import InputError
from warpscope.base.inputs import read_bytes
from warpscope.explore.fitting.curves import Curve, LATENCY, Point, THROUGHPUT, fit

OPERATIONS = ("register", "special", "local", "barrier", "global", "transaction_32b", "transaction_64b", "transaction_128b",
              "transaction_vector", "launch", "memory_barrier")
ALWAYS_BUSY = ("launch", "memory_barrier")  # their cycles are of the core, whatever else is in flight
NEEDED = ("operation", "warps", "operations")
KNOWN = (*NEEDED, "cycles", "seconds", "clock_mhz", "chains", "transactions", "bound", "memory_share")
EXPECTED = f"timings: CSV with the columns {', '.join(NEEDED)} and cycles, or seconds and clock_mhz (docs/tools/model.md)"


@dataclass(frozen=True)
class Timing:
    """One run; see above."""

    operation: str
    warps: float
    operations: float
    cycles: float
    chains: float = 1.0
    transactions: float = 1.0
    bound: Optional[str] = None
    memory_share: float = 1.0  # of memory_barrier: what its cycles are in proportion to (Sim et al. 2012, equation 8)


@dataclass(frozen=True)
class Fitted:
    """`curve` of an operation; `transactions` of each."""

    curve: Curve
    transactions: float

    def latency(self) -> Optional[float]:
        """Of a transaction alone: L - (n - 1) · departure delay (Dasgupta 2011, equation 24); L itself if n is 1."""
        if self.curve.latency is None or self.transactions == 1:
            return self.curve.latency
        return None if self.curve.cycles is None else self.curve.latency - (self.transactions - 1) * self.curve.cycles / self.transactions

    def departure(self) -> Optional[float]:
        """Cycles of a core per transaction."""
        return None if self.curve.cycles is None else self.curve.cycles / self.transactions


def _number(where: str, row: dict[str, str], name: str, default: Optional[float] = None) -> float:
    text = row.get(name) or ""
    if not text and default is not None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise InputError(f"{where}: {name} is '{text}', expected a number above 0")
    return value


def _timing(where: str, row: dict[str, str]) -> Timing:
    if row["operation"] not in OPERATIONS:
        raise InputError(f"{where}: operation '{row['operation']}', expected one of {', '.join(OPERATIONS)}")
    bound = row.get("bound") or None
    if bound not in (None, LATENCY, THROUGHPUT):
        raise InputError(f"{where}: bound '{bound}', expected {LATENCY} or {THROUGHPUT}")
    if row.get("cycles"):
        cycles = _number(where, row, "cycles")
    else:
        cycles = _number(where, row, "seconds") * _number(where, row, "clock_mhz") * 1e6
    share = 1.0
    if row["operation"] == "memory_barrier":
        share = _number(where, row, "memory_share")
        if share > 1:
            raise InputError(f"{where}: memory_share is {share:g}, expected at most 1")
    return Timing(row["operation"], _number(where, row, "warps"), _number(where, row, "operations"), cycles, _number(where, row, "chains", 1.0),
                  _number(where, row, "transactions", 1.0), THROUGHPUT if row["operation"] in ALWAYS_BUSY else bound, share)


def read(path: str) -> list[Timing]:
    """The timings of a file. Raises InputError."""
    try:
        lines = [line for line in read_bytes(path, EXPECTED).decode("utf-8").splitlines() if line.strip() and not line.startswith("#")]
        rows = list(csv.DictReader(lines))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a table ({error}), expected {EXPECTED}") from error
    names = set(rows[0]) if rows else set()
    if not set(NEEDED) <= names or not ({"cycles"} <= names or {"seconds", "clock_mhz"} <= names):
        raise InputError(f"{path}: expected {EXPECTED}")
    if unknown := sorted(str(name) for name in names - set(KNOWN)):
        raise InputError(f"{path}: unknown column '{unknown[0]}', expected some of {', '.join(KNOWN)}")
    if any(None in row.values() for row in rows):
        raise InputError(f"{path}: a line has fewer values than the first, expected one per column")
    return [_timing(f"{path}: row {number}", row) for number, row in enumerate(rows, 1)]


def _slope(runs: list[Timing]) -> float:
    """Cycles per operation of a warp: least squares over runs of different length, else the quotient of the only run."""
    if len({one.operations for one in runs}) == 1:
        return sum(one.cycles for one in runs) / sum(one.operations for one in runs)
    across = sum(one.operations for one in runs) / len(runs)
    up = sum(one.cycles for one in runs) / len(runs)
    return sum((one.operations - across) * (one.cycles - up) for one in runs) / sum((one.operations - across) ** 2 for one in runs)


def fitted(path: str, timings: list[Timing]) -> dict[str, Fitted]:
    """The curve of every operation. Raises InputError."""
    found: dict[str, Fitted] = {}
    for operation in dict.fromkeys(one.operation for one in timings):
        runs = [one for one in timings if one.operation == operation]
        each = sorted({one.transactions for one in runs})
        if len(each) > 1:
            raise InputError(f"{path}: {operation}: {each[0]:g} and {each[1]:g} transactions of an operation, expected one number")
        points = []
        for warps, chains, share in sorted({(one.warps, one.chains, one.memory_share) for one in runs}):
            same = [one for one in runs if (one.warps, one.chains, one.memory_share) == (warps, chains, share)]
            cycles = _slope(same) / warps / share
            if cycles <= 0:
                raise InputError(f"{path}: {operation}: {warps:g} warps: more operations take less time, expected longer runs")
            points.append(Point(warps * chains, cycles, same[0].bound))
        try:
            found[operation] = Fitted(fit(points), each[0])
        except ValueError as error:
            raise InputError(f"{path}: {operation}: {error}") from error
    return found
