"""What is known of a kernel on the launch file's own contents: its launch, counters, errors and costs. That of a reference is kept by content."""
from __future__ import annotations

import json
from typing import Any, Callable, Mapping, Optional, Sequence

from warpscope.base.errors import ToolFailed
from warpscope.explore.faults import find
from warpscope.explore.judge import costs, reasons
from warpscope.explore.judge.runs import Kernel, Run, sources
from warpscope.run import kept

FORMAT = 2  # of what is kept
Facts = dict[str, Any]  # launch, counters (total and buffers of cachesim's JSON), stopped (a reason or None), errors (faults), cost, bound


def errors_of(ran: Run) -> list[dict[str, Any]]:
    """The errors among a run's faults, those of its capture with them."""
    found = [*ran.faults, *find.of_capture(ran.capture)["faults"]] if ran.capture.exists() else list(ran.faults)
    return [one for one in found if one["level"] == "error"]


def stopped(ran: Run, size: str, values: str, kernel: Kernel) -> Optional[dict[str, Any]]:
    """Why a run has no result; None where it has. Raises ToolFailed for what cannot be traced."""
    if ran.limit:
        return reasons.reason("no-end", f"{kernel.path.name} did not end within {kernel.cpu_seconds} s of a processor (--cpu-seconds)", size, values)
    if ran.other or (ran.launch is None and not ran.faults):  # what cannot be traced may do anything
        raise ToolFailed(3, "\n".join(ran.other) or f"the {kernel.role} left no result")
    return reasons.of_fault(dict(ran.faults[0]), size, values) if ran.launch is None else None


def of_run(ran: Run, kernel: Kernel, size: str, with_errors: bool, with_cost: bool) -> Facts:
    """The facts of a recorded run."""
    why = stopped(ran, size, "", kernel)
    if why:
        return {"launch": None, "counters": None, "stopped": why, "errors": [], "cost": None, "bound": None}
    fixed = costs.simulated(ran.capture, kernel.gpu)
    return {"launch": ran.launch, "counters": {"total": fixed["total"], "buffers": fixed["buffers"]}, "stopped": None,
            "errors": errors_of(ran) if with_errors else [], "cost": costs.of_capture(ran.capture, kernel.gpu, fixed) if with_cost else None,
            "bound": costs.bound(ran.capture, fixed) if with_cost else None}


def made_of(kernel: Kernel) -> list[object]:
    """All that a run of a kernel depends on, but for its size."""
    return [kept.of_tools("trace-kernel", *kept.TOOLS), kept.of_preset(kernel.gpu), kept.of_compilers(kernel.path, kernel.words),
            kept.of_files(sources(kernel.path, kernel.words)), list(kernel.words)]


def of_reference(kernel: Kernel, size: str, words: Sequence[str], make: Callable[[], Facts]) -> Facts:
    """What `make` says of a reference, or said when everything that it depends on was the same."""
    where = kept.folder()
    if where is None:
        return make()
    store = kept.Store(where, kept.MOST_BYTES)
    name = kept.digest("judge", FORMAT, *made_of(kernel), size, list(words))
    known = store.get(name)
    if known is None:
        known = json.dumps(make()).encode()
        try:
            store.put(name, known)
        except OSError:
            pass  # a folder that cannot be written keeps nothing
    found: Facts = json.loads(known)
    return found


def loads_and_writes(counters: Mapping[str, Any]) -> tuple[int, dict[str, int]]:
    """(lanes that load, of any memory; {buffer: lanes that write it})."""
    total = counters["total"]
    loads = sum(total[kind]["lanes"] + sum(space[kind]["lanes"] for space in total["outside_l1"].values()) for kind in ("load", "atomic"))
    return loads, {one["name"]: one["store"]["lanes"] + one["atomic"]["lanes"] for one in counters["buffers"]}
