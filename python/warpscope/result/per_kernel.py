"""A result as if it had the launches of one kernel alone: what a kernel is bound by, and what a finding about it costs.

Counts and cycles of a kernel are sums over its launches. The timed engine counts three things for all launches together: why schedulers wait,
the sectors of the L2, and the bytes of DRAM. A kernel's part of these is in proportion to the cycles in which its schedulers do not issue, and to
the bytes between its cores and the L2.
"""
import dataclasses

from warpscope.result import machine, results

_TRAFFIC = ("l2_to_core_bytes", "core_to_l2_bytes")


def _sum(values):
    """The sum of numbers, or of dictionaries of numbers; anything else is the first."""
    if isinstance(values[0], dict):
        return {name: _sum([one[name] for one in values]) for name in values[0]}
    return sum(values) if isinstance(values[0], (int, float)) and not isinstance(values[0], bool) else values[0]


_COUNTS = (*machine.KINDS, "miss_classes", "outside_l1")


def _total(groups):
    found = {name: _sum([group[name] for group in groups]) for name in _COUNTS if all(group.get(name) for group in groups)}
    return {**dict.fromkeys(_COUNTS, {}), **found, "local_memory": next((one for group in groups if (one := group.get("local_memory"))), None)}


def _by_kernel(result):
    """{kernel: its groups of launches}, in order of their first."""
    found = {}
    for group in results.launch_groups(result):
        found.setdefault(group["kernel"], []).append(group)
    return found


def is_complete(result):
    """Whether all launches are in the groups that are at hand; a large result has only some of them."""
    return sum(group["count"] for group in results.launch_groups(result)) == results.launch_count(result)


def _timing(timed, groups):
    """`timing` of a kernel's launches; None where they have none."""
    whole, own = timed["total"].get("timing"), [group["timing"] for group in groups if "timing" in group]
    if not whole or not own or len(own) != len(groups):
        return None
    found = _sum(own)
    schedulers = timed["context"].get("timed", {}).get("schedulers", 1)
    waits = max(schedulers * found["active_cycles"] - found["warp_instructions"], 0)
    all_waits = max(schedulers * whole["active_cycles"] - whole["scheduler_cycles"]["issued"], 1)
    cycles = {name: count * waits / all_waits for name, count in whole["scheduler_cycles"].items()} | {"issued": found["warp_instructions"]}
    moved = sum(found[name] for name in _TRAFFIC) / max(sum(whole[name] for name in _TRAFFIC), 1)
    memory = {name: count * moved for name, count in whole["memory"].items() if isinstance(count, (int, float))}
    memory["dram_bytes_per_cycle"] = whole["memory"]["dram_bytes_per_cycle"] * moved * whole["cycles"] / max(found["cycles"], 1)
    return {**found, "scheduler_cycles": cycles, "memory": memory, "warps_per_core_mean":
            found["resident_warp_cycles"] / max(timed["context"]["cores"] * found["cycles"], 1)}


def _view(result, kernel, groups):
    """What fixed order and timed result have in common."""
    launches = sum(group["count"] for group in groups)
    own = next((one for one in result.get("kernels") or [] if one["kernel"] == kernel), {"kernel": kernel, "launches": launches})
    return {**result, "total": _total(groups), "launch_groups": groups, "kernels": [own], "sites": [], "cores": []}


def _timed(timed, kernel, groups):
    """The same of a timed result; None where it has no launch of the kernel."""
    timing = _timing(timed, groups) if groups else None
    if timing is None:
        return None
    found = _view(timed, kernel, groups)
    return {**found, "total": {**found["total"], "timing": timing}}


def _views(result):
    """{kernel: the part of a result that is its own, without sites and cores}."""
    timed = result.get("timed")
    timed_groups = _by_kernel(timed) if timed and is_complete(timed) else {}
    schedule = result["context"].get("schedule") or {}
    residency = {one.get("launch"): one for one in schedule.get("residency") or []}
    found = {}
    for kernel, groups in _by_kernel(result).items():
        own = [residency[group["first"]] for group in groups if group["first"] in residency]
        view = _view(result, kernel, groups) | {"context": {**result["context"], "schedule": {**schedule, "residency": own}}}
        view.pop("timed", None)
        own_timed = _timed(timed, kernel, timed_groups.get(kernel)) if timed else None
        found[kernel] = {**view, "timed": own_timed} if own_timed else view
    return found


@dataclasses.dataclass
class Part:
    """One kernel of a result."""

    kernel: str
    result: dict         # as if it had this kernel alone
    used: object         # its machine.Busy; None without cycles of its own
    work: dict           # machine.work() of its launches
    weight: float = 1.0  # its part of the program's cycles

    def share(self, extra):
        """The part of the program's cycles that goes with some of the kernel's work; None without cycles."""
        own = machine.share_of_cycles(extra, self.work, self.used)
        return None if own is None else self.weight * own


def _cycles(part):
    """Of all launches, also where the timed engine has simulated some of them."""
    timed = part.get("timed")
    if not timed:
        return 0.0
    covered = machine.covered(part, timed)
    return timed["total"]["timing"]["cycles"] / covered if covered else 0.0


def parts(result, used):
    """{kernel: Part}, in order of the first launch. `used`: machine.Busy of the whole result; it is that of kernels without cycles of their
    own, too."""
    every = _by_kernel(result)
    if len(every) < 2 or not is_complete(result):
        return {name: Part(name, result, used, machine.work(result)) for name in every}
    views, whole_work = _views(result), machine.work(result)
    cycles = {name: _cycles(view) for name, view in views.items()}
    whole = sum(cycles.values())
    found = {}
    for name, view in views.items():
        own = machine.busy(view, view.get("timed")) if used is not None else None
        found[name] = Part(name, view, own, machine.work(view), cycles[name] / whole) if own and whole else \
            Part(name, view, used, whole_work)
    return found


def without_cycles(result):
    """Names of the kernels none of whose launches the timed engine has simulated, the one with most transactions first; none without a timed
    result."""
    timed = result.get("timed")
    if not timed or not is_complete(result) or not is_complete(timed):
        return []
    simulated = _by_kernel(timed)
    work = {name: sum(group[kind]["transactions"] for group in groups for kind in machine.KINDS) for name, groups in _by_kernel(result).items()}
    return sorted((name for name in work if name not in simulated), key=lambda name: -work[name])


def with_cycles(result, used):
    """The Parts whose cycles are known apart; none where all launches are of one kernel."""
    return [part for part in parts(result, used).values() if part.used is not None and part.used is not used]


def heaviest(result, used):
    """The Part with the most cycles; None where launches are of one kernel, or have no cycles of their own."""
    found = with_cycles(result, used)
    return max(found, key=lambda part: part.weight, default=None)
