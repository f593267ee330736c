"""The types of the page's data that data.py and comparisons.py write. A section in a module of its own has its type there; `Page` in
data.py names all of them. report/src/types.ts is generated from `Page` (typescript.py): a tuple is a list of fixed length in JSON, and
`other_keys` the type of all keys that are not named."""
from typing import Literal, NotRequired, TypedDict

Kind = Literal["load", "store", "atomic"]
Number = int | float
Numbers = dict[str, Number]
Measures = dict[str, Number | None]


class LocalMemory(TypedDict):
    requests: NotRequired[int]
    passes: NotRequired[int]
    wavefronts: int
    conflicts: int
    beta: Number
    max_degree: int
    degrees: NotRequired[dict[str, int]]


class Counts(TypedDict):
    """COUNTS of cachesim/RESULT.md; zeros are left out."""
    load: NotRequired[Numbers]
    store: NotRequired[Numbers]
    atomic: NotRequired[Numbers]
    classes: NotRequired[Numbers]
    classified: NotRequired[int]
    write_backs: NotRequired[int]
    evictions: NotRequired[int]
    l1_to_l2_read_sectors: NotRequired[int]
    outside: NotRequired[dict[str, dict[Kind, Numbers]]]
    local_memory: NotRequired[LocalMemory]


_Global = TypedDict("_Global", {"global": list[int]})  # a word of Python


class Launch(Counts, _Global):
    kernel: str
    local: list[int]
    count: int
    first: int
    launches: str
    l1_kib: Number | None
    carveout_kib: Number | None
    cycles: Number | None


class Launches(TypedDict):
    count: int
    groups: int
    left_out: int
    rows: list[Launch]


class Reuse(TypedDict):
    capacity: int
    cold: tuple[int, int]
    bins: list[tuple[int, int, int, int]]


class Site(Counts):
    kernel: str
    site: int
    function: str
    kind: Kind
    space: str
    width: int
    source: int | None
    places: list[tuple[str, int, int]]
    bypasses: bool
    reaches_l1: bool
    buffers: list[tuple[int, str, int, int]]
    reuse: NotRequired[Reuse]


class Source(TypedDict):
    name: str
    lines: int
    whole: bool
    pieces: list[tuple[int, str]]


class Buffer(Counts):
    buffer: int
    name: str
    space: str
    size: int
    address: int


class TimedTotal(TypedDict):
    scheduler_cycles: Numbers
    warp_stalls: NotRequired[Numbers]
    memory: Measures
    other_keys: Number


class TimedLaunch(TypedDict):
    launch: int
    kernel: str
    cycles: int
    occupancy: list[tuple[int, int, Number]]


class Stalls(TypedDict):
    """Where the cycles of a launch went, of `count` with the same counters. `of`: of warps, under ncu's names, or of schedulers. `per_issued`: ncu's
    Warp Cycles Per Issued Instruction."""
    name: str
    count: int
    cycles: int
    of: Literal["warps", "schedulers"]
    per_issued: Number | None
    reasons: Numbers


class Assumed(TypedDict):
    key: str
    value: object
    reason: str


class Timed(TypedDict):
    total: TimedTotal
    cycles: Number | None
    cores: list[tuple[int, int, int, int]]
    launches: list[TimedLaunch]
    stalls: list[Stalls]
    config: dict[str, str | Number | bool | None]
    assumed: list[Assumed]


class Spread(TypedDict):
    min: Number
    median: Number
    max: Number
    values: NotRequired[list[Number]]


class Profiler(TypedDict):
    ncu: NotRequired[Numbers]
    nvprof: NotRequired[Numbers]


class Sets(TypedDict):
    transactions: list[int]
    misses: list[int]


class Clocks(TypedDict):
    timed_launches: NotRequired[int]
    launches: NotRequired[int]
    why: NotRequired[str | None]
    other_keys: object


class Context(TypedDict):
    cache: dict[str, Number | str]
    cores: int
    warp_size: int
    other_keys: object


class Generation(TypedDict):
    preset: str
    generation: str
    coalescing: str
    l1_kib: Number
    load: Numbers
    store: Numbers
    local_memory: NotRequired[LocalMemory | None]
    cycles: NotRequired[Number | None]
    microseconds: NotRequired[Number | None]


class Compared(TypedDict):
    before: Measures
    after: Measures
    ratio: Measures


class WhatIf(TypedDict):
    """docs/tools/what-if.md, "The JSON of warpscope what-if"; `advice`: what it was tried for."""
    gpu: str
    changes: list[str]
    machine: list[str]
    done: list[str]
    advice: NotRequired[str]
    fixed: Compared
    timed: Compared | None
