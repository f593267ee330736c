"""Bounded samples of a capture for the page: where accesses go over time, and what a typical request of a line looks like.

Standard library alone. The number of accesses that are read is bounded, so a capture of 10^8 accesses costs no more than one of 10^5.
"""
import array
import base64
import collections
import math
import re
import sys
import tempfile
from typing import Literal, NotRequired, TypedDict

from warpscope.base import toolchain
from warpscope.result import results
from warpscope.show.page import buffer_pictures, parts

KERNELS = 3                  # the heaviest ones
READ = (150_000, 60_000, 60_000)  # lane accesses of each that are read
NEAR = 60_000                # lane accesses of consecutive work-groups, to see who uses what again
SHOWN, FIRST = 36_000, 10_000  # of them in the page: spread over what was read, and the first ones without a gap
WHOLE_UP_TO = 20_000_000     # lane accesses; of a larger launch one core is sampled, which needs no pass over the capture
ITEM_LINES = 3_000           # accesses of a work-item that are read for the requests of local memory
REQUESTS = 400               # requests of an instruction that are compared to find a typical one


class Points(TypedDict):
    """Accesses, each with four numbers that are packed in base64."""
    count: int
    order: str
    word: str
    item: str
    site: str


class Request(TypedDict):
    kernel: str
    site: int
    space: Literal["global", "local"]
    addresses: list[int]
    of: int


class Sample(TypedDict):
    kernel: str
    launch: int
    note: str
    every: int
    read: int
    lowest: int
    spread: Points
    beginning: Points | None
    requests: list[Request]
    buffers: list[buffer_pictures.BufferPicture]
    near: NotRequired[str]


class Requests:
    """Warp accesses of a text stream: consecutive accesses of one warp and memory instruction, at most a warp's width."""

    def __init__(self):
        self.site, self.group, self.warp, self.first, self.addresses = [], [], [], [], []

    def add(self, key, first, addresses):
        self.group.append(key[0])
        self.warp.append(key[1])
        self.site.append(key[2])
        self.first.append(first)
        self.addresses.append(addresses)


def read(pipe, limit):
    """Requests of a stream (warpsched --format text), up to `limit` lane accesses, and whether the stream ended before that."""
    width = int((pipe.readline().split() or [1])[0])
    found, last, run, number = Requests(), None, [], 0
    for line in pipe:
        address, _, group, warp, site = line.split()
        key = (int(group), int(warp), int(site))
        if key != last or len(run) == width:
            if run:
                found.add(last, number - len(run), run)
            if number >= limit:
                return found, False
            last, run = key, []
        run.append(int(address, 16))
        number += 1
    if run:
        found.add(last, number - len(run), run)
    return found, True


def sampling(result, launch, limit):
    """(options of warpsched, what they leave of the launch)."""
    if one := results.one_sampled_core(result):
        return one
    lanes = sum(launch[kind]["lanes"] for kind in parts.KINDS) // launch["count"]
    groups = math.prod(launch["global"]) // math.prod(launch["local"])
    if lanes > WHOLE_UP_TO:
        cores = result["context"]["cores"]
        return (["--cores", cores, "--core", 0], f"the first {limit:,} accesses of core 0 of {cores}")
    kept = max(1, min(groups, limit * groups // max(lanes, 1)))
    every = -(-groups // kept)
    note = "the whole launch" if every == 1 else f"one work-group in {every:,}, {-(-groups // every):,} of {groups:,}"
    return ["--cores", every, "--core", 0, "--max-workgroups", 0], note


def _packed(code, values):
    """Base64 of little-endian numbers."""
    packed = array.array(code, values)
    if sys.byteorder == "big":
        packed.byteswap()
    return base64.b64encode(packed.tobytes()).decode()


def _item(launch, group, local):
    """Linear global id of a work-item: work-group and place in it are linear numbers."""
    number, stride = 0, 1
    for size, width in zip(launch["global"], launch["local"]):
        groups = max(size // width, 1)
        number += ((group % groups) * width + local % width) * stride
        group, local, stride = group // groups, local // width, stride * size
    return number


def _points(requests, chosen, launch, width, lowest):
    order, offset, item, site = [], [], [], []
    for number in chosen:
        first, group, warp = requests.first[number], requests.group[number], requests.warp[number]
        for lane, address in enumerate(requests.addresses[number]):
            order.append(first + lane)
            offset.append((address - lowest) // 4)
            item.append(_item(launch, group, warp * width + lane) & 0xFFFFFFFF)
            site.append(requests.site[number])
    return {"count": len(order), "order": _packed("I", order), "word": _packed("I", [min(value, 0xFFFFFFFF) for value in offset]),
            "item": _packed("I", item), "site": _packed("H", [min(value, 0xFFFF) for value in site])}


def _spread(requests, most):
    """Numbers of requests, about one in `every`, with about `most` lane accesses. Multiples of the golden ratio are spread evenly and
    have no period: every n-th request would show stripes that the accesses do not have."""
    total = sum(map(len, requests.addresses))
    every = max(1, -(-total // most))
    return [number for number in range(len(requests.site)) if number * 0x9E3779B1 % (1 << 32) < (1 << 32) // every], every


def _beginning(requests, most):
    chosen, room = [], most
    for number, addresses in enumerate(requests.addresses):
        room -= len(addresses)
        if room < 0:
            break
        chosen.append(number)
    return chosen


def _typical(candidates, cost):
    """The request of median cost, and how many were compared; of equal ones the first."""
    ranked = sorted(range(len(candidates)), key=lambda number: (cost(candidates[number]), number))
    return candidates[ranked[len(ranked) // 2]], len(candidates)


def _global_requests(requests, sites, sector):
    """{site: request} of what goes through the L1."""
    by_site = collections.defaultdict(list)
    for number, site in enumerate(requests.site):
        if len(by_site[site]) < REQUESTS:
            by_site[site].append(requests.addresses[number])
    for number, candidates in sorted(by_site.items()):
        if number in sites:
            lanes, of = _typical(candidates, lambda lanes: len({address // sector for address in lanes}))
            yield {"kernel": sites[number]["kernel"], "site": number, "space": "global", "addresses": lanes, "of": of}


_ACCESS = re.compile(rb"\s*\d+\s+\d+\s+(\d+)\s+(?:load|store|atomic)\s+local\s+(0x[0-9a-f]+)")


def _local_requests(result, capture, launch, sites, width):
    """{site: request} of local memory: of the first warp of the first work-group. An instruction counts where all lanes that
    execute it do so equally often; only then it is known which of their accesses belong together."""
    local = {number for number, site in sites.items() if site["space"] == "local"}
    group = results.first_recorded_core(result)
    if not local or group >= math.prod(launch["global"]) // math.prod(launch["local"]):
        return
    by_site = collections.defaultdict(list)
    for lane in range(min(width, math.prod(launch["local"]))):
        with toolchain.piped("trace-view", "--work-item", f"{group}:{lane}", "--launch", launch["first"], capture) as pipe:
            seen = collections.defaultdict(list)
            for _, line in zip(range(ITEM_LINES), pipe):
                if match := _ACCESS.match(line):
                    seen[int(match[1])].append(int(match[2], 16))
        for site, addresses in seen.items():
            by_site[site].append(addresses)
    for number, lanes in sorted(by_site.items()):
        if number in local and len({len(addresses) for addresses in lanes}) == 1:
            candidates = list(zip(*lanes))[:REQUESTS]
            degree = lambda request: max(collections.Counter(word % 32 for word in {byte // 4 for byte in request}).values())  # noqa: E731
            request, of = _typical(candidates, degree)
            yield {"kernel": sites[number]["kernel"], "site": number, "space": "local", "addresses": list(request), "of": of}


def _heaviest_launches(result):
    """Of each of the heaviest kernels the identical launches that weigh most."""
    best = {}
    for group in results.launch_groups(result):
        lanes = sum(group[kind]["lanes"] for kind in parts.KINDS)
        if group.get("kernel") and lanes and lanes > best.get(group["kernel"], (0,))[0]:
            best[group["kernel"]] = (lanes, group)
    ranked = sorted(best.values(), key=lambda one: (-one[0], one[1]["first"]))
    return [group for _, group in ranked[:KERNELS]]


def _scheduled(result, capture, launch, options, limit):
    with toolchain.piped("warpsched", capture, "--policy", "warp", "--warp-size", result["context"]["warp_size"], "--launch",
                         launch["first"], "--format", "text", *options, "-o", "-") as pipe:
        return read(pipe, limit)[0]


def _consecutive(result, capture, launch, limit):
    """(requests of the first work-groups, all on one core; what they are), of a launch whose sample has gaps."""
    lanes = sum(launch[kind]["lanes"] for kind in parts.KINDS) // launch["count"]
    groups = math.prod(launch["global"]) // math.prod(launch["local"])
    kept = max(1, min(groups, limit * groups // max(lanes, 1)))
    with tempfile.NamedTemporaryFile("w", prefix="warpscope-page.", suffix=".cores", encoding="ascii") as cores:
        cores.write("0\n" * kept + "1\n" * (groups - kept))
        cores.flush()
        requests = _scheduled(result, capture, launch, ["--cores", 2, "--core", 0, "--assign", cores.name, "--max-workgroups", 0], limit)
    return requests, f"of work-groups 0 to {kept - 1:,}" if kept > 1 else "of work-group 0"


def _sample(result, capture, launch, limit):
    options, note = sampling(result, launch, limit)
    width = result["context"]["warp_size"]
    requests = _scheduled(result, capture, launch, options, limit)
    if not requests.site:
        return None
    sites = {site["site"]: site for site in result["sites"] if site["kernel"] == launch["kernel"]}
    lowest = min(map(min, requests.addresses)) & ~3
    chosen, every = _spread(requests, SHOWN)
    spread = _points(requests, chosen, launch, width, lowest)
    near, near_note = (requests, "") if not note.startswith("one work-group") else _consecutive(result, capture, launch, NEAR)
    shown = [*_global_requests(requests, sites, parts.sector_bytes(result)),
             *_local_requests(result, capture, launch, sites, width)]
    return {"kernel": launch["kernel"], "launch": launch["first"], "note": note, "every": every, "read": sum(map(len, requests.addresses)),
            "lowest": lowest, "spread": spread, "requests": shown, "buffers": buffer_pictures.of_requests(result, requests, near, sites),
            "near": near_note,
            "beginning": None if every == 1 else _points(requests, _beginning(requests, FIRST), launch, width, lowest)}


def of_capture(result, capture):
    """Samples of the heaviest kernels of a result, in the order of their weight."""
    samples = [_sample(result, capture, launch, limit) for launch, limit in zip(_heaviest_launches(result), READ)]
    return [sample for sample in samples if sample]
