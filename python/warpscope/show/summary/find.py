"""All findings of a result, in the order of finding.order()."""
import dataclasses
import math
import re

from warpscope.result import accesses, machine, outside, per_kernel, rates, results
from warpscope.show.summary import launch_rules, local_sizes, rules
from warpscope.show.summary.finding import order

LEAST_SHARE = 0.01  # of the cycles, or without them of a unit's work
MOST = 5


@dataclasses.dataclass
class Launches:
    """All launches of a kernel together."""

    count: int = 1
    work_groups: int = 0
    warps: int = 0
    items_of_group: int = 0   # in the launches with most work-items, of which there are
    most_items: int = 0
    has_local_atomics: bool = False
    has_local_stores: bool = False
    loaded_lanes: int = 0     # of global memory

    def add(self, group, warp_size):
        """Adds identical launches."""
        items = math.prod(group["local"])
        groups = group["count"] * (math.prod(group["global"]) // max(items, 1))
        if groups * items > self.most_items:
            self.items_of_group, self.most_items = items, groups * items
        self.count += group["count"]
        self.work_groups += groups
        self.warps += groups * math.ceil(items / warp_size)
        self.loaded_lanes += group["load"]["lanes"]
        local = group.get("outside_l1", {}).get("local", {})
        self.has_local_atomics |= bool(local.get("atomic", {}).get("requests"))
        self.has_local_stores |= bool(local.get("store", {}).get("requests"))


def _launches(result):
    """{kernel: Launches}."""
    found = {}
    for group in results.launch_groups(result):
        if group.get("global"):
            found.setdefault(group["kernel"], Launches(0)).add(group, result["context"].get("warp_size") or 32)
    return found


@dataclasses.dataclass
class Machine:
    """What rules ask about the GPU and the launches."""

    warp_size: int
    unit_bytes: int         # of a transaction
    unit: str               # "sectors" or "lines"
    misses: int             # of all accesses
    widths: dict            # kernel -> smallest work-group width in its launches
    planes: frozenset = frozenset()  # kernels whose work-groups are in two dimensions
    sizes: dict = dataclasses.field(default_factory=dict)  # number of a buffer -> bytes
    launches: dict = dataclasses.field(default_factory=dict)  # kernel -> Launches
    stored: frozenset = frozenset()  # numbers of buffers that kernels write to
    readonly_path: str = ""          # machine.readonly_path()
    line_bytes: int = 128            # that the L1 serves in one wavefront
    coalescing: str = ""             # the rule

    def bytes_of_launches(self, access):
        """What its launches would fetch together if each fetched every byte of the access's buffers once; 0 where a size is not known. A launch
        that has only some of the buffers is taken for one that has all."""
        sizes = [self.sizes.get(number, 0) for number in access.objects]
        return sum(sizes) * self.launches_of(access).count if all(sizes) else 0

    def in_each_launch(self, access):
        """Words that follow a number of times."""
        return " in each launch" if self.launches_of(access).count > 1 else ""

    def launches_of(self, access):
        """The Launches of the access's kernel."""
        return self.launches.get(access.kernels[0], Launches()) if access.kernels else Launches()

    def ideal(self, access):
        """Transactions per request if its lanes were neighbours."""
        return accesses.ideal(access, self.unit_bytes, self.coalescing)

    def ideal_wavefronts(self, access):
        """Wavefronts of the L1 per request if its lanes were neighbours."""
        return accesses.ideal_wavefronts(access, self.line_bytes, self.coalescing)

    def rows_of_warp(self, access):
        """How many rows of its work-group a warp covers; 1 where groups are at least as wide as a warp."""
        width = min((self.widths.get(kernel, self.warp_size) for kernel in access.kernels), default=self.warp_size)
        return math.ceil(self.warp_size / width) if width else 1


def machine_of(result):
    """The Machine of a result in fixed order."""
    context = result["context"]
    cache = context["cache"]
    sector = accesses.unit_bytes(result)
    widths = {}
    for group in results.launch_groups(result):
        own = group["local"]
        if len(own) > 1 and math.prod(own[1:]) > 1:  # a row of one dimension goes on in the next group
            widths[group["kernel"]] = min(own[0], widths.get(group["kernel"], own[0]))
    planes = frozenset(group["kernel"] for group in results.launch_groups(result)
                       if sum(size > width for size, width in zip(group["global"], group["local"])) > 1)
    sizes = {buffer["buffer"]: buffer["size"] for buffer in result["buffers"]}
    misses = sum(rates.missed(result["total"][kind]) for kind in machine.KINDS)
    stored = frozenset(buffer["buffer"] for buffer in result["buffers"] if any(buffer[kind]["requests"] for kind in ("store", "atomic")))
    # Next to private memory Kepler's read-only cache is not simulated (docs/tools/what-if.md).
    simulated = machine.readonly_path(result) != "cache" or not any(buffer["space"] == "private" for buffer in result["buffers"])
    return Machine(context.get("warp_size", 32), sector, "sectors" if sector < cache["line_bytes"] else "lines", misses, widths, planes, sizes,
                   _launches(result), stored, machine.readonly_path(result) if simulated else "", cache["line_bytes"],
                   context.get("coalescing", ""))


def _part(finding, whole):
    """Without cycles: the part of the L1's, and of the L2's, work that goes away."""
    return sum(min(1.0, finding.extra.get(unit, 0) / whole[unit]) for unit in ("l1", "l2") if whole[unit])


def all_findings(result, used):
    """Every finding of a result in fixed order, with the share of the timed result's cycles if there is one (`used`: its Busy): those about
    accesses first, in the order of the instructions."""
    gpu, parts = machine_of(result), per_kernel.parts(result, used)
    wrong = outside.places(result)  # what they do is no advice's business
    found = [finding for access in accesses.of_result(result) if not outside.holds(wrong, access) for rule in rules.OF_ACCESS if (finding := rule(access, gpu))]
    for finding in found:
        finding.kernel = finding.access.kernels[0]
    set_shares(found, result, used, parts)
    return found + _of_launches(result, used, parts)


def set_shares(found, result, used, parts=None):
    """Notes what findings about accesses cost: the share of the cycles; None without cycles."""
    parts = per_kernel.parts(result, used) if parts is None else parts
    for finding in found:
        finding.share = parts[finding.kernel].share(finding.extra) if finding.kernel in parts else \
            machine.share_of_cycles(finding.extra, machine.work(result), used)


_AMOUNT = re.compile(r"([\d,]+)(?: of ([\d,]+))?( .*)")


def _amounts(found):
    """"3 of 8 misses" and "1 of 2 misses": "4 of 10 misses"; that of the first where they do not count the same."""
    parts = [_AMOUNT.fullmatch(finding.amount) for finding in found]
    if not all(parts) or len({(part[3], part[2] is None) for part in parts}) > 1:
        return found[0].amount
    numbers = [sum(int(part[place].replace(",", "")) for part in parts) for place in (1, 2) if parts[0][place]]
    return " of ".join(f"{number:,}" for number in numbers) + parts[0][3]


def folded(found, result, used):
    """Findings of one rule in one kernel that one remedy is for are one finding: that of the costliest access, with the work of all."""
    by_remedy = {}
    for finding in found:
        key = (finding.rule, finding.kernel, finding.remedy) if finding.access else id(finding)
        by_remedy.setdefault(key, []).append(finding)
    every = []
    for same in by_remedy.values():
        same.sort(key=lambda finding: -(finding.share or 0))
        first, *others = same
        if others:
            first = dataclasses.replace(first, also=[finding.access for finding in others], amount=_amounts(same),
                                        extra={unit: sum(finding.extra.get(unit, 0) for finding in same) for unit in machine.UNITS})
            set_shares([first], result, used)
        every.append(first)
    return every


def _of_launches(result, used, parts):
    """Findings about launches, of each kernel; of all together where their cycles are not known apart."""
    found = []
    apart = [part for part in parts.values() if part.used is not None and part.used is not used]
    for part in apart or [per_kernel.Part(next(iter(parts)) if len(parts) == 1 else "", result, used, {})]:
        for rule in launch_rules.OF_LAUNCH:
            if finding := rule(part.result, part.used):
                finding.kernel = part.kernel
                finding.share = None if finding.share is None else part.weight * finding.share
                found.append(finding)
    return found


def costs(found, result):
    """What each finding costs: its share of the cycles, without them the part of the L1's and the L2's work that goes away."""
    whole = machine.work(result)
    return [finding.share if finding.share is not None else _part(finding, whole) for finding in found]


def findings(result, used, limit=MOST):
    """(findings that cost at least LEAST_SHARE in finding.order(), folded unless `limit` is None; the one about an access that takes most work
    of L1 and L2, whatever it costs, or None)."""
    found = local_sizes.note_open_sizes(all_findings(result, used), result)
    cost, whole = costs(found, result), machine.work(result)
    best = sorted((order(finding, cost[number]), number) for number, finding in enumerate(found)
                  if cost[number] >= LEAST_SHARE or finding.is_unmeasured)
    small = max(((_part(finding, whole), -number) for number, finding in enumerate(found) if finding.access), default=None)
    chosen = [found[number] for _, number in best]
    if limit is not None:
        chosen = sorted(folded(chosen, result, used), key=lambda finding: order(finding, finding.share or 0))[:limit]
    return chosen, None if small is None else found[-small[1]]
