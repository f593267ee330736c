"""GPUPerf: computation, memory and what of them overlaps, and how much time four kinds of change could save.

J. Sim, A. Dasgupta, H. Kim and R. Vuduc, "A Performance Analysis Framework for Identifying Potential Benefits in GPGPU
Applications", PPoPP 2012, doi:10.1145/2145816.2145819, equations (1) to (23), and appendix A.
"""
from warpscope.explore.models.formulas.values import Answer, Input, Part

NAME = "gpuperf"
TITLE = "GPUPerf, Sim et al. 2012"
SIGNS = "the text at hand lost its operators; symbols and their order are there"
APPENDIX = "appendix A was not at hand; recalled"
BANKS = "the paper gives no formula; an extra pass of a bank costs as a pass of the SIMD unit"
SIZE = "the unit of size_of_data is not given; requests per core make it the time at peak bandwidth"

INPUTS = (
    Input("insts", "instructions/warp", "instructions of both sides of branches, without those of the special function unit",
          above=True),
    Input("memory_insts", "instructions/warp", "memory instructions"),
    Input("sync_insts", "instructions/warp", "barriers", default=0.0),
    Input("sfu_insts", "instructions/warp", "instructions of the special function unit", default=0.0),
    Input("fp_insts", "instructions/warp", "floating-point instructions"),
    Input("bank_conflict_passes", "passes/warp", "extra passes because of bank conflicts", default=0.0),
    Input("total_warps", "warps", "warps of the launch", above=True),
    Input("warps_per_core", "warps", "resident warps per core, N", above=True),
    Input("transactions_per_request", "transactions/request", "mean transactions of a memory instruction", default=1.0, least=1.0),
    Input("miss_ratio", "", "misses per transaction, 0 to 1"),
    Input("data_bytes", "bytes", "distinct bytes that the launch touches"),
    Input("ilp", "", "instruction-level parallelism within a warp", default=1.0, above=True),
    Input("mlp", "", "memory-level parallelism within a warp", default=1.0, above=True),
    Input("cores", "cores", "cores (SMs) that have work", "machine", above=True),
    Input("clock", "MHz", "clock of the cores", "machine", above=True),
    Input("bandwidth", "GB/s", "peak bandwidth of global memory", "machine", above=True),
    Input("warp_size", "lanes", "lanes of a warp", "machine", default=32, above=True),
    Input("simd_width", "lanes", "scalar processors of a core", "machine", above=True),
    Input("sfu_width", "lanes", "special function units of a core", "machine", above=True),
    Input("inst_latency", "cycles", "mean latency of an instruction", "machine", above=True),
    Input("fp_latency", "cycles", "latency of a floating-point instruction", "machine", above=True),
    Input("dram_latency", "cycles", "latency of global memory", "machine", above=True),
    Input("departure_delay", "cycles", "departure delay of a transaction", "machine", above=True),
    Input("hit_latency", "cycles", "latency of a hit in the L1", "machine"),
    Input("transaction_bytes", "bytes", "bytes of a transaction", "machine", above=True),
    Input("sync_factor", "", "cost of a barrier in memory latencies, the paper's gamma", "machine"),
)


class _Terms:
    """The terms of the equations; each is a Part that `add` has noted."""

    def __init__(self):
        self.parts = []

    def add(self, name, value, unit, equation, why=SIGNS):
        self.parts.append(Part(name, value, unit, equation, why))
        return value


def _parallelism(v, add, per_core):
    """(ITILP, highest ITILP, W_parallel), equations (3) to (5)."""
    itilp_max = add("ITILP max", v.inst_latency / (v.warp_size / v.simd_width), "instructions", "5")
    itilp = add("ITILP", min(v.ilp * v.warps_per_core, itilp_max), "instructions", "4")
    return itilp, itilp_max, add("W_parallel", v.insts * per_core * v.inst_latency / itilp, "cycles", "3")


def _serial(v, add, per_core, latency):
    """W_serial, equations (6) to (10)."""
    factor = add("F_sync", v.sync_factor * latency * v.memory_insts / v.insts, "cycles", "8")
    sync = add("O_sync", v.sync_insts * per_core * factor, "cycles", "7")
    visible = add("F_SFU", min(max(v.sfu_insts / v.insts - v.sfu_width / v.simd_width, 0.0), 1.0), "", "10")
    sfu = add("O_SFU", v.sfu_insts * per_core * v.warp_size / v.sfu_width * visible, "cycles", "9")
    bank = add("O_bank", v.bank_conflict_passes * per_core * v.warp_size / v.simd_width, "cycles", "6", BANKS)
    return add("W_serial", sync + sfu + bank, "cycles", "6")


def _memory(v, add, per_core, latency, itilp):
    """(T_mem, MWP at peak bandwidth, zeta), equations (11) to (17) and appendix A."""
    amat = add("AMAT", latency * v.miss_ratio + v.hit_latency, "cycles", "12")
    computation = add("computation cycles", v.insts * v.inst_latency / itilp, "cycles/warp", "A.3", APPENDIX)
    memory = add("memory cycles", v.memory_insts * amat / v.mlp, "cycles/warp", "A.4", APPENDIX)
    cwp_full = add("CWP full", (memory + computation) / computation, "warps", "A.2", APPENDIX)
    cwp = add("CWP", min(cwp_full, v.warps_per_core), "warps", "A.1", APPENDIX)
    of_warp = add("bandwidth of a warp", v.clock * 1e-3 * v.transaction_bytes / latency, "GB/s", "A.7", APPENDIX)
    peak = add("MWP at peak bandwidth", v.bandwidth / (of_warp * v.cores), "warps", "A.6", APPENDIX)
    mwp = add("MWP", min(latency / v.departure_delay, peak, v.warps_per_core), "warps", "A.5", APPENDIX)
    in_period = add("MWP_cp", min(max(1.0, cwp - 1), mwp), "warps", "15")
    itmlp = add("ITMLP", min(v.mlp * in_period, peak), "requests", "14")
    zeta = 1 if cwp <= mwp else 0
    return add("T_mem", v.memory_insts * per_core / itmlp * amat, "cycles", "11"), peak, zeta


def evaluate(v):
    """The answer for a launch; `v` has the inputs as members. Benefits are raw: B_fp may be negative."""
    terms = _Terms()
    add = terms.add
    per_core = v.total_warps / v.cores
    itilp, itilp_max, parallel = _parallelism(v, add, per_core)
    latency = add("DRAM latency", v.dram_latency + (v.transactions_per_request - 1) * v.departure_delay, "cycles", "13")
    serial = _serial(v, add, per_core, latency)
    computation = add("T_comp", parallel + serial, "cycles", "2")
    memory, peak, zeta = _memory(v, add, per_core, latency, itilp)
    overlap_factor = add("F_overlap", (v.warps_per_core - zeta) / v.warps_per_core, "", "17")
    overlap = add("T_overlap", min(computation * overlap_factor, memory), "cycles", "16")
    cycles = add("T_exec", computation + memory - overlap, "cycles", "1")
    ideal_fp = add("T_fp", v.fp_insts * per_core * v.fp_latency / itilp, "cycles", "18")
    requests = v.data_bytes / v.transaction_bytes / v.cores
    ideal_memory = add("T_mem_min", requests * latency / peak, "cycles", "19", SIZE)
    benefits = {
        "B_itilp": add("B_itilp", parallel - v.insts * per_core * v.inst_latency / itilp_max, "cycles", "20"),
        "B_serial": add("B_serial", serial, "cycles", "21")}
    benefits["B_fp"] = add("B_fp", computation - ideal_fp - benefits["B_itilp"] - serial, "cycles", "22")
    benefits["B_memlp"] = add("B_memlp", max(memory - overlap - ideal_memory, 0.0), "cycles", "23",
                              SIGNS + "; the prime of T_mem is lost, the paper's figure defines it")
    second = v.clock * 1e6
    return Answer(cycles / second, terms.parts, _bottleneck(computation, memory), _advice(benefits, second))


def _bottleneck(computation, memory):
    return "memory: T_mem is above T_comp" if memory > computation else "computation: T_comp is above T_mem"


HELP = {"B_itilp": "more instruction-level parallelism over all warps: more resident warps, or independent instructions",
        "B_serial": "less serialisation: barriers, special functions, bank conflicts",
        "B_fp": "fewer instructions that are not floating-point: addresses, loops, conversions",
        "B_memlp": "less waiting for memory: caches, coalescing, more requests in flight"}


def _advice(benefits, second):
    """By benefit, the largest first; what saves nothing is left out."""
    ranked = sorted(benefits.items(), key=lambda item: (-item[1], item[0]))
    return [(f"{name}: {HELP[name]}", cycles / second) for name, cycles in ranked if cycles > 0]
