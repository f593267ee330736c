"""What a report is made from: the rows of a study, which parameters vary, which measure tells good from bad."""
from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Optional, Sequence

from warpscope.base.errors import InputError
from warpscope.explore.study import store
from warpscope.explore.study.measures import MACHINE_CODE
from warpscope.result import program

Row = dict[str, Any]
MEASURES = ("cycles", "l1_to_l2_read_sectors")  # that a configuration is judged by: the first it has
FRONTS = (("cycles", "l1_misses"), ("cycles", "warps_per_core_mean"), ("l1_to_l2_read_sectors", "l1_wavefronts"))
FIRST_COLUMNS = ("cycles", "milliseconds", "l1_hit_rate", "l1_misses", "transactions", "l1_to_l2_read_sectors")
MORE_IS_BETTER = ("l1_hit_rate", "work_groups_per_core", "warps_per_core_mean")


def more_is_better(measure: str) -> bool:
    return measure in MORE_IS_BETTER or "hit_rate" in measure


def better(measure: str) -> Callable[[Iterable[float]], float]:
    """max or min."""
    return max if more_is_better(measure) else min


@dataclass
class Answers:
    """`rows`: the answers that are there, in the order of the study; `tasks`: how many there should be; `name`: of the study."""

    rows: list[Row]
    tasks: int
    name: str

    def names_of(self, key: str) -> list[str]:
        """Programs, gpus or configurations."""
        return list(dict.fromkeys(row[key] for row in self.rows))

    def parameters(self) -> list[str]:
        return list(dict.fromkeys(name for row in self.rows for name in row["parameters"]))

    def measures(self) -> list[str]:
        """All names of measures: the main ones first."""
        known = {name for row in self.rows for name in row["measures"]} - {MACHINE_CODE}
        return [name for name in FIRST_COLUMNS if name in known] + sorted(known - set(FIRST_COLUMNS))

    def front_ends(self) -> dict[str, list[str]]:
        """Which program ran (warpscope/result/program.py) -> where, as "sort on a100"; of rows with measures."""
        found: dict[str, dict[str, None]] = {}
        for row in self.rows:
            if row["measures"]:
                found.setdefault(row["measures"].get(MACHINE_CODE, program.BY_CLANG), {})[f"{row['program']} on {row['gpu']}"] = None
        return {front_end: list(places) for front_end, places in found.items()}

    def of(self, **wanted: str) -> list[Row]:
        return [row for row in self.rows if all(row[key] == value for key, value in wanted.items())]

    def check(self, measure: str) -> None:
        """Raises InputError for a name that no row has."""
        if measure not in self.measures():
            raise InputError(f"{measure}: no task has this measure, expected one of {', '.join(self.measures()) or '(none yet)'}")


def read(folder: pathlib.Path) -> Answers:
    """Raises InputError."""
    return Answers(*store.rows(folder))


def judged_by(rows: Sequence[Row], wanted: Sequence[str]) -> Optional[str]:
    """The first of the measures that the rows have."""
    return next((name for name in wanted if any(name in row["measures"] for row in rows)), None)


def varying(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """The parameters with several values, which are in order: numbers by size, others as they come."""
    values: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in row["parameters"].items():
            if value not in values.setdefault(name, []):
                values[name].append(value)
    return {name: _ordered(each) for name, each in values.items() if len(each) > 1}


def _ordered(values: list[Any]) -> list[Any]:
    return sorted(values) if all(isinstance(value, (int, float)) for value in values) else values


def text_of(parameters: dict[str, Any], names: Optional[Iterable[str]] = None) -> str:
    """TILE=8 UNROLL=2"""
    return " ".join(f"{name}={parameters[name]}" for name in names or parameters if name in parameters)


def front(points: Sequence[tuple[float, float]], x_more: bool, y_more: bool) -> list[int]:
    """Which points no other beats in one measure without losing in the other, by x. Of equal points the first."""
    def key(at: int) -> tuple[float, float]:
        x, y = points[at]
        return (-x if x_more else x, -y if y_more else y)

    found: list[int] = []
    for at in sorted(range(len(points)), key=lambda at: (*key(at), at)):
        if not found or key(at)[1] < key(found[-1])[1]:
            found.append(at)
    return found
