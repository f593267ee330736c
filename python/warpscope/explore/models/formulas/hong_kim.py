"""Hong and Kim's MWP-CWP model.

S. Hong and H. Kim, "An Analytical Model for a GPU Architecture with Memory-level and Thread-level Parallelism Awareness", ISCA
2009, doi:10.1145/1555754.1555775. Equation numbers are those of S. Dasgupta, "CUDA Performance Analyzer", MSc thesis, Georgia
Institute of Technology, 2011, section 2.2.3, which repeats them.
"""
from warpscope.explore.models.formulas import mwp as shared
from warpscope.explore.models.formulas.values import Answer, Input, summed

NAME = "hong-kim"
TITLE = "Hong and Kim 2009, MWP-CWP"
NOT_IN_THESIS = "not printed in the thesis; recalled from the paper, whose worked example it reproduces"

INPUTS = (
    Input("compute_insts", "instructions/warp", "instructions that are not memory instructions"),
    Input("coalesced_insts", "instructions/warp", "coalesced memory instructions"),
    Input("uncoalesced_insts", "instructions/warp", "uncoalesced memory instructions"),
    Input("uncoalesced_transactions", "transactions/request", "transactions per uncoalesced memory instruction", default=1.0,
          least=1.0),
    Input("load_bytes", "bytes/request", "bytes that a warp's memory instruction moves", above=True),
    Input("barriers", "instructions/warp", "barriers", default=0.0),
    Input("warps_per_core", "warps", "resident warps per core, N", above=True),
    Input("groups_per_core", "work-groups", "resident work-groups per core", above=True),
    Input("work_groups", "work-groups", "work-groups of the launch", above=True),
    Input("case_rule", "name", "how the three cases are told apart", default="literal", choices=("literal", "strict")),
    Input("cores", "cores", "cores (SMs) of the GPU", "machine", above=True),
    Input("clock", "MHz", "clock of the cores", "machine", above=True),
    Input("bandwidth", "GB/s", "peak bandwidth of global memory", "machine", above=True),
    Input("issue_cycles", "cycles/instruction", "cycles in which a core issues an instruction of a warp", "machine", above=True),
    Input("memory_latency", "cycles", "latency of global memory, Mem_LD", "machine", above=True),
    Input("departure_coalesced", "cycles", "departure delay after a coalesced request", "machine", above=True),
    Input("departure_uncoalesced", "cycles", "departure delay after each transaction of an uncoalesced request", "machine",
          above=True),
)


def evaluate(v):
    """The answer for a launch; `v` has the inputs as members."""
    memory_insts = v.coalesced_insts + v.uncoalesced_insts
    computation = v.issue_cycles * (v.compute_insts + memory_insts)
    active = shared.active_cores(v)
    repetitions = v.work_groups / (v.groups_per_core * active)
    if memory_insts == 0:
        return _without_memory(v, computation, repetitions)
    weight = v.uncoalesced_insts / memory_insts
    uncoalesced_latency = v.memory_latency + (v.uncoalesced_transactions - 1) * v.departure_uncoalesced
    latency = uncoalesced_latency * weight + v.memory_latency * (1 - weight)
    departure = v.departure_uncoalesced * v.uncoalesced_transactions * weight + v.departure_coalesced * (1 - weight)
    bytes_per_second = v.clock * 1e6 * v.load_bytes / latency
    peak = v.bandwidth * 1e9 / (bytes_per_second * active)
    mwp, limit = shared.limits(**{"latency / departure": latency / departure, "bandwidth": peak,
                                  "resident warps": v.warps_per_core})
    memory = uncoalesced_latency * v.uncoalesced_insts + v.memory_latency * v.coalesced_insts
    cwp_full = (memory + computation) / computation
    cwp = min(cwp_full, v.warps_per_core)
    case = shared.which_case(mwp, cwp, v.warps_per_core, computation, memory, v.case_rule)
    cycles = shared.cycles_of(case, mwp, v.warps_per_core, computation, memory, computation / memory_insts, latency, repetitions)
    barriers = shared.barrier_cycles(departure, mwp, v, repetitions)
    parts = summed([
        ("memory latency, uncoalesced", uncoalesced_latency, "cycles", "1"), ("memory latency", latency, "cycles", "3"),
        ("departure delay", departure, "cycles", "6"),
        ("MWP without bandwidth limit", latency / departure, "warps", "7"),
        ("bandwidth of a warp", bytes_per_second / 1e9, "GB/s", "ISCA 2009", NOT_IN_THESIS),
        ("MWP at peak bandwidth", peak, "warps", "ISCA 2009", NOT_IN_THESIS),
        ("MWP", mwp, "warps", "8, ISCA 2009", NOT_IN_THESIS), ("memory cycles", memory, "cycles/warp", "9"),
        ("computation cycles", computation, "cycles/warp", "10"), ("CWP full", cwp_full, "warps", "ISCA 2009", NOT_IN_THESIS),
        ("CWP", cwp, "warps", "ISCA 2009", NOT_IN_THESIS), ("repetitions", repetitions, "", "12"),
        ("execution cycles", cycles, "cycles", "13-15"),
        ("barrier cycles", barriers, "cycles", "ISCA 2009", NOT_IN_THESIS), ("cycles", cycles + barriers, "cycles", "")])
    parts += shared.bound_parts(mwp, limit, cwp, case)
    return Answer((cycles + barriers) / (v.clock * 1e6), parts, shared.CASE_TEXT[case], shared.advice(case, limit))


def _without_memory(v, computation, repetitions):
    """CWP is not defined; case C with no memory period."""
    cycles = computation * v.warps_per_core * repetitions
    parts = summed([("computation cycles", computation, "cycles/warp", "10"), ("repetitions", repetitions, "", "12"),
                    ("cycles", cycles, "cycles", "15", "no memory instruction: CWP is undefined, Mem_L is taken as 0"),
                    ("case", "C", "name", "13-15")])
    return Answer(cycles / (v.clock * 1e6), parts, shared.CASE_TEXT["C"], shared.advice("C", ""))
