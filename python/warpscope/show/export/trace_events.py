"""A timed result as trace events (JSON) for Perfetto and chrome://tracing: launches, warps of a core, look-ups of its L1.

The format: "Trace Event Format", Google, 2016, which Perfetto documents as its input "Chrome JSON". Times are microseconds there; here
one of them is one cycle."""
import json

from warpscope.base.errors import InputError, printable
from warpscope.show.page.timeline import shaped

LAUNCHES, CORE = 1, 2                     # processes of the trace
LOOK_UPS = 0                              # thread of the core's counters; warps are threads from 1 on
MOST_LAUNCHES, MOST_OCCUPANCY = 20_000, 20_000  # slices, and steps of occupancy


def _name(process, thread, what, name):
    return {"ph": "M", "pid": process, "tid": thread, "name": what, "args": {"name": name}}


def _slice(process, thread, name, begin, cycles, arguments):
    return {"ph": "X", "pid": process, "tid": thread, "name": name, "cat": "warpscope", "ts": begin, "dur": cycles, "args": arguments}


def _counter(process, name, at, **values):
    return {"ph": "C", "pid": process, "tid": 0, "name": name, "ts": at, "args": values}


def _of_launch(launch):
    """What a launch's slice tells."""
    timing = launch["timing"]
    return {"launch": launch["launch"], "global": "x".join(map(str, launch["global"])), "local": "x".join(map(str, launch["local"])),
            "cycles": timing["cycles"], "warp instructions": timing["warp_instructions"],
            **{f"schedulers, {reason}": cycles for reason, cycles in timing.get("scheduler_cycles", {}).items()},
            **{f"{kind} {counter}": launch[kind][counter] for kind in ("load", "store", "atomic") for counter in ("transactions", "hits", "misses")
               if launch[kind]["requests"]}}


def _launches(timed):
    """(events, launch number -> where it begins). Launches follow each other; the host's time is not known."""
    events = [_name(LAUNCHES, 0, "process_name", "GPU (1 us = 1 cycle)"), _name(LAUNCHES, 1, "thread_name", "launches")]
    begins, at, steps = {}, 0, 0
    for number, launch in enumerate(timed["launches"]):
        begins[launch["launch"]] = at
        cycles = launch["timing"]["cycles"]
        if number < MOST_LAUNCHES:
            events.append(_slice(LAUNCHES, 1, printable(launch["kernel"] or "launch"), at, cycles, _of_launch(launch)))
        for stretch in launch["timing"].get("occupancy") or ():
            if steps < MOST_OCCUPANCY:
                events.append(_counter(LAUNCHES, "warps per core", at + stretch["from"], warps=round(stretch["warps_per_core"], 3)))
                steps += 1
        at += cycles
    if steps:
        events.append(_counter(LAUNCHES, "warps per core", at, warps=0))
    return events, begins


def _warps(line, begin):
    """States of every warp of the recorded core, with its issues as slices of one cycle in them."""
    warps = sorted({one[0] for one in line["stretches"]} | {one[1] for one in line["issues"]})
    events = [_name(CORE, 0, "process_name", f"core {line['core']}, launch {line['launch']}")]
    events += [_name(CORE, warp + 1, "thread_name", f"warp {warp}") for warp in warps]
    for warp, group, first, end, state in line["stretches"]:
        events.append(_slice(CORE, warp + 1, line["states"][state], begin + first, end - first, {"work-group": group}))
    for cycle, warp, memory in line["issues"]:
        events.append(_slice(CORE, warp + 1, "issue, memory" if memory else "issue", begin + cycle, 1, {}))
    return events


def _look_ups(line, begin):
    """Transactions of the core's L1 by cycle; 0 between."""
    events, last = [], None
    for cycle, hits, others in line["look_ups"]:
        if last is not None and cycle > last + 1:
            events.append(_counter(CORE, "L1 look-ups", begin + last + 1, hits=0, others=0))
        events.append(_counter(CORE, "L1 look-ups", begin + cycle, hits=hits, others=others))
        last = cycle
    return events + ([_counter(CORE, "L1 look-ups", begin + last + 1, hits=0, others=0)] if last is not None else [])


def _order(event):
    """By process, thread and time; of slices that begin together the longer is the outer one."""
    return (event["ph"] != "M", event["pid"], event["tid"], event.get("ts", 0), -event.get("dur", 0))


def events(result):
    """The trace as a dictionary. Raises InputError without a timed result."""
    timed = result.get("timed") or (result if "timing" in result["total"] else None)
    if timed is None:
        why = (result.get("clocks") or {}).get("why")
        raise InputError(f"the result has no timed part{f' ({why})' if why else ''}, expected one made with --clock both")
    if "launches" not in timed:
        raise InputError("the timed result has no single launches, expected one below 64 MiB without --launches groups")
    found, begins = _launches(timed)
    line = shaped(timed.get("timeline"), 1 << 60)
    if line is not None:
        begin = begins.get(line["launch"], 0)
        found += [*_warps(line, begin), *_look_ups(line, begin)]
    left_out = max(0, len(timed["launches"]) - MOST_LAUNCHES)
    preset = result["context"].get("preset")
    return {"displayTimeUnit": "ns", "otherData": {"tool": "warpscope", "unit": "1 us = 1 cycle", "gpu": preset["name"] if preset else "",
                                                   "launches_left_out": left_out},
            "traceEvents": sorted(found, key=_order)}


def text(result):
    """The JSON, a line per event."""
    trace = events(result)
    lines = ",\n".join(json.dumps(event, separators=(",", ":")) for event in trace.pop("traceEvents"))
    head = json.dumps(trace)[:-1]
    return f'{head}, "traceEvents": [\n{lines}\n]}}\n'
