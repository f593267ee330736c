"""The memory chart: what the warps of a launch ask of each memory and what goes between the memories, all of it counters of the result."""
from typing import TypedDict

from warpscope.base.errors import printable
from warpscope.result import rates, results
from warpscope.show.page import parts, rows

MOST = 40    # launches that have a chart
SECTOR = 32  # bytes between the L1, the L2 and the DRAM
# What ncu and nvprof call requests and sectors (lines before Maxwell) of private memory, which the L1's counters contain.
PRIVATE = {"requests": {"load": ("l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "local_load_requests"),
                        "store": ("l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "local_store_requests")},
           "transactions": {"load": ("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "local_load_transactions"),
                            "store": ("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "local_store_transactions")}}


class Memory(TypedDict):
    """One launch, or all. `timed`: hit rates, and bytes beyond the L1, are those of the timed engine; else those of the fixed order, which
    has no L2. A number that is not known is absent."""
    name: str
    timed: bool
    numbers: rows.Numbers


def _private(part, what, kind):
    """None where no profiler of the GPU tells private memory from global memory."""
    profiler = part.get("profiler") or {}
    named = [values for values in (profiler.get("ncu"), profiler.get("nvprof")) if values]
    return next((values[name] for values in named for name in PRIVATE[what][kind] if name in values), None)


def _l1(part, bytes_of):
    """Requests and bytes between the warps and the L1, and its look-ups. `bytes_of`: bytes of a kind's transactions."""
    found = {}
    for kind in parts.KINDS:
        counts = part[kind]
        found |= {f"{kind}_requests": counts["requests"], f"{kind}_bytes": bytes_of(kind), f"l1_{kind}_looked_up": rates.looked_up(counts),
                  f"l1_{kind}_hits": rates.hits(counts)}
    for kind in PRIVATE["requests"]:
        requests, moved = (_private(part, what, kind) for what in ("requests", "transactions"))
        if requests is not None and moved is not None and part[kind]["transactions"]:
            found[f"private_{kind}_requests"] = requests
            found[f"private_{kind}_bytes"] = moved * found[f"{kind}_bytes"] // part[kind]["transactions"]
    return found


def _outside(part):
    """Of shared memory, which OpenCL calls local, and of the constant caches."""
    found = {}
    for place, name in (("local", "shared"), ("constant", "constant")):
        kinds = part.get("outside_l1", {}).get(place, {})
        found |= {f"{name}_{kind}_requests": kinds[kind]["requests"] for kind in kinds}
        found |= {f"{name}_{what}": sum(numbers[what] for numbers in kinds.values()) for what in ("wavefronts", "conflicts")
                  if kinds and all(what in numbers for numbers in kinds.values())}
    return found


def _behind(part):
    """Behind the L1s: by the timed engine, else only what misses of loads ask for."""
    timing = part.get("timing")
    if not timing:
        return {"l2_to_l1_bytes": SECTOR * part["l1_to_l2_read_sectors"]} if "l1_to_l2_read_sectors" in part else {}
    memory = timing["memory"]
    hits = memory["l2_load_hits"] + memory["l2_load_hits_pending"]
    shared = memory["shared_l1_load_hits"] + memory["shared_l1_load_hits_pending"]
    return {"warp_instructions": timing["warp_instructions"], "l2_to_l1_bytes": timing["l2_to_core_bytes"],
            "l1_to_l2_bytes": timing["core_to_l2_bytes"], "shared_l1_hits": shared, "shared_l1_looked_up": shared + memory["shared_l1_load_misses"],
            "l2_load_hits": hits, "l2_load_looked_up": hits + memory["l2_load_misses"], "l2_store_hits": memory["l2_store_hits"],
            "l2_store_looked_up": memory["l2_store_hits"] + memory["l2_store_misses"], "l2_atomics": memory["l2_atomics"],
            "dram_read_bytes": memory["dram_read_bytes"], "dram_write_bytes": memory["dram_write_bytes"],
            **({"dram_gb_per_s": memory["dram_gb_per_s"]} if memory["dram_gb_per_s"] is not None else {})}


def _chart(name, part, fixed, transaction_bytes):
    """`part` of the result that is shown; `fixed`: the same in fixed order, which knows bytes of transactions and cycles of the banks."""
    def bytes_of(kind):
        return fixed[kind]["bytes"] if "bytes" in fixed[kind] else part[kind]["transactions"] * transaction_bytes

    return {"name": name, "timed": "timing" in part, "numbers": {**_l1(part, bytes_of), **_outside(fixed), **_behind(part)}}


def _timed(result):
    """(the timed result if it covers everything, else None; its launches that are covered, by number)."""
    timed = parts.timed_result(result)
    if timed is None or timed["context"].get("timed", {}).get("waves"):
        return None, {}
    clocks = result.get("clocks") or {}
    whole = clocks.get("timed_launches") == clocks.get("launches")
    return timed if whole else None, _by_number(timed)


def _by_number(result):
    return {launch["launch"]: launch for launch in result.get("launches") or []}


def shaped(result):
    """All launches, then the heaviest: of those with the same counters the first. Only one chart where there is one launch."""
    whole, timed = _timed(result)
    fixed, transaction = _by_number(result), parts.sector_bytes(result)
    charts = [_chart("all launches", (whole or result)["total"], result["total"], transaction)]
    for group in parts.heaviest(results.launch_groups(result), MOST)[0]:
        if (first := group["first"]) in fixed:
            more = f", and {group['count'] - 1:,} more with the same counters" if group["count"] > 1 else ""
            charts.append(_chart(f"{first}: {printable(group['kernel'])}{more}", timed.get(first, fixed[first]), fixed[first], transaction))
    return charts[1:] if results.launch_count(result) == 1 and len(charts) == 2 else charts
