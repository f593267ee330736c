"""The instructions of executed machine code with their counters, under the names of Nsight Compute's source page."""
from __future__ import annotations

import json
from typing import Any, Iterable, Optional

from warpscope.base import toolchain
from warpscope.result import facts, results

SECTOR = 32  # bytes
KINDS = ("load", "store", "atomic")
EXECUTED = {"inst_executed": "warps", "thread_inst_executed": "lanes", "thread_inst_executed_true": "guarded"}  # counter -> what the capture calls it
SHARED, IDEAL_SHARED = "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"
# Counter -> (unit, meaning).
COUNTERS = {
    "inst_executed": ("warp instructions", "warps that issued it"),
    "thread_inst_executed": ("thread instructions", "active lanes"),
    "thread_inst_executed_true": ("thread instructions", "active lanes whose guard held"),
    "memory_l1_tag_requests_global": ("requests", "to global memory"),
    "memory_l2_theoretical_sectors_global": ("sectors", "of global memory that its requests touch"),
    "memory_l2_theoretical_sectors_global_ideal": ("sectors", "that they would touch if their lanes had neighbouring elements"),
    "memory_l2_theoretical_sectors_local": ("sectors", "of local memory (the stack)"),
    SHARED: ("wavefronts", "of shared memory"),
    IDEAL_SHARED: ("wavefronts", "of shared memory without bank conflicts"),
}


def _memory(site: dict[str, Any]) -> dict[str, int]:
    """What the simulation counted of one memory instruction."""
    counts = {name: sum(site[kind].get(name, 0) for kind in KINDS) for name in ("requests", "lanes", "sectors")}
    outside = site["outside_l1"]["local"]
    shared = {name: sum(outside[kind].get(name, 0) for kind in KINDS) for name in ("requests", "wavefronts", "conflicts")}
    if shared["requests"]:  # the timed engine counts no wavefronts of stores
        is_counted = all("wavefronts" in outside[kind] for kind in KINDS)
        return {SHARED: shared["wavefronts"], IDEAL_SHARED: shared["wavefronts"] - shared["conflicts"]} if is_counted else {}
    if site["space"] == "private":
        return {"memory_l2_theoretical_sectors_local": counts["sectors"]}
    if not counts["requests"]:
        return {}
    ideal = -(-counts["lanes"] * site["width"] // SECTOR)
    return {"memory_l1_tag_requests_global": counts["requests"], "memory_l2_theoretical_sectors_global": counts["sectors"],
            "memory_l2_theoretical_sectors_global_ideal": min(counts["sectors"], max(counts["requests"], ideal))}


def _places(launch: dict[str, Any], first_of_block: list[Optional[int]]) -> dict[int, list[int]]:
    """Numbers of instructions -> their sites: copies from global to shared memory have two."""
    found: dict[int, list[int]] = {}
    for number, site in enumerate(launch["sites"]):
        block, position = site["point"]
        first = first_of_block[block]
        if first is not None:
            found.setdefault(first + position, []).append(number)
    return found


def _row(number: int, one: dict[str, Any], counted: list[dict[str, Any]]) -> dict[str, Any]:
    file, _, line = one.get("location", "").rpartition(":")
    row = {"address": 16 * number, "word": one["word"], "text": one["text"], "file": file, "line": int(line or 0), "kind": one.get("kind", ""), "pipe": one.get("pipe", ""),
           **{name: one[stored] for name, stored in EXECUTED.items()}}
    for site in counted:
        for name, value in _memory(site).items():
            row[name] = row.get(name, 0) + value
    return row


def _merged(texts: Iterable[str]) -> str:
    """Numbers and ranges, "0,4-7" and "1-3", in one list: "0-7"."""
    bounds = sorted((int(first), int(last or first)) for text in texts for first, _, last in (word.partition("-") for word in text.split(",")))
    merged: list[list[int]] = []
    for first, last in bounds:
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(last, merged[-1][1])
        else:
            merged.append([first, last])
    return ",".join(f"{first}-{last}" for first, last in merged)


def _viewed(capture: Any, launches: str, *options: str) -> dict[int, dict[str, Any]]:
    """The first of these launches of each kernel, by its number."""
    return {one["id"]: one for one in json.loads(toolchain.output("trace-view", capture, "--launch", launches, "--sum", *options, "--json", quiet=True))["launches"]}


def _stalls(result: dict[str, Any]) -> dict[int, dict[int, dict[str, int]]]:
    """First launch of a kernel -> address -> what warps did there, of the timed result."""
    timed = result if "instruction_stalls" in result else result.get("timed") or {}
    return {one["launch"]: {row["address"]: row["warp_stalls"] for row in one["instructions"]} for one in timed.get("instruction_stalls") or ()}


def of_capture(capture: Any, result: dict[str, Any]) -> list[dict[str, Any]]:
    """The kernels of machine code in a result of a capture, with their instructions; counters are sums over the launches that the result has. Those of memory are
    there if the result covers all work-groups that were executed, on all cores; warp_stalls if launches were timed."""
    listed = (result["context"].get("schedule") or {}).get("residency") or []
    if not any(one.get("machine_code") for one in listed):
        return []
    covered = _merged(one["launches"] for one in listed)
    codes = _viewed(capture, covered, "--instructions")
    context, stalls = result["context"], _stalls(result)
    whole = context.get("sampling", "all") == "all" and not context.get("partial") and not context.get("sampled_cores")
    names = {group["first"]: group["kernel"] for group in results.launch_groups(result)}
    found = []
    for number, launch in _viewed(capture, covered).items():
        code, one = codes[number]["machine_code"], next(one for one in listed if facts.has_number(one["launches"], number))
        if not code:
            continue
        sites = {site["site"]: site for site in result["sites"] if site["kernel"] == names.get(number, launch["kernel"])} if whole else {}
        places = _places(launch, code["first_of_block"])
        rows = [_row(place, instruction, [sites[site] for site in places.get(place, ()) if site in sites])
                for place, instruction in enumerate(code["instructions"])]
        for row in rows:
            if did := stalls.get(number, {}).get(row["address"]):
                row["warp_stalls"] = did
        while rows and rows[-1]["text"] == "NOP":
            rows.pop()
        found.append({"launch": number, "launches": codes[number]["launches"], "kernel": launch["kernel"], "architecture": code["architecture"],
                      "compiler": one["machine_code"], "registers": one["registers"], "instructions": rows})
    return found
