"""What a bounded sample of a launch says about each memory instruction: how far lanes, and the requests of a warp, are apart."""
import collections
import dataclasses

from warpscope.base import toolchain
from warpscope.base.errors import ToolFailed
from warpscope.result import results
from warpscope.show.page import samples

LIMIT = 120_000    # lane accesses that are read of a launch
REGULAR = 0.75     # part of the distances between lanes that must be equal
LANES_TOGETHER = 16
LEAST_JUMP = 512   # bytes; shorter distances do not leave the set of a line and its neighbours
MOST_STRUCT = 256  # bytes; neighbouring lanes that are farther apart walk along a column, not along an array of structures


@dataclasses.dataclass
class Pattern:
    """Of one memory instruction that reaches the L1. All in bytes; None: there is no distance to measure."""

    site: int
    buffer: str = ""
    requests: int = 0
    stride: int | None = None      # between neighbouring lanes, the most frequent; 0: all lanes read the same
    regular: float = 0.0           # part of the distances that are `stride`
    uniform: float = 0.0           # part of the requests whose lanes access few addresses: one for each LANES_TOGETHER lanes, or fewer
    starts: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # offset of the first lane modulo 128
    step: int | None = None        # between consecutive requests of one warp, the most frequent
    jump: int | None = None        # the most frequent of at least LEAST_JUMP between consecutive requests of a warp to the buffer

    @property
    def is_regular(self):
        return self.stride is not None and self.regular >= REGULAR

    @property
    def same_start(self):
        """Whether all requests start at the same place of a line."""
        return len(self.starts) == 1


def _buffer_of(address, buffers):
    return next((buffer for buffer in buffers if buffer["address"] <= address < buffer["address"] + buffer["size"]), None)


def _of_site(site, requests, buffers):
    """The pattern of one instruction from its requests: [((group, warp), [addresses])] in order."""
    strides, steps, starts, last, uniform = collections.Counter(), collections.Counter(), collections.Counter(), {}, 0
    for warp, addresses in requests:
        strides.update(right - left for left, right in zip(addresses, addresses[1:]))
        starts[min(addresses) % 128] += 1
        uniform += len(addresses) > 1 and len(set(addresses)) <= max(1, len(addresses) // LANES_TOGETHER)
        if warp in last:
            steps[addresses[0] - last[warp]] += 1
        last[warp] = addresses[0]
    buffer = _buffer_of(requests[0][1][0], buffers)
    found = Pattern(site, buffer["name"] if buffer else "", len(requests), starts=starts, uniform=uniform / len(requests))
    if strides:
        found.stride, count = min(strides.items(), key=lambda one: (-one[1], abs(one[0])))
        found.regular = count / strides.total()
    if steps:
        found.step = min(steps.items(), key=lambda one: (-one[1], abs(one[0])))[0]
    return found


def _jumps(requests, buffers):
    """{name of a buffer: its `jump`}."""
    last, found = {}, collections.defaultdict(collections.Counter)
    for group, warp, addresses in zip(requests.group, requests.warp, requests.addresses):
        buffer = _buffer_of(addresses[0], buffers)
        if buffer is None:
            continue
        key = (group, warp, buffer["name"])
        distance = abs(addresses[0] - last.get(key, addresses[0]))
        if distance >= LEAST_JUMP:
            found[buffer["name"]][distance] += 1
        last[key] = addresses[0]
    return {name: min(counts.items(), key=lambda one: (-one[1], one[0]))[0] for name, counts in found.items()}


def heaviest_launch(result, kernel):
    """The identical launches of a kernel that weigh most; None without any."""
    groups = [group for group in results.launch_groups(result) if group.get("kernel") == kernel]
    return max(groups, key=lambda group: sum(group[kind]["lanes"] for kind in ("load", "store", "atomic")), default=None)


def of_kernel(result, capture, kernel):
    """{number of the instruction: Pattern} of a kernel's heaviest launch."""
    launch = heaviest_launch(result, kernel)
    if launch is None:
        return {}
    options, _ = samples.sampling(result, launch, LIMIT)
    try:
        with toolchain.piped("warpsched", capture, "--policy", "warp", "--warp-size", result["context"]["warp_size"], "--launch",
                             launch["first"], "--format", "text", *options, "-o", "-") as pipe:
            requests, _ = samples.read(pipe, LIMIT)
    except ToolFailed:
        return {}  # the launch cannot be put in order, as the simulation has said
    by_site = collections.defaultdict(list)
    for site, group, warp, addresses in zip(requests.site, requests.group, requests.warp, requests.addresses):
        by_site[site].append(((group, warp), addresses))
    buffers = [buffer for buffer in result["buffers"] if buffer.get("address")]
    jumps = _jumps(requests, buffers)
    patterns = {site: _of_site(site, found, buffers) for site, found in sorted(by_site.items())}
    for pattern in patterns.values():
        pattern.jump = jumps.get(pattern.buffer)
    return patterns
