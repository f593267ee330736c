"""What a sample of a capture says about its buffers: which parts are read and written how often, in which pattern, and who reuses what.

All from the requests that samples.py has read anyway: bounded, whatever the size of the capture.
"""
import bisect
import collections
from typing import TypedDict

from warpscope.base.errors import printable
from warpscope.show.page.rows import Kind

BUFFERS = 8   # of a sample: those with most accesses
PARTS = 96    # at most, of a buffer
SECTOR = 32   # bytes: what "the same place" means for reuse
PATTERNS = 6  # memory instructions of a buffer whose pattern is described
MOSTLY = 0.5  # of the steps; below that they have no pattern
BY = ("first use", "same warp", "another warp of the work-group", "another work-group")


class BufferPicture(TypedDict):
    """What a sample says about one buffer."""
    buffer: int
    name: str
    size: int
    part_bytes: int
    loads: list[int]
    stores: list[int]
    touched: int
    by: dict[str, int]
    patterns: list[tuple[int, Kind, str]]


def _ranges(result):
    """[(address, end, buffer)] of the objects of global memory, ascending."""
    return sorted((buffer["address"], buffer["address"] + buffer["size"], buffer) for buffer in result["buffers"]
                  if buffer["address"] and buffer["space"] not in ("local", "private"))


class _Picture:
    """One buffer while the requests are read."""

    def __init__(self, buffer):
        self.buffer = buffer
        self.part_bytes = max(SECTOR, 1 << (-(-buffer["size"] // PARTS) - 1).bit_length())
        parts = -(-buffer["size"] // self.part_bytes)
        self.counts = [[0] * parts, [0] * parts]  # loads; stores and atomics
        self.by = dict.fromkeys(BY, 0)
        self.touched = set()  # sectors
        self.users = {}       # sector: (work-group, warp) of the last access
        self.lane_steps = collections.defaultdict(collections.Counter)
        self.time_steps = collections.defaultdict(collections.Counter)
        self.last = {}  # (work-group, warp, site): address of the first lane

    def add(self, site, store, group, warp, addresses):
        """One request: how often which parts, and in which steps."""
        start = self.buffer["address"]
        counts = self.counts[1 if store else 0]
        for address in addresses:
            counts[min((address - start) // self.part_bytes, len(counts) - 1)] += 1
        self.touched.update(address // SECTOR for address in addresses)
        self.lane_steps[site].update(b - a for a, b in zip(addresses, addresses[1:]))
        last = self.last.get((group, warp, site))
        if last is not None:
            self.time_steps[site][addresses[0] - last] += 1
        self.last[group, warp, site] = addresses[0]

    def use(self, group, warp, addresses):
        """One request: who used its sectors before."""
        for sector in {address // SECTOR for address in addresses}:
            before = self.users.get(sector)
            self.by[BY[0] if before is None else BY[1] if before == (group, warp) else BY[2] if before[0] == group else BY[3]] += 1
            self.users[sector] = (group, warp)

    def shown(self, sites):
        ranked = sorted(self.lane_steps, key=lambda site: (-self.lane_steps[site].total(), site))[:PATTERNS]
        return {"buffer": self.buffer["buffer"], "name": printable(self.buffer["name"]), "size": self.buffer["size"],
                "part_bytes": self.part_bytes, "loads": self.counts[0], "stores": self.counts[1],
                "touched": len(self.touched) * SECTOR, "by": self.by,
                "patterns": [[site, sites[site]["kind"], pattern(self.lane_steps[site], self.time_steps[site], sites[site]["width"])]
                             for site in ranked if site in sites]}


def _most(steps):
    """(most frequent step, its share); of equally frequent ones the smallest. None without steps."""
    if not steps:
        return None
    step, times = min(steps.items(), key=lambda one: (-one[1], abs(one[0]), one[0]))
    return step, times / steps.total()


def pattern(lanes, times, width):
    """The pattern of a memory instruction in words. `lanes`: distances in bytes between neighbouring lanes of a request; `times`: those
    between consecutive requests of a warp, of the first lane. Both are counts by distance. `width`: bytes of an access."""
    across, along = _most(lanes), _most(times)
    if across is None:
        text = "one lane at a time"
    elif across[1] < MOSTLY:
        text = "scattered: neighbouring lanes have no common distance"
    elif across[0] == 0:
        text = "all lanes at the same place"
    elif across[0] == width:
        text = "neighbouring lanes at neighbouring places"
    else:
        text = f"neighbouring lanes {across[0]:,} bytes apart"
    if along is None:
        return text
    if along[1] < MOSTLY:
        return f"{text}; the next request anywhere"
    if along[0] == 0:
        return f"{text}; the next request of a warp at the same place"
    return f"{text}; the next request of a warp {abs(along[0]):,} bytes {'on' if along[0] > 0 else 'back'}"


def _in_buffers(ranges, requests, sites):
    """(buffer, number of the request, its addresses in that buffer) of every request."""
    starts = [one[0] for one in ranges]
    for number, site in enumerate(requests.site):
        addresses = requests.addresses[number]
        at = bisect.bisect_right(starts, addresses[0]) - 1
        if at < 0 or site not in sites:
            continue
        first, end, buffer = ranges[at]
        inside = [address for address in addresses if first <= address < end]
        if inside:
            yield buffer, number, inside


def of_requests(result, requests, near, sites):
    """Pictures of the buffers that the requests reach most, most accesses first. `near`: requests of consecutive work-groups, which
    tell who uses what again; work-groups that are far from each other do not."""
    ranges, pictures = _ranges(result), {}
    for buffer, number, inside in _in_buffers(ranges, requests, sites):
        picture = pictures.setdefault(buffer["buffer"], _Picture(buffer))
        site = requests.site[number]
        picture.add(site, sites[site]["kind"] != "load", requests.group[number], requests.warp[number], inside)
    for buffer, number, inside in _in_buffers(ranges, near, sites):
        if buffer["buffer"] in pictures:
            pictures[buffer["buffer"]].use(near.group[number], near.warp[number], inside)
    shown = [picture.shown(sites) for picture in pictures.values()]
    return sorted(shown, key=lambda one: (-sum(one["loads"]) - sum(one["stores"]), one["buffer"]))[:BUFFERS]
