"""warpscope model --rank: the order of variants by predicted times."""
from __future__ import annotations

import csv
import math
import pathlib
import sys
from typing import Any, Optional

from warpscope.base import csv_cells, files
from warpscope.base.errors import InputError, printable
from warpscope.base.inputs import is_capture, read_bytes
from warpscope.base.options import FLAG, Option, Options, not_an_option, shown_help
from warpscope.explore.models import output, predictors, rank_table, ranking

OPTIONS = Options(
    Option("--by", "LIST", "predictors with commas between: hong-kim, dasgupta, gpuperf, spt, roofline, or timed (the engine), each on the GPU of\n"
           "--gpu or on its own: gpuperf@c2050,timed@gtx480 (default: all that know --gpu)"),
    Option("--gpu", "GPU", "a machine of models/machines, a GPU preset, or a .json file of your own"),
    Option("--times", "FILE.csv", "measured times: a line variant,NAME,NAME and a line per variant, which is a capture's name without .wtrace"),
    Option("--launch", "N", "which launch of the captures (default: the only one)"),
    Option("--fresh", meaning="simulate the captures, even if an earlier call kept the results", kind=FLAG, rare=True),
    Option("--within", "PERCENT", "times that differ by less count as equal in the sign plot (default 10)", rare=True),
    (Option("--json", "FILE", rare=True),
     Option("--csv", "FILE", "all times; - = standard output, without the text")),
    Option("--chart", "STEM", "STEM-PREDICTOR.png and .svg: the sign of every pair; colour: predicted, number: by the reference"),
    column=20)
HELP = f"""warpscope model --rank: in which order models put variants of a kernel, next to the timed engine and to measured times.

warpscope model --rank CAPTURE CAPTURE... [--by LIST] [--gpu GPU] [--times FILE.csv] [options below]

{OPTIONS.text()}

The reference is the first measured column, else timed, else the first predictor.

Examples:
  warpscope model --rank baseline.wtrace padded.wtrace --gpu gtx480
  warpscope model --rank *.wtrace --by gpuperf@c2050,spt@k40,timed@gtx480 --times measured.csv --chart signs

Exit status: 0; 2 bad input."""

TIMES = "a CSV file: a line variant,NAME and a line per variant with its time"


def parse(words: list[str]) -> tuple[dict[str, Any], list[str]]:
    """(options by name, captures). Raises InputError."""
    options, captures = OPTIONS.read([word for word in words if word != "--rank"],
                                     not_an_option("warpscope model --rank", "warpscope model --rank --help"))
    if len(captures) < 2:
        raise InputError(f"--rank: {len(captures)} capture{'' if len(captures) == 1 else 's'} given, expected two or more variants")
    if options["--json"] == options["--csv"] == "-":
        raise InputError("--json - and --csv -: both are standard output, expected one of them")
    return options, captures


def _variants(captures: list[str]) -> dict[str, str]:
    """{variant: path}. Raises InputError for what is no capture, and for names that are not different."""
    found: dict[str, str] = {}
    for path in captures:
        if not is_capture(path, "a capture"):
            raise InputError(f"{path}: a result, expected captures: models on several GPUs simulate them")
        name = pathlib.Path(path).name.removesuffix(".wtrace")
        if name in found:
            raise InputError(f"{path}: is named like {found[name]}, expected captures of different names")
        found[name] = path
    return found


def _within(text: Optional[str]) -> float:
    try:
        percent = 100 * ranking.WITHIN if text is None else float(text)
    except ValueError:
        percent = math.nan
    if not 0 <= percent < math.inf:
        raise InputError(f"--within {text}: expected percent from 0 on")
    return percent / 100


def read_times(path: str, variants: list[str]) -> dict[str, list[Optional[float]]]:
    """{column: a time per variant, None where the file has none}. Raises InputError."""
    try:
        rows = list(csv.reader(read_bytes(path, TIMES).decode("utf-8").splitlines()))
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a table ({error}), expected {TIMES}") from error
    rows = [row for row in rows if row and not row[0].startswith("#")]
    if not rows or rows[0][0] != "variant" or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise InputError(f"{path}: expected {TIMES}")
    known: dict[str, list[Optional[float]]] = {csv_cells.plain(row[0]): [_time(path, cell) for cell in row[1:]] for row in rows[1:]}
    if not set(known) & set(variants):
        raise InputError(f"{path}: has no time of {variants[0]} or another variant, expected captures' names without .wtrace")
    nothing: list[Optional[float]] = [None] * len(rows[0])
    return {name: [known.get(one, nothing)[at] for one in variants] for at, name in enumerate(rows[0][1:])}


def _time(path: str, cell: str) -> Optional[float]:
    if not cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise InputError(f"{path}: '{cell}' is no time, expected a number above 0")
    return value


def _predictors(options: dict[str, Optional[str]]) -> tuple[list[predictors.Predictor], dict[str, str]]:
    """(predictors, {model: why it is not among them})."""
    if options["--by"]:
        return predictors.listed(options["--by"], options["--gpu"]), {}
    if not options["--gpu"]:
        raise InputError("--rank: no predictors given, expected --gpu GPU, or --by such as gpuperf@c2050,timed@gtx480")
    found, reasons = predictors.every(options["--gpu"])
    if not found:
        raise InputError(f"--gpu {options['--gpu']}: no model knows it ({next(iter(reasons.values()))}), expected --by with others")
    return found, reasons


def ranked(captures: list[str], options: dict[str, Optional[str]]) -> rank_table.Ranking:
    """Simulates and predicts every variant."""
    variants = _variants(captures)
    chosen, reasons = _predictors(options)
    columns: dict[str, list[Optional[float]]] = {one.name: [] for one in chosen}
    missing: dict[str, list[str]] = {}
    measured = read_times(options["--times"], list(variants)) if options["--times"] else {}
    if clash := set(measured) & set(columns):
        raise InputError(f"{options['--times']}: column '{min(clash)}' is named like a predictor, expected another name")
    for path in variants.values():
        for name, value in predictors.predict(path, chosen, options["--launch"], bool(options["--fresh"])).items():
            columns[name].append(None if isinstance(value, str) else value)
            if isinstance(value, str):
                missing.setdefault(f"{name}: {value}", []).append(path)
    units = {**{one.name: one.unit for one in chosen}, **dict.fromkeys(measured, "measured")}
    timed = [one.name for one in chosen if one.model == predictors.TIMED]
    reference = next(iter([*measured, *timed]), chosen[0].name)
    notes = [f"{model}: not applicable: {reason}" for model, reason in reasons.items()]
    notes += [f"{reason} ({len(paths)} of {len(variants)} variants)" for reason, paths in missing.items()]
    return rank_table.Ranking(list(variants), {**columns, **measured}, units, reference, _within(options["--within"]), notes)


def main(words: list[str]) -> int:
    if shown_help(words, HELP, OPTIONS):
        return 0
    options, captures = parse(words)
    found = ranked(captures, options)
    if "-" not in (options["--json"], options["--csv"]):
        for line in rank_table.lines(found):
            print(printable(line))
    if options["--json"]:
        files.write_or_print(options["--json"], output.json_text(rank_table.as_json(found)))
    if options["--csv"]:
        files.write_or_print(options["--csv"], rank_table.csv_text(found))
    if options["--chart"]:
        from warpscope.explore.models import sign_plot
        for path in sign_plot.save_all(found, options["--chart"]):
            print(path, file=sys.stderr if "-" in (options["--json"], options["--csv"]) else sys.stdout)
    return 0
