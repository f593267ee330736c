"""What `warpscope model --rank` and `warpscope tune --by` show: times with ranks, correlations of every pair of columns, agreement of
signs with the reference."""
from __future__ import annotations

import dataclasses
from typing import Any, Optional, Union

from warpscope.base import csv_cells
from warpscope.base.table import aligned
from warpscope.explore.models import output, ranking
from warpscope.result import error_statistics, rates


@dataclasses.dataclass
class Ranking:
    """`columns`: {predictor or measurement: a time per variant, in its unit, or None}; `units`: seconds ("s"), "cycles" or "measured";
    `reference`: the column that the others are compared with; `within`: what counts as equal, a fraction; `notes`: what is missing."""

    variants: list[str]
    columns: dict[str, list[Optional[float]]]
    units: dict[str, str]
    reference: str
    within: float = ranking.WITHIN
    notes: list[str] = dataclasses.field(default_factory=list)

    def against(self, name: str) -> ranking.Agreement:
        """A column against the reference."""
        return ranking.agreement(self.columns[name], self.columns[self.reference], self.within)

    def best(self, name: str) -> Optional[str]:
        """The variant with the least time, the first of equal ones."""
        known = [(time, at) for at, time in enumerate(self.columns[name]) if time is not None]
        return self.variants[min(known)[1]] if known else None


def _time(value: Optional[float], unit: str) -> str:
    if value is None:
        return "-" if unit == "measured" else "not applicable"
    return output.duration(value) if unit == "s" else output.number(value)


def _cell(value: Optional[float], unit: str) -> Union[float, str]:
    """Of the CSV file: as the text, but for what nobody measured."""
    return value if value is not None else "" if unit == "measured" else "not applicable"


def _rank(value: Optional[float]) -> str:
    return "" if value is None else f"({value:g})"


def _coefficient(value: Optional[float]) -> str:
    return "-" if value is None else f"{value:.2f}"


def _correlations(found: Ranking) -> list[str]:
    names = list(found.columns)
    rows = [["", *names]]
    for row in names:
        cells = []
        for column in names:
            both = ranking.agreement(found.columns[row], found.columns[column], found.within)
            cells.append("1" if row == column else f"{_coefficient(both.tau)} / {_coefficient(both.rho)}")
        rows.append([row, *cells])
    return ["Rank correlation, Kendall's tau-b / Spearman's rho", *aligned(rows)]


def against_reference(found: Ranking) -> list[str]:
    """A line per column but the reference: correlation, signs, regret."""
    lines = []
    for name in found.columns:
        if name == found.reference:
            continue
        both = found.against(name)
        loss = error_statistics.regret(found.columns[name], found.columns[found.reference])
        signs = rates.percent_text(rates.fraction(both.signs, both.pairs))
        lines.append(f"{name}: tau {_coefficient(both.tau)}, rho {_coefficient(both.rho)}, same sign in {signs} of {both.pairs:,} pairs; "
                     f"its best variant takes {rates.percent_text(loss, 1)} longer than the best")
    return lines


def lines(found: Ranking) -> list[str]:
    """The text of the command."""
    ranks = {name: error_statistics.ranks(times) for name, times in found.columns.items()}
    rows = [["variant", *(cell for name in found.columns for cell in (name, ""))]]
    for at, variant in enumerate(found.variants):
        rows.append([variant, *(cell for name, times in found.columns.items()
                                for cell in (_time(times[at], found.units[name]), _rank(ranks[name][at])))])
    text = [f"{len(found.variants)} variants; time (rank)", "", *aligned(rows), "", *_correlations(found), "",
            f"Against {found.reference}, times within {100 * found.within:g} % as equal", *(f"  {line}" for line in against_reference(found))]
    return [*text, *(["", *found.notes] if found.notes else [])]


def csv_text(found: Ranking) -> str:
    """A row per variant, a column per predictor."""
    return csv_cells.text([["variant", *(f"{name} ({found.units[name]})" for name in found.columns)],
                           *([variant, *(_cell(times[at], found.units[name]) for name, times in found.columns.items())]
                             for at, variant in enumerate(found.variants))])


def as_json(found: Ranking) -> dict[str, Any]:
    """All times, and every pair of columns."""
    names = list(found.columns)
    pairs = [{"columns": [row, column], **_agreement(found, row, column)} for at, row in enumerate(names) for column in names[at + 1:]]
    return {"schema": output.SCHEMA, "kind": "model ranking", "variants": found.variants, "units": found.units, "times": found.columns,
            "reference": found.reference, "within": found.within, "pairs": pairs, "notes": found.notes}


def _agreement(found: Ranking, row: str, column: str) -> dict[str, Any]:
    both = ranking.agreement(found.columns[row], found.columns[column], found.within)
    return {"kendall": both.tau, "spearman": both.rho, "variants": both.variants, "signs_alike": both.signs, "pairs": both.pairs}
