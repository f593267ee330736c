"""Rules: each looks at one source access, or at the launch, and returns a Finding or None."""
import re

from warpscope.result import accesses, rates
from warpscope.show.summary.finding import EXACT, Finding, MODELLED

LEAST_EXCESS = 1.25   # transactions per request over the ideal
LEAST_CLASS = 0.1     # share of an access's look-ups that miss by one class
LEAST_LANES = 0.5     # of a warp
LEAST_FETCHES = 2     # times that the L1s together fetch a buffer


def _times(value):
    """Two digits behind the point, none where they are zeros: 32, 1.5, 2.25."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def bank_conflicts(access, _machine):
    """Lanes that want different words of one bank of local memory."""
    if not access.local.get("conflicts"):
        return None
    local = access.local
    passes = local["wavefronts"] - local["conflicts"]
    each = _times(local["wavefronts"] / passes)
    of_request = _times(local["wavefronts"] / local["requests"])
    what = f"bank conflicts, {each} wavefronts a pass instead of 1{f', {of_request} per request' if of_request != each else ''}"
    return Finding("bank-conflicts", what, EXACT, {"l1": local["conflicts"], "queue": local["conflicts"]},
                   f"{local['conflicts']:,} of {local['wavefronts']:,} wavefronts too many", access,
                   f"pad the rows of {_buffer(access)} by one element, or swizzle them", what_if=_option(access, "--pad", "+1"))


def divergent_constants(access, _machine):
    """Lanes that read different addresses of constant memory are served one after the other."""
    conflicts = access.constant.get("conflicts", 0)
    if not conflicts:
        return None
    each = rates.per_request(access.constant["wavefronts"], access.constant["requests"])
    return Finding("divergent-constants", f"constant memory read at {_times(each)} addresses a request", EXACT, {"l1": conflicts, "queue": conflicts},
                   f"{conflicts:,} passes too many", access, f"put {_buffer(access)} in global memory, or let all lanes read one address")


def _option(access, name, value):
    """A what-if's change of the one buffer of an access; empty if it has several, or a name that a shell would not take."""
    plain = len(access.buffers) == 1 and re.fullmatch(r"[\w.]+", access.buffers[0])
    return f"{name} {access.buffers[0]}={value}" if plain else ""


def _buffer(access):
    return access.buffers[0] if access.buffers else f"the {access.space} array"


def _shape(access, per_request, best, machine):
    """Why a request needs more transactions than the best, as far as counters tell."""
    lanes = rates.per_request(access.lanes, access.requests)
    if per_request >= 0.9 * lanes and lanes > 2:
        return "strided or scattered", f"let neighbouring lanes use neighbouring elements of {_buffer(access)}"
    across = machine.rows_of_warp(access)
    if across > 1 and per_request <= best * across * 1.1:
        return f"a warp spans {across} rows", f"make work-groups at least {machine.warp_size} wide"
    if per_request <= best + 1.05:
        return "misaligned", f"align {_buffer(access)} or its rows to {machine.unit_bytes} bytes"
    return "strided or scattered", f"let neighbouring lanes use neighbouring elements of {_buffer(access)}"


def uncoalesced(access, machine):
    """More transactions than lanes that read neighbouring elements would need."""
    if not access.requests or access.space == "private" or access.kind == "atomic":
        return None
    best = machine.ideal(access)
    per_request = rates.per_request(access.transactions, access.requests)
    if per_request < LEAST_EXCESS * best:
        return None
    shape, remedy = _shape(access, per_request, best, machine)
    part = 1 - best / per_request
    excess = access.transactions - best * access.requests
    needed = accesses.wanted_bytes(access) / machine.unit_bytes  # nothing is fetched twice, nothing in vain
    wavefronts = max(0.0, access.wavefronts - access.requests * machine.ideal_wavefronts(access))
    extra = {"l1": wavefronts, "queue": excess}
    if access.kind == "load":
        extra["l2"] = extra["waiting"] = max(0.0, min(access.missed, part * access.transactions, access.missed - needed))
    else:
        extra["l2"] = excess
    what = f"{shape}: {_times(per_request)} {machine.unit} per request, {_times(best)} would do"
    return Finding("uncoalesced", what, EXACT, extra, f"{excess:,.0f} of {access.transactions:,} transactions too many", access, remedy)


def _missed(name, rule, why, remedy):
    def of_class(access, machine):
        count = access.classes.get(name, 0)
        looked_up = access.transactions - access.bypasses
        if access.space == "private" or not looked_up or count < LEAST_CLASS * looked_up and count < LEAST_CLASS * machine.misses:
            return None
        text = f"{why}: {rates.percent(count, looked_up):.0f} % of look-ups, {rates.percent(count, max(access.missed, 1)):.0f} % of misses"
        return Finding(rule, text, MODELLED, {"l2": count, "waiting": count, "queue": count},
                       f"{count:,} of {access.missed:,} misses", access, remedy.format(_buffer(access)))
    return of_class


conflict_misses = _missed("conflict", "set-conflicts", "conflicts in sets",
                          "pad the rows of {} so that they fall into other sets")
capacity_misses = _missed("capacity", "capacity", "reused too late for this L1 (capacity)",
                          "work on smaller tiles of {}, or reorder the work-groups")
invalidated = _missed("invalidated", "invalidated", "stores remove its lines",
                      "keep what is stored to {} in registers or local memory until it is complete")


def lost_order(access, machine):
    """First uses of far more bytes in a launch than the buffers have: many cores fetch the same data. Only where work-groups are in a plane, so
    that another order of them may help."""
    once = machine.bytes_of_launches(access)
    cold = access.classes.get("cold", 0)
    if access.kind != "load" or not once or not machine.planes.issuperset(access.kernels) or cold * machine.unit_bytes < LEAST_FETCHES * once:
        return None
    again = cold - once / machine.unit_bytes
    times = f"{_times(cold * machine.unit_bytes / once)} times{machine.in_each_launch(access)}"
    return Finding("lost-order", f"fetched {times}: its users run on many cores", MODELLED,
                   {"l2": again, "waiting": again}, f"{again:,.0f} of {access.missed:,} misses", access,
                   "let work-groups that share it start together, tile by tile")


def read_only(access, machine):
    """Loads of data that is only read, and that bypass the L1 again and again: the read-only path would keep it."""
    once = machine.bytes_of_launches(access)
    if access.kind != "load" or access.space == "private" or not machine.readonly_path or not once or machine.stored & access.objects:
        return None
    if access.bypasses * machine.unit_bytes < LEAST_FETCHES * once:
        return None
    again = access.bypasses - once / machine.unit_bytes
    option = _option(access, "--readonly", "")
    times = f"{_times(access.bypasses * machine.unit_bytes / once)} times past the L1{machine.in_each_launch(access)}"
    return Finding("read-only", f"only read, and loaded {times}", EXACT,
                   {"l2": again, "waiting": again}, f"{again:,.0f} of {access.transactions:,} transactions", access,
                   f"mark {_buffer(access)} as read-only (const and restrict)", what_if=option.rstrip("="))


def private_memory(access, _machine):
    """Private arrays that are indexed at run time, and registers that did not suffice."""
    if access.space != "private" or not access.transactions:
        return None
    extra = {"l1": access.wavefronts, "queue": access.transactions}
    extra["l2"] = extra["waiting"] = access.missed if access.kind == "load" else 0
    each = f"{rates.per_request(access.transactions, max(access.requests, 1)):.1f} transactions a request"
    what = f"{access.buffers[0]} is indexed at run time, so it lies in memory, not in registers (CUDA: local memory)" if access.buffers else "private array in memory"
    return Finding("private-memory", f"{what}: {each}",
                   EXACT, extra, f"{access.transactions:,} transactions", access,
                   f"index {_buffer(access)} with constants (unroll), or keep it in local memory (CUDA: shared)")


def divergence(access, machine):
    """Few active lanes: an observation, its cost is the requests that full warps would not need. Not where a work-group, or a warp, has one
    result: no other lanes could do anything; nor where work-groups have no more work-items, which is launch_rules.narrow_groups()."""
    lanes, requests = access.lanes_per_request, access.requests + access.local.get("requests", 0)
    if not requests or access.space == "private" or lanes >= LEAST_LANES * machine.warp_size or _is_result_of_all(access, machine):
        return None
    if 0 < machine.launches_of(access).items_of_group <= lanes:
        return None
    part = 1 - lanes / machine.warp_size
    local = part * access.local.get("wavefronts", 0)
    to_l2 = access.transactions if access.kind == "store" else access.bypasses
    extra = {"issue": part * requests, "l1": part * access.wavefronts + local, "l2": part * to_l2,
             "queue": part * access.transactions + local}
    return Finding("divergence", f"{lanes:.1f} of {machine.warp_size} lanes active", EXACT, extra,
                   f"{part * requests:,.0f} of {requests:,} requests too many", access,
                   "let whole warps take the same branch")


def _is_result_of_all(access, machine):
    """Whether at most one lane of a warp, on average, executes an access in a launch, and work-groups have more: sums, flags, leaders."""
    launches = machine.launches_of(access)
    lanes = access.lanes + access.local.get("lanes", 0)
    return access.kind != "load" and access.copies == 1 and 0 < lanes <= launches.warps and launches.items_of_group > 1


def combining(access, machine):
    """The remedy against many atomics: to combine in the work-group; where that is done, to have fewer work-groups."""
    launches, name = machine.launches_of(access), _buffer(access)
    if access.lanes <= launches.work_groups and launches.items_of_group > 1 or launches.has_local_atomics or \
            launches.has_local_stores and 2 * access.lanes <= launches.loaded_lanes:
        return f"give each work-group more elements, so that fewer partial results go to {name}"
    return f"combine values of a work-group before they go to {name}"


def atomics(access, machine):
    """Atomics that the L2 executes: an observation."""
    if access.kind != "atomic" or not access.transactions:
        return None
    extra = {"l2": access.transactions, "queue": access.transactions}
    return Finding("atomics", f"atomics in the L2: {access.lanes:,} lanes", EXACT, extra, f"{access.transactions:,} transactions", access,
                   combining(access, machine))


OF_ACCESS = (bank_conflicts, divergent_constants, uncoalesced, conflict_misses, capacity_misses, invalidated, lost_order, read_only,
             private_memory, atomics, divergence)
