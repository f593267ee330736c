"""What a compiler's choice leaves open: how many iterations of a loop that only loads become one body (docs/reference/timed-model.md)."""
import json

from warpscope.base import toolchain
from warpscope.explore import whatif
from warpscope.explore.whatif import more_runs
from warpscope.result import error_classes, hit_rates, machine, measures, program, results

KEY = "unrolled_iterations"
COUNTS = (1, 2, 4, 16)    # iterations of a body: nvcc 13.0 has up to 16 loads on their way where their number is known (validation/notes/copying-loops.md)
WAITS = 0.7               # of the warp schedulers' cycles that wait for loads, from which on nothing matters more than how many are on their way
OTHERS = ("store", "atomic", "barrier", "fence")  # with which the names of other instructions begin that access or order memory


def _only_loads(number, block):
    """Whether a block is a whole loop whose only accesses are loads: what the timed engine may unroll, and some more."""
    return number in block["successors"] and block["sites"] and not any(name.startswith(OTHERS) for name in block.get("mix", {}))


def _has_loops(capture, result):
    """Whether a kernel of the result has such a loop."""
    first = ",".join(str(group["first"]) for group in results.launch_groups(result))
    status, shown, _ = toolchain.attempt("trace-view", capture, "--partial", "--cfg", "--launch", first, "--json")
    launches = json.loads(shown)["launches"] if status == 0 else []
    return any(_only_loads(number, block) for launch in launches for number, block in enumerate(launch["blocks"]))


def _body(count, timed):
    of_timed = measures.timed(timed)
    rate = of_timed["l1_hit_rate"]
    return {"iterations": count, "cycles": of_timed["cycles"], "hit_rate_percent": None if rate is None else 100 * rate}


def _waits(result):
    """Whether so much of the time is spent waiting for loads that the cycles depend on how many of them are on their way."""
    used = machine.busy(result, result["timed"])
    return used is not None and used.stalls["memory"] >= WAITS


def _why_not(capture, request, result, timed):
    """Why the others are not simulated, in a phrase; empty if they are."""
    if program.machine_code(result):
        return "machine code has the loops that its compiler made"
    if timed is None:
        return "not all launches were simulated cycle by cycle"
    if not any(rate is not None for rate in hit_rates.of_both(result).values()):
        return "nothing was looked up in the L1"
    if any(change.startswith(f"{KEY}=") for change in request.gpu.changes):
        return f"--set {KEY}"
    answers = error_classes.answers_of(result, hit_rates.of_both(result), False)  # stores and private memory do not depend on it
    if error_classes.spread(answers) <= error_classes.ALIKE and not _waits(result):
        return f"neither order nor capacity matters, nor waiting for loads: our answers are within {error_classes.ALIKE} point"
    return "" if _has_loops(capture, result) else "no loop that only loads"


def of_capture(capture, request, result, work, folder):
    """`unrolled` of a result.json (cachesim/RESULT.md), which was simulated for `request`. `work`: a budget.Work. Tools write into `folder`; nothing
    is left there."""
    timed = whatif.whole_timed(result)
    why = _why_not(capture, request, result, timed)
    if why:
        return {"why_not": why, "bodies": []}
    used = timed["context"]["timed"]["unroll"]
    others = [count for count in COUNTS if count != used]
    if why := more_runs.refused(timed, len(others), work):
        return {"why_not": why, "bodies": []}
    runs = more_runs.each(capture, request, [[f"{KEY}={count}"] for count in others], folder)
    bodies = [_body(used, timed), *(_body(count, run) for count, run in zip(others, runs) if run)]
    return {"why_not": "", "bodies": sorted(bodies, key=lambda body: body["iterations"])}
