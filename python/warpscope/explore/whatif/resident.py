"""What an estimate of registers leaves open: one work-group more or less on a core (docs/reference/timed-model.md#work-groups)."""
from warpscope.base import presets
from warpscope.explore import whatif
from warpscope.explore.whatif import more_runs
from warpscope.result import measures, program

LIMIT, REGISTERS = "max_work_groups_per_core", "registers_per_core"


def _groups(result):
    """(how many work-groups a core holds, why that is not known or not open: a phrase, or empty)."""
    listed = program.residency(result)
    if program.machine_code(result):
        return 0, "machine code says its registers"
    if not listed or any(one.get("registers_from") != program.OWN_COUNT for one in listed):
        return 0, "the registers are no estimate"
    limits, counts = {one["limited_by"] for one in listed}, {one["work_groups"] for one in listed}
    if limits != {"registers"}:
        return 0, f"work-groups are limited by {', '.join(sorted(limits - {'registers'}))}"
    return min(counts), "" if len(counts) == 1 else "launches have different numbers of work-groups on a core"


def _changes(groups, gpu):
    """Keys of the GPU with which a core holds one less, and with which it holds one more unless another limit does not let it."""
    more = [f"{LIMIT}={groups + 1}", f"{REGISTERS}={2 * presets.value_of(gpu, REGISTERS)}"]
    return [*([[f"{LIMIT}={groups - 1}"]] if groups > 1 else []), more]


def _run(timed):
    of_timed = measures.timed(timed)
    rate = of_timed["l1_hit_rate"]
    return {"work_groups": min(one["work_groups"] for one in program.residency(timed)), "cycles": of_timed["cycles"], "hit_rate_percent": None if rate is None else 100 * rate}


def of_capture(capture, request, result, work, folder):
    """`resident` of a result.json (cachesim/RESULT.md), which was simulated for `request`. `work`: a budget.Work. Tools write into `folder`; nothing
    is left there."""
    timed = whatif.whole_timed(result)
    groups, why = _groups(result)
    if timed is None:
        why = why or "not all launches were simulated cycle by cycle"
    changes = [] if why else _changes(groups, request.gpu.name)
    if why := why or more_runs.refused(timed, len(changes), work):
        return {"why_not": why, "runs": []}
    runs = [timed, *(run for run in more_runs.each(capture, request, changes, folder) if run)]
    return {"why_not": "", "runs": sorted({run["work_groups"]: run for run in map(_run, runs)}.values(), key=lambda run: run["work_groups"])}
