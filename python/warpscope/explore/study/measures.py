"""What is kept of a simulation: the measures of docs/tools/what-if.md, and of drawn cores the estimates with their intervals."""
from __future__ import annotations

from typing import Any, Mapping

from warpscope.explore.tuning.variants import milliseconds_of
from warpscope.result import measures, program


MACHINE_CODE = "machine_code"  # the only one that is a text
OF_BOTH = ("transactions", "transactions_per_request", "l1_misses", "l1_to_l2_read_sectors", "work_groups_per_core")  # engines


def counts_anything(result: Mapping[str, Any]) -> bool:
    """Whether any launch was simulated."""
    return bool(result.get("launches") or result.get("launch_groups"))


def of_result(result: dict[str, Any], timed: bool) -> dict[str, Any]:
    """Name -> number; what has no value is left out. MACHINE_CODE: whose and for which GPUs, where such was executed."""
    found = dict(measures.fixed(result))
    if timed:
        found = {name: found[name] for name in OF_BOTH} | measures.timed(result)
        found["milliseconds"] = milliseconds_of(result)
        found["warps_per_core_mean"] = result["total"]["timing"].get("warps_per_core_mean")
    for name, said in (result["total"].get("estimate") or {}).items():
        found.update({f"estimate.{name}": said.get("value"), f"estimate.{name}.low": said.get("low"), f"estimate.{name}.high": said.get("high")})
    numbers = {name: value for name, value in found.items() if isinstance(value, (int, float))}
    return numbers | ({MACHINE_CODE: program.front_end(result)} if program.machine_code(result) else {})
