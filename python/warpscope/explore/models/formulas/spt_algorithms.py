"""How many operations the algorithms of Karsin 2018 make: multiplication, searches, sorts; and operations counted by others."""
import dataclasses
import math
import re
import typing

from warpscope.base.errors import InputError
from warpscope.explore.models.formulas.values import Input

WARP = 32  # lanes, banks, words of a coalesced line
MOST_REGISTERS = 255  # per work-item, on the three GPUs of the thesis
TREE_WORDS = 2 ** 14  # keys of a tree that a work-group holds in local memory
NAN = float("nan")

INPUTS = (
    Input("rows", "words", "rows n of the product", default=NAN, above=True),
    Input("columns", "words", "columns m of the product", default=NAN, above=True),
    Input("depth", "words", "inner size k of the product", default=NAN, above=True),
    Input("tile", "words", "edge of a tile, N_TB", default=96.0, above=True),
    Input("batch", "words", "depth of a batch, lambda", default=16.0, above=True),
    Input("group_size", "work-items", "work-items of a work-group, b", default=NAN, above=True),
    Input("keys", "words", "keys N", default=NAN, least=2.0),
    Input("queries", "words", "queries Q", default=NAN, above=True),
    Input("tree_keys", "words", "keys of the tree in local memory, per work-group", default=float(TREE_WORDS), above=True),
    Input("elements", "words", "elements of a work-item, E", default=NAN, above=True),
    Input("ways", "", "lists that are merged at once, K", default=NAN, least=2.0),
    Input("beta", "", "mean degree of bank conflict", default=1.0, least=1.0),
    Input("beta_partition", "", "mean degree of bank conflict, partition", default=3.1, least=1.0),
    Input("beta_merge", "", "mean degree of bank conflict, merge", default=2.2, least=1.0),
    Input("local_limit", "name", "what limits local operations of the sort", default="latency", choices=("latency", "throughput")),
)


@dataclasses.dataclass
class Counted:
    """kernels: {label: {kind: Operations}}; launches: |K|; extra: (name, value, unit) to show."""
    kernels: dict
    launches: float = 1
    extra: list = dataclasses.field(default_factory=list)
    multiplicity_note: str = ("the printed b in the limits by local memory and registers is an error; words per work-item are meant, "
                              "as in the case studies")


@dataclasses.dataclass(frozen=True)
class Algorithm:
    """`inputs`: names that it takes; `count(v, Operations)` gives Counted."""
    inputs: tuple
    equation: str
    count: typing.Callable
    reconstructed: str = ""


def _steps(value):
    """Levels of a tree: rounded up, but not because of the last bit of a logarithm."""
    return math.ceil(value - 1e-9)


def _gemm(v, operations):
    size = v.rows * v.columns * v.depth / v.processors
    per_item = (v.tile ** 2 + 2 * v.tile * v.batch) / v.group_size
    items = v.registers / (v.processors * per_item)
    loads = items * 2 * v.tile * v.batch / v.group_size
    kernel = {"g": operations(2 * size / v.tile + v.rows * v.columns / v.processors, loads),
              "s": operations(4 * size / v.tile, loads), "r": operations(size, items),
              "y": operations(2 * size / (v.tile ** 2 * v.batch), items)}
    spilled = size * (per_item - MOST_REGISTERS) / per_item if per_item > MOST_REGISTERS else 0.0
    if spilled:
        kernel["s"] = operations(kernel["s"].count + spilled, loads)
    return Counted({"gemm": kernel}, extra=[("registers per work-item", per_item, "registers"), ("M_o", items, "work-items"),
                                            ("spilled operations", spilled, "operations")])


def _search_sorted(v, operations):
    lines = v.queries * WARP / v.processors * (_steps(math.log2(v.keys / WARP)) + 1)
    return Counted({"search": {"g": operations(lines, 1, "throughput")}})


def _search_tree(v, operations, base, local_steps):
    per_query = _steps(math.log(max(v.keys / v.tree_keys, 1), base))
    cached = v.local_words / v.processors
    return Counted({"search": {"g": operations(cached + v.queries * WARP / v.processors * per_query, 1, "throughput"),
                               "s": operations(cached + v.queries / v.processors * local_steps, 1, "throughput")}})


def _search_bst(v, operations):
    return _search_tree(v, operations, 2, _steps(math.log2(v.tree_keys)))


def _search_btree(v, operations):
    return _search_tree(v, operations, WARP + 1, _steps(math.log(v.keys, WARP + 1) * math.log2(WARP)))


def _search_local(v, operations, accesses, beta):
    items = v.local_words * v.group_size / (v.keys * v.processors)
    return Counted({"search": {"g": operations(v.queries / v.processors, items),
                               "s": operations(beta * v.queries / v.processors * accesses, items)}},
                   extra=[("M_o", items, "work-items")])


def _pbs(v, operations):
    return _search_local(v, operations, _steps(math.log2(v.keys)), v.beta)


def _pbs_cf(v, operations):
    return _search_local(v, operations, math.log2(v.keys) - math.log2(WARP) + WARP, 1.0)


def _pbs_worst(v, operations):
    """Queries whose lanes are in one bank from the step on in which the tree has a node for each: 1, 2, … 16 and then 32 passes."""
    whole = v.keys % WARP ** 2 == 0
    passes = WARP * math.log2(v.keys / WARP) + WARP - 1 if whole else WARP * math.log2(max(v.keys / WARP ** 2, 1))
    return _search_local(v, operations, passes, 1.0)


def _passes(active, distance):
    """Wavefronts of an access of `active` work-items, each 2 · `distance` words from the next: full warps, or part of one."""
    same_bank = math.gcd(2 * distance, WARP)
    return -(-active // WARP) * max(1, min(active, WARP) * same_bank // WARP)


def _scan(v, operations):
    """The kernel `scan` of the suite, not padded: a tree over two words per work-item in local memory, 3 accesses for a node on the way up
    and 4 on the way down, a barrier before each level and around the root."""
    items, levels = round(v.group_size), _steps(math.log2(2 * v.group_size))
    if items != v.group_size or items & (items - 1):
        raise InputError(f"group_size is {v.group_size:g}, expected a power of two: a tree has two leaves for each work-item")
    groups = v.keys / (2 * items)
    tree = 7 * sum(_passes(items >> level, 1 << level) for level in range(levels))
    wavefronts = 4 * -(-items // WARP) + tree + 2
    resident = v.local_words / (2 * v.processors)
    return Counted({"scan": {"g": operations(groups * (4 * items + WARP) / v.processors, resident),
                             "s": operations(groups * WARP * wavefronts / v.processors, resident),
                             "y": operations(groups * (2 * levels + 2) / v.processors, resident)}},
                   extra=[("M_o", resident, "work-items"), ("levels", levels, "")])


def _mgpu(v, operations):
    block = v.group_size * v.elements
    levels = math.log2(v.keys / block)
    rounds = _steps(levels)
    items = v.local_words / (v.processors * v.elements)
    each = 2 * v.keys / v.processors
    partition = WARP * (levels ** 2 - levels) / (4 * block)
    local = v.beta_partition * _steps(math.log2(block)) / v.elements + v.beta_merge * _steps(math.log2(v.keys / v.elements))
    return Counted({"sort": {"g": operations(each * (rounds + partition + 1), 2 * items),
                             "s": operations(each * local, items, v.local_limit),
                             "r": operations(3 * v.keys * v.elements / (2 * v.processors), items),
                             "y": operations(v.keys / (v.processors * v.elements) * (rounds + 1), items)}},
                   launches=rounds + 1, extra=[("M_o", items, "work-items")])


def _koike_sadakane(v, operations):
    items = v.local_words / (4 * v.ways * v.processors - 2 * v.processors)
    rounds = _steps(math.log(v.keys / WARP, v.ways))
    local = math.log2(WARP) * _steps(math.log2(v.keys)) + math.log2(WARP) ** 2 / 2
    return Counted({"sort": {"g": operations(2 * v.keys / v.processors * (rounds + 1), items, "ceiling"),
                             "s": operations(4 * v.keys / v.processors * local, items, "ceiling")}},
                   launches=rounds + 1, extra=[("M_o", items, "work-items")])


def _mms(v, operations):
    items = v.local_words / (2 * v.ways * v.processors - v.processors)
    rounds = _steps(math.log(v.keys / WARP ** 2, v.ways))
    parallel = items * math.log2(v.ways)
    exchanges = _steps(math.log2(v.keys / WARP ** 2)) * math.log2(WARP) + math.log2(WARP) ** 3 / 3
    return Counted({"sort": {"g": operations(2 * v.keys / v.processors * (rounds + 1), items),
                             "s": operations(4 * v.keys / v.processors * _steps(math.log2(v.keys / WARP)), parallel),
                             "r": operations(6 * v.keys / v.processors * exchanges, parallel)}},
                   launches=rounds + 1, extra=[("M_o", items, "work-items")])


COUNT = re.compile(r"(A_[gsrym]|M_[gsrym]|launches)\[(.+)\]")
COUNT_UNITS = {"A": "operations", "M": "", "l": "launches"}


def count_spec(name):
    """The Input of a counted operation such as A_g[mm]; None if it is none."""
    matched = COUNT.fullmatch(name)
    if not matched:
        return None
    what = matched[1]
    meaning = {"A": "operations per processor of one launch", "M": "multiplicity", "l": "launches"}[what[0]]
    return Input(name, COUNT_UNITS[what[0]], f"{meaning}, {matched[2]}", above=what[0] != "A")


def _counts(v, operations):
    kernels, launches = {}, {}
    for name, value in sorted(vars(v).items()):
        matched = COUNT.fullmatch(name)
        if not matched:
            continue
        if matched[1] == "launches":
            launches[matched[2]] = value
        else:
            kernels.setdefault(matched[2], {})[matched[1]] = value
    rows = {}
    for label, given in kernels.items():
        times = launches.get(label, 1)
        rows[label] = {kind: operations(given[f"A_{kind}"] * times, given.get(f"M_{kind}", 1.0),
                                        "latency" if f"M_{kind}" in given else "throughput")
                       for kind in "gsrym" if f"A_{kind}" in given}
    return Counted(rows, launches=sum(launches.get(label, 1) for label in kernels),
                   multiplicity_note="none given: taken as bound by throughput" if not _has_multiplicity(kernels) else "")


def _has_multiplicity(kernels):
    return any(name.startswith("M_") for given in kernels.values() for name in given)


SLIPS_OF_MGPU = ("logarithms read as of N/(bE); the partition's term has its half back; barriers are per work-item, N/(P·E)")
ALGORITHMS = {
    "counts": Algorithm((), "", _counts),
    "gemm": Algorithm(("rows", "columns", "depth", "tile", "batch", "group_size"), "section 5.2", _gemm),
    "search-sorted": Algorithm(("keys", "queries"), "section 6.1", _search_sorted),
    "search-bst": Algorithm(("keys", "queries", "tree_keys"), "section 6.1", _search_bst,
                            "printed once with one level more and once without; without is used"),
    "search-btree": Algorithm(("keys", "queries", "tree_keys"), "section 6.1", _search_btree),
    "pbs": Algorithm(("keys", "queries", "group_size", "beta"), "section 6.2", _pbs),
    "pbs-cf": Algorithm(("keys", "queries", "group_size"), "section 6.2", _pbs_cf, "the printed L_g of the local term is a slip for L_s"),
    "pbs-worst": Algorithm(("keys", "queries", "group_size"), "section 6.2", _pbs_worst,
                           "the thesis has a lower bound, 32 Q/P · log₂(N/32); the first five steps, 31 passes, are added. If 1024 does not "
                           "divide N its weaker bound is used, 32 Q/P · log₂(N/1024)"),
    "scan": Algorithm(("keys", "group_size"), "sections 2 and 4", _scan,
                      "the thesis counts only the words of global memory; local operations and barriers are those of the suite's kernel"),
    "mgpu-sort": Algorithm(("keys", "elements", "group_size", "beta_partition", "beta_merge", "local_limit"), "section 7.1.3", _mgpu,
                           SLIPS_OF_MGPU),
    "ks-sort": Algorithm(("keys", "ways"), "section 7.2.3", _koike_sadakane),
    "mms-sort": Algorithm(("keys", "ways"), "section 7.3.2", _mms),
}
DEFAULT_GROUP = {"gemm": 256.0, "mgpu-sort": 128.0, "scan": 256.0}
RATES = {"gemm": lambda v: 2 * v.rows * v.columns * v.depth, **dict.fromkeys(("mgpu-sort", "ks-sort", "mms-sort", "scan"), lambda v: v.keys),
         **dict.fromkeys(("search-sorted", "search-bst", "search-btree", "pbs", "pbs-cf", "pbs-worst"), lambda v: v.queries)}

