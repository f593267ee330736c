"""What `warpscope tune` prints."""
from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Optional

from warpscope.base.table import aligned
from warpscope.explore.models import output, rank_table
from warpscope.explore.tuning.variants import Variant
from warpscope.result import error_statistics, rates

if TYPE_CHECKING:
    from warpscope.explore.tuning.tuner import Tuning

COLUMNS = ("transactions", "l1_hit_rate", "l1_to_l2_read_sectors", "local_conflicts")  # of the fixed order
REASONS = 5


def _shown(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if name.endswith("rate"):
        return rates.percent_text(value, 2)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}" if isinstance(value, float) else str(value)


def _fixed(variant: Variant, name: str) -> Any:
    return (variant.fixed or {}).get(name)


def _compared(tuning: Tuning) -> list[str]:
    """The models of --by, and cycles if they are known: what is compared with each other."""
    if not tuning.kernel.by:
        return []
    has_cycles = any(one.measure("cycles") is not None for one in tuning.valid())
    return [*(one.name for one in tuning.kernel.by), *(["cycles"] if has_cycles else [])]


def _unit(tuning: Tuning, name: str) -> str:
    return next((one.unit for one in tuning.kernel.by if one.name == name), "")


def _modelled(tuning: Tuning, variant: Variant, name: str) -> str:
    value = variant.measure(name)
    return output.duration(value) if value is not None and _unit(tuning, name) == "s" else _shown(name, value)


def ranking_of(tuning: Tuning) -> Optional[rank_table.Ranking]:
    """The models of --by against the cycles, or against the first of them; None for fewer than two columns."""
    names = _compared(tuning)
    if len(names) < 2:
        return None
    valid = tuning.valid()
    columns = {name: [one.measure(name) for one in valid] for name in names}
    units = {name: _unit(tuning, name) or "cycles" for name in names}
    variants = [",".join(f"{name}={one.configuration[name]}" for name in tuning.space.names) for one in valid]
    reference = names[-1] if names[-1] == "cycles" else names[0]
    return rank_table.Ranking(variants, columns, units, reference)


def _models(tuning: Tuning) -> list[str]:
    found = ranking_of(tuning)
    if found is None:
        return []
    what = f"cycles of {tuning.kernel.gpu.name}" if found.reference == "cycles" else found.reference
    return [f"Against {what}, times within {100 * found.within:g} % as equal:", *(f"  {line}" for line in rank_table.against_reference(found)), ""]


def _rows(tuning: Tuning, top: int) -> list[str]:
    valid = tuning.valid()
    columns = [name for name in COLUMNS if name != tuning.objective and any(_fixed(one, name) for one in valid)]
    others = [name for name in _compared(tuning) if name != tuning.objective]
    rows = [["rank", *tuning.space.names, tuning.objective, "ratio", *others, *(name.replace("_", " ") for name in columns)]]
    least = tuning.best.measure(tuning.objective)
    for rank, variant in enumerate(valid[:top], 1):
        value = variant.measure(tuning.objective)
        ratio = "-" if not least or value is None else f"{value / least:.3f}"
        rows.append([str(rank), *(str(variant.configuration[name]) for name in tuning.space.names), _modelled(tuning, variant, tuning.objective), ratio,
                     *(_modelled(tuning, variant, name) for name in others), *(_shown(name, _fixed(variant, name)) for name in columns)])
    return aligned(rows, left=())


def _invalid(tuning: Tuning) -> list[str]:
    reasons = collections.Counter((one.invalidity, one.why) for one in tuning.variants if not one.is_valid)
    lines = [f"  {count:,} × {kind}: {why}" for (kind, why), count in reasons.most_common(REASONS)]
    return [*lines, *([f"  … {len(reasons) - REASONS:,} other reasons in results.csv"] if len(reasons) > REASONS else [])]


def rank_correlation(pairs: list[tuple[float, float]]) -> Optional[float]:
    """Spearman's. None for fewer than three pairs or a constant."""
    return error_statistics.spearman(*zip(*pairs)) if len(pairs) >= 3 else None


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


def _what(tuning: Tuning) -> str:
    if _unit(tuning, tuning.objective) == "s":
        return f"time by {tuning.objective}, the least"
    return f"{tuning.objective.replace('_', ' ')}, the fewest"


def lines(tuning: Tuning, top: int) -> list[str]:
    """At most `top` variants, why others are invalid, and what to do next."""
    simulated, invalid = len(tuning.variants), len(tuning.variants) - len(tuning.valid())
    reused = f", {tuning.reused:,} of them earlier" if tuning.reused else ""
    head = (f"{tuning.kernel.path.name} on {tuning.kernel.gpu.name}: {simulated:,} of {tuning.allowed:,} variants simulated{reused} "
            f"({tuning.strategy}); {_what(tuning)} first")
    found = [head, "", *_rows(tuning, top)]
    if invalid:
        found += ["", f"{invalid:,} variants are invalid:", *_invalid(tuning)]
    found += ["", *_models(tuning), *_measured(tuning), f"All: {tuning.folder}/results.csv, results.json (T4)", f"The best: {tuning.command(tuning.best)}"]
    return found
