"""What only machine code shows, each with its evidence: spilled registers, accesses that one wider instruction would make, registers that one more
work-group on a core needs."""
from __future__ import annotations

import collections
import dataclasses
import re
from typing import Any, Iterator, Optional

from warpscope.result import results

LEAST = 0.01  # of the launch's warp instructions, which a fact is about
STACK = "R1"
WIDEST = 16   # bytes of one access
_ACCESS = re.compile(r"(?:@!?U?P\d+ )?(?P<name>(?P<op>LDG|STG|LDS|STS|LDL|STL)(?:\.\w+)*)\s+(?P<operands>.*)")
_ADDRESS = re.compile(r"\[(?P<base>U?R\w+(?:\.\w+)*(?:\+UR\d+)?)?\+?(?P<offset>-?0x[0-9a-f]+)?\]")
_REGISTER = re.compile(r"\bU?R\d+\b")
_TARGET = re.compile(r"(?:BRA|BSSY|CALL\S*|BRX|JMP)\b.*\b0x([0-9a-f]+)")
ENDS = ("branch", "control")
BARRIERS = ("BAR", "MEMBAR", "ATOM", "RED", "WARPSYNC")
TYPES = {8: "float2 or int2", 16: "float4 or int4"}
SPACES = {"LDG": "global", "STG": "global", "LDS": "shared", "STS": "shared", "LDL": "stack", "STL": "stack"}


@dataclasses.dataclass(frozen=True)
class Fact:
    """`weight`: warp instructions that it is about, or that would go. `where`: file:line; "": of the whole kernel."""

    rule: str    # spills, wider-global, wider-shared, registers
    kernel: str
    where: str
    what: str
    weight: int


@dataclasses.dataclass(frozen=True)
class _Access:
    row: dict[str, Any]
    op: str
    base: str
    offset: int
    width: int
    guard: str


def _where(row: dict[str, Any]) -> str:
    return f"{row['file']}:{row['line']}" if row["line"] else ""


def _access(row: dict[str, Any]) -> Optional[_Access]:
    found = _ACCESS.fullmatch(row["text"])
    address = found and _ADDRESS.search(re.sub(r"desc\[[^]]*\]", "", found["operands"]))
    if not found or not address:
        return None
    width = next((bits // 8 for bits in (128, 64) if f".{bits}" in found["name"]), 1 if re.search(r"\.[US]8\b", found["name"]) else
                 2 if re.search(r"\.[US]16\b", found["name"]) else 4)
    return _Access(row, found["op"], address["base"] or "", int(address["offset"] or "0", 16), width, row["text"].partition(" ")[0] if row["text"].startswith("@") else "")


def _written(text: str) -> set[str]:
    """Registers that an instruction may write: its first operands, with those behind them that belong to wide ones."""
    bare = re.sub(r"^@!?U?P\w+ ", "", text)
    name, _, operands = bare.partition(" ")
    if name.split(".")[0] in ("STG", "STS", "STL", "ST", "BRA", "EXIT", "BAR", "RED", "REDG"):
        return set()
    written: set[str] = set()
    for operand in operands.split(", "):
        found = re.fullmatch(r"(U?R)(\d+)(?:\.reuse)?", operand.strip())
        if found:
            count = 4 if ".128" in name else 8 if "MMA" in name and not name.startswith("HFMA2") else 2 if ".64" in name or ".WIDE" in name or name[0] == "D" else 1
            written |= {f"{found[1]}{int(found[2]) + step}" for step in range(count)}
            break
        if not re.fullmatch(r"!?U?P(\d|T)", operand.strip()):
            break
    return written


def _registers(base: str) -> set[str]:
    found = set(_REGISTER.findall(base))
    if ".64" in base:
        found |= {f"{one.rstrip('0123456789')}{int(one.lstrip('UR')) + 1}" for one in set(found)}
    return found


def _segments(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Instructions between which no lane leaves or comes."""
    targets = {int(found[1], 16) for row in rows if (found := _TARGET.search(row["text"]))}
    segment: list[dict[str, Any]] = []
    for row in rows:
        if row["address"] in targets and segment:
            yield segment
            segment = []
        segment.append(row)
        if row["kind"] in ENDS or any(word in row["text"] for word in ("EXIT", "BRA", "BSYNC", "WARPSYNC")):
            yield segment
            segment = []
    if segment:
        yield segment


def _groups(segment: list[dict[str, Any]]) -> Iterator[list[_Access]]:
    """Accesses of one kind from one address register that is not written between them, without what orders memory."""
    open_groups: dict[tuple[str, str, str, int], list[_Access]] = {}
    for row in segment:
        access = _access(row)
        if any(f" {word}" in f" {row['text']}" for word in BARRIERS):
            yield from open_groups.values()
            open_groups = {}
        elif access and access.op in ("LDG", "STG", "LDS", "STS") and access.base and access.width in (4, 8):
            # A store is in the way of loads from the same memory, and loads are in that of stores.
            others = [key for key in open_groups if SPACES[key[0]] == SPACES[access.op] and (key[0][0] != access.op[0] or key[0] == access.op and access.op[0] == "S" and key[1] != access.base)]
            for key in others:
                yield open_groups.pop(key)
            open_groups.setdefault((access.op, access.base, access.guard, access.width), []).append(access)
        written = _written(row["text"])
        for key in [key for key in open_groups if _registers(key[1]) & written]:
            yield open_groups.pop(key)
    yield from open_groups.values()


def _runs(group: list[_Access]) -> Iterator[list[_Access]]:
    """Accesses to neighbouring places, in their order."""
    ordered = sorted(group, key=lambda one: one.offset)
    run = ordered[:1]
    for one in ordered[1:]:
        if one.offset == run[-1].offset + one.width and one.row["inst_executed"] == run[-1].row["inst_executed"]:
            run.append(one)
        elif one.offset != run[-1].offset:
            yield run
            run = [one]
    yield run


def _wider(code: dict[str, Any]) -> Iterator[Fact]:
    found: dict[tuple[str, str, int, int], list[list[_Access]]] = collections.defaultdict(list)
    for segment in _segments(code["instructions"]):
        for group in _groups(segment):
            for run in _runs(group):
                most = min(len(run), WIDEST // run[0].width)
                if most >= 2:
                    together = 4 if most >= 4 else 2
                    found[(run[0].op, _where(run[0].row), run[0].width, together)].append(run)
    for (op, where, width, together), runs in found.items():
        saved = sum((len(run) - len(run) // together - len(run) % together) * run[0].row["inst_executed"] for run in runs)
        count, first = sum(len(run) - len(run) % together for run in runs), runs[0]
        name = f"{op}.{8 * width}" if width > 4 else op
        yield Fact(f"wider-{SPACES[op]}", code["kernel"], where,
                   f"{count} {name} of neighbouring {width} bytes (such as those at 0x{first[0].row['address']:x} and 0x{first[1].row['address']:x}): "
                   f"{count // together} {op}.{8 * width * together} would do, {saved:,} warp instructions less, if the data is aligned to {width * together} bytes "
                   f"({TYPES[width * together]})", saved)


def _spills(code: dict[str, Any]) -> Iterator[Fact]:
    """Where the stack pointer is used for nothing but accesses to the stack, all of these are of spilled registers: an array's address would be computed from it."""
    stack = [access for row in code["instructions"] if (access := _access(row)) and access.op in ("LDL", "STL")]
    if not stack or any(access.base != STACK for access in stack):
        return
    for row in code["instructions"]:
        if re.search(rf"\b{STACK}\b", row["text"]) and _access(row) is None and STACK not in _written(row["text"]):
            return
    places = {access.offset + step for access in stack for step in range(0, access.width, 4)}
    lines = collections.Counter[str]()
    for access in stack:
        lines[_where(access.row)] += access.row["inst_executed"]
    where, _ = lines.most_common(1)[0]
    executed = sum(lines.values())
    moved = sum(access.width * access.row["thread_inst_executed_true"] for access in stack)
    yield Fact("spills", code["kernel"], where, f"{len(places)} registers spilled, {4 * len(places)} bytes of a work-item: {executed:,} warp instructions move {moved:,} bytes, most in this line; "
               "__launch_bounds__ or -maxrregcount with more registers, or fewer values at a time", executed)


def _groups_by_registers(values: dict[str, Any], warps: int, registers: int) -> int:
    """Work-groups that a core's registers hold, as gpus/occupancy.cpp has it for whole warps."""
    partitions = values.get("register_partitions") or 1
    unit = values.get("register_allocation_unit") or 1
    of_warp = -(-registers * 32 // unit) * unit
    return values["registers_per_core"] // partitions // of_warp * partitions // warps


def _one_more_group(code: dict[str, Any], result: dict[str, Any]) -> Iterator[Fact]:
    values = results.preset_values(result)
    own = next((one for one in result["context"]["schedule"]["residency"] if one.get("launch") == code["launch"]), None)
    group = next((one for one in results.launch_groups(result) if one["kernel"] == code["kernel"]), None)
    if own is None or group is None or own.get("limited_by") != "registers" or values.get("register_allocation") != "warp" or not values.get("registers_per_core"):
        return
    warps, registers, held = -(-(group["local"][0] * group["local"][1] * group["local"][2]) // 32), code["registers"], own["work_groups"]
    if _groups_by_registers(values, warps, registers) != held:
        return
    least = next((one for one in range(registers - 1, 15, -1) if _groups_by_registers(values, warps, one) > held), None)
    if least is not None:
        yield Fact("registers", code["kernel"], "", f"{registers} registers: {held} work-groups on a core; with {least} ({registers - least} less, -maxrregcount={least}) registers are enough for "
                   f"{_groups_by_registers(values, warps, least)}", 0)


def of_result(result: dict[str, Any]) -> list[Fact]:
    """The facts about the machine code that a result's launches executed, those about most instructions first; those about few are left out."""
    found: list[Fact] = []
    for code in result.get("instructions") or ():
        whole = sum(row["inst_executed"] for row in code["instructions"])
        facts = [*_spills(code), *_wider(code)]
        found += [fact for fact in facts if whole and fact.weight >= LEAST * whole]
        found += _one_more_group(code, result)
    return sorted(found, key=lambda fact: -fact.weight)


def as_json(fact: Fact) -> dict[str, Any]:
    """Of `facts` in result.json."""
    return {"rule": fact.rule, "where": fact.where, "what": fact.what, "warp_instructions": fact.weight}


def text(fact: Fact, several: bool) -> str:
    """In a line."""
    return f"{fact.where or fact.kernel}{f' {fact.kernel}' if several and fact.where else ''}: {fact.what}"


def lines(result: dict[str, Any], several: bool, most: Optional[int] = None) -> list[str]:
    """A line for each of the first `most`; all without."""
    every = of_result(result)
    shown = [f"Machine code: {text(fact, several)}" for fact in every[:most]]
    if most is not None and len(every) > most:
        shown[-1] += f"; {len(every) - most:,} more in report.txt"
    return shown
