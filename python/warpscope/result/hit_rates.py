"""The hit rate of the L1 as the GPU's profiler defines it."""
from warpscope.result import rates, results

# In the order in which they are looked for.
HIT_RATES = (("ncu", "l1tex__t_sector_hit_rate.pct", "loads and stores"), ("nvprof", "l1_cache_global_hit_rate", "loads"),
             ("nvprof", "global_hit_rate", "loads"))
OF_READS = ("5.0", "5.2", "5.3", "6.0")  # compute capabilities where nvprof's global_hit_rate is 50 % of a stream that nothing hits


def hit_rate(result):
    """(percent, of what, the profiler's name of the counter) of a result: as the GPU's profiler defines it, else that of loads. ncu's covers
    atomics too. nvprof's is no rate of look-ups on Maxwell and a P100 (validation/notes/unified-cache.md), so there it is that of loads."""
    of_reads = results.preset_values(result).get("compute_capability") in OF_READS
    for profiler, name, what in HIT_RATES:
        value = ((result["total"].get("profiler") or {}).get(profiler) or {}).get(name)
        if value is not None and not (of_reads and name == "global_hit_rate"):
            if profiler == "ncu" and result["total"]["atomic"]["transactions"]:
                what = "loads, stores and atomics"
            return value, what, f"{profiler}: {name}"
    return rates.rest_percent(rates.miss_rate_percent(result["total"]["load"])), "loads", ""


def of_both(result):
    """{"fixed", and "timed" if there is one: percent} of a result of fixed order."""
    both = {"fixed": result, **({"timed": result["timed"]} if result.get("timed") else {})}
    return {name: hit_rate(one)[0] for name, one in both.items()}


def without_private(total):
    """The rate in percent that ncu would count if private memory were in registers, of a result's `total`; None where that is no other rate."""
    ncu = (total.get("profiler") or {}).get("ncu") or {}
    if not any(ncu.get(f"l1tex__t_sectors_pipe_lsu_mem_local_op_{kind}.sum") for kind in ("ld", "st")):
        return None
    sectors = [ncu[f"l1tex__t_sectors_pipe_lsu_mem_global_op_{kind}.sum"] for kind in ("ld", "st")]
    hits = [ncu[f"l1tex__t_sectors_pipe_lsu_mem_global_op_{kind}_lookup_hit.sum"] for kind in ("ld", "st")]
    return rates.percent(sum(hits), sum(sectors) + total["atomic"]["transactions"])


def has_stores(result):
    """Whether the rate covers stores."""
    return hit_rate(result)[1] != "loads"
