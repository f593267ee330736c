"""What `warpscope tune` prints."""
from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Optional

from warpscope.tuning.variants import Variant

if TYPE_CHECKING:
    from warpscope.tuning.tuner import Tuning

COLUMNS = ("transactions", "l1_hit_rate", "l1_to_l2_read_sectors", "local_conflicts")  # of the fixed order
REASONS = 5


def _shown(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if name.endswith("rate"):
        return f"{100 * value:.2f} %"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}" if isinstance(value, float) else str(value)


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]


def _fixed(variant: Variant, name: str) -> Any:
    return (variant.fixed or {}).get(name)


def _rows(tuning: Tuning, top: int) -> list[str]:
    valid = tuning.valid()
    columns = [name for name in COLUMNS if name != tuning.objective and any(_fixed(one, name) for one in valid)]
    rows = [["rank", *tuning.space.names, tuning.objective, "ratio", *(name.replace("_", " ") for name in columns)]]
    least = tuning.best.measure(tuning.objective)
    for rank, variant in enumerate(valid[:top], 1):
        value = variant.measure(tuning.objective)
        ratio = "-" if not least or value is None else f"{value / least:.3f}"
        rows.append([str(rank), *(str(variant.configuration[name]) for name in tuning.space.names), _shown(tuning.objective, value), ratio,
                     *(_shown(name, _fixed(variant, name)) for name in columns)])
    return _aligned(rows)


def _invalid(tuning: Tuning) -> list[str]:
    reasons = collections.Counter((one.invalidity, one.why) for one in tuning.variants if not one.is_valid)
    lines = [f"  {count:,} × {kind}: {why}" for (kind, why), count in reasons.most_common(REASONS)]
    return [*lines, *([f"  … {len(reasons) - REASONS:,} other reasons in results.csv"] if len(reasons) > REASONS else [])]


def rank_correlation(pairs: list[tuple[float, float]]) -> Optional[float]:
    """Spearman's: Pearson's of the ranks, equal values with their mean rank. None for fewer than three pairs or a constant."""
    if len(pairs) < 3:
        return None
    columns = []
    for side in zip(*pairs):
        ordered = sorted(side)
        columns.append([ordered.index(value) + (ordered.count(value) - 1) / 2 for value in side])
    means = [sum(column) / len(column) for column in columns]
    spread = [[value - mean for value in column] for column, mean in zip(columns, means)]
    below = (sum(x * x for x in spread[0]) * sum(y * y for y in spread[1])) ** 0.5
    return sum(x * y for x, y in zip(*spread)) / below if below else None


def _measured(tuning: Tuning) -> list[str]:
    """How the ranking compares with the measured one of --list."""
    pairs = []
    for variant in tuning.valid():
        measured = (tuning.measured or {}).get(tuple(variant.configuration[name] for name in tuning.space.names))
        value = variant.measure(tuning.objective)
        if measured is not None and value is not None:
            pairs.append((value, measured))
    rho = rank_correlation(pairs)
    return [] if rho is None else [f"rank correlation with what the list has measured: {rho:.3f} (Spearman, {len(pairs)} variants)"]


def lines(tuning: Tuning, top: int) -> list[str]:
    """At most `top` variants, why others are invalid, and what to do next."""
    simulated, invalid = len(tuning.variants), len(tuning.variants) - len(tuning.valid())
    reused = f", {tuning.reused:,} of them earlier" if tuning.reused else ""
    head = (f"{tuning.kernel.path.name} on {tuning.kernel.gpu}: {simulated:,} of {tuning.allowed:,} variants simulated{reused} "
            f"({tuning.strategy}); {tuning.objective.replace('_', ' ')}, the fewest first")
    found = [head, "", *_rows(tuning, top)]
    if invalid:
        found += ["", f"{invalid:,} variants are invalid:", *_invalid(tuning)]
    found += ["", *_measured(tuning), f"All: {tuning.folder}/results.csv, results.json (T4)", f"The best: {tuning.command(tuning.best)}"]
    return found
