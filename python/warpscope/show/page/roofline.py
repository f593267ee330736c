"""A roofline of the kernels that were timed: operations and warp instructions per second, over the bytes at L1, L2 and DRAM.

Williams, Waterman and Patterson, CACM 52(4), 2009, doi:10.1145/1498765.1498785. With warp instructions in place of floating-point
operations: Ding and Williams, PMBS 2019, doi:10.1109/PMBS49563.2019.00007. A hierarchy of bandwidths, as there.
"""
import collections
import json
import math
from typing import Literal, TypedDict

from warpscope.base import toolchain
from warpscope.base.errors import printable
from warpscope.result import facts, machine, results

KERNELS = 8  # of the most cycles
SECTOR = 32  # bytes


class Kernel(TypedDict):
    kernel: str
    seconds: float
    instructions: int
    flops: float | None  # of 32 and 16 bits
    fp64: float | None
    integers: float | None
    bytes: dict[Literal["L1", "L2", "DRAM"], int]


class Roofline(TypedDict):
    ceilings: dict[Literal["flops", "fp64", "integers", "instructions", "L1", "L2", "DRAM"], float]
    assumed: list[str]  # names of ceilings
    kernels: list[Kernel]


def ceilings(result):
    """Peaks in operations per second and bandwidths in bytes per second of the GPU; what is not known is missing. `assumed`: those
    that the timed engine assumes."""
    timed = result.get("timed") or result
    clock, cores = machine.preset_value(result, "core_clock_mhz"), result["context"]["cores"]
    if not clock or not cores:
        return None
    hertz = clock * 1e6
    assumed = {one["key"]: one["value"] for one in timed["context"].get("timed", {}).get("assumed", [])}

    def value(key):
        return machine.preset_value(result, key) or assumed.get(key)

    def product(*factors):
        return math.prod(float(factor) for factor in factors) if all(factors) else None

    gigabytes = value("dram_bandwidth_gb_per_s")
    found = {"flops": product(value("fp32_per_cycle"), 2, cores, hertz),
             "fp64": product(value("fp64_per_cycle"), 2, cores, hertz),
             "integers": product(value("int_alu_per_cycle"), cores, hertz),
             "instructions": product(value("schedulers_per_core"), value("issue_width_per_scheduler") or 1, cores, hertz),
             "L1": product(value("l1_bytes_per_cycle"), cores, hertz),
             "L2": product(value("l2_slices"), value("l2_bytes_per_cycle_per_slice"), hertz),
             "DRAM": product(gigabytes, 1e9)}
    keys = {"flops": "fp32_per_cycle", "fp64": "fp64_per_cycle", "integers": "int_alu_per_cycle", "L1": "l1_bytes_per_cycle", "L2": "l2_bytes_per_cycle_per_slice", "DRAM": "dram_bandwidth_gb_per_s"}
    return {"values": {name: rate for name, rate in found.items() if rate},
            "assumed": [name for name, key in keys.items() if machine.preset_value(result, key) is None and key in assumed], "hertz": hertz}


def _lanes(site):
    """Executions by work-items."""
    outside = [kind["lanes"] for memory in site.get("outside_l1", {}).values() for kind in memory.values()]
    return sum(site[kind]["lanes"] for kind in machine.KINDS) + sum(outside)


def operations_of(blocks, lanes, work_items, classes):
    """Operations of all work-items: of a divergent warp each way counts for those that take it. None where a block with some has an unknown
    number of executions. `blocks`: of trace-view --cfg; `lanes`: {site: executions by work-items}; `work_items`: all of them; `classes`:
    {class: operations of one}."""
    total = 0
    for number, block in enumerate(blocks):
        operations = sum(block.get("mix", {}).get(name, 0) * weight for name, weight in classes.items())
        if not operations:
            continue
        counts = {lanes[site] for site in block["sites"] if site in lanes}
        if len(counts) == 1:
            total += operations * counts.pop()
        elif number == 0 and not counts:
            total += operations * work_items
        else:
            return None
    return total


COUNTED = {"flops": {**facts.FP, **facts.FP16}, "fp64": facts.FP64, "integers": facts.INTEGERS}


def _operations(result, capture, kernel, group, work_items):
    """{name of COUNTED: operations of all launches of a kernel}; None for each without a capture or where they are not known."""
    if capture is None or result["context"].get("sampling", "all") != "all":
        return dict.fromkeys(COUNTED)
    launches = json.loads(toolchain.output("trace-view", capture, "--cfg", "--launch", group["first"], "--json", quiet=True))["launches"]
    lanes = {site["site"]: _lanes(site) for site in result["sites"] if site["kernel"] == kernel}
    return {name: operations_of(launches[0]["blocks"], lanes, work_items, classes) for name, classes in COUNTED.items()}


def _sum(groups, read):
    return sum(read(group) for group in groups)


def _l2_bytes(groups):
    """Bytes between the cores and the L2, of launch groups of a timed result."""
    return _sum(groups, lambda group: group["timing"]["core_to_l2_bytes"] + group["timing"]["l2_to_core_bytes"])


def _dram(timing):
    return sum(timing["memory"].get(name) or 0 for name in ("dram_read_bytes", "dram_write_bytes"))


def _dram_bytes(timed, kernel, launches):
    """Bytes of the DRAM of a kernel's `launches` timed launches; None where they are not listed one by one."""
    own = [launch["timing"] for launch in timed.get("launches", []) if launch["kernel"] == kernel and "timing" in launch]
    if len(own) == launches:
        return sum(map(_dram, own))
    return _dram(timed["total"]["timing"]) if results.launch_count(timed) == launches else None


def of_result(result, capture=None):
    """The roofline of a result; None without timed launches or clock."""
    timed = result.get("timed")
    found = ceilings(result)
    if not timed or found is None:
        return None
    by_kernel = collections.defaultdict(list)
    for group in results.launch_groups(timed):
        if group.get("timing", {}).get("cycles"):
            by_kernel[group["kernel"]].append(group)
    ranked = sorted(by_kernel, key=lambda name: -_sum(by_kernel[name], lambda group: group["timing"]["cycles"]))[:KERNELS]
    fixed = collections.defaultdict(list)
    for group in results.launch_groups(result):
        fixed[group["kernel"]].append(group)
    rows = []
    for name in ranked:
        groups = by_kernel[name]
        work_items = _sum(groups, lambda group: group["count"] * math.prod(group["global"]))
        launches = _sum(groups, lambda group: group["count"])
        whole = _sum(fixed[name], lambda group: group["count"]) == launches  # only then the fixed order's counts are of the same launches
        moved = {"L2": _l2_bytes(groups)}
        if whole:
            moved["L1"] = _sum(fixed[name], lambda group: sum(group[kind].get("bytes", 0) for kind in machine.KINDS))
        if (dram := _dram_bytes(timed, name, launches)) is not None:
            moved["DRAM"] = dram
        rows.append({"kernel": printable(name), "seconds": _sum(groups, lambda group: group["timing"]["cycles"]) / found["hertz"],
                     "instructions": _sum(groups, lambda group: group["timing"]["warp_instructions"]),
                     **(_operations(result, capture, name, groups[0], work_items) if whole else dict.fromkeys(COUNTED)), "bytes": moved})
    return {"ceilings": found["values"], "assumed": found["assumed"], "kernels": rows} if rows else None
