"""Dasgupta's extension of Hong and Kim's model to GT200: transactions by size, merging, vector loads, slow instructions, banks.

S. Dasgupta, "CUDA Performance Analyzer", MSc thesis, Georgia Institute of Technology, 2011, section 3.2, equations (16) to (30).
"""
from warpscope.explore.models.formulas import mwp as shared
from warpscope.explore.models.formulas.values import Answer, Input, summed

NAME = "dasgupta"
TITLE = "Dasgupta 2011, MWP-CWP by transactions"
SIZES = {"32b": 32, "64b": 64, "128b": 128, "vector": 32}  # bytes of a transaction
SLOW = ("sqrt", "division", "rsqrt")

INPUTS = (
    Input("requests", "requests/warp", "requests to global memory"),
    Input("transactions_32b", "transactions/warp", "transactions of 32 bytes", default=0.0),
    Input("transactions_64b", "transactions/warp", "transactions of 64 bytes", default=0.0),
    Input("transactions_128b", "transactions/warp", "transactions of 128 bytes", default=0.0),
    Input("transactions_vector", "transactions/warp", "transactions of 32 bytes of vector loads", default=0.0),
    Input("insts", "instructions/warp", "instructions, without square roots and divisions"),
    Input("sqrt_insts", "instructions/warp", "square roots", default=0.0),
    Input("division_insts", "instructions/warp", "divisions", default=0.0),
    Input("rsqrt_insts", "instructions/warp", "reciprocal square roots", default=0.0),
    Input("bank_conflict_cycles", "cycles/warp", "cycles lost to bank conflicts of local memory", default=0.0),
    Input("barriers", "instructions/warp", "barriers", default=0.0),
    Input("independent_loads", "", "independent loads of a work-item in flight together", default=1.0, least=1.0),
    Input("duplicate_loads", "", "requests in flight together that fetch the same data", default=1.0, least=1.0),
    Input("warps_per_core", "warps", "resident warps per core, N", above=True),
    Input("groups_per_core", "work-groups", "resident work-groups per core", above=True),
    Input("work_groups", "work-groups", "work-groups of the launch", above=True),
    Input("case_rule", "name", "how the three cases are told apart", default="literal", choices=("literal", "strict")),
    Input("cores", "cores", "cores (SMs) of the GPU", "machine", above=True),
    Input("clock", "MHz", "clock of the cores", "machine", above=True),
    Input("bandwidth", "GB/s", "peak bandwidth of global memory", "machine", above=True),
    Input("issue_cycles", "cycles/instruction", "cycles in which a core issues an instruction of a warp", "machine", above=True),
    Input("base_latency", "cycles", "latency of global memory", "machine", above=True),
    *(Input(f"departure_{name}", "cycles", f"departure delay of a transaction, {name}", "machine", above=True) for name in SIZES),
    *(Input(f"{name}_cycles", "cycles/instruction", f"cycles of one {name}", "machine", above=True) for name in SLOW),
)

MERGED = "the thesis says in words that merging divides the transactions; vector loads do not merge"


def _computation(v):
    """Compute cycles of a warp."""
    slow = sum(getattr(v, f"{name}_insts") * getattr(v, f"{name}_cycles") for name in SLOW)
    return v.issue_cycles * v.insts + slow + v.bank_conflict_cycles


def _transactions(v):
    """{size: transactions per warp} after merging."""
    merged = {name: getattr(v, f"transactions_{name}") for name in SIZES}
    return {name: count if name == "vector" else count / v.duplicate_loads for name, count in merged.items()}


def evaluate(v):
    """The answer for a launch; `v` has the inputs as members."""
    computation = _computation(v)
    active = shared.active_cores(v)
    repetitions = v.work_groups / (v.groups_per_core * active)
    transactions = _transactions(v)
    total = sum(transactions.values())
    if v.requests == 0 or total == 0:
        cycles = computation * v.warps_per_core * repetitions
        parts = summed([("computation cycles", computation, "cycles/warp", "3.2.3"), ("repetitions", repetitions, "", "12"),
                        ("cycles", cycles, "cycles", "15", "no memory request: CWP is undefined, the latency is taken as 0"),
                        ("case", "C", "name", "13-15")])
        return Answer(cycles / (v.clock * 1e6), parts, shared.CASE_TEXT["C"], shared.advice("C", ""))
    per_request = total / v.requests
    size = sum(SIZES[name] * count for name, count in transactions.items()) / v.requests
    delay = sum(getattr(v, f"departure_{name}") * count for name, count in transactions.items()) / total
    latency = v.base_latency + (per_request - 1) * delay
    departure = per_request * delay
    bytes_per_second = size * v.clock * 1e6 / latency
    peak = v.bandwidth * 1e9 / (bytes_per_second * active)
    warps = v.warps_per_core * v.independent_loads / v.duplicate_loads
    mwp, limit = shared.limits(**{"latency / departure": latency / departure, "bandwidth": peak, "resident warps": warps})
    memory = latency * v.requests
    cwp_full = (computation + memory) / computation if computation else float(v.warps_per_core)
    cwp = min(cwp_full, v.warps_per_core)
    case = shared.which_case(mwp, cwp, v.warps_per_core, computation, memory, v.case_rule)
    cycles = shared.cycles_of(case, mwp, v.warps_per_core, computation, memory, computation / v.requests, latency, repetitions)
    barriers = shared.barrier_cycles(departure, mwp, v, repetitions)
    parts = summed([
        ("transactions", total, "transactions/warp", "3.2.4.3", MERGED), ("bytes per request", size, "bytes", "16"),
        ("bandwidth of a warp", bytes_per_second / 1e9, "GB/s", "17"), ("MWP at peak bandwidth", peak, "warps", "18"),
        ("transactions per request", per_request, "", "19"), ("departure delay of a transaction", delay, "cycles", "23"),
        ("memory latency", latency, "cycles", "24"), ("departure delay", departure, "cycles", "25"),
        ("MWP without bandwidth limit", latency / departure, "warps", "26"), ("warps for MWP", warps, "warps", "27"),
        ("MWP", mwp, "warps", "28"), ("memory cycles", memory, "cycles/warp", "9"),
        ("computation cycles", computation, "cycles/warp", "3.2.3"), ("CWP full", cwp_full, "warps", "29"),
        ("CWP", cwp, "warps", "30"), ("repetitions", repetitions, "", "12"), ("execution cycles", cycles, "cycles", "13-15"),
        ("barrier cycles", barriers, "cycles", "ISCA 2009", "not printed in the thesis; as in Hong and Kim's model"),
        ("cycles", cycles + barriers, "cycles", "")])
    parts += shared.bound_parts(mwp, limit, cwp, case)
    return Answer((cycles + barriers) / (v.clock * 1e6), parts, shared.CASE_TEXT[case], shared.advice(case, limit))
