"""The beginning of a launch on core 0, warp by warp, for the page: what cachesim timed --timeline recorded."""
from typing import TypedDict

from warpscope.run.clocks import TIMELINE as CYCLES

NUMBERS = {"stretches": 5, "issues": 3, "look_ups": 3}  # of an entry


class Timeline(TypedDict):
    """stretches: [warp, work-group, from, to, number of the state]; issues: [cycle, warp, 1 for memory]; look_ups: [cycle, hits, other
    transactions]; each in order."""
    launch: int
    core: int
    cycles: int
    states: list[str]
    stretches: list[tuple[int, int, int, int, int]]
    issues: list[tuple[int, int, int]]
    look_ups: list[tuple[int, int, int]]


def _rows(text, width):
    numbers = list(map(int, text.split()))
    return [numbers[at:at + width] for at in range(0, len(numbers), width)]


def shaped(recorded, cycles=CYCLES):
    """The first `cycles` of what was recorded; None of None."""
    if recorded is None:
        return None
    rows = {name: _rows(recorded[name], width) for name, width in NUMBERS.items()}
    last = min(cycles, recorded["cycles"])
    stretches = sorted([warp, group, begin, min(to, last), state] for warp, group, begin, to, state in rows["stretches"] if begin < last)
    return {"launch": recorded["launch"], "core": recorded["core"], "cycles": last, "states": recorded["states"], "stretches": stretches,
            "issues": [one for one in rows["issues"] if one[0] < last], "look_ups": [one for one in rows["look_ups"] if one[0] < last]}
