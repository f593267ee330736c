"""What Hong and Kim's model and Dasgupta's extension share: warps, the three cases, the cost of barriers."""
from warpscope.explore.models.formulas.values import Part

CASE_TEXT = {"A": "memory and computation need as many warps as are resident: both show",
             "B": "memory-bound: computation is hidden behind memory",
             "C": "compute-bound: only one memory period shows"}


def which_case(mwp, cwp, warps, computation, memory, rule):
    """A, B or C. `literal`: the conditions in the order in which the paper prints them; `strict`: C wherever MWP > CWP."""
    if mwp == warps and cwp == warps:
        return "A"
    if rule == "strict":
        return "C" if mwp > cwp else "B"
    return "B" if cwp >= mwp or computation > memory else "C"


def cycles_of(case, mwp, warps, computation, memory, per_memory_instruction, latency, repetitions):
    """Execution cycles, equations (13) to (15). `per_memory_instruction`: computation cycles between memory instructions."""
    if case == "A":
        return (memory + computation + per_memory_instruction * (mwp - 1)) * repetitions
    if case == "B":
        return (memory * warps / mwp + per_memory_instruction * (mwp - 1)) * repetitions
    return (latency + computation * warps) * repetitions


def active_cores(v):
    """Cores that have work: no more than there are work-groups."""
    return min(v.cores, v.work_groups)


def barrier_cycles(departure, mwp, v, repetitions):
    """Synch_cost of Hong and Kim 2009."""
    return departure * max(mwp - 1, 0.0) * v.barriers * v.groups_per_core * repetitions


def limits(**by_name):
    """(the least value, the name of the first that has it)."""
    name = min(by_name, key=by_name.get)
    return by_name[name], name


def bound_parts(mwp, mwp_limit, cwp, case):
    return [Part("MWP limited by", mwp_limit, "name", ""), Part("case", case, "name", "13-15"),
            Part("CWP over MWP", cwp / mwp if mwp else 0.0, "", "")]


WHAT_HELPS = {
    "latency / departure": "fewer transactions per request (coalescing), or fewer requests: more warps do not help",
    "bandwidth": "fewer bytes: reuse in local memory or registers; bandwidth limits how many warps overlap",
    "resident warps": "more resident warps (fewer registers, less local memory), or more independent loads per warp"}


def advice(case, mwp_limit):
    """What would help, best first."""
    if case == "C":
        return [("fewer or cheaper instructions: memory is hidden already", None)]
    if case == "A":
        return [(WHAT_HELPS["resident warps"], None)]
    return [(WHAT_HELPS[mwp_limit], None)]
