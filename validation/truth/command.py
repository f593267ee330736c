"""validation/accuracy's part about launches that others measured: runs what is not stored, scores, writes truth.csv and the page."""
import csv
import hashlib
import pathlib
import sys
import time

from collect import machine_code
from held_out import rates
from truth import errors, page, runs, scores, store, tables
from warpscope.base.errors import InputError

NAME = "truth"  # of all families together, for --only


def add_arguments(parser):
    parser.add_argument("--truth-doc", type=pathlib.Path, help="page to write about launches that others measured")
    parser.add_argument("--errors", type=pathlib.Path, metavar="FILE", help="table of errors to put the launches into; of validation/truth/errors.csv docs/validation/accuracy.md shows what it says")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of these launches, drawn by a hash of their names")
    parser.add_argument("--jobs", type=int, default=1, help="captures and simulations at a time (default 1)")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="begin no simulation after that; the same command goes on")
    parser.add_argument("--step-limit", type=float, default=600, metavar="SECONDS", help="that one capture or simulation may take (default 600)")
    parser.add_argument("--store", type=pathlib.Path, default=tables.SOURCE / "build" / "accuracy",
                        help="folder of results, which the next call finds again (default build/accuracy)")
    parser.add_argument("--stale", action="store_true", help="take results of other builds or presets, too")
    parser.add_argument("--steps", nargs="+", choices=runs.STEPS, metavar="STEP",
                        help=f"run only these, also where --stale takes the result of another build: {' '.join(runs.STEPS)}")
    parser.add_argument("--add", type=pathlib.Path, action="append", default=[], metavar="FILE",
                        help="score only this JSON file of hw-profile, or of another simulator; may be repeated")
    parser.add_argument("--gpu", help="with --add: the preset that simulates it (default: the one that its name fits)")
    parser.add_argument("--machine", action="store_true", help="as machine code of this machine's nvcc, by its registers and not by those that the source states")
    parser.add_argument("--rates", type=pathlib.Path, metavar="FILE", help="with --machine: table of hit rates to put the launches into; of validation/hardware/rates.csv docs/validation/accuracy.md shows what it says")
    parser.add_argument("--no-run", action="store_true", help="score what is stored, simulate nothing")


def names(launches):
    """What --only takes: families and launches."""
    return {NAME, *(launch.family for launch in launches), *(launch.name for launch in launches)}


def drawn(launches, count):
    """The launches whose names have the smallest SHA-256."""
    return sorted(launches, key=lambda launch: hashlib.sha256(launch.name.encode()).hexdigest())[:count]


def chosen(launches, only, sample):
    """Of these launches those whose family or name is in `only` (all if empty); of those with a command `sample`."""
    if only and NAME not in only:
        launches = [launch for launch in launches if launch.family in only or launch.name in only]
    if sample is not None:
        launches = drawn([launch for launch in launches if launch.command is not None], sample)
    return launches


def rows_of(launches, arguments):
    """(rows, failures): of all launches with a command; what is not stored is simulated first."""
    if arguments.jobs < 1 or (arguments.sample is not None and arguments.sample < 1):
        raise InputError("--jobs, --sample: expected 1 or more")
    deadline = time.monotonic() + arguments.time_limit if arguments.time_limit else None
    results = store.Store(arguments.store / "results", store.tools_digest(), arguments.stale)
    kept = store.Captures(arguments.store / "kept", store.tools_digest("trace-kernel"), arguments.stale)
    fitted, left_out = tables.fitted(), tables.left_out()
    runner = runs.Runner(results, arguments.store / "captures", arguments.jobs, arguments.step_limit, deadline, arguments.steps, kept, left_out,
                         machine_code.MachineCode() if arguments.machine else None)
    with_command = [launch for launch in launches if launch.command is not None]
    if not arguments.no_run:
        runner.run(with_command)
    rows = [scores.row_of(launch, runner.known(launch), fitted, left_out) for launch in with_command]
    for (name, step), why in runner.failures.items():
        print(f"accuracy: {name} {step}: {why}", file=sys.stderr)
    return [row for row in rows if row is not None], runner.failures


COLUMNS = ("launch", "family", "gpu", "counter", "measured", "spread", "fixed", "jitter", "timed", "cold", "in_block", "unlimited", "full_lru",
           "tests_cache", "in_part")


def _cell(value):
    return "" if value is None else f"{value:.10g}"


def write_csv(path, rows, others=()):
    """Every measured counter of every row, simulated by every engine and predicted by what predicts it; `others`: other simulators."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*COLUMNS, *others))
        for row in rows:
            launch = row.launch
            for counter, value in launch.measured.items():
                series = {**row.values.get(counter, {})}
                if counter == row.hit_counter:
                    series.update(row.rates)
                elif launch.measured.get(counter) is row.read_sectors:
                    series.update(row.reads)
                writer.writerow((launch.name, launch.family, launch.gpu, counter, _cell(value), _cell(launch.spread.get(counter)),
                                 *(_cell(series.get(name)) for name in (*scores.ENGINES, *scores.PREDICTORS)),
                                 "yes" if row.tests_cache else "no", "; ".join(row.parts), *(_cell(series.get(name)) for name in others)))


def write_seconds(path, rows):
    """How long every stored step took, in seconds on the machine that ran it."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("launch", "step", "capture", "simulation"))
        for row in rows:
            for step, seconds in row.seconds.items():
                writer.writerow((row.launch.name, step, f"{seconds['capture']:.2f}", f"{seconds['simulation']:.2f}"))


def notes(arguments):
    path = tables.FOLDER / "explanations.md"
    return [path.read_text(encoding="utf-8").strip()] if path.exists() else []


def run(arguments):
    """Compares, writes OUT/truth.csv, OUT/seconds.csv and OUT/truth.md, and the page of --truth-doc."""
    if arguments.machine and (arguments.truth_doc or arguments.errors):
        raise InputError("--machine with --truth-doc or --errors: these pages and tables are of kernels as our clang compiles them")
    if arguments.rates and not arguments.machine:
        raise InputError("--rates: expected --machine, since the table is of machine code")
    everything = tables.launches()
    launches = chosen(everything, arguments.only, arguments.sample)
    rows, failures = rows_of(launches, arguments)
    write_csv(arguments.output / "truth.csv", rows)
    write_seconds(arguments.output / "seconds.csv", rows)
    text = page.page(launches, rows, failures, tables.fitted(), tables.left_out(), tables.causes(),
                     notes(arguments))
    (arguments.output / "truth.md").write_text(text, encoding="utf-8")
    if arguments.errors:
        errors.write(arguments.errors, rows)
    if arguments.rates:
        rates.put(arguments.rates, rates.rows_of_truth(rows))
    if arguments.truth_doc:
        if len(launches) < len(everything):
            raise InputError("--truth-doc with --sample or families: expected the page to show every launch (--only truth)")
        arguments.truth_doc.write_text(text, encoding="utf-8")
    return text
