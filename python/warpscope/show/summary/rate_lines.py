"""The key rates: hit rate of the L1, transactions per request, bank conflicts, occupancy."""
from warpscope.base.errors import printable
from warpscope.result import accesses, kernels, machine, per_kernel, rates
from warpscope.result.hit_rates import hit_rate
from warpscope.show.summary import clock, launch_rules, warp_cycles

OPEN_POINTS = 2.0  # of a hit rate that may depend on the compiler without a word
OPEN_CYCLES = 1.5  # the most cycles by the fewest that may
RESIDENT_CYCLES = 1.1  # the same with one work-group more or less on a core
BEYOND_L2 = 1.1    # cycles where data do not stay in the L2 by those where they do, from which on both are shown


def _percent(value):
    return "none" if value is None else f"{value:.1f} %"


def _interval(drawn, form=".1f", unit=" %"):
    """The 95 % interval of an estimate; `form` of a number, without the unit."""
    return "no interval" if drawn["low"] is None else f"{drawn['low']:{form}} to {drawn['high']:{form}}{unit}, 95 %"


def _of_all(result):
    """What an estimate is of."""
    launches = result["context"].get("sampled_launches")
    return f"in all {launches['of']:,} launches" if launches else f"on all {result['context']['sampled_cores']['of']} cores"


def _estimate_line(name, result):
    """What is estimated of all cores or launches where some were drawn, with its interval; empty where nothing is."""
    drawn = (result["total"].get("estimate") or {}).get("load.hit_rate_percent")
    if not drawn:
        return ""
    if "sampled_launches" in result["context"]:
        return f"  {name}, by sampling alone: {_interval(drawn)}"
    return f"  {name}, of loads {_of_all(result)}: {drawn['value']:.1f} % ({_interval(drawn)}; sampling alone)"


def estimate_note(name, result):
    """A sentence about all cores or launches where some were drawn; empty where nothing is estimated."""
    estimate = result["total"].get("estimate") or {}
    parts = []
    if drawn := estimate.get("load.hit_rate_percent"):
        parts.append(f"{drawn['value']:.1f} % of loads hit the L1 ({_interval(drawn)})")
    if drawn := estimate.get("cycles"):
        parts.append(f"{drawn['value']:,.0f} cycles ({_interval(drawn, ',.0f', '')})")
    return f"Estimated {_of_all(result)}, {name}, by sampling alone: {'; '.join(parts)}." if parts else ""


def _shown_rate(result):
    """(percent, of what): hit_rate(); where launches were drawn, the estimate of all. Those drawn are not in proportion."""
    if "sampled_launches" in result["context"]:
        return (result["total"]["estimate"].get("load.hit_rate_percent") or {}).get("value"), f"loads {_of_all(result)}"
    value, what, _ = hit_rate(result)
    return value, what


def unrolled_text(result):
    """How far the hit rate and the cycles depend on what the compiler does to loops that only load; empty where that is little, or not known."""
    bodies = [body for body in (result.get("unrolled") or {}).get("bodies", []) if body["hit_rate_percent"] is not None]
    if not bodies:
        return ""
    (low, high), (fewest, most) = ([end(body[name] for body in bodies) for end in (min, max)] for name in ("hit_rate_percent", "cycles"))
    moves = high - low > OPEN_POINTS
    if not moves and most <= OPEN_CYCLES * fewest:
        return ""
    parts = ([f"{low:.1f} to {high:.1f} % timed"] if moves else []) + [f"{fewest:,} to {most:,} cycles"]
    return f"loops unrolled by {bodies[0]['iterations']} to {bodies[-1]['iterations']}: {', '.join(parts)}"


def resident_text(result):
    """How far the hit rate and the cycles depend on registers that are an estimate: with one work-group more or less on a core; empty where that is little, or
    not known."""
    runs = (result.get("resident") or {}).get("runs", [])
    own = cycles(result.get("timed"))
    if len(runs) < 2 or not own:
        return ""
    known = [run["hit_rate_percent"] for run in runs if run["hit_rate_percent"] is not None]
    moves = len(known) == len(runs) and max(known) - min(known) > OPEN_POINTS
    if not moves and max(run["cycles"] for run in runs) <= RESIDENT_CYCLES * min(run["cycles"] for run in runs):
        return ""
    parts = [(f"{run['hit_rate_percent']:.1f} %, " if moves else "") + f"{run['cycles']:,} cycles" for run in runs]
    return f"with {', '.join(str(run['work_groups']) for run in runs)} groups on a core (registers are an estimate): {'; '.join(parts)}"


def beyond_l2_text(result):
    """The cycles, and those with the DRAM's traffic of a larger launch; empty where that makes little difference, or is not known."""
    more, own = (result.get("beyond_l2") or {}).get("cycles"), cycles(result.get("timed"))
    return f"{own:,} cycles; {more:,} if its data do not stay in the L2" if more and own and more > BEYOND_L2 * own else ""


def hit_lines(result, timed, shown):
    """A line for each clock, the one that is shown first; then the class that their errors are of."""
    both = {"fixed": result, **({"timed": timed} if timed else {})}
    if hit_rate(both[shown])[0] is None:
        return ["L1 hit rate: nothing was looked up in the L1"]
    order = sorted(both, key=lambda name: name != shown)
    lines, before = [], ""
    for name in order:
        value, what = _shown_rate(both[name])
        start = f"L1 hit rate of {what}: "
        lines.append(f"{start if what != before else ' ' * len(start)}{_percent(value):>7} {name:5}  {clock.error_text(result, name)}")
        before = what
    words = clock.class_text(result, shown)
    spread = (result["total"].get("spread") or {}).get("load.hit_rate_percent")
    if spread:
        lines.append(f"  over {result['repeat']['count']} repetitions, loads: {spread['min']:.1f} to {spread['max']:.1f} %")
    lines += [line for name in order if (line := _estimate_line(name, both[name]))]
    return lines + ([f"  class of these errors: {words}"] if words else [])


def _ideal(result, kind):
    """Mean ideal transactions per request of a kind; None without requests. Lanes that read one address need no more than they have."""
    found = [access for access in accesses.of_result(result) if access.kind == kind and access.requests]
    requests = sum(access.requests for access in found)
    unit, rule = accesses.unit_bytes(result), result["context"].get("coalescing", "")
    return rates.per_request(sum(min(accesses.ideal(access, unit, rule) * access.requests, access.transactions) for access in found), requests)


def request_line(result):
    """Transactions per request next to the ideal."""
    name = "Sectors" if accesses.unit_bytes(result) < result["context"]["cache"]["line_bytes"] else "Lines"
    parts = []
    for kind, plural in (("load", "loads"), ("store", "stores"), ("atomic", "atomics")):
        counts, best = result["total"][kind], _ideal(result, kind)
        if counts["requests"] and best:
            parts.append(f"{plural} {rates.per_request(counts['transactions'], counts['requests']):.2f} (ideal {best:.2f})")
    return f"{name} per request, exact: {', '.join(parts)}" if parts else "No access reaches the L1"


def bank_line(result):
    """Degree of bank conflicts; empty where local memory is not used."""
    local = result["total"].get("local_memory")
    if not local:
        return ""
    return f"Local memory, exact: {local['beta']:.2f} wavefronts per pass (1 = no bank conflict), worst {local['max_degree']}"


def occupancy_line(result, timed):
    """Warps that fit, and those that were there; of several kernels those of the one with most cycles."""
    part = per_kernel.heaviest(result, machine.busy(result, timed))
    name = ""
    if part is not None:
        result, timed, name = part.result, part.result.get("timed"), f" ({kernels.short(printable(part.kernel))})"
    known = launch_rules.occupancy(result)
    if known is None:
        return ""
    warps, most, limit = known
    mean = ((timed or {}).get("total", {}).get("timing") or {}).get("warps_per_core_mean")
    there = f"; {mean:.1f} on average" if mean is not None else ""
    return f"Occupancy: {warps} of {most} warps per core ({rates.percent_text(rates.fraction(warps, most))}), limited by {limit}{there}{name}"


def warp_cycles_line(result):
    """The lines of machine code at which warps are longest, with why; empty without any, or where no launch was timed."""
    found = [one for one in warp_cycles.places(result) if one.share >= warp_cycles.LEAST]
    parts = [f"{rates.percent_text(one.share)} at {printable(one.where)} ({one.reason})" for one in found[:warp_cycles.MOST]]
    return f"Warp cycles, timed: {', '.join(parts)}" if parts else ""


def lines(result, timed, shown):
    """The lines of all rates that there are."""
    return [line for line in [*hit_lines(result, timed, shown), request_line(result), bank_line(result),
                              occupancy_line(result, timed), warp_cycles_line(result)] if line]


def cycles(timed):
    """Cycles of a timed result; None without one. Where launches were drawn, the estimate for all. None where only the first waves of a launch
    were simulated: scaled to all its work-groups they were up to 41 % too many (validation/notes/sampling.md)."""
    if estimated := ((timed or {}).get("total", {}).get("estimate") or {}).get("cycles"):
        return round(estimated["value"])
    in_part = ((timed or {}).get("context") or {}).get("timed", {}).get("waves")
    return None if in_part else ((timed or {}).get("total", {}).get("timing") or {}).get("cycles")


def unit_name(result):
    """What a transaction is: "sectors" or "lines"."""
    cache = result["context"]["cache"]
    return "sectors" if (cache.get("sector_bytes") or cache["line_bytes"]) < cache["line_bytes"] else "lines"


def transactions(counts):
    """Of loads, stores and atomics together."""
    return sum(counts[kind]["transactions"] for kind in machine.KINDS)
