"""What of a model's machine inputs the fitted curves give."""
from __future__ import annotations

from typing import Callable, NamedTuple, Optional

from warpscope.explore.fitting.timings import Fitted


class Parameter(NamedTuple):
    """`value` in the unit of the model's input `name`; `how`: from which operation."""

    name: str
    value: float
    how: str


Given = dict[str, float]  # machine inputs that are known: warp_size, processors of a core; and what was fitted before
Rule = tuple[str, str, Callable[[Fitted, Given], Optional[float]], str]


def _latency(one: Fitted, _: Given) -> Optional[float]:
    return one.latency()


def _departure(one: Fitted, _: Given) -> Optional[float]:
    return one.departure()


def _width(one: Fitted, given: Given) -> Optional[float]:
    """Lanes per cycle."""
    return None if one.curve.cycles is None else given["warp_size"] / one.curve.cycles


def _barrier(one: Fitted, given: Given) -> Optional[float]:
    """Cycles per barrier over the share of memory instructions, in latencies of global memory (Sim et al. 2012, equation 8)."""
    latency = given.get("dram_latency")
    return None if one.curve.cycles is None or not latency else one.curve.cycles / latency


def _per_processor(one: Fitted, given: Given) -> Optional[float]:
    """Operations of work-items per cycle and scalar processor."""
    width = _width(one, given)
    return None if width is None else width / given["processors"]


TRANSACTIONS = ("transaction_32b", "transaction_64b", "transaction_128b", "transaction_vector")
OF_LATENCY = "cycles / share of memory instructions / dram_latency"
RULES: dict[str, tuple[Rule, ...]] = {
    "hong-kim": (("memory_latency", "global", _latency, "latency"), ("departure_coalesced", "global", _departure, "cycles per transaction")),
    "dasgupta": (*(("departure_" + name.removeprefix("transaction_"), name, _departure, "cycles per transaction") for name in TRANSACTIONS),
                 *(("base_latency", name, _latency, "latency") for name in TRANSACTIONS)),
    "gpuperf": (("inst_latency", "register", _latency, "latency"), ("fp_latency", "register", _latency, "latency"),
                ("simd_width", "register", _width, "warp size / cycles"), ("sfu_width", "special", _width, "warp size / cycles"),
                ("dram_latency", "global", _latency, "latency"), ("departure_delay", "global", _departure, "cycles per transaction"),
                ("sync_factor", "memory_barrier", _barrier, OF_LATENCY)),
    "spt": (*((f"latency_{kind}", kind, _latency, "latency") for kind in ("global", "local", "register", "barrier")),
            *((f"throughput_{kind}", kind, _per_processor, "warp size / cycles / processors of a core")
              for kind in ("global", "local", "register", "barrier")),
            ("launch_cycles", "launch", _departure, "cycles per launch")),
}


def of_model(model: str, found: dict[str, Fitted], given: Given) -> list[Parameter]:
    """The inputs of a model that the curves show, in the model's order. Of several operations that give the same input the first counts."""
    parameters: dict[str, Parameter] = {}
    for name, operation, value_of, how in RULES[model]:
        if operation in found and name not in parameters:
            value = value_of(found[operation], {**given, **{one.name: one.value for one in parameters.values()}})
            if value is not None:
                parameters[name] = Parameter(name, value, f"{operation}: {how}")
    return list(parameters.values())


def missing(model: str, found: dict[str, Fitted], parameters: list[Parameter]) -> dict[str, str]:
    """{input that a fit could give: why it does not}."""
    known = {one.name for one in parameters}
    reasons: dict[str, str] = {}
    for name, operation, _, how in RULES[model]:
        if name not in known:
            side = f"no runs of {operation} with {'few' if how == 'latency' else 'many'} operations in flight"
            why = "dram_latency is not known: runs of global, or --set dram_latency=CYCLES" if how == OF_LATENCY else side
            reasons.setdefault(name, why if operation in found else f"no runs of {operation}")
    return reasons
