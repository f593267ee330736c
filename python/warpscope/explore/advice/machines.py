"""Changes of how the launch uses the machine: occupancy."""
from warpscope.explore.advice.proposal import ESTIMATED, MODELLED, Proposal, Rule
from warpscope.explore.whatif.question import Changes
from warpscope.run.request import Machine

LEAST_REGISTERS = 16
RULES = (
    Rule(
        "read-only",
        "loads of data that nothing writes to bypass the L1 and fetch it twice and more (Kepler, Maxwell, Pascal)",
        "`--readonly`",
        "",
        "this L1 takes only loads that are marked read-only, and nothing writes to {object}",
        "mark {object} as read-only",
        "__global const {type}* restrict {object}; a source that says so already is simulated by --readonly", "const {type}* __restrict__ {object}; or __ldg(&{object}[i])",
        "miss-classes"),
    Rule(
        "carve-out",
        "capacity misses next to local memory",
        "`--carveout`, the next smaller; on Fermi and Kepler an L1 of 48 KiB if no local memory is used",
        "",
        "local memory takes more of the memory that it shares with the L1 than the launch needs",
        "leave more memory to the L1",
        "ask for less local memory per work-group", "cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent)",
        "miss-classes", "a100/working_set (44 sizes)"),
    Rule(
        "occupancy",
        "fewer than half of the warps, and schedulers wait",
        "`--registers` three quarters and half",
        "",
        "too few warps to cover the latency, and one resource limits them (what a compiler spills with fewer registers is not simulated)",
        "use fewer of them",
        "__attribute__((reqd_work_group_size(…))), fewer live values, -cl-nv-maxrregcount=N",
        "__launch_bounds__(threads, blocks), fewer live values, -maxrregcount=N", "occupancy"),
)


def few_warps(case, finding):
    """Less of what limits the warps of a core: registers, or a carve-out that leaves too little local memory."""
    known = case.residency(finding.kernel)
    if known is None:
        return []
    if known["limited_by"] == "registers" and known.get("registers"):
        registers = known["registers"]
        fewer = sorted({max(LEAST_REGISTERS, registers * part // 4 // 8 * 8) for part in (3, 2)}, reverse=True)
        return [Proposal("occupancy", finding, Changes(machine=Machine(registers=str(number))), ESTIMATED) for number in fewer
                if number < registers]
    if known["limited_by"] == "local memory":
        choices = case.preset("local_carveouts_kib") or []
        own = (case.main_launch(finding.kernel) or {}).get("carveout_kib") or 0
        if choices and max(choices) > own:
            return [Proposal("occupancy", finding, Changes(machine=Machine(carveout=str(max(choices)))), ESTIMATED)]
    return []


def read_only(case, finding):
    """Loads of what is only read take the read-only path."""
    name = case.object_of(finding.access)
    return [Proposal("read-only", finding, Changes(readonly=(name,)), MODELLED)] if name else []


def _fermi(case, finding):
    """Fermi's and Kepler's smaller L1, next to local memory that the launch does not use: the larger one instead."""
    generation, size = case.preset("generation"), case.preset("l1_size_kib")
    if generation not in ("Fermi", "Kepler") or size != 16 or case.result["total"].get("local_memory"):
        return []
    return [Proposal("carve-out", finding, Changes(machine=Machine(("l1_size_kib=48",))), MODELLED)]


def carveout(case, finding):
    """What is read again does not fit next to local memory: less of that."""
    if fermi := _fermi(case, finding):
        return fermi
    choices = case.preset("local_carveouts_kib") or []
    own = (case.main_launch(finding.kernel) or {}).get("carveout_kib") or 0
    smaller = sorted((size for size in choices if size < own), reverse=True)[:1]
    return [Proposal("carve-out", finding, Changes(machine=Machine(carveout=str(size))), MODELLED) for size in smaller]
