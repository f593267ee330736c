"""Changes of the work-groups' size: the kernel runs again (warpscope.explore.whatif.work_groups), so only small captures of one launch are tried, and only
kernels without local memory, whose source does not assume a size."""
import math

from warpscope.explore.advice.proposal import ESTIMATED, EXACT, Proposal, Rule
from warpscope.explore.whatif.question import Changes
from warpscope.result import results

MOST_LANES = 45_000_000  # accesses by work-items, of a kernel that runs again
RULES = (
    Rule(
        "narrow-groups",
        "a warp spans several rows of its work-group",
        "`--work-group`, as wide as a warp",
        "",
        "work-groups are narrower than a warp, so that a request reaches into several rows",
        "make work-groups as wide as a warp",
        "size_t local[2] = {32, 8}; clEnqueueNDRangeKernel(…, local, …)", "kernel<<<grid, dim3(32, 8)>>>(…)", "coalescing",
        "gtx1070/transpose, rtx2080/transpose (block_x)"),
    Rule(
        "work-group-size",
        "cores without a work-group; slots that limit the warps",
        "`--work-group`, half and a quarter, or twice and four times",
        "",
        "the size of the work-groups leaves cores or warps without work",
        "change the size of the work-groups",
        "clEnqueueNDRangeKernel with another local size", "another dim3 for the block, and as many more or fewer blocks", "occupancy",
        "gtx1070/transpose, rtx2080/transpose (block_y); rtx2080/conv7x7 (block_x)"),
)


def _is_large(case):
    return sum(case.result["total"][kind]["lanes"] for kind in ("load", "store", "atomic")) > MOST_LANES


def _proposal(case, rule, finding, size, grade):
    """[Proposal] of work-groups of this size; [] where it cannot be, or is the one that there is."""
    launch = case.main_launch(finding.kernel)
    wanted = [*size, 1, 1][:3]
    have = [*launch["local"], 1, 1][:3]
    whole = [*launch["global"], 1, 1][:3]
    if wanted == have or math.prod(wanted) > (case.preset("max_work_group_size") or 1024) or any(all_ % one for all_, one in zip(whole, wanted)):
        return []
    if results.launch_count(case.result) != 1 or case.result["total"].get("local_memory") or _is_large(case):
        return []
    shown = "x".join(str(one) for one in (wanted if wanted[2] > 1 else wanted[:2] if wanted[1] > 1 else wanted[:1]))
    return [Proposal(rule, finding, Changes(work_group=shown), grade)]


def narrow(case, finding):
    """Work-groups as wide as a warp, of the same number of work-items, where a warp spans several rows."""
    launch, warp = case.main_launch(finding.kernel), case.result["context"].get("warp_size", 32)
    width, items = launch["local"][0], math.prod(launch["local"])
    if width >= warp or items % warp:
        return []
    return _proposal(case, "narrow-groups", finding, [warp, items // warp], EXACT)


def idle_cores(case, finding):
    """Smaller work-groups, so that more cores get one, or the last wave is shorter."""
    launch, warp = case.main_launch(finding.kernel), case.result["context"].get("warp_size", 32)
    x, y = [*launch["local"], 1][:2]
    found = []
    for part in (2, 4):
        size = [x, y // part] if y % part == 0 and y > 1 else [x // part] if y == 1 and x % (part * warp) == 0 else None
        found += _proposal(case, "work-group-size", finding, size, ESTIMATED) if size else []
    return found


def few_warps(case, finding):
    """Larger work-groups, where the slots for work-groups limit the warps."""
    launch, known = case.main_launch(finding.kernel), case.residency(finding.kernel)
    if known is None or known["limited_by"] != "slots":
        return []
    x, y = [*launch["local"], 1][:2]
    return [one for part in (2, 4) for one in
            _proposal(case, "work-group-size", finding, [x, y * part] if y > 1 else [x * part], ESTIMATED)]
