"""Rules about whole launches: how full the GPU is. They need the timed engine."""
import math

from warpscope.result import machine, rates, results, spills
from warpscope.show.summary.finding import ESTIMATED, EXACT, Finding

LEAST_IDLE = 0.1      # of all cores' cycles
LEAST_WAIT = 0.3      # of the schedulers' cycles
LOW_OCCUPANCY = 0.5   # of a core's warps


def occupancy(result):
    """(warps a core holds at once, most that it could, what limits them) of the launch with the most warp accesses; None where the
    result does not say."""
    most = machine.preset_value(result, "max_warps_per_core")
    groups = results.launch_groups(result)
    residency = (result["context"].get("schedule") or {}).get("residency") or []
    if not most or not groups or not residency:
        return None
    main = max(groups, key=lambda group: sum(group[kind]["requests"] for kind in machine.KINDS))
    own = next((one for one in residency if one.get("launch") == main["first"]), residency[0])
    warps = own["work_groups"] * math.ceil(math.prod(main["local"]) / result["context"].get("warp_size", 32))
    limit = own.get("limited_by", "")
    return min(warps, most), most, {"slots": "work-group slots"}.get(limit, limit)


def few_warps(result, used):
    """Schedulers wait for memory, and there are few warps that could do something meanwhile; a unit that is busy would not let more of them
    go on."""
    known = occupancy(result)
    if used is None or known is None or used.warps > LOW_OCCUPANCY * known[1] or used.stalls["memory"] < LEAST_WAIT or used.busiest >= machine.BUSY:
        return None
    warps, most, limit = known
    what, remedy = f"only {used.warps:.1f} of {most} warps per core: too few to hide the latency", "use more work-groups for each launch"
    if warps <= LOW_OCCUPANCY * most:
        what = f"{warps} of {most} warps per core, limited by {limit}: too few to hide the latency"
        remedy = "use larger work-groups" if limit == "work-group slots" else f"use less of what limits the warps ({limit})"
    return Finding("few-warps", what, ESTIMATED, {}, f"schedulers wait for memory in {rates.percent_text(used.stalls['memory'])} of their cycles",
                   remedy=remedy, share=min(used.stalls["memory"] * (1 - used.warps / most), 1 - used.busiest))


def _groups_of_launch(result):
    """(work-groups, work-items of each) of a launch: of the identical launches with most cycles, or most accesses."""
    def weight(group):
        return sum(group[kind]["lanes"] for kind in machine.KINDS)

    cycles = {group["first"]: group["timing"]["cycles"] for group in results.launch_groups(result.get("timed") or {"launch_groups": []}) if "timing" in group}
    groups = [group for group in results.launch_groups(result) if group.get("global")]
    main = max(groups, key=lambda group: (cycles.get(group["first"], 0), weight(group)), default=None)
    items = max(math.prod(main["local"]), 1) if main else 1
    return math.prod(main["global"]) // items if main else 0, items


def _numbers_of_groups(result):
    """"1 work-group", or "2 to 15 work-groups" where launches differ."""
    counts = [math.prod(group["global"]) // max(math.prod(group["local"]), 1) for group in results.launch_groups(result) if group.get("global")]
    least, most = min(counts, default=0), max(counts, default=0)
    return f"{least:,} to {most:,} work-groups" if least < most else f"{most:,} work-group{'' if most == 1 else 's'}"


def uneven_work(result, used):
    """Cores that have ended while others still work, because work-groups have different amounts of work. Cores without a work-group are
    idle_cores()'s."""
    if used is None or used.idle < LEAST_IDLE or used.uneven < LEAST_IDLE:
        return None
    idle = f"cores have no warp in {rates.percent_text(used.idle)} of the time"
    if _groups_of_launch(result)[0] < result["context"]["cores"]:
        idle = f"cores with a work-group have no warp in {rates.percent_text(used.uneven)} of the time"
    return Finding("uneven-work", f"work is split unevenly: the busiest core has {1 / (1 - used.uneven):.1f} times the mean instructions", ESTIMATED,
                   {}, idle,
                   remedy="give work-groups equal work, or let them take it piece by piece", share=min(used.idle, used.uneven))


def idle_cores(result, used):
    """Cores without work: too few work-groups, or the last wave."""
    if used is None or used.idle < LEAST_IDLE:
        return None
    cores, (groups, items) = result["context"]["cores"], _groups_of_launch(result)
    if groups >= cores and uneven_work(result, used):
        return None
    numbers = _numbers_of_groups(result)
    why = f"{numbers} for {cores} cores" if groups < cores else f"the last wave: {numbers} on {cores} cores end unevenly"
    warp = result["context"].get("warp_size", 32)
    remedy = "use smaller or more work-groups" if items > warp else "use more work-groups"  # a part of a warp takes as long as a whole one
    if narrow_groups(result, used):
        remedy = "make work-groups a multiple of a warp, then use more of them"
    return Finding("idle-cores", why, ESTIMATED, {}, f"cores have no warp in {rates.percent_text(used.idle)} of the time",
                   remedy=remedy, share=used.idle)


def narrow_groups(result, used):
    """Work-groups of less than half a warp: lanes without a work-item, whatever the kernel does. It is told whatever it costs."""
    (groups, items), warp = _groups_of_launch(result), result["context"].get("warp_size", 32)
    if not groups or items >= LOW_OCCUPANCY * warp:
        return None
    return Finding("narrow-groups", f"work-groups of {items} work-item{'' if items == 1 else 's'} fill {items} of {warp} lanes of a warp", EXACT, {},
                   f"{warp - items} of {warp} lanes have nothing to do", remedy="make work-groups a multiple of a warp",
                   share=None if used is None else (1 - items / warp) * used.busiest, is_unmeasured=True)


def barriers(_result, used):
    """Warps that wait for others of their work-group."""
    if used is None or used.stalls["barrier"] < 0.1:
        return None
    return Finding("barriers", "warps wait at barriers", ESTIMATED, {}, f"{rates.percent_text(used.stalls['barrier'])} of the schedulers' cycles",
                   remedy="use smaller work-groups, or less work between barriers", share=used.stalls["barrier"])


def spilled_registers(result, _used):
    """Registers that NVIDIA's compiler keeps on the stack for a time: accesses that the capture of our own compiler's code does not have."""
    found = spills.most(result)
    if found is None:
        return None
    place = f", line {found.line}" if found.line else ""
    return Finding("spilled-registers", f"not in the capture: {found.registers} spilled registers{place}", EXACT, {},
                   f"{found.compiler}; what their loads and stores cost is not simulated",
                   remedy="use fewer values at a time, or allow more registers (-maxrregcount, __launch_bounds__)", is_unmeasured=True)


OF_LAUNCH = (few_warps, uneven_work, idle_cores, narrow_groups, barriers, spilled_registers)
