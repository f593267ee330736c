"""What is judged: a launch in several sizes, which of its buffers are inputs and outputs, and what is put into them."""
from __future__ import annotations

import dataclasses
import math
import json
import pathlib
from typing import Any, Mapping, Optional, Sequence

from warpscope.base import toolchain
from warpscope.base.errors import InputError
from warpscope.explore.judge import contents
from warpscope.explore.judge.facts import loads_and_writes

OWN, ODD = "default", "odd"  # names of sizes: what the launch file says outside of its sizes, and an odd number of work-groups
MOST_IN_ONE = 4096.0  # FACTOR times its root is a sixteenth of half precision's rounding in units of single precision
ODD_COUNTS = {1: (5, 7, 9, 11, 13), 2: (3, 5, 7), 3: (3, 5)}  # by dimensions with several
KINDS = ("load", "store", "atomic")


@dataclasses.dataclass(frozen=True)
class Size:
    """`words`: for trace-kernel, of the reference and of the candidate."""

    name: str
    reference: Sequence[str]
    candidate: Sequence[str]


@dataclasses.dataclass(frozen=True)
class Buffer:
    """A buffer of the problem. `is_output`: the reference writes it; `is_pure`: and reads it nowhere, so that its content before the launch is
    nobody's business."""

    argument: Mapping[str, Any]
    is_output: bool
    is_pure: bool

    @property
    def name(self) -> str:
        return str(self.argument["name"])


def launch_sizes(launch_file: Optional[pathlib.Path]) -> list[str]:
    """The names of the launch file's sizes."""
    if launch_file is None:
        return []
    status, text, messages = toolchain.attempt("launch-file", launch_file)
    if status != 0:
        raise InputError(messages.strip().removeprefix("launch-file: "))
    return list(json.loads(text)["sizes"])


def _scaled(launch: Mapping[str, Any], groups: Sequence[int]) -> list[str]:
    """The words that make a launch have these numbers of work-groups."""
    return ["--global", ",".join(str(count * local) for count, local in zip(groups, launch["local"])),
            "--local", ",".join(map(str, launch["local"]))]


def group_counts(launch: Mapping[str, Any]) -> list[int]:
    return [whole // local for whole, local in zip(launch["global"], launch["local"])]


def odd_size(base: Size, reference: Mapping[str, Any], candidate: Mapping[str, Any], draw: Any) -> Optional[Size]:
    """A size with an odd number of work-groups in each dimension in which `base` has several, other than its own. `reference`, `candidate`: the launches
    of `base`. None where the candidate's work-groups do not scale with the reference's."""
    old, own = group_counts(reference), group_counts(candidate)
    allowed = ODD_COUNTS[max(sum(count > 1 for count in old), 1)]
    for _ in range(16):
        groups = [count if count == 1 else int(draw.choice([one for one in allowed if one != count])) for count in old]
        if all(count * new % was == 0 and count * new // was > 0 for count, new, was in zip(own, groups, old)):
            others = [count * new // was for count, new, was in zip(own, groups, old)]
            return Size(ODD, [*base.reference, *_scaled(reference, groups)], [*base.candidate, *_scaled(candidate, others)])
    return None


def buffers_of(launch: Mapping[str, Any], counters: Mapping[str, Any]) -> list[Buffer]:
    """The buffers of a launch, with what its counters say of them."""
    lanes = {one["name"]: {kind: one[kind]["lanes"] + sum(space[kind]["lanes"] for space in one["outside_l1"].values()) for kind in KINDS}
             for one in counters["buffers"]}
    found = []
    for argument in launch["arguments"]:
        if argument["kind"] == "buffer" and not argument.get("null"):
            counts = lanes.get(argument["name"], dict.fromkeys(KINDS, 0))
            writes = counts["store"] + counts["atomic"] > 0
            found.append(Buffer(argument, writes, writes and counts["load"] + counts["atomic"] == 0))
    return found


def drawn_inputs(buffers: Sequence[Buffer], values: str, seed: str, size: str, nudge: int = 0) -> dict[str, bytes]:
    """{name: content} of the buffers that are drawn, and of outputs, which hold nothing that a kernel could know. `nudge`: 0 as drawn; else the
    same with other last bits, those of floats of 32 and 64 bits."""
    found: dict[str, bytes] = {}
    for one in buffers:
        draw = contents.generator(seed, size, values, one.name)
        if one.is_pure:
            found[one.name] = contents.poison(dict(one.argument), draw)
        elif contents.is_drawn(dict(one.argument)) or (one.is_output and values == "structured" and contents.is_sum(dict(one.argument))):
            array = contents.drawn(dict(one.argument), values, draw)
            if nudge and array.dtype.kind == "f" and array.dtype.itemsize >= 4:
                array = contents.nudged(array, contents.generator(seed, size, values, one.name, "nudge", nudge))
            found[one.name] = array.tobytes()
    return found


def can_be_nudged(buffers: Sequence[Buffer]) -> bool:
    """Whether nudged contents are other ones."""
    kinds = (contents.number_type(one.argument["element"]) for one in buffers if not one.is_pure and contents.is_drawn(dict(one.argument)))
    return any(kind in ("f4", "f8") for kind in kinds)


def terms_of(counters: Mapping[str, Any], buffers: Sequence[Buffer], launch: Mapping[str, Any]) -> float:
    """Of how many numbers one number of an output may be made: what a kernel loads, of any memory, for each number that it writes, or more, up to
    MOST_IN_ONE: in each work-item, or in each work-group if that shares local memory, whose sum may be in many outputs."""
    loads, written = loads_and_writes(counters)
    stores = 0
    for buffer in buffers:
        if buffer.is_output:
            element = buffer.argument["element"]
            numbers = buffer.argument["bytes"] * max(element["lanes"], 1) // max(element["bytes"], 1)
            stores += min(numbers, written.get(buffer.name, numbers) * max(element["lanes"], 1))
    items, of_group = math.prod(launch["global"]), math.prod(launch["local"])
    is_shared = counters["total"]["outside_l1"]["local"]["load"]["lanes"] > 0
    return max(1.0, loads / max(stores, 1), min(loads / items * (of_group if is_shared else 1), MOST_IN_ONE))
