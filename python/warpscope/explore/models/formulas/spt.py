"""The synchronous parallel throughput (SPT) model: an algorithm is kernels × {global, local, register, barrier} operations.

B. Karsin, "A Performance Model for GPU Architectures: Analysis and Design of Fundamental Algorithms", PhD thesis, University of Hawai'i,
2018, chapters 3 to 7. The time of A operations of a kind is A · max(1/B, L/M) cycles: bandwidth B, latency L, multiplicity M.
"""
import dataclasses
import math

from warpscope.explore.models.formulas import spt_algorithms
from warpscope.explore.models.formulas.values import Answer, Input, Part, is_known

NAME = "spt"
TITLE = "SPT, Karsin 2018"
KINDS = {"g": "global", "s": "local", "r": "register", "y": "barrier"}
MATRIX = "m"  # operations of a matrix unit: not in the thesis, whose machines have none; the same law

MACHINE = (
    Input("processors", "processors", "scalar processors of the GPU, P", "machine", above=True),
    Input("clock", "MHz", "clock of the cores", "machine", above=True),
    Input("local_words", "words", "local memory of the GPU, M, in 4-byte words", "machine", above=True),
    Input("registers", "words", "registers of the GPU, R", "machine", above=True),
    *(Input(f"latency_{name}", "cycles", f"latency L of a {name} operation", "machine", above=True) for name in KINDS.values()),
    *(Input(f"throughput_{name}", "operations/cycle", f"throughput B of {name} operations, per processor", "machine", above=True)
      for name in KINDS.values()),
    Input("latency_matrix", "cycles", "latency L of an operation of the matrix unit; a machine without it has none", "machine", default=math.nan, above=True),
    Input("throughput_matrix", "operations/cycle", "throughput B of its operations, per processor", "machine", default=math.nan, above=True),
    Input("launch_cycles", "cycles", "cost of a barrier of the device, L_sync", "machine"),
)
INPUTS = (Input("algorithm", "name", "whose formulas count the operations; counts: those given", default="counts",
                choices=tuple(spt_algorithms.ALGORITHMS)),
          *spt_algorithms.INPUTS, *MACHINE)


@dataclasses.dataclass(frozen=True)
class Operations:
    """Operations of one kind in one kernel: A per processor; multiplicity M (per warp slot, ILP included).

    limit     "latency": max(1/B, L/M), "throughput": always 1/B, "ceiling": the latency term is rounded up
    """
    count: float
    multiplicity: float
    limit: str = "latency"


def _name(kind):
    return "matrix" if kind == MATRIX else KINDS[kind]


def cycles_per_operation(v, kind, operations):
    """t of one kind, and whether its latency shows (L/M above 1/B)."""
    name = _name(kind)
    if not is_known(getattr(v, f"throughput_{name}")) or not is_known(getattr(v, f"latency_{name}")):
        raise ValueError(f"A_{kind}: the machine has no matrix unit, expected latency_{name} and throughput_{name}")
    least = 1 / getattr(v, f"throughput_{name}")
    if operations.limit == "throughput":
        return least, False
    waiting = getattr(v, f"latency_{name}") / operations.multiplicity
    if operations.limit == "ceiling":
        waiting = math.ceil(waiting)
    return max(least, waiting), waiting > least


def inputs_for(given):
    """The inputs of the algorithm that `given` (names to Values) names, those that it needs without a default."""
    chosen = given["algorithm"].value if "algorithm" in given else INPUTS[0].default
    algorithm = spt_algorithms.ALGORITHMS.get(chosen, spt_algorithms.ALGORITHMS["counts"])
    own = [dataclasses.replace(spec, default=_default(spec, chosen)) for spec in spt_algorithms.INPUTS if spec.name in algorithm.inputs]
    counts = [spec for name in given if (spec := spt_algorithms.count_spec(name))] if chosen == "counts" else []
    return [INPUTS[0], *own, *counts, *MACHINE]


def _default(spec, algorithm):
    if spec.name == "group_size":
        return spt_algorithms.DEFAULT_GROUP.get(algorithm)
    if isinstance(spec.default, float) and math.isnan(spec.default):
        return None
    return None if spec.name == "beta" and algorithm == "pbs" else spec.default


def evaluate(v):
    """The answer for an algorithm, or for counted operations; `v` has the inputs as members."""
    algorithm = spt_algorithms.ALGORITHMS[v.algorithm]
    counted = algorithm.count(v, Operations)
    second = v.clock * 1e6
    used = [*KINDS, *([MATRIX] if any(MATRIX in kinds for kinds in counted.kernels.values()) else [])]
    rows, bound, parts, by_kind = {}, {}, [], dict.fromkeys(used, 0.0)
    for label, kinds in counted.kernels.items():
        rows[label] = {}
        for kind, operations in kinds.items():
            each, latency = cycles_per_operation(v, kind, operations)
            cycles = operations.count * each
            rows[label][_name(kind)] = cycles / second
            by_kind[kind] += cycles
            bound[kind] = bound.get(kind, False) or latency
            suffix = f" [{label}]" if len(counted.kernels) > 1 else ""
            parts += [Part(f"A_{kind}{suffix}", operations.count, "operations", algorithm.equation, algorithm.reconstructed),
                      Part(f"M_{kind}{suffix}", operations.multiplicity, "", "section 4.7", counted.multiplicity_note),
                      Part(f"t_{kind}{suffix}", each, "cycles/operation", "section 3.1.3"),
                      Part(f"limit_{kind}{suffix}", "latency" if latency else "throughput", "name", "section 3.1.3")]
    parts += [Part(name, value, unit, algorithm.equation, algorithm.reconstructed) for name, value, unit in counted.extra]
    barriers = counted.launches * v.launch_cycles
    cycles = barriers + sum(by_kind.values())
    parts += [Part(f"T_{kind}", value, "cycles", "section 3.1.2") for kind, value in by_kind.items()]
    parts += [Part(f"share_{kind}", value / cycles, "", "") for kind, value in by_kind.items()]
    parts += [Part("kernels", counted.launches, "launches", algorithm.equation, algorithm.reconstructed),
              Part("T_sync", barriers, "cycles", "section 3.1.2"), Part("cycles", cycles, "cycles", "section 3.1.2")]
    if v.algorithm in spt_algorithms.RATES:
        parts.append(Part("rate", spt_algorithms.RATES[v.algorithm](v) / (cycles / second), "operations/s", ""))
    return Answer(cycles / second, parts, *_bottleneck(by_kind, bound, barriers, cycles, second), rows)


HELP = {("g", False): "fewer global words: larger tiles, coalescing", ("g", True): "more resident work-items, or independent loads",
        ("s", False): "fewer local words, fewer bank conflicts", ("s", True): "less local memory per work-item, so that more fit",
        ("r", False): "fewer instructions: registers are busy", ("r", True): "more resident work-items or independent instructions",
        ("m", False): "fewer products, or narrower elements", ("m", True): "more resident warps, or independent products",
        ("y", False): "fewer barriers", ("y", True): "more resident work-items, or fewer barriers"}


def _bottleneck(by_kind, bound, barriers, cycles, second):
    """(the bottleneck in words, advice): kinds of operation by their time, the most first."""
    if barriers > max(by_kind.values()):
        return "launches", [("fewer launches: each costs a barrier of the device", barriers / second)]
    ranked = sorted((kind for kind in by_kind if by_kind[kind]), key=lambda kind: -by_kind[kind])
    if not ranked:
        return "nothing: no operations", []
    first = ranked[0]
    why = "latency" if bound[first] else "throughput"
    advice = [(f"{_name(kind)}: {HELP[kind, bound[kind]]}", by_kind[kind] / second) for kind in ranked]
    return f"{_name(first)} operations, {by_kind[first] / cycles:.0%} of the time, bound by {why}", advice
