"""What a launch leaves open whose data stay in the L2: the cycles with as much traffic of the DRAM as a larger launch has, and what the first remedy gains
then (docs/reference/timed-model.md)."""
import pathlib
import tempfile

from warpscope.base import toolchain
from warpscope.explore import whatif
from warpscope.explore.whatif import more_runs
from warpscope.result import accesses, machine, results
from warpscope.run import clocks

CHANGES = ("l2_writes_through=true", "l2_keeps_content=false")


def _most_busy(result, timed):
    """The share of the cycles that the DRAM would be busy if it moved all that the L2 has kept from it; 0 without known rates."""
    timing, used = timed["total"]["timing"], machine.busy(result, timed)
    memory, unit = timing["memory"], accesses.unit_bytes(result)
    moved = memory["dram_read_bytes"] + memory["dram_write_bytes"]
    if used is None or not moved:
        return 0.0
    launches = results.launch_count(result)
    held = launches * sum(buffer["size"] for buffer in result["buffers"] if buffer["space"] in ("global", "constant"))
    written = unit * (memory["l2_store_hits"] + memory["l2_store_misses"] + memory["l2_atomics"])
    read = memory["dram_read_bytes"] + (unit * memory["l2_load_hits"] if launches > 1 else 0)
    return used.dram * (read + max(min(written, held), memory["dram_write_bytes"])) / moved


def _why_not(result, timed):
    """Why there is no other run, in a phrase; empty if there is."""
    if timed is None or "timing" not in timed["total"] or timed["context"].get("timed", {}).get("waves"):
        return "not all launches were simulated cycle by cycle"
    if machine.is_amd(result):
        return clocks.NO_RATES
    busy = _most_busy(result, timed)
    return "" if busy >= machine.BUSY else f"the DRAM would be {100 * busy:.0f} % busy at most"


def _cycles(capture, request, folder):
    """None where the run failed."""
    run, = more_runs.each(capture, request, [CHANGES], folder)
    return run and run["total"]["timing"]["cycles"]


def of_capture(capture, request, result, work, folder):
    """`beyond_l2` of a result.json (cachesim/RESULT.md), which was simulated for `request`. `work`: a budget.Work. Tools write into `folder`; nothing
    is left there."""
    timed = whatif.whole_timed(result)
    why = _why_not(result, timed) or more_runs.refused(timed, 1, work)
    return {"why_not": why, "cycles": None if why else _cycles(capture, request, folder)}


def put_gain(advice, beyond, capture, request, result, work, folder):
    """Puts `beyond_l2` into the gain of the first remedy of `advice`: the cycles before by those after it, where data do not stay in the L2. Only where it
    changes the layout in all launches, and the DRAM may then be busy; `beyond` is what of_capture() says of the launch as it is."""
    timed, first = whatif.whole_timed(result), next(iter(advice["given"]), None)
    if not timed or "timing" not in timed["total"] or not first or first["launches"] != "all" or first["gain"]["measure"] != "cycles" or machine.is_amd(result):
        return
    if first["gain"]["factor"] * _most_busy(result, timed) < machine.BUSY or more_runs.refused(timed, 1, work):
        return
    with tempfile.TemporaryDirectory(prefix="changed.", dir=folder) as files:
        changed = pathlib.Path(files) / "changed.wtrace"
        status, _, _ = toolchain.attempt("trace-change", capture, *first["change"], "-o", changed)
        after = _cycles(changed, request, files) if status == 0 else None
    if after:
        first["gain"]["beyond_l2"] = (beyond["cycles"] or timed["total"]["timing"]["cycles"]) / after
