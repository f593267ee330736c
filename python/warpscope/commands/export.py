"""warpscope export: writes a result in another form."""
import pathlib
import tempfile

from warpscope.base import files, third_party
from warpscope.base.errors import InputError
from warpscope.base.inputs import complete, is_capture
from warpscope.base.options import MANY, Option, Options, shown_help, unknown_option
from warpscope.commands import diff as comparing
from warpscope.explore.compare import profiler_csv
from warpscope.result import instructions, results
from warpscope.show import report
from warpscope.show.export import long_csv, trace_events

OPTIONS = Options(
    Option("--format", "FORMAT", "csv         one value per line: clock, part, kernel, launch, name, source, counter, value, unit\n"
           "trace-json  trace events for Perfetto: launches, warps of a core, look-ups of its L1; 1 us = 1 cycle\n"
           "ncu-csv     counters as `ncu --page raw --csv` prints them (compute capability 7.0 and later)\n"
           "nvprof-csv  nvprof's counters in the same form (2.0 to 7.2)\n"
           "png, svg    every chart, as files of a folder; some need a capture"),
    Option("--output", "FILE", "where it goes (default - = standard output; of charts the folder, default charts)", alias="-o"),
    "Of a capture, which is simulated first:",
    Option("--gpu", "GPU", "a name or a .json file (default: $WARPSCOPE_GPU, else as warpscope)", hidden="--preset"),
    (Option("--clock", "CLOCK", default="auto", rare=True),
     Option("--set", "KEY=VALUE", kind=MANY, rare=True),
     Option("--carveout", "KIB", rare=True),
     Option("--launch", "LIST", rare=True),
     Option("--kernel", "NAME[,NAME]", " as warpscope", rare=True)))
HELP = f"""Writes a result in another form.

warpscope export RESULT|CAPTURE --format FORMAT [-o FILE]

{OPTIONS.text()}

Examples:
  warpscope export warpscope-mm/result.json --format csv -o mm.csv
  warpscope export mm.wtrace --gpu h100 --format trace-json -o mm.trace.json
  warpscope export mm.wtrace --gpu h100 --format svg -o charts

Exit status: 0; 2 bad input; 3 a launch does not fit the GPU."""

TEXTS = {"csv": long_csv.text, "trace-json": trace_events.text, "ncu-csv": lambda result: profiler_csv.text(result, "ncu"),
         "nvprof-csv": lambda result: profiler_csv.text(result, "nvprof")}
FORMATS = (*TEXTS, "png", "svg")


def parse(words):
    """(result or capture, options)."""
    values, inputs = OPTIONS.read(words, unknown_option(OPTIONS, "--help explains them"))
    if len(inputs) != 1:
        raise InputError(f"{len(inputs)} inputs given, expected one, warpscope export RESULT --format FORMAT; --help has examples")
    if values["--format"] not in FORMATS:
        given = f"--format {values['--format']}: " if values["--format"] else "no --format given, "
        raise InputError(f"{given}expected one of {', '.join(FORMATS)}")
    if values["--format"] in TEXTS:
        files.check_output("--output", values["--output"])
    elif values["--output"] and pathlib.Path(values["--output"]).is_file():
        raise InputError(f"--output {values['--output']}: is a file, expected a folder for the charts")
    return inputs[0], values


def charts(result, capture, folder, suffix):
    """Writes every chart as FOLDER/NAME.SUFFIX; returns the names."""
    from warpscope.show.export import charts as more, page_charts
    from warpscope.show.plots import access_pattern

    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".charts.", dir=folder) as work:
        paths = [*report.plots(result, pathlib.Path(work)), *more.write(result, pathlib.Path(work)),
                 *page_charts.write(result, results.title(result), capture, pathlib.Path(work))]
        if capture is not None:
            paths += access_pattern.of_capture(capture, result, pathlib.Path(work))
        names = sorted(path.name for path in paths if path.suffix == f".{suffix}")
        for name in names:
            (pathlib.Path(work) / name).replace(folder / name)
    return names


def run(words):
    """warpscope export: writes, returns the exit status."""
    if shown_help(words, HELP, OPTIONS):
        return 0
    source, values = parse(words)
    (result,), status = comparing.load([source], values)
    if values["--format"] == "csv" and is_capture(source, results.EXPECTED) and (executed := instructions.of_capture(source, result)):
        result["instructions"] = executed
    wanted = values["--format"]
    with complete(source, results.EXPECTED):
        if wanted in TEXTS:
            files.write_or_print(values["--output"] or "-", TEXTS[wanted](result))
        else:
            third_party.check()
            folder = values["--output"] or "charts"
            capture = source if is_capture(source, "a result or a capture") else None
            print(f"{folder}/ ({', '.join(charts(result, capture, folder, wanted))})")
    return status
