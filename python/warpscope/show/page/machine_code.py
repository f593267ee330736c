"""Machine code of the result's kernels, instruction by instruction, for the page: what was executed, or what a file has."""
from __future__ import annotations

from typing import Any, Optional, TypedDict

from warpscope.base.errors import InputError, printable
from warpscope.result import code_facts, instructions, results
from warpscope.run.machine_code import COMPILED, Compilation, functions

MOST = 6000  # instructions in a page
NO_COUNTER = 7
LEAST, HIGHEST = 70, 90  # architectures whose instructions are known


class MachineCode(TypedDict):
    """instructions: [address, file, line (0: not known), text, access such as "global load, 16 B", counters that it waits for, counters that
    it sets, cycles until the next, counts, warp cycles]. Counts are of `counters` (name, unit, meaning), null where an instruction has none; empty for
    code that was not executed. Warp cycles: what warps did at it, by its number in `stalls`; empty where nothing was timed."""
    kernel: str
    compiler: str
    architecture: int
    registers: int
    counters: list[tuple[str, str, str]]
    stalls: list[str]
    instructions: list[tuple[int, str, int, str, str, str, str, int, list[int | None], list[tuple[int, int]]]]
    left_out: int
    facts: list[str]


def _row(one: dict[str, Any]) -> list[Any]:
    file, _, line = one["source"].rpartition(":")
    access = one.get("access")
    shown = f"{access['memory']} {access['kind']}" + (f", {access['bytes']} B" if access["bytes"] else "") if access else ""
    waits = ", ".join(str(counter) for counter in range(6) if one["wait_mask"] >> counter & 1)
    sets = ", ".join(str(one[name]) for name in ("read_counter", "write_counter") if one[name] != NO_COUNTER)
    return [one["address"], printable(file), int(line or 0), printable(one["text"]), shown, waits, sets, one["stall"], [], []]


def _shaped(function: dict[str, Any], room: int) -> dict[str, Any]:
    all_of_it = function["instructions"]
    while all_of_it and all_of_it[-1]["text"] == "NOP":
        all_of_it.pop()
    return {"kernel": function["source_name"], "compiler": function["compiler"], "architecture": function["architecture"],
            "registers": function["registers"], "counters": [], "stalls": [], "instructions": [_row(one) for one in all_of_it[:room]], "left_out": max(0, len(all_of_it) - room), "facts": []}


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


def _executed_row(one: dict[str, Any], counters: list[str], stalls: list[str]) -> list[Any]:
    """The control bits of a word are 105 to 125: stall, yield, the counters that it sets, those that it waits for."""
    control = int(one["word"], 16) >> 105
    sets = [control >> 8 & 7, control >> 5 & 7]
    return [one["address"], printable(one["file"]), one["line"], printable(one["text"]), one["kind"].replace("_", " ") if "_" in one["kind"] else "",
            ", ".join(str(counter) for counter in range(6) if control >> 11 >> counter & 1), ", ".join(str(counter) for counter in sets if counter != NO_COUNTER),
            control & 15, [one.get(counter) for counter in counters], [[stalls.index(name), cycles] for name, cycles in one.get("warp_stalls", {}).items()]]


def of_result(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The machine code that a result's launches executed, with its counters."""
    shaped, room, facts = [], MOST, code_facts.of_result(result)
    for code in result.get("instructions") or ():
        counters = [name for name in instructions.COUNTERS if any(one.get(name) for one in code["instructions"])]
        shown = code["instructions"][:room]
        stalls = list(dict.fromkeys(name for one in shown for name in one.get("warp_stalls", ())))
        shaped.append({"kernel": code["kernel"], "compiler": code["compiler"].removeprefix(f"sm_{code['architecture']}, "), "architecture": code["architecture"],
                       "registers": code["registers"], "counters": [[name, *instructions.COUNTERS[name]] for name in counters], "stalls": stalls,
                       "instructions": [_executed_row(one, counters, stalls) for one in shown], "left_out": len(code["instructions"]) - len(shown),
                       "facts": [printable(code_facts.text(fact, False)) for fact in facts if fact.kernel == code["kernel"]]})
        room -= len(shown)
    return shaped
