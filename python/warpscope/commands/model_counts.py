"""warpscope model --counts: what a capture and its simulation say about a launch, in all the numbers that the models take.

warpscope model --counts CAPTURE --gpu GPU [--launch N] [--fresh] [--json FILE] [--csv FILE]

  --counts CAPTURE  instructions by class, memory instructions by space and width, transactions by size, bank conflicts, occupancy, misses and
                    latencies, parallelism: of the launch, and of a warp
  --gpu GPU         whose warps, coalescing and L1: a machine of models/machines or a GPU preset
  --launch N        which launch (default: the only one)
  --fresh           simulate the capture, even if an earlier call kept the result
  --json FILE, --csv FILE   the same (- = standard output)

Example:
  warpscope model --counts mm.wtrace --gpu c2050

Exit status: 0; 2 bad input.
"""
from __future__ import annotations

import csv
import io
from typing import Any, Optional

from warpscope.base import files
from warpscope.base.errors import InputError, printable
from warpscope.base.inputs import is_capture
from warpscope.explore.models import from_result, front_end, machine, output
from warpscope.result import facts as counted

SINGLE = ("--counts", "--gpu", "--launch", "--json", "--csv")
COLUMNS = ("section", "name", "of_launch", "per_warp", "unit", "origin")


def parse(words: list[str]) -> dict[str, str]:
    """Options by name. Raises InputError."""
    found: dict[str, str] = {}
    queue = list(words)
    while queue:
        word = queue.pop(0)
        name, equals, value = word.partition("=")
        if word == "--fresh":
            found[word] = word
            continue
        if name not in SINGLE:
            raise InputError(f"{word}: not an option of warpscope model --counts; see --counts --help")
        if not equals and not queue:
            raise InputError(f"{word}: has no value, expected one behind it")
        if name in found:
            raise InputError(f"{name}: is given already ({found[name]}), expected it once")
        found[name] = value if equals else queue.pop(0)
    if "--gpu" not in found:
        raise InputError("--counts: whose warps is not given, expected --gpu")
    if found.get("--json") == found.get("--csv") == "-":
        raise InputError("--json - and --csv -: both are standard output, expected one of them")
    return found


def _cells(row: front_end.Row, warps: float) -> dict[str, Any]:
    per_warp = row.of_launch / warps if row.per_warp and row.of_launch is not None else None
    return dict(zip(COLUMNS, (row.section, row.name, row.of_launch, per_warp, row.unit, row.origin)))


def _shown(value: Optional[float]) -> str:
    return "-" if value is None else output.number(value)


def _lines(title: str, cells: list[dict[str, Any]]) -> list[str]:
    widths = [max(len(one["name"]) for one in cells), *(max(len(_shown(one[key])) for one in cells) for key in ("per_warp", "of_launch"))]
    lines, section = [title, f"  {'':<{widths[0]}}  {'per warp':>{max(8, widths[1])}}  {'of the launch':>{max(13, widths[2])}}"], ""
    for one in cells:
        if one["section"] != section:
            section = one["section"]
            lines.append(section)
        lines.append(f"  {one['name']:<{widths[0]}}  {_shown(one['per_warp']):>{max(8, widths[1])}}  {_shown(one['of_launch']):>{max(13, widths[2])}}  "
                     f"{one['unit']}{'; ' if one['unit'] else ''}{one['origin']}".rstrip())
    return lines


def _csv(cells: list[dict[str, Any]]) -> str:
    file = io.StringIO()
    table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(cells)
    return file.getvalue()


def main(words: list[str]) -> int:
    if any(word in ("-h", "--help") for word in words):
        print((__doc__ or "").strip())
        return 0
    options = parse(words)
    path, gpu = options["--counts"], machine.load(options["--gpu"])
    if not is_capture(path, "a capture"):
        raise InputError(f"{path}: a result, expected a capture: only that knows the instructions")
    simulated = from_result.simulated(path, options.get("--launch"), gpu, fresh="--fresh" in options)
    facts = counted.of_result(path, simulated.result, options.get("--launch"))[0]
    simulated.complete(facts)
    cells = [_cells(row, facts.warps) for row in front_end.rows(facts, simulated, gpu)]
    title = f"{facts.label}, {'launch' if facts.launches == 1 else 'each of the launches'} {facts.numbers}, on {gpu.name}: warps of {facts.warp_size}"
    if "-" not in (options.get("--json"), options.get("--csv")):
        for line in _lines(title, cells):
            print(printable(line))
    if "--json" in options:
        files.write_or_print(options["--json"], output.json_text({"schema": output.SCHEMA, "kind": "front end", "kernel": facts.label, "launches": facts.numbers,
                                                                  "gpu": gpu.name, "warp_size": facts.warp_size, "rows": cells}))
    if "--csv" in options:
        files.write_or_print(options["--csv"], _csv(cells))
    return 0
