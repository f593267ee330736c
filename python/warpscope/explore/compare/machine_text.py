"""A comparison of machine code (machine.py) for the terminal, and what fails --fail-if."""
from __future__ import annotations

import dataclasses
import re
from typing import Any, Optional

from warpscope.base.errors import InputError
from warpscope.base.table import aligned
from warpscope.explore.compare import checks, text

SUMMARY = (("registers", "registers"), ("instructions", "instructions"), ("spill_bytes", "spilled bytes"), ("stack_bytes", "stack bytes"),
           ("shared_bytes", "shared bytes"), ("work_groups", "work-groups"))
MOST_LINES = 5
MOST_KERNELS = 8


def _pair(before: Any, after: Any) -> str:
    """24 -> 30 (+25 %); one number where it is the same."""
    if before == after:
        return "-" if after is None else f"{after:,}"
    shown = " -> ".join("-" if value is None else f"{value:,}" for value in (before, after))
    change = text.change_text(before, after) if before and after else ""
    return f"{shown} ({change})" if change else shown


def _summary(kernels: list[dict[str, Any]]) -> list[str]:
    """A row per kernel, with the columns that some kernel has."""
    both = [(row, row["before"] or {}, row["after"] or {}) for row in kernels]
    shown = [(name, title) for name, title in SUMMARY if name in ("registers", "instructions") or
             any((side.get(name) or 0) != 0 for _, *sides in both for side in sides)]
    rows = [["kernel", *(title for _, title in shown)]]
    for row, before, after in both:
        gone = "" if before and after else " (new)" if after else " (gone)"
        rows.append([row["kernel"] + gone, *(_pair(before.get(name), after.get(name)) if before and after else
                                             _pair(*[(before or after).get(name)] * 2) for name, _ in shown)])
    return aligned(rows)


def _changes(before: dict[str, int], after: dict[str, int]) -> list[tuple[str, int, int]]:
    return [(name, before[name], after[name]) for name in after if before[name] != after[name]]


def _access(name: str) -> str:
    """global load, 16 bytes of global_load_16."""
    words = name.split("_")
    return f"{words[0]} {words[1]}" + (f", {words[2]} byte{'s' if words[2] != '1' else ''}" if len(words) > 2 else "")


def _where(row: dict[str, Any]) -> str:
    before, after = row["line_before"], row["line_after"]
    if before is None or after is None:
        return f"{row['file']}:{before or after} ({'new' if before is None else 'gone'})"
    return f"{row['file']}:{after}" if before == after else f"{row['file']}:{before} -> {after}"


def _line(row: dict[str, Any]) -> str:
    before, after = row["before"], row["after"]
    parts = [f"{_access(name)} {one} -> {other}" for name, one, other in _changes(before["accesses"], after["accesses"])]
    if before["spill_stores"] + before["spill_loads"] != after["spill_stores"] + after["spill_loads"]:
        parts.append(f"spills {before['spill_stores'] + before['spill_loads']} -> {after['spill_stores'] + after['spill_loads']}")
    return f"{_where(row)}  {_pair(before['instructions'], after['instructions'])} instructions" + ("; " + ", ".join(parts) if parts else "")


def _details(row: dict[str, Any]) -> list[str]:
    """What changed in one kernel; empty if nothing did."""
    before, after = row["before"], row["after"]
    if not before or not after:
        return []
    counts = [["", "before", "after", ""]]
    for title, name, shown in (("by class", "classes", str), ("accesses", "accesses", _access)):
        changed = _changes(before[name], after[name])
        counts += [[title, "", "", ""]] if changed else []
        counts += [[f"  {shown(what)}", f"{one:,}", f"{other:,}", text.change_text(one, other)] for what, one, other in changed]
    if before["spill_stores"] != after["spill_stores"] or before["spill_loads"] != after["spill_loads"]:
        counts += [["spills", "", "", ""], *([f"  {what}", f"{before[name]:,}", f"{after[name]:,}", text.change_text(before[name], after[name])]
                                             for what, name in (("stores", "spill_stores"), ("loads", "spill_loads")))]
    lines = [f"  {line}" for line in aligned(counts)] if len(counts) > 1 else []
    if row["lines"]:
        lines += ["  lines", *(f"    {_line(one)}" for one in row["lines"][:MOST_LINES])]
        if len(row["lines"]) > MOST_LINES:
            lines.append(f"    … {len(row['lines']) - MOST_LINES} more; --json has them")
    return ["", f"{row['kernel']}", *lines] if lines else []


def _side(side: dict[str, Any]) -> str:
    known = [*side["compilers"], *(f"sm_{number}" for number in side["architectures"])]
    return f"{side['name']} ({', '.join(known)})" if known else side["name"]


def lines(comparison: dict[str, Any]) -> list[str]:
    """The comparison as text."""
    kernels = comparison["kernels"]
    found = [f"{_side(comparison['before'])} -> {_side(comparison['after'])}", "", *_summary(kernels)]
    limits = sorted({side["limited_by"] for row in kernels for side in (row["before"], row["after"]) if side and side.get("limited_by")})
    if limits:
        found.append(f"work-groups that a core holds at once are limited by: {', '.join(limits)}")
    details = [part for row in kernels if (part := _details(row))]
    for part in details[:MOST_KERNELS]:
        found += part
    if len(details) > MOST_KERNELS:
        found += ["", f"{len(details) - MOST_KERNELS} more kernels changed; --kernel NAME or --json shows them"]
    if not details:
        found += ["", "the same instructions, accesses and lines"]
    elif not (comparison["before"]["has_lines"] and comparison["after"]["has_lines"]):
        found += ["", "no source lines: rebuild both with -lineinfo: the code stays the same"]
    return found


def conditions(given: list[str]) -> list[checks.Condition]:
    """Conditions of --fail-if: a number with % is a change, since nothing here is a rate."""
    signed = [re.sub(r"(<=|>=|==|!=|<|>)(\s*)([\d.][^%]*%\s*)$", r"\1\2+\3", one) for one in given]
    return [dataclasses.replace(checks.parse(one, True), given=original) for one, original in zip(signed, given)]


def failures(wanted: list[checks.Condition], comparison: dict[str, Any]) -> list[str]:
    """A line for each condition and kernel that fails. PATH is a key of a kernel, of every kernel, or kernels[NAME].KEY of one."""
    return [line for condition in wanted for row in comparison["kernels"] if (line := _failure(condition, row))]


def _failure(condition: checks.Condition, row: dict[str, Any]) -> Optional[str]:
    path = condition.path
    if path.startswith("kernels["):
        name, _, path = path[len("kernels["):].partition("].")
        if name != row["kernel"]:
            return None
    before, after = row["before"], row["after"]
    if after is None or condition.relative and before is None:
        return None
    line = dataclasses.replace(condition, path=path).failure(after, before)
    return line and line.replace("': it is ", f"': {row['kernel']}: it is ", 1)


def check_names(wanted: list[checks.Condition], comparison: dict[str, Any]) -> None:
    """Raises InputError for kernels[NAME] of a kernel that there is not."""
    names = [row["kernel"] for row in comparison["kernels"]]
    for condition in wanted:
        if condition.path.startswith("kernels["):
            name = condition.path[len("kernels["):].partition("].")[0]
            if name not in names:
                raise InputError(f"--fail-if '{condition.given}': no kernel {name}, expected one of {', '.join(names[:8])}")
