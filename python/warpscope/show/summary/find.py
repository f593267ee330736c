"""All findings of a result: those about a source access before those about the launch, the costliest first."""
import dataclasses
import math

from warpscope.result import accesses, machine, outside, rates, results
from warpscope.show.summary import launch_rules, rules

LEAST_SHARE = 0.01  # of the cycles, or without them of a unit's work
MOST = 5


@dataclasses.dataclass
class Machine:
    """What rules ask about the GPU and the launches."""

    warp_size: int
    unit_bytes: int         # of a transaction
    unit: str               # "sectors" or "lines"
    misses: int             # of all accesses
    widths: dict            # kernel -> smallest work-group width in its launches
    planes: frozenset = frozenset()  # kernels whose work-groups are in two dimensions
    sizes: dict = dataclasses.field(default_factory=dict)  # name of a buffer -> bytes of all buffers of that name
    stored: frozenset = frozenset()  # names of buffers that kernels write to
    readonly_path: str = ""          # machine.readonly_path()
    line_bytes: int = 128            # that the L1 serves in one wavefront

    @property
    def wavefronts_of_unit(self):
        return self.unit_bytes / self.line_bytes

    def rows_of_warp(self, access):
        """How many rows of its work-group a warp covers; 1 where groups are at least as wide as a warp."""
        width = min((self.widths.get(kernel, self.warp_size) for kernel in access.kernels), default=self.warp_size)
        return math.ceil(self.warp_size / width) if width else 1


def machine_of(result):
    """The Machine of a result in fixed order."""
    context = result["context"]
    cache = context["cache"]
    sector = cache.get("sector_bytes") or cache["line_bytes"]
    widths = {}
    for group in results.launch_groups(result):
        own = group["local"]
        if len(own) > 1 and math.prod(own[1:]) > 1:  # a row of one dimension goes on in the next group
            widths[group["kernel"]] = min(own[0], widths.get(group["kernel"], own[0]))
    planes = frozenset(group["kernel"] for group in results.launch_groups(result)
                       if sum(size > width for size, width in zip(group["global"], group["local"])) > 1)
    sizes = {}
    for buffer in result["buffers"]:
        sizes[buffer["name"]] = sizes.get(buffer["name"], 0) + buffer["size"]
    misses = sum(rates.missed(result["total"][kind]) for kind in machine.KINDS)
    stored = frozenset(buffer["name"] for buffer in result["buffers"] if any(buffer[kind]["requests"] for kind in ("store", "atomic")))
    return Machine(context.get("warp_size", 32), sector, "sectors" if sector < cache["line_bytes"] else "lines", misses, widths, planes, sizes,
                   stored, machine.readonly_path(result), cache["line_bytes"])


def _part(finding, whole):
    """Without cycles: the part of the L1's, and of the L2's, work that goes away."""
    return sum(min(1.0, finding.extra.get(unit, 0) / whole[unit]) for unit in ("l1", "l2") if whole[unit])


def all_findings(result, used):
    """Every finding of a result in fixed order, with the share of the timed result's cycles if there is one (`used`: its Busy): those about
    accesses first, in the order of the instructions."""
    gpu, whole = machine_of(result), machine.work(result)
    wrong = outside.places(result)  # what they do is no advice's business
    found = [finding for access in accesses.of_result(result) if not outside.holds(wrong, access) for rule in rules.OF_ACCESS if (finding := rule(access, gpu))]
    for finding in found:
        finding.share = machine.share_of_cycles(finding.extra, whole, used)
    return found + [finding for rule in launch_rules.OF_LAUNCH if (finding := rule(result, used))]


def costs(found, result):
    """What each finding costs: its share of the cycles, without them the part of the L1's and the L2's work that goes away."""
    whole = machine.work(result)
    return [finding.share if finding.share is not None else _part(finding, whole) for finding in found]


def findings(result, used, limit=MOST):
    """(findings that cost at least LEAST_SHARE: the costliest first, those about launches last; the one about an access that takes most
    work of L1 and L2, whatever it costs, or None)."""
    found = all_findings(result, used)
    cost, whole = costs(found, result), machine.work(result)
    best = sorted((finding.access is None, -cost[number], number) for number, finding in enumerate(found)
                  if cost[number] >= LEAST_SHARE or finding.is_unmeasured)
    small = max(((_part(finding, whole), -number) for number, finding in enumerate(found) if finding.access), default=None)
    return [found[number] for *_, number in best[:limit]], None if small is None else found[-small[1]]
