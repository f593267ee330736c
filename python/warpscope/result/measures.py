"""The measures of docs/tools/what-if.md: what a change of the layout or of the machine can move, out of a result."""
from __future__ import annotations

from typing import Any, Mapping

from warpscope.result import rates

KINDS = ("load", "store", "atomic")
Measures = dict[str, Any]


def fixed(result: Mapping[str, Any]) -> Measures:
    """Of the fixed order. None: not in the result, or nothing to divide by."""
    total = result["total"]
    local = total.get("local_memory") or {}
    residency = (result["context"].get("schedule") or {}).get("residency") or []

    def all_of(key: str) -> Any:
        return sum(total[kind].get(key) or 0 for kind in KINDS)

    return {
        "requests": all_of("requests") + (local.get("requests") or 0),
        "transactions": all_of("transactions"),
        "transactions_per_request": rates.per_request(all_of("transactions"), all_of("requests")),
        "sectors": all_of("sectors"),
        "l1_hit_rate": rates.hit_rate(total["load"]),
        "l1_misses": sum(rates.missed(total[kind]) for kind in KINDS),
        "l1_to_l2_read_sectors": total.get("l1_to_l2_read_sectors"),
        "l1_wavefronts": all_of("wavefronts"),
        "local_wavefronts": local.get("wavefronts"),
        "local_conflicts": local.get("conflicts"),
        "work_groups_per_core": residency[0]["work_groups"] if len(residency) == 1 else None,
    }


def timed(result: Mapping[str, Any]) -> Measures:
    """The same of the timed clock."""
    timing = result["total"]["timing"]
    return {
        "cycles": timing["cycles"],
        "warp_instructions": timing["warp_instructions"],
        "l1_hit_rate": rates.hit_rate(result["total"]["load"]),
        "load_latency_cycles_mean": timing.get("load_latency_cycles_mean"),
        "core_to_l2_bytes": timing.get("core_to_l2_bytes"),
        "l2_to_core_bytes": timing.get("l2_to_core_bytes"),
        "dram_read_bytes": (timing.get("memory") or {}).get("dram_read_bytes"),
    }


def compared(before: Measures, after: Measures) -> dict[str, Measures]:
    """Both, and after / before of each."""
    return {"before": before, "after": after, "ratio": {name: rates.growth(before[name], after[name]) for name in before}}
