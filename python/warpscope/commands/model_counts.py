"""warpscope model --counts: all that the models ask of a launch, counted."""
from __future__ import annotations

from typing import Any, Optional

from warpscope.base import csv_cells, files
from warpscope.base.errors import InputError, printable
from warpscope.base.inputs import is_capture
from warpscope.base.options import FLAG, Option, Options, not_an_option, shown_help
from warpscope.explore.models import from_result, front_end, machine, output
from warpscope.result import facts as counted

OPTIONS = Options(
    Option("--counts", "CAPTURE", "instructions by class, memory instructions by space and width, transactions by size, bank conflicts, occupancy, misses and\n"
           "latencies, parallelism: of the launch, and of a warp"),
    Option("--gpu", "GPU", "whose warps, coalescing and L1: a machine of models/machines or a GPU preset"),
    Option("--launch", "N", "which launch (default: the only one)"),
    Option("--fresh", meaning="simulate the capture, even if an earlier call kept the result", kind=FLAG, rare=True),
    (Option("--json", "FILE"),
     Option("--csv", "FILE", " the same (- = standard output)", rare=True)),
    column=20)
HELP = f"""warpscope model --counts: what a capture and its simulation say about a launch, in all the numbers that the models take.

warpscope model --counts CAPTURE --gpu GPU [--launch N] [--fresh] [--json FILE] [--csv FILE]

{OPTIONS.text()}

Example:
  warpscope model --counts mm.wtrace --gpu c2050

Exit status: 0; 2 bad input."""

COLUMNS = ("section", "name", "of_launch", "per_warp", "unit", "origin")


def parse(words: list[str]) -> dict[str, Any]:
    """Options by name. Raises InputError."""
    refuse = not_an_option("warpscope model --counts", "--counts --help")
    options, others = OPTIONS.read(words, refuse)
    for word in others:
        refuse(word)
    if not options["--gpu"]:
        raise InputError("--counts: whose warps is not given, expected --gpu")
    if options["--json"] == options["--csv"] == "-":
        raise InputError("--json - and --csv -: both are standard output, expected one of them")
    return options


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


def main(words: list[str]) -> int:
    if shown_help(words, HELP, OPTIONS):
        return 0
    options = parse(words)
    path, gpu = options["--counts"], machine.load(options["--gpu"])
    if not is_capture(path, "a capture"):
        raise InputError(f"{path}: a result, expected a capture: only that knows the instructions")
    simulated = from_result.simulated(path, options["--launch"], gpu, fresh=options["--fresh"])
    facts = counted.of_result(path, simulated.result, options["--launch"])[0]
    simulated.complete(facts)
    cells = [_cells(row, facts.warps) for row in front_end.rows(facts, simulated, gpu)]
    title = f"{facts.label}, {'launch' if facts.launches == 1 else 'each of the launches'} {facts.numbers}, on {gpu.name}: warps of {facts.warp_size}"
    if "-" not in (options["--json"], options["--csv"]):
        for line in _lines(title, cells):
            print(printable(line))
    if options["--json"]:
        files.write_or_print(options["--json"], output.json_text({"schema": output.SCHEMA, "kind": "front end", "kernel": facts.label, "launches": facts.numbers,
                                                                  "gpu": gpu.name, "warp_size": facts.warp_size, "rows": cells}))
    if options["--csv"]:
        files.write_or_print(options["--csv"], csv_cells.table(list(COLUMNS), cells))
    return 0
