"""What changed between the machine code of two builds, as a dictionary: the JSON of warpscope diff --machine, which its text shows."""
from __future__ import annotations

import collections
import pathlib
from typing import Any, Optional, Sequence

from warpscope.base.errors import InputError
from warpscope.explore.compare import sources

SCHEMA = 1
RESOURCES = ("registers", "stack_bytes", "shared_bytes", "constant_bytes")
COUNTS = ("classes", "accesses")


def _access_name(one: dict[str, Any]) -> str:
    """global_load_16: the memory, what is done, bytes of a lane; a texture's are not known."""
    return f"{one['memory']}_{one['kind']}" + (f"_{one['bytes']}" if one["bytes"] else "")


def _counts(one: dict[str, Any]) -> dict[str, Any]:
    """Counts of a function or a line, flat enough for --fail-if."""
    accesses: dict[str, int] = collections.Counter()
    for access in one["accesses"]:
        accesses[_access_name(access)] += access["instructions"]
    spills = one["spills"]
    return {"instructions": one["instructions"], "spill_stores": spills["stores"], "spill_loads": spills["loads"],
            "spill_bytes": spills["store_bytes"] + spills["load_bytes"], "classes": dict(one["classes"]), "accesses": dict(accesses)}


def facts(function: dict[str, Any]) -> dict[str, Any]:
    """Of a function of machine-code --json."""
    found = {**{name: function[name] for name in RESOURCES}, **_counts(function["counts"])}
    if "residency" in function:
        found["work_groups"] = function["residency"]["work_groups"]
        found["limited_by"] = function["residency"]["limited_by"]
    return found


def _names(functions: list[dict[str, Any]]) -> list[str]:
    """As the source calls them; overloaded ones by their symbols."""
    symbols = collections.defaultdict(set)
    for one in functions:
        symbols[one["source_name"]].add(one["name"])
    return [one["source_name"] if len(symbols[one["source_name"]]) == 1 else one["name"] for one in functions]


def _named(functions: list[dict[str, Any]], path: str) -> dict[str, dict[str, Any]]:
    """Functions by name; with the architecture or the file where several have one name."""
    found: dict[str, dict[str, Any]] = {}
    names = _names(functions)
    by_name = collections.Counter(names)
    several_files = len({one["file"] for one in functions}) > 1
    for one, name in zip(functions, names):
        if by_name[name] > 1:
            name = f"{one['file']}:{name}" if several_files else name
            name = f"{name} (sm_{one['architecture']})"
        if name in found:
            raise InputError(f"{path}: has several {name}, expected one; --arch sm_NN selects an architecture")
        found[name] = one
    return found


def _pairs(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[Optional[str], Optional[str]]]:
    """Names before and after: the same ones; the others in order, where both have equally many of them."""
    left, right = [name for name in before if name not in after], [name for name in after if name not in before]
    if len(left) == len(right):
        other = dict(zip(left, right))
        return [(name, other.get(name, name)) for name in before]
    return [(name, name if name in after else None) for name in before] + [(None, name) for name in right]


def _fill(before: dict[str, Any], after: dict[str, Any]) -> None:
    """What one side does not have is 0 there."""
    for part in COUNTS:
        for name in sorted({*before[part], *after[part]}):
            before[part].setdefault(name, 0)
            after[part].setdefault(name, 0)


class Lines:
    """Which line is which: through the difference of two texts where both are known, else by its number. Files by their names; a single
    file on each side that the other does not have is a pair."""

    def __init__(self, before: list[dict[str, Any]], after: list[dict[str, Any]], texts: Sequence[pathlib.Path] = ()) -> None:
        """Of functions with counts. `texts`: the sources before and after."""
        left, right = _files(before), _files(after)
        self.other = {name: name for name in left & right}
        if len(left - right) == len(right - left) == 1:
            self.other[next(iter(left - right))] = next(iter(right - left))
        self.source = texts[0].name if texts else ""
        self.map = sources.line_map(*(path.read_text(encoding="utf-8", errors="replace") for path in texts)).lines if texts else {}

    def after(self, file: str, line: int) -> Optional[tuple[str, int]]:
        """None: the line is gone."""
        other = self.map.get(line) if file == self.source else line
        return None if other is None or file not in self.other else (self.other[file], other)


def _files(functions: list[dict[str, Any]]) -> set[str]:
    return {pathlib.PurePath(line["file"]).name for one in functions for line in one["counts"]["lines"]}


def _by_line(function: Optional[dict[str, Any]]) -> dict[tuple[str, int], dict[str, Any]]:
    """Counts by file and line; a file that was reached by two paths is one."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for line in function["counts"]["lines"] if function else ():
        place = (pathlib.PurePath(line["file"]).name, line["line"])
        counts = _counts(line)
        if place in found:
            known = found[place]
            for name, value in counts.items():
                known[name] = dict(collections.Counter(known[name]) + collections.Counter(value)) if name in COUNTS else known[name] + value
        else:
            found[place] = counts
    return found


def _nothing() -> dict[str, Any]:
    return _counts({"instructions": 0, "classes": {}, "accesses": [], "spills": {"stores": 0, "loads": 0, "store_bytes": 0, "load_bytes": 0}})


def _lines(before: Optional[dict[str, Any]], after: Optional[dict[str, Any]], mapped: Lines) -> list[dict[str, Any]]:
    """Lines whose counts differ, the largest change of instructions first."""
    old, new = _by_line(before), _by_line(after)
    pairs = [(place, mapped.after(*place)) for place in sorted(old)]
    taken = {other for _, other in pairs}
    rows = []
    for place, other in [*pairs, *((None, place) for place in sorted(new) if place not in taken)]:
        one, two = old[place] if place else _nothing(), new.get(other) or _nothing() if other else _nothing()
        _fill(one, two)
        if one != two:
            rows.append({"file": (other or place)[0], "line_before": place[1] if place else None, "line_after": other[1] if other else None,
                         "before": one, "after": two})
    return sorted(rows, key=lambda row: -abs(row["after"]["instructions"] - row["before"]["instructions"]))


def _side(path: str, functions: list[dict[str, Any]], kernels: dict[str, Any]) -> dict[str, Any]:
    return {"name": path, "compilers": sorted({one["compiler"] for one in functions if one["compiler"]}),
            "architectures": sorted({one["architecture"] for one in functions}), "kernels": len(kernels),
            "has_lines": any(one["counts"]["lines"] for one in functions)}


def between(before: list[dict[str, Any]], after: list[dict[str, Any]], names: tuple[str, str],
            texts: Sequence[pathlib.Path] = ()) -> dict[str, Any]:
    """The comparison of functions of machine-code --json; `texts`: their sources before and after. Raises InputError where their instructions
    are not known."""
    for one in (*before, *after):
        if one["counts"] is None:
            raise InputError(f"{one['file']}: code for sm_{one['architecture']}, expected sm_70 to sm_90, whose instructions are known")
    mapped = Lines(before, after, texts)
    old, new = _named(before, names[0]), _named(after, names[1])
    kernels = []
    for one, other in _pairs(old, new):
        sides = [facts(old[one]) if one else None, facts(new[other]) if other else None]
        if sides[0] and sides[1]:
            _fill(*sides)
        renamed = {"renamed_from": one} if one and other and one != other else {}
        kernels.append({"kernel": other or one, **renamed, "before": sides[0], "after": sides[1],
                        "lines": _lines(old[one] if one else None, new[other] if other else None, mapped)})
    return {"schema": SCHEMA, "before": _side(names[0], before, old), "after": _side(names[1], after, new), "kernels": kernels}
