"""What a kernel costs on a GPU, by its capture: exact counts, rates and cycles with their errors, and what no kernel can be faster than."""
from __future__ import annotations

import json
import math
import pathlib
from typing import Any, Mapping, Optional

from warpscope.base import presets, toolchain
from warpscope.base.errors import ToolFailed
from warpscope.explore.judge import cycle_ratios
from warpscope.result import hit_rates, machine
from warpscope.show.page import roofline
from warpscope.show.summary import clock

KINDS = ("load", "store", "atomic")
CANNOT = "no difference that we can vouch for"


def simulated(capture: pathlib.Path, gpu: str) -> dict[str, Any]:
    """A capture's counters in fixed order. Raises ToolFailed where it does not fit the GPU."""
    status, text, messages = toolchain.attempt("cachesim", capture, "--gpu", gpu, "--json", "-")
    if status != 0 or not text:
        raise ToolFailed(status if status > 0 else 1, messages.strip())
    result: dict[str, Any] = json.loads(text)
    return result


def timed(capture: pathlib.Path, gpu: str) -> Optional[dict[str, Any]]:
    """The same cycle by cycle; None where that GPU, or this launch, has no cycles."""
    status, text, _ = toolchain.attempt("cachesim", "timed", capture, "--gpu", gpu, "--json", "-")
    result: Optional[dict[str, Any]] = json.loads(text) if status == 0 and text else None
    return result if result and result["total"].get("timing") else None


def _rate(result: dict[str, Any]) -> dict[str, Any]:
    engine = "timed" if result.get("timed") else "fixed"
    rate = hit_rates.of_both(result)[engine]
    error = clock.error_of(result, engine) if rate is not None else None
    return {"percent": None if rate is None else round(rate, 2), "error_points": None if error is None else round(error.bound, 1)}


def unmeasured(fixed: Mapping[str, Any], gpu: str) -> Optional[str]:
    """What a launch does, as a part of a sentence, that takes time on a GPU and is not simulated; None where nothing like that is known."""
    if any(kind.get("conflicts") for kind in fixed["total"].get("outside_l1", {}).get("constant", {}).values()):
        return "loads different constants in one request, and no cache of constants is simulated"
    most = presets.value_of(gpu, "max_registers_per_work_item")
    residency = (fixed["context"].get("schedule") or {}).get("residency") or []
    if most and any(one.get("registers_from") == "live values" and one["registers"] >= most for one in residency):
        return f"may need more than {most} registers for a work-item, and what is spilled is not simulated"
    return None


def of_capture(capture: pathlib.Path, gpu: str, fixed: dict[str, Any]) -> dict[str, Any]:
    """The costs of a capture. `fixed`: simulated() of it. Counts are those of the capture's program; cycles are None where there are none."""
    found = timed(capture, gpu)
    result = {**fixed, **({"timed": found} if found else {})}
    total = fixed["total"]
    timing = found["total"]["timing"] if found else None
    local = total.get("local_memory") or {}
    return {"requests": sum(total[kind]["requests"] for kind in KINDS), "sectors": sum(total[kind]["sectors"] for kind in KINDS),
            "wavefronts": sum(total[kind]["wavefronts"] for kind in KINDS), "local_wavefronts": local.get("wavefronts", 0),
            "l2_read_sectors": total["l1_to_l2_read_sectors"], "warp_instructions": timing["warp_instructions"] if timing else None,
            "hit_rate": _rate(result), "cycles": timing["cycles"] if timing else None, "unmeasured": unmeasured(fixed, gpu)}


def bound(capture: pathlib.Path, fixed: Mapping[str, Any]) -> Optional[dict[str, Any]]:
    """Cycles that no kernel with the reference's operations is below: each byte of its buffers once through the DRAM, and its operations at the
    peak rates. None where the GPU's rates are not known."""
    peaks = roofline.ceilings(fixed)
    if not peaks or "DRAM" not in peaks["values"]:
        return None
    size = sum(min(one["size"], sum(one[kind]["bytes"] for kind in KINDS)) for one in fixed["buffers"])
    hertz, rates = peaks["hertz"], peaks["values"]
    parts = {"bytes": size / rates["DRAM"] * hertz}
    operations = _operations(capture, fixed)
    for name, count in operations.items():
        if count and rates.get(name):
            parts[name] = count / rates[name] * hertz
    most = max(parts, key=lambda name: parts[name])
    return {"cycles": round(parts[most]), "by": most, "bytes": size, "operations": operations}


def _operations(capture: pathlib.Path, fixed: Mapping[str, Any]) -> dict[str, Optional[int]]:
    listed = json.loads(toolchain.output("trace-view", capture, "--cfg", "--launch", 0, "--json", quiet=True))["launches"][0]
    lanes = {site["site"]: sum(site[kind]["lanes"] for kind in machine.KINDS) + sum(kind["lanes"] for memory in site.get("outside_l1", {}).values()
                                                                                       for kind in memory.values()) for site in fixed["sites"]}
    items = math.prod(fixed["launch_groups"][0]["global"])
    return {name: roofline.operations_of(listed["blocks"], lanes, items, classes) for name, classes in roofline.COUNTED.items()}


def speedup(reference: Mapping[str, Any], candidate: Mapping[str, Any]) -> Optional[dict[str, Any]]:
    """How many times as fast the candidate is, with what 90 % of pairs of measured launches were within, and `why` that does not hold for these; None
    without cycles."""
    old, new = reference["cycles"], candidate["cycles"]
    if not old or not new:
        return None
    error = cycle_ratios.error_of(min(old, new))
    ratio = old / new
    least, most = ratio / error.factor, ratio * error.factor
    why = next((f"the {role} {one['unmeasured']}" for role, one in (("candidate", candidate), ("reference", reference)) if one.get("unmeasured")), None)
    says = CANNOT if why else "faster" if least > 1 else "slower" if most < 1 else CANNOT
    return {"ratio": round(ratio, 3), "least": round(least, 3), "most": round(most, 3), "factor": round(error.factor, 3), "class": error.text,
            "pairs": error.pairs, "says": says, "why": why}

