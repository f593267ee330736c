"""Machine code of the result's kernels, instruction by instruction, for the page."""
from __future__ import annotations

from typing import Any, Optional, TypedDict

from warpscope.base.errors import InputError, printable
from warpscope.result import results
from warpscope.run.machine_code import COMPILED, Compilation, functions

MOST = 6000  # instructions in a page
NO_COUNTER = 7
LEAST, HIGHEST = 70, 90  # architectures whose instructions are known


class MachineCode(TypedDict):
    """instructions: [address, file, line (0: not known), text, access such as "global load, 16 B", counters that it waits for, counters that
    it sets, cycles until the next]."""
    kernel: str
    compiler: str
    architecture: int
    registers: int
    instructions: list[tuple[int, str, int, str, str, str, str, int]]
    left_out: int


def _row(one: dict[str, Any]) -> list[Any]:
    file, _, line = one["source"].rpartition(":")
    access = one.get("access")
    shown = f"{access['memory']} {access['kind']}" + (f", {access['bytes']} B" if access["bytes"] else "") if access else ""
    waits = ", ".join(str(counter) for counter in range(6) if one["wait_mask"] >> counter & 1)
    sets = ", ".join(str(one[name]) for name in ("read_counter", "write_counter") if one[name] != NO_COUNTER)
    return [one["address"], printable(file), int(line or 0), printable(one["text"]), shown, waits, sets, one["stall"]]


def _shaped(function: dict[str, Any], room: int) -> dict[str, Any]:
    all_of_it = function["instructions"]
    while all_of_it and all_of_it[-1]["text"] == "NOP":
        all_of_it.pop()
    return {"kernel": function["source_name"], "compiler": function["compiler"], "architecture": function["architecture"],
            "registers": function["registers"], "instructions": [_row(one) for one in all_of_it[:room]], "left_out": max(0, len(all_of_it) - room)}


def _architecture_of(result: dict[str, Any]) -> Optional[str]:
    """sm_90 of a GPU of compute capability 9.0; None where its instructions are not known."""
    number = str(results.preset_values(result).get("compute_capability", "")).replace(".", "")
    return f"sm_{number}" if number.isdigit() and LEAST <= int(number) <= HIGHEST else None


def _kernels(path: str, result: dict[str, Any]) -> list[dict[str, Any]]:
    """The kernels of the file that the result has; of several architectures that of the result's GPU, if it is among them."""
    wanted = {results.own_name(group) for group in results.launch_groups(result)}
    own = _architecture_of(result)
    every = [one for one in functions(path, Compilation(own)) if one["kernel"]] if path.endswith(COMPILED) else \
        [one for one in functions(path, Compilation()) if one["kernel"]]
    found = [one for one in every if {one["name"], one["source_name"]} & wanted and one["counts"] is not None]
    if not found:
        raise InputError(f"--machine-code {path}: has {', '.join(one['source_name'] for one in every[:5]) or 'no kernels'}, expected a kernel "
                         f"of the result for sm_{LEAST} to sm_{HIGHEST}: {', '.join(sorted(wanted)[:5])}")
    return [one for one in found if f"sm_{one['architecture']}" == own] or found


def of_file(path: str, result: dict[str, Any]) -> list[dict[str, Any]]:
    """The kernels of a file that the result has. Raises InputError where it has none of them."""
    shaped, room = [], MOST
    chosen = _kernels(path, result)
    own = f"sm_{chosen[0]['architecture']}"
    wanted = {one["name"] for one in chosen}
    for one in functions(path, Compilation(own), kernel="all"):
        if one["name"] in wanted:
            shaped.append(_shaped(one, room))
            room = max(0, room - len(shaped[-1]["instructions"]))
    return shaped


def of_compiler(path: str, result: dict[str, Any]) -> list[dict[str, Any]]:
    """The same of what --registers auto compiled; nothing where that has none of the kernels, or instructions that are not known."""
    try:
        return of_file(path, result)
    except InputError:
        return []
