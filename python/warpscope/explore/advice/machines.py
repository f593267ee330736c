"""Changes of how the launch uses the machine: occupancy."""
from warpscope.explore.advice.proposal import ESTIMATED, MODELLED, Proposal

LEAST_REGISTERS = 16


def few_warps(case, finding):
    """Less of what limits the warps of a core: registers, or a carve-out that leaves too little local memory."""
    known = case.residency()
    if known is None:
        return []
    if known["limited_by"] == "registers" and known.get("registers"):
        registers = known["registers"]
        fewer = sorted({max(LEAST_REGISTERS, registers * part // 4 // 8 * 8) for part in (3, 2)}, reverse=True)
        return [Proposal("occupancy", finding, ["--registers", str(number)], ESTIMATED) for number in fewer
                if number < registers]
    if known["limited_by"] == "local memory":
        choices = case.preset("local_carveouts_kib") or []
        own = (case.main_launch() or {}).get("carveout_kib") or 0
        if choices and max(choices) > own:
            return [Proposal("occupancy", finding, ["--carveout", str(max(choices))], ESTIMATED)]
    return []


def read_only(case, finding):
    """Loads of what is only read take the read-only path."""
    name = case.object_of(finding.access)
    return [Proposal("read-only", finding, ["--readonly", name], MODELLED)] if name else []


def _fermi(case, finding):
    """Fermi's and Kepler's smaller L1, next to local memory that the launch does not use: the larger one instead."""
    generation, size = case.preset("generation"), case.preset("l1_size_kib")
    if generation not in ("Fermi", "Kepler") or size != 16 or case.result["total"].get("local_memory"):
        return []
    return [Proposal("carve-out", finding, ["--set", "l1_size_kib=48"], MODELLED)]


def carveout(case, finding):
    """What is read again does not fit next to local memory: less of that."""
    if fermi := _fermi(case, finding):
        return fermi
    choices = case.preset("local_carveouts_kib") or []
    own = (case.main_launch() or {}).get("carveout_kib") or 0
    smaller = sorted((size for size in choices if size < own), reverse=True)[:1]
    return [Proposal("carve-out", finding, ["--carveout", str(size)], MODELLED) for size in smaller]
