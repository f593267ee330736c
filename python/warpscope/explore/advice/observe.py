"""Observations that need a sample of the capture: what costs, and no change of a trace can express the remedy.

Each rule looks at one source access and returns a summary.finding.Finding or None; `replaces` of RULES says which finding of the summary
it makes more precise.
"""
import re

from warpscope.base import toolchain
from warpscope.explore.advice import indices, place
from warpscope.explore.advice.patterns import REGULAR
from warpscope.result import accesses, rates
from warpscope.show.summary import find, rules
from warpscope.show.summary.finding import EXACT, Finding

LEAST_UNIFORM = 0.5      # part of the requests whose lanes access the same address
CONSTANT_BYTES = 1 << 16  # of constant memory that kernels can address
ITEMS = (0, 1, 37)       # work-items of the first work-group whose accesses to local memory are looked at
ITEM_LINES = 20_000      # accesses of such a work-item that are read
_OF_CLUSTER = "shared of the cluster"  # what work-groups access of each other's, as trace-kernel --machine calls it
_LOCAL = re.compile(rb"\s*\d+\s+\d+\s+\d+\s+(load|store|atomic)\s+local\s+(0x[0-9a-f]+)\s+(\S+)")


def atomics_one_address(case, access):
    """Lanes of a request change the same value: the hardware makes one after the other."""
    if access.kind != "atomic" or not access.requests:
        return None
    pattern = case.pattern(access)
    if pattern is None or pattern.uniform < LEAST_UNIFORM:
        return None
    extra = {"l2": access.transactions, "queue": access.transactions}
    return Finding("atomics-one-address", f"lanes change the same address, in {rates.percent_text(pattern.uniform)} of requests", EXACT, extra,
                   f"{access.lanes:,} atomic additions", access, rules.combining(access, find.machine_of(case.result)))


def _one_by_one(case, access):
    """The part of the cycles in which slices of the L2, of all no more than the buffer has lines, make such operations, one per cycle (timed/memory/memory_system.cpp)."""
    lines = max(1, (case.size_of(access) or 0) // case.result["context"]["cache"]["line_bytes"])
    return min(1.0, access.lanes / min(lines, case.preset("l2_slices", 1)) / case.used.cycles)


def uniform_loads(case, access):
    """Lanes of a request load the same value through the load-store unit."""
    if access.kind != "load" or access.space not in ("global", "generic") or access.lanes < 2 * access.requests:
        return None
    pattern = case.pattern(access)
    if pattern is None or pattern.uniform < LEAST_UNIFORM:
        return None
    extra = {"issue": pattern.uniform * access.requests, "l1": pattern.uniform * access.wavefronts, "queue": pattern.uniform * access.transactions}
    return Finding("uniform-loads", f"lanes load the same address, in {rates.percent_text(pattern.uniform)} of requests", EXACT, extra,
                   f"{access.requests:,} requests", access, _remedy_of_uniform(access, find.machine_of(case.result)))


def _remedy_of_uniform(access, gpu):
    """Constant memory is for what no kernel writes, and has room for little."""
    sizes = [gpu.sizes.get(number) for number in access.objects]
    is_constant = sizes and all(sizes) and sum(sizes) <= CONSTANT_BYTES and not access.objects & gpu.stored
    return "constant memory, or one load for many results" if is_constant else "one load for many results"


def scattered(case, access):
    """Lanes at places that no regular layout brings together: an index array, a hash, a tree."""
    if access.kind == "atomic" or not access.requests or access.space == "private":
        return None
    pattern, best = case.pattern(access), accesses.ideal(access, case.unit_bytes, case.coalescing)
    per_request = rates.per_request(access.transactions, access.requests)
    if pattern is None or pattern.stride is None or pattern.regular >= REGULAR or per_request < 2 * best:
        return None
    excess = access.transactions - best * access.requests
    extra = {"l1": max(0, access.wavefronts - access.requests), "l2": min(access.missed, excess), "waiting": min(access.missed, excess),
             "queue": excess}
    return Finding("scattered", f"scattered: {per_request:.1f} {case.unit} per request, {best:.3g} would do", EXACT, extra,
                   f"{excess:,.0f} of {access.transactions:,} transactions too many", access, _remedy_of_scattered(case, access, pattern))


def _remedy_of_scattered(case, access, pattern):
    """What may bring lanes together that access distant elements."""
    if pattern.step == access.width:  # each lane walks along a row of its own, rows are of different lengths
        return "give a row to a warp, neighbours to lanes"
    arrays = indices.of_access(case, access)
    if any(indices.can_be_sorted(case, access, name) for name in arrays):
        return "sort by the index, so that neighbours meet"
    if arrays:
        return (f"number the elements of {access.buffers[0] if access.buffers else 'the array'} so that those used together are neighbours "
                f"({arrays[0]} cannot be sorted: several of its elements lead to one result)")
    return "number the elements so that those used together are neighbours"


def _own_only(case, kernel, name):
    """Whether work-items of the first work-group load from a local array only what they stored themselves, and no other one of them did; None if
    they load nothing."""
    launch, loads, stored_by_others = case.launch_of(kernel), 0, set()
    for item in ITEMS:
        if item >= launch["local"][0] * launch["local"][1] * launch["local"][2]:
            continue
        stored = set()
        with toolchain.piped("trace-view", "--work-item", f"0:{item}", "--launch", launch["first"], case.capture) as pipe:
            for _, line in zip(range(ITEM_LINES), pipe):
                match = _LOCAL.match(line)
                if not match or match[3].decode(errors="replace") != name:
                    continue
                if match[1] != b"load":
                    stored.add(match[2])
                    if match[2] in stored_by_others:
                        return False
                elif match[2] not in stored:
                    return False
                else:
                    loads += 1
        stored_by_others |= stored
    return True if loads else None


def local_without_reuse(case, access):
    """An array in local memory that no work-item shares with another: it belongs into registers. Atomics are for what several share."""
    if access.kind != "load" or not access.local.get("requests") or len(access.buffers) != 1 or \
            any(other.kind == "atomic" for other in case.others_of(access)):
        return None
    if any(_OF_CLUSTER in other.buffers for other in case.accesses if other.kernels == access.kernels):
        return None
    if not all(_own_only(case, kernel, access.buffers[0]) for kernel in access.kernels):
        return None
    others = case.others_of(access)
    whole = sum(other.local["wavefronts"] for other in others)
    extra = {"issue": sum(other.local["requests"] for other in others), "l1": whole, "queue": whole}
    return Finding("local-without-reuse", "each work-item reads only what it stored itself", EXACT, extra,
                   f"{whole:,} wavefronts", access, f"keep {access.buffers[0]} in registers")


# Each rule, and the rule of the summary that it makes more precise.
RULES = ((atomics_one_address, "atomics"), (scattered, "uncoalesced"), (uniform_loads, None), (local_without_reuse, None))


def observations(case):
    """[(Finding with its share of the cycles, rule of the summary that it replaces or None)] of what costs at least 1 %."""
    found = [(finding, replaced) for access in case.accesses for rule, replaced in RULES if (finding := rule(case, access))]
    for finding, _ in found:
        finding.kernel = finding.access.kernels[0]
    find.set_shares([finding for finding, _ in found], case.result, case.used)
    for finding, _ in found:
        if finding.rule == "atomics-one-address" and finding.share is not None:
            finding.share = max(finding.share, _one_by_one(case, finding.access))
    cost = find.costs([finding for finding, _ in found], case.result)
    return [pair for pair, share in zip(found, cost) if share >= find.LEAST_SHARE]


def as_json(case):
    """The observations as JSON."""
    return [{"rule": finding.rule, "replaces": replaced, **place.where(finding), "what": finding.what, "grade": finding.grade,
             "amount": finding.amount, "remedy": finding.remedy, "share": finding.share, "extra": finding.extra} for finding, replaced in observations(case)]


_PLACE = ("kernels", "kind", "file", "line", "column", "buffers")


def correct_remedies(advice):
    """Sorting is no remedy of what is scattered if it was simulated and gains nothing; `advice` is `advice` of the result."""
    for one in advice["observed"]:
        sorted_by = [tried["change"][1] for tried in advice["no_gain"] if tried["rule"] == "unsorted-index" and tried["finding"] == one["replaces"]
                     and all(tried[name] == one[name] for name in _PLACE)]
        if one["rule"] == "scattered" and sorted_by:
            one["remedy"] = f"make what is read smaller: sorting {sorted_by[0]} gains nothing"
