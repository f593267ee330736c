"""What a result (fixed order, timed or both) and a capture's control-flow graph say about one launch, in plain numbers."""
import dataclasses

from warpscope.base.errors import InputError
from warpscope.result import rates, tables, results
from warpscope.result.parallelism import Parallelism

KINDS = ("load", "store", "atomic")
ROOTS = ("fp32_sqrt", "fp32_rsqrt")  # of older captures they are among fp32_special
SLOW = ("fp32_div", *ROOTS)  # which models count apart
SPECIAL = tuple(name for name, of in tables.instruction_classes().items() if of.unit == "Special")


def _operations(kind):
    """{class: operations of a lane}; a fused multiply-add is two. Older captures have no fp64_fma: theirs count as one, in fp64."""
    return {name: 2 if name.endswith("_fma") else 1 for name in tables.instruction_classes() if name.startswith(kind)}


FP, FP64, FP16, INTEGERS = (_operations(kind) for kind in ("fp32_", "fp64", "fp16", "int_"))
FLOATS = {**FP, **FP64, **FP16}


@dataclasses.dataclass
class Facts:
    """Counts of one launch, or of all identical launches (`launches` of them). None: not recorded.

    fixed, timed   the launch group in the result of each engine
    touched_bytes  size of the buffers of global memory that it accesses
    numbers        of the launches, "3-7,9"
    classes        {instruction class: warp instructions}, of all these launches; of divergent warps both ways count
    lane_classes   the same for work-items
    barriers       of one work-item
    parallelism    within a warp
    """
    label: str
    launches: int
    work_groups: int
    warps: int
    warps_per_group: int
    warp_size: int
    cores: int
    sites: list
    fixed: dict = None
    timed: dict = None
    touched_bytes: int = None
    numbers: str = "0"
    classes: dict = None
    lane_classes: dict = None
    barriers: float = None
    parallelism: Parallelism = None

    def any(self):
        return self.fixed or self.timed

    def memory(self, name):
        """Sum of a counter over loads, stores and atomics of global memory; None if not recorded."""
        counts = [self.any()[kind].get(name) for kind in KINDS]
        return None if None in counts else sum(counts)

    def words_per_load(self, word_bytes=4):
        """Words that a work-item asks for in one load of global memory, the mean of its loads: 4 for a float4. 1 where sites were not recorded."""
        counts = [(site["load"]["lanes"], site["width"] or word_bytes) for site in self.sites or () if site["space"] in ("global", "generic")]
        lanes = sum(count for count, _ in counts)
        return sum(count * width for count, width in counts) / word_bytes / lanes if lanes else 1

    def local(self, name):
        """The same for local memory."""
        counts = [kind.get(name) for kind in self.any()["outside_l1"]["local"].values()]
        return None if None in counts else sum(counts)

    def timing(self, name):
        return self.timed["timing"].get(name) if self.timed else None

    def resident_warps(self):
        """Mean warps per core while it had any; None without the timed engine."""
        active = self.timing("active_cycles")
        return self.timing("resident_warp_cycles") / active if active else None

    def missing_ratio(self):
        """Misses per transaction of loads; 1 where none of them is looked up in the L1; None without loads."""
        return rates.miss_ratio_with_bypasses(self.any()["load"])

    def merged_requests(self):
        """Loads that fetch the same data while it is in flight, per fetch: (misses + pending hits) / misses, timed. None without the timed
        engine, without misses, and where loads are not looked up in an L1, whose outstanding misses merge."""
        load = self.timed["load"] if self.timed else None
        return rates.duplicates(load) if load and not load["bypasses"] else None


def _product(values):
    product = 1
    for value in values:
        product *= value
    return product


def _chosen(path, groups, launch):
    """The launch group that has the launch; the only one if none is named."""
    if launch is None:
        if len(groups) != 1:
            raise InputError(f"{path}: has {len(groups)} kinds of launches, expected --launch N with the number of one "
                             f"({', '.join(str(group['first']) for group in groups[:8])}{', …' if len(groups) > 8 else ''})")
        return groups[0]
    if not launch.isdigit():
        raise InputError(f"--launch {launch}: expected the number of a launch")
    for group in groups:
        if _has(group, int(launch)):
            return group
    raise InputError(f"--launch {launch}: {path} has no such launch, expected one of the launches simulated")


def has_number(text, number):
    """Whether a list of numbers and ranges, "3-7,9", has the number."""
    for word in str(text).split(","):
        first, _, last = word.partition("-")
        if int(first) <= number <= int(last or first):
            return True
    return False


def _has(group, number):
    return has_number(group.get("launches", group["first"]), number)


def _of(group, result, timed):
    items = _product(group["local"])
    warp_size = result["context"]["warp_size"]
    per_group = -(-items // warp_size)
    groups = _product(group["global"]) // items
    single = results.launch_count(result) == group["count"]
    sites = [site for site in result["sites"] if site["kernel"] == group["kernel"]] if single else None
    facts = Facts(group["kernel"], group["count"], groups, groups * per_group, per_group, warp_size,
                  result["context"]["cores"], sites, numbers=str(group.get("launches", group["first"])))
    facts.fixed, facts.timed = (None, group) if timed else (group, None)
    if single and group["count"] == 1:
        facts.touched_bytes = sum(buffer["size"] for buffer in result["buffers"]
                                  if buffer["space"] == "global" and any(buffer[kind]["lanes"] for kind in KINDS))
    return facts


def of_result(path, result, launch, every=False):
    """[Facts] of the launch chosen, of all launch groups with `every`. `result`: of cachesim, cachesim timed, or both in one."""
    own_timed = result["context"].get("tool") == "cachesim timed"
    groups = results.launch_groups(result)
    chosen = groups if every and launch is None else [_chosen(path, groups, launch)]
    found = [_of(group, result, own_timed) for group in chosen]
    if "timed" in result:
        timed = results.launch_groups(result["timed"])
        for facts in found:
            facts.timed = next((group for group in timed if _has(group, facts.any()["first"])), None)
    if every and len({facts.label for facts in found}) < len(found):
        for number, facts in enumerate(found):
            facts.label += f" {number}"
    return found


def add_classes(facts, blocks, counts):
    """Notes the instructions by class. `blocks`: of the kernel, with their `mix` (trace-view --cfg --json); `counts`: of each launch, how
    often warps and work-items entered them (warpsched --block-counts). A capture without a mix has no classes."""
    warps, items = dict.fromkeys(FLOATS, 0), dict.fromkeys(FLOATS, 0)
    for launch in counts:
        for block, entered in zip(blocks, launch["blocks"], strict=True):
            if entered["warps"] and not block.get("mix"):
                return
            for name, count in block.get("mix", {}).items():
                warps[name] = warps.get(name, 0) + count * entered["warps"]
                items[name] = items.get(name, 0) + count * entered["work_items"]
    facts.classes, facts.lane_classes = warps, items


def flops(facts, classes=None):
    """Operations of work-items on floating-point numbers (`classes`: of these classes) in one of the launches; None if they are not known."""
    if facts.lane_classes is None:
        return None
    return sum(facts.lane_classes[name] * weight for name, weight in (classes or FLOATS).items()) / facts.launches
