"""warpscope compare-ncu: puts counters that a profiler measured next to simulated ones, by kernel and launch."""
import json
import sys

from warpscope.base import csv_cells, files
from warpscope.base.errors import InputError, printable
from warpscope.base.inputs import complete, read_bytes
from warpscope.base.options import FLAG, MANY, Option, Options, shown_help, unknown_option
from warpscope.base.table import aligned
from warpscope.commands import diff as command
from warpscope.explore.compare import measured
from warpscope.result import counter_names, results
from warpscope.result.counter_names import shortest
from warpscope.result.error_statistics import largest_absolute, mean_absolute

OPTIONS = Options(
    Option("--launches", meaning="a table for each launch, not only one for each kernel", kind=FLAG),
    Option("--csv", "FILE", "all rows as CSV (- = standard output; the tables then go to standard error)"),
    Option("--json", "FILE", "all rows as JSON"),
    "Of a capture:",
    Option("--gpu", "GPU", "a name or a .json file (default: $WARPSCOPE_GPU, else as warpscope)", hidden="--preset"),
    (Option("--clock", "CLOCK", default="auto", rare=True),
     Option("--set", "KEY=VALUE", kind=MANY, rare=True),
     Option("--carveout", "KIB", rare=True),
     Option("--launch", "LIST", rare=True),
     Option("--kernel", "NAME[,NAME]", " as warpscope", rare=True)))
HELP = f"""Puts counters that a profiler measured next to simulated ones, by kernel and launch.

warpscope compare-ncu RUN.csv RESULT [options]

RUN.csv is what `ncu --csv` (page details or raw) or `nvprof --csv` (with --metrics, --events; also with --print-gpu-trace) wrote.
RESULT is a result.json of the same program, or a capture of it, which is simulated. The n-th launch of a kernel is compared with its
n-th launch there.

{OPTIONS.text()}

Examples:
  warpscope compare-ncu ncu.csv warpscope-app/result.json
  warpscope compare-ncu nvprof.csv app.wtrace --gpu v100 --clock both
  warpscope compare-ncu ncu.csv warpscope-app/result.json --csv - | column -s, -t

Exit status: 0; 2 bad input; 3 a launch does not fit the GPU."""

EXPECTED = "what ncu --csv or nvprof --csv wrote"
COLUMNS = ("kernel", "launch", "metric", "unit", "measured", "fixed", "fixed_error", "timed", "timed_error", "error_unit")


def _number(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def _error(error, unit):
    if error is None:
        return "-"
    return f"{error:+.2f} points" if unit == "%" else f"{error:+.2f} %"


def _has_timed(rows):
    return any(row.timed is not None for row in rows)


def launch_table(rows):
    """Metric, measured, simulated and error, of one launch."""
    timed = _has_timed(rows)
    head = ["metric", "measured", "fixed order", "error", *(("timed", "error") if timed else ())]
    lines = [head]
    for row in rows:
        cells = [row.metric, _number(row.measured), _number(row.fixed), _error(row.error("fixed"), row.unit)]
        lines.append([*cells, _number(row.timed), _error(row.error("timed"), row.unit)] if timed else cells)
    return aligned(lines)


def kernel_table(rows):
    """Metric, number of launches, mean |error| and the worst error of a kernel's launches."""
    timed = _has_timed(rows)
    lines = [["metric", "launches", "fixed order, mean |error|", "worst", *(("timed, mean |error|", "worst") if timed else ())]]
    for metric in dict.fromkeys(row.metric for row in rows):
        own = [row for row in rows if row.metric == metric]
        unit = own[0].unit
        cells = [metric, str(len(own))]
        for engine in ("fixed", "timed") if timed else ("fixed",):
            errors = [row.error(engine) for row in own]
            cells += [_error(mean_absolute(errors), unit).lstrip("+"), _error(largest_absolute(errors), unit).lstrip("+")]
        lines.append(cells)
    return aligned(lines)


def text_of(rows, notes, unknown, each):
    """Lines: a table by kernel (of a single launch with its values), and what was not compared."""
    by_kernel = {}
    for row in rows:
        by_kernel.setdefault(row.kernel, {}).setdefault(row.launch, []).append(row)
    for kernel, launches in by_kernel.items():
        count = len(launches)
        if count > 1:
            yield f"{kernel}, {count:,} launches"
            yield from kernel_table([row for own in launches.values() for row in own])
            yield ""
        for number, own in launches.items() if count == 1 or each else ():
            yield f"{kernel}, mean of its launches" if number is None else f"{kernel}, launch {number}"
            yield from launch_table(own)
            yield ""
    yield from notes
    if unknown:
        shown = ", ".join(unknown[:8]) + (f", … {len(unknown) - 8} more" if len(unknown) > 8 else "")
        yield f"Measured, not simulated: {shown}"


def as_dictionaries(rows):
    return [{"kernel": row.kernel, "launch": row.launch, "metric": row.metric, "unit": row.unit, "measured": row.measured,
             "fixed": row.fixed, "fixed_error": row.error("fixed"), "timed": row.timed, "timed_error": row.error("timed"),
             "error_unit": "points" if row.unit == "%" else "%"} for row in rows]


def csv_text(rows):
    """All rows; empty cells for what is not known, an empty launch for a mean."""
    def shown(name, cell):
        return "" if cell is None else f"{cell:.4f}" if name.endswith("_error") else shortest(cell) if isinstance(cell, float) else cell

    return csv_cells.text([COLUMNS, *([shown(name, row[name]) for name in COLUMNS] for row in as_dictionaries(rows))])


def parse(words):
    """(CSV file, result or capture, options, whether each launch is shown)."""
    values, inputs = OPTIONS.read(words, unknown_option(OPTIONS, "--help explains them"))
    if len(inputs) != 2:
        raise InputError(f"{len(inputs)} inputs given, expected two, warpscope compare-ncu RUN.csv RESULT; --help has examples")
    for name in ("--csv", "--json"):
        files.check_output(name, values[name])
    return *inputs, values, values["--launches"]


def run(words):
    """warpscope compare-ncu: prints and writes the comparison, returns the exit status."""
    if shown_help(words, HELP, OPTIONS):
        return 0
    path, source, values, each = parse(words)
    profiler, profiled = counter_names.parse(counter_names.text_of(read_bytes(path, EXPECTED)), path)
    (result,), status = command.load([source], values)
    with complete(source, results.EXPECTED):
        rows, notes, unknown = measured.compare(profiler, profiled, result)
    if not rows:
        raise InputError(f"{path}: nothing in common with {source}: {notes[0] if notes else 'no launches'}"
                         + (f"; measured are {', '.join(unknown[:4])}" if unknown else "")
                         + "; expected a launch of the same kernels, with metrics by name (docs/tools/diff.md)")
    lines = "\n".join(printable(line) for line in text_of(rows, notes, unknown, each)).rstrip()
    print(lines, file=sys.stderr if "-" in (values["--csv"], values["--json"]) else sys.stdout)
    if values["--csv"]:
        files.write_or_print(values["--csv"], csv_text(rows))
    if values["--json"]:
        content = {"schema": 1, "profiler": profiler, "rows": as_dictionaries(rows), "notes": notes, "not_simulated": unknown}
        files.write_or_print(values["--json"], json.dumps(content, indent=1) + "\n")
    return status
