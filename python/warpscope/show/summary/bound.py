"""What a launch is bound by, or of several kernels the one with most cycles."""

from warpscope.base.errors import printable
from warpscope.result import kernels, machine, per_kernel, rates, results

COSTLY = 0.1       # of the cycles, that an access costs
LITTLE = 0.3       # below this the L1 is not the problem
STALL_NAMES = {"load_store_full": "the full load-store queue", "unit_busy": "busy arithmetic units",
               "dependency": "instructions that wait for each other", "memory": "latency: too few warps in flight", "barrier": "barriers",
               "held_back": "a warp scheduler that holds warps back"}


def units(used):
    """[(name, busy share)] of the units, in the order of an access."""
    return [("issue slots", used.issue), ("LSU/tags", used.tags), ("L1 data/banks", used.data), ("L2", used.l2),
            ("DRAM", used.dram)]


def verdict(used):
    """What it is bound by, in a phrase."""
    name, share = max(units(used), key=lambda unit: unit[1])
    if used.idle >= 0.5:
        if used.uneven >= 0.5:
            return f"unevenly split work, cores without a warp in {rates.percent_text(used.idle)} of the time"
        return f"too few work-groups, cores without a warp in {rates.percent_text(used.idle)} of the time"
    if share >= machine.BUSY:
        return f"{name}, {rates.percent_text(share)} busy"
    stall, waits = max(used.stalls.items(), key=lambda stall: stall[1])
    if waits > share:
        return f"{STALL_NAMES[stall]}, {rates.percent_text(waits)} of scheduler cycles"
    return f"{name}, {rates.percent_text(share)} busy (no unit is at its limit)"


def in_l2(result, used):
    """That all data are in the L2, where that is what limits: a larger launch may be bound by the DRAM, and gain less or more from another layout.
    Else empty."""
    name, share = max(units(used), key=lambda unit: unit[1])
    held = sum(buffer["size"] for buffer in result["buffers"] if buffer["space"] in ("global", "constant"))
    size = machine.preset_value(result, "l2_size_kib", 0) * 1024
    if name != "L2" or share < machine.BUSY or not 0 < held <= size:
        return ""
    return f"; its {held / 1e6:.1f} MB fit there, those of larger launches may not"


def l1_is_fine(result, used, found=()):
    """Whether nothing that the L1 does would make the launch much faster, and no access of the findings costs much."""
    classes = result["total"].get("miss_classes") or {}
    whole = sum(classes.get(name, 0) for name in results.CLASSES)
    only_cold = not whole or classes.get("cold", 0) >= 0.9 * whole
    costly = any(finding.access and (finding.share or 0) >= COSTLY for finding in found)
    return not costly and used.l1 < LITTLE and used.stalls["load_store_full"] < 0.1 and (used.stalls["memory"] < 0.2 or only_cold)


# What helps where no access costs much, by the unit or the stall that limits.
REMEDIES = {"issue slots": "fewer or cheaper instructions; the caches will not help",
            "dependency": "independent work for each work-item (two results at once), or more warps; the caches will not help",
            "DRAM": "fewer bytes: smaller types, fused kernels; the L1 will not help"}


def remedy(used):
    """What helps against what limits; empty where that is not known."""
    if used is None:
        return ""
    name, share = max(units(used), key=lambda unit: unit[1])
    stall, waits = max(used.stalls.items(), key=lambda stall: stall[1])
    if share < machine.BUSY and waits > share:
        return REMEDIES.get(stall, "")
    return REMEDIES.get(name, "") if share >= machine.BUSY else ""


def main_kernel(result, used):
    """(result, Busy, "kernel NAME, 80 % of the cycles") of the kernel with most cycles; those of the program and "" where it has one kernel."""
    part = per_kernel.heaviest(result, used) if used is not None else None
    if part is None:
        return result, used, ""
    of = "timed cycles" if per_kernel.without_cycles(result) else "cycles"
    return part.result, part.used, f"kernel {kernels.short(printable(part.kernel))}, {rates.percent_text(part.weight)} of the {of}"


def lines(result, used, found=()):
    """Two lines about the kernel with most cycles; one where the timed engine did not run."""
    if used is None:
        return ["Bound by: not known without the timed engine"]
    result, used, name = main_kernel(result, used)
    shares = ", ".join(f"{name} {100 * share:.0f}" for name, share in units(used))
    end = in_l2(result, used) or ("; L1 is not your problem" if l1_is_fine(result, used, found) else "")
    return [f"Bound by {verdict(used)}{end}{f' ({name})' if name else ''}",
            f"  busy, %: {shares}; load waits {100 * used.stalls['memory']:.0f}; idle {100 * used.idle:.0f}"]
