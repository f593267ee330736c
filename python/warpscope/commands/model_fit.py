"""warpscope model --fit and --measure: a machine's parameters from micro-benchmarks."""
from __future__ import annotations

import math
from typing import Any, Optional

from warpscope.base import csv_cells, files
from warpscope.base.errors import InputError, printable
from warpscope.base.options import MANY, Option, Options, shown_help
from warpscope.base.table import aligned
from warpscope.explore.fitting import measure, parameters, timings
from warpscope.explore.models import machine, output
from warpscope.explore.models.formulas import catalogue
from warpscope.result import rates

OPTIONS = Options(
    Option("--fit", "MODEL", "hong-kim, dasgupta, gpuperf or spt: which of its machine inputs the timings give (docs/tools/model.md: the columns)"),
    Option("--measure", "MODEL", "first runs the kernel op_chain in the timed engine, on one core of the GPU; with the timings of a real GPU use --fit"),
    Option("--gpu", "GPU", "a GPU preset: its clock and the processors of a core; what --measure simulates"),
    Option("--set", "NAME=VALUE", "with --fit: warp_size, processors (of a core) or dram_latency; with --measure: another value for a key of the preset",
           kind=MANY),
    Option("--csv", "FILE", "--measure: the timings (- = standard output)", rare=True),
    Option("--json", "FILE", "the parameters as a machine file, to be completed and given to warpscope model --gpu (- = standard output)"),
    column=19)
HELP = f"""warpscope model --fit, --measure: a model's parameters of a GPU, from timings of micro-benchmarks.

warpscope model --fit MODEL TIMINGS.csv [--gpu GPU] [--set NAME=VALUE]... [--json MACHINE.json]
warpscope model --measure MODEL --gpu GPU [--set KEY=VALUE]... [--csv TIMINGS.csv] [--json MACHINE.json]

{OPTIONS.text()}

Examples:
  warpscope model --fit dasgupta models/examples/c1060-timings.csv
  warpscope model --measure gpuperf --gpu v100 --csv v100.csv

Exit status: 0; 2 bad input."""

SETTABLE = {"warp_size": 32.0, "processors": math.nan, "dram_latency": 0.0}
COLUMNS = ("operation", "warps", "operations", "cycles", "memory_share")


def _refuse(word: str) -> None:
    raise InputError(f"{word}: expected one file of timings, and options of warpscope model --fit --help")


def parse(words: list[str]) -> tuple[dict[str, Any], list[str], Optional[str]]:
    """(options, --set, the file of timings). Raises InputError."""
    options, sources = OPTIONS.read(words, _refuse)
    for word in sources[1:]:
        _refuse(word)
    changes, source = options["--set"], sources[0] if sources else None
    _check(options, source)
    return options, changes, source


def _check(options: dict[str, Optional[str]], source: Optional[str]) -> None:
    if options["--fit"] and options["--measure"]:
        raise InputError("--fit and --measure: expected one of them; --measure fits what it measured")
    model = options["--fit"] or options["--measure"]
    if model not in parameters.RULES:
        raise InputError(f"{'--fit' if options['--fit'] else '--measure'} {model}: expected one of {', '.join(parameters.RULES)}")
    if (options["--fit"] is None) == (source is not None):
        raise InputError("--fit: no file of timings given, expected one" if options["--fit"] else f"--measure: measures itself, expected no {source}")
    if options["--measure"] and not options["--gpu"]:
        raise InputError("--measure: on which GPU is not given, expected --gpu with a GPU preset")
    if options["--csv"] == options["--json"] == "-":
        raise InputError("--json - and --csv -: both are standard output, expected one of them")


def _given(options: dict[str, Optional[str]], changes: list[str], gpu: Optional[machine.Machine]) -> dict[str, float]:
    """What the rules need besides the curves."""
    given = dict(SETTABLE)
    if gpu is not None:
        for name, key in (("warp_size", "warp_size"), ("processors", "fp32_per_cycle")):
            value = gpu.of_preset(key)
            given[name] = given[name] if value is None else float(value)
    if options["--measure"]:
        return given
    for word in changes:
        name, _, text = word.partition("=")
        if name not in SETTABLE or not text.replace(".", "", 1).isdecimal() or float(text) <= 0:
            raise InputError(f"--set {word}: expected {' or '.join(f'{known}=NUMBER' for known in SETTABLE)}")
        given[name] = float(text)
    return given


def csv_text(found: list[timings.Timing]) -> str:
    """Timings as --fit reads them."""
    return csv_cells.text([COLUMNS, *([getattr(one, name) for name in COLUMNS] for one in found)])


def as_machine(model: str, found: list[parameters.Parameter], source: str, gpu: Optional[machine.Machine]) -> dict[str, Any]:
    """A machine file with the section of the model: what was fitted, and the clock that the preset knows."""
    units = {spec.name: spec.unit for spec in catalogue.MODELS[model].INPUTS}
    section = {one.name: {"value": one.value, "unit": units[one.name], "source": f"fit of {source}", "status": "measured", "note": one.how} for one in found}
    clock = gpu.of_preset("core_clock_mhz") if gpu else None
    if clock is not None and gpu is not None:
        section["clock"] = {"value": clock, "unit": "MHz", "source": f"GPU preset {gpu.preset_name}"}
    return {"description": f"fitted by warpscope model --fit {model}; not complete: see models/README.md",
            **({"preset": gpu.preset_name} if gpu and gpu.preset_name else {}), model: section}


def _lines(model: str, source: str, curves: dict[str, timings.Fitted], found: list[parameters.Parameter]) -> list[str]:
    def shown(value: Optional[float]) -> str:
        return "-" if value is None else output.number(round(value, 4))

    rows = [["operation", "latency", "cycles", "inflection", "points", "largest error"]]
    rows += [[name, shown(one.curve.latency), shown(one.curve.cycles), shown(one.curve.inflection), str(one.curve.points),
              rates.percent_text(one.curve.error, 1)] for name, one in curves.items()]
    lines = [f"{source}: cycles until a result, cycles of a core per operation of a warp, operations in flight at which both are equal"]
    lines += [f"  {line}" for line in aligned(rows)]
    units = {spec.name: spec.unit for spec in catalogue.MODELS[model].INPUTS}
    lines += ["", f"Inputs of {model}"] + [f"  {one.name:<22}{shown(one.value):>10}  {units[one.name]:<18}  {one.how}" for one in found]
    reasons = parameters.missing(model, curves, found)
    return lines + [f"  {name:<22}{'-':>10}  {reason}" for name, reason in reasons.items()]


def main(words: list[str]) -> int:
    if shown_help(words, HELP, OPTIONS):
        return 0
    options, changes, source = parse(words)
    model = str(options["--fit"] or options["--measure"])
    gpu = machine.load(options["--gpu"]) if options["--gpu"] else None
    given = _given(options, changes, gpu)
    if options["--measure"] and gpu is not None:
        runs, name = measure.timings(model, gpu, changes), f"timed engine, {gpu.name}{''.join(f', {change}' for change in changes)}"
    else:
        runs, name = timings.read(str(source)), str(source)
    curves = timings.fitted(name, runs)
    found = [one for one in parameters.of_model(model, curves, given) if not math.isnan(one.value)]
    if "-" not in (options["--csv"], options["--json"]):
        for line in _lines(model, name, curves, found):
            print(printable(line))
    if options["--csv"]:
        files.write_or_print(options["--csv"], csv_text(runs))
    if options["--json"]:
        files.write_or_print(options["--json"], output.json_text(as_machine(model, found, name, gpu)))
    return 0
