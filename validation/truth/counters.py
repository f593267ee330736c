"""A profiler's counter out of our results, under the profiler's name: what cachesim gives itself (`total.profiler`), else from
other keys of `total`, here and nowhere else."""
from truth import parts, tables
from warpscope.result import rates

SECTOR, LINE = 32, 128
PARTS = ("load", "store", "atomic")


def is_count(counter):
    """Whether a counter grows with the number of work-groups; the others are rates."""
    rates = (".pct", "_pct", ".pct_of_peak_sustained_active", ".ratio", "_per_request", "_hit_rate", "achieved_occupancy", "shared_efficiency", "l1_miss_ratio", ".per_second",
             ".avg", ".max")
    return not counter.endswith(rates) and not counter.startswith("launch__")


def scale(launch, entry):
    """By how much a count of recorded work-groups is to be multiplied; None where one cannot tell."""
    recorded = parts.selected_groups(entry.get("sampling"), entry["groups"])
    return launch.groups / recorded if recorded else None


def transaction_bytes(entry):
    return entry["cache"].get("sector_bytes") or entry["cache"]["line_bytes"]


def l2_read_sectors(entry):
    load = entry["total"]["load"]
    unit = transaction_bytes(entry)
    if load["bypasses"] and unit != SECTOR:
        return load["sectors"] if load["bypasses"] == load["transactions"] and "sectors" in load else None
    return rates.missed(load) * unit // SECTOR + load["bypasses"]


def hit_rate_of_all(entry):
    """Of loads, stores and atomics, as Nsight Compute counts them."""
    total = entry["total"]
    return rates.percent(sum(rates.hits(total[part]) for part in ("load", "store")), sum(total[part]["transactions"] for part in PARTS))


def _local(entry, kind, field):
    return entry["total"].get("outside_l1", {}).get("local", {}).get(kind, {}).get(field)


def _per_request(kind):
    return rates.per_request(kind["transactions"], kind["requests"])


def _of(part, function):
    return lambda entry: function(entry["total"][part])


def _in(unit, function):
    return lambda entry: function(entry) if transaction_bytes(entry) == unit else None


def _wavefronts(kind):
    return lambda entry: _local(entry, kind, "wavefronts")


def _both(field):
    def value(entry):
        values = [_local(entry, kind, field) for kind in ("load", "store")]
        return None if None in values else sum(values)
    return value


def _shared_per_request(kind):
    def value(entry):
        waves, requests = _local(entry, kind, "wavefronts"), _local(entry, kind, "requests")
        return None if waves is None else rates.per_request(waves, requests) or 0.0
    return value


def _cycles(entry):
    timing = entry["total"].get("timing")
    return timing["cycles"] if timing else None


NCU = "l1tex__{}_pipe_lsu_mem_global_op_{}"
OURS = {
    "l1tex__t_sector_hit_rate.pct": _in(SECTOR, hit_rate_of_all),
    "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct": _in(SECTOR, _of("load", lambda k: rates.percent(rates.hits(k), k["transactions"]))),
    "tex__hit_rate.pct": hit_rate_of_all,
    "l1_cache_global_hit_rate": _of("load", lambda k: rates.percent(rates.hits(k), rates.looked_up(k))),
    "gld_request": _of("load", lambda k: k["requests"]),
    "gst_request": _of("store", lambda k: k["requests"]),
    "l1_global_load_hit": _in(LINE, _of("load", rates.hits)),
    "l1_global_load_miss": _in(LINE, _of("load", rates.missed)),
    "gld_transactions": _of("load", lambda k: k["transactions"]),
    "gld_transactions_per_request": _of("load", _per_request),
    "gst_transactions_per_request": _of("store", _per_request),
    "shared_load_transactions_per_request": _shared_per_request("load"),
    "shared_store_transactions_per_request": _shared_per_request("store"),
    "shared_load_transactions": _wavefronts("load"),
    "shared_store_transactions": _wavefronts("store"),
    "l1_shared_bank_conflict": _both("conflicts"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": _wavefronts("load"),
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum": _wavefronts("store"),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": lambda entry: _local(entry, "load", "conflicts"),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": lambda entry: _local(entry, "store", "conflicts"),
    "smsp__inst_executed_op_shared_ld.sum": lambda entry: _local(entry, "load", "requests"),
    "smsp__inst_executed_op_shared_st.sum": lambda entry: _local(entry, "store", "requests"),
    **{counter: lambda entry: entry.get("fp32") for counter in ("smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", "inst_fp_32")},
    **{counter: l2_read_sectors for counter in ("lts__t_sectors_op_read.sum", "l2_read_transactions", "l2_l1_read_transactions",
                                                "l2_tex_read_transactions")},
}
for _part, _op in (("load", "ld"), ("store", "st")):
    OURS[NCU.format("t_requests", _op) + ".sum"] = _of(_part, lambda k: k["requests"])
    OURS[NCU.format("t_sectors", _op) + ".sum"] = _in(SECTOR, _of(_part, lambda k: k["transactions"]))
    OURS[NCU.format("average_t_sectors_per_request", _op) + ".ratio"] = _in(SECTOR, _of(_part, _per_request))
TIMED_ONLY = {
    "sm__cycles_elapsed.max": _cycles,
    "gpu__time_duration.sum": _cycles,  # in cycles, not in ns: only ranks are compared
    "smsp__inst_executed.sum": lambda entry: entry["total"].get("timing", {}).get("warp_instructions"),
}
ALIASES = {"l2_read_transactions": "l2_tex_read_transactions"}
HIT_RATES = tables.HIT_RATES
L2_READS = ("lts__t_sectors_op_read.sum", "l2_read_transactions", "l2_l1_read_transactions", "l2_tex_read_transactions")
TIMES = tables.TIMES


def unscaled(entry, counter):
    """A counter of what was recorded; None where it is not simulated."""
    profiler = entry["total"].get("profiler") or {}
    for names in profiler.values():
        for name in (counter, ALIASES.get(counter)):
            if name in (names or {}):
                return names[name]
    function = OURS.get(counter) or TIMED_ONLY.get(counter)
    try:
        return function(entry) if function else None
    except KeyError:
        return None


def simulated(launch, entry, counter):
    """A counter of the whole launch."""
    if counter == "l1_miss_ratio":
        return None  # needs the first round's misses: scores.working_set()
    value = unscaled(entry, counter)
    if value is None or not (is_count(counter) or counter in TIMES):
        return value
    factor = scale(launch, entry)
    return None if factor is None else value * factor
