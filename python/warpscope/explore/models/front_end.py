"""The front end of the models: everything that they need to know of a launch, counted from a capture and its simulation.

What S. Dasgupta, "CUDA Performance Analyzer", MSc thesis, Georgia Institute of Technology, 2011, section 3.1, lists as inputs (a to o), and
J. Sim et al., PPoPP 2012, table 2. Both took them from hardware counters, an emulator and by hand.
"""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

from warpscope.explore.models import from_result
from warpscope.result import facts as counted, rates
from warpscope.result.parallelism import NOT_RECORDED

BLOCKS = "blocks · warps that entered them"
MEMORY = ("load_", "store_", "atomic")  # classes of which the sites say more


class Row(NamedTuple):
    """`of_launch`: of one launch, None if it is not known, which `origin` then explains; `per_warp`: whether it can be divided by warps."""

    section: str
    name: str
    of_launch: Optional[float]
    unit: str
    origin: str
    per_warp: bool = True


def _one(facts: Any, count: Optional[float]) -> Optional[float]:
    """Of one launch of those that are identical."""
    return None if count is None else count / facts.launches


def _instructions(facts: Any) -> list[Row]:
    if facts.classes is None:
        return [Row("instructions", "by class", None, "warp instructions", NOT_RECORDED)]
    each = {name: count / facts.launches for name, count in facts.classes.items() if name != "phi"}
    lanes = sum(count for name, count in facts.lane_classes.items() if name != "phi") / facts.launches
    total = sum(each.values())
    rows = [Row("instructions", name, count, "warp instructions", BLOCKS) for name, count in sorted(each.items())
            if count and not name.startswith(MEMORY)]
    return [*rows, Row("instructions", "all, memory among them", total, "warp instructions", BLOCKS),
            Row("instructions", "work-items per instruction", lanes / total if total else None, f"of {facts.warp_size}", "blocks · work-items that entered them",
                False),
            Row("instructions", "machine instructions", _one(facts, facts.timing("warp_instructions")), "warp instructions",
                "timed engine" if facts.timed else from_result.NO_TIMED)]


def _accesses(facts: Any, blocks: list[dict[str, Any]], counts: list[dict[str, Any]]) -> list[Row]:
    """Memory instructions by kind, space and width."""
    if facts.sites is None:
        return [Row("memory instructions", "by space and width", None, "warp instructions", from_result.NO_SITES)]
    entered = {site: sum(launch["blocks"][number]["warps"] for launch in counts) for number, block in enumerate(blocks) for site in block["sites"]}
    found: dict[str, float] = {}
    for site in facts.sites:
        name = f"{site['kind']} {site['space']}, {site['width']} bytes" if site["width"] else f"{site['kind']} {site['space']}"
        found[name] = found.get(name, 0) + entered.get(site["site"], 0) / facts.launches
    return [Row("memory instructions", name, count, "warp instructions", BLOCKS) for name, count in sorted(found.items()) if count]


def _global(facts: Any) -> list[Row]:
    requests, sizes = facts.memory("requests"), from_result.by_size(facts)
    rows = [Row("global memory", "requests", _one(facts, requests), "requests", "fixed order")]
    for size in from_result.SIZES:
        count = None if sizes is None else sizes[size] + (sizes["vector"] if size == from_result.SIZES[0] else 0)
        rows.append(Row("global memory", f"transactions of {size} bytes", _one(facts, count), "transactions",
                        from_result.NO_SITES if count is None else "fixed order: mean bytes of each site's"))
    transactions = facts.memory("transactions")
    return [*rows, Row("global memory", "transactions", _one(facts, transactions), "transactions", "fixed order"),
            Row("global memory", "transactions per request", rates.per_request(transactions, requests), "", "fixed order", False),
            Row("global memory", "bytes moved", _one(facts, facts.memory("bytes")), "bytes", "fixed order")]


def _local(facts: Any) -> list[Row]:
    memory = facts.any().get("local_memory")
    if memory is None:
        return []
    slow = {int(degree): passes for degree, passes in memory["degrees"].items() if int(degree) > 1}
    passes = sum(slow.values())
    mean = sum(degree * count for degree, count in slow.items()) / passes if passes else 0.0
    return [Row("local memory", "requests", _one(facts, memory["requests"]), "requests", "fixed order"),
            Row("local memory", "passes", _one(facts, memory["passes"]), "passes", "fixed order: lanes that go together"),
            Row("local memory", "passes with conflicts", _one(facts, passes), "passes", "fixed order"),
            Row("local memory", "cycles of a pass with conflicts", mean, "cycles", "fixed order: mean degree of bank conflict", False),
            Row("local memory", "cycles lost to conflicts", _one(facts, memory["conflicts"]), "cycles", "fixed order")]


def _occupancy(facts: Any, result: dict[str, Any]) -> list[Row]:
    first, rows = facts.any()["first"], []
    for one in result["context"].get("schedule", {}).get("residency", []):
        if counted.has_number(one["launches"], first):
            rows = [Row("occupancy", "work-groups per core", one["work_groups"], "work-groups", f"limited by {one['limited_by']}", False),
                    Row("occupancy", "warps per core", one["work_groups"] * facts.warps_per_group, "warps", "work-groups per core · warps of one", False),
                    Row("occupancy", "registers", one["registers"], "per work-item", str(one["registers_from"]), False)]
    resident = facts.resident_warps()
    return [*rows, Row("occupancy", "resident warps, mean", resident, "warps", "timed engine" if resident is not None else from_result.NO_TIMED, False)]


def _latencies(facts: Any, gpu: Any) -> list[Row]:
    """What an average memory access time is made of (Sim et al. 2012, equation 12)."""
    rows = [Row("L1", "miss ratio of loads", facts.missing_ratio(), "", "fixed order: loads that miss or bypass / transactions of loads", False)]
    for key, name in (("l1_hit_latency_cycles", "latency of a hit"), ("l2_hit_latency_cycles", "latency of the L2"), ("dram_latency_cycles", "latency of the DRAM")):
        value = gpu.of_preset(key)
        rows.append(Row("L1", name, value, "cycles", f"preset {gpu.preset_name}" + ("" if value is not None else " does not know it"), False))
    timing = facts.timing("load_latency_cycles_mean")
    return [*rows, Row("L1", "latency of a load, mean", timing, "cycles", "timed engine" if timing is not None else from_result.NO_TIMED, False)]


def _parallelism(facts: Any) -> list[Row]:
    known, absent = facts.parallelism, NOT_RECORDED if facts.parallelism is None else "no loads from global memory"
    rows = []
    for member, name, origin in (("ilp", "ILP", "instructions / steps of the longest chain"), ("mlp", "MLP", "loads / loads on their longest chain"),
                                 ("mlp_in_order", "independent loads", "loads / groups before the first use of one")):
        value = getattr(known, member) if known else None
        rows.append(Row("parallelism", name, value, "", absent if value is None else origin, False))
    merged = facts.merged_requests()
    return [*rows, Row("parallelism", "duplicate loads", merged, "", "timed engine: (misses + pending hits) / misses" if merged is not None
                       else "needs the timed engine, and loads that miss in an L1", False)]


def rows(facts: Any, simulated: Any, gpu: Any) -> list[Row]:
    """All of a launch. `facts`: completed by `simulated` (from_result.Simulated); `gpu`: machine.Machine."""
    blocks = simulated.described[facts.any()["first"]]["blocks"]
    barriers = None if facts.barriers is None else facts.barriers * facts.warps
    return [Row("launch", "work-groups", facts.work_groups, "work-groups", "trace", False), Row("launch", "warps", facts.warps, "warps", "trace", False),
            *_instructions(facts), *_accesses(facts, blocks, simulated.block_counts(facts)),
            Row("synchronisation", "barriers", barriers, "warp instructions", "trace: barriers / work-items · warps"),
            *_global(facts), *_local(facts), *_occupancy(facts, simulated.result), *_latencies(facts, gpu), *_parallelism(facts)]
