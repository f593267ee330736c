"""Simulates launches that a GPU measured, through our clang and as machine code, and puts their cycles into cycles.csv,
their hit rates and reads of the L2 into rates.csv."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

from collect import machine_launches, measurements
from held_out import folds, rates
from warpscope.base import presets
from warpscope.result import machine

COLUMNS = ("launch", "gpu", "family", "cores", "measured", "simulated", "front_end", *folds.BOUNDS)
MEASURED, INSTRUCTIONS = "cycles.active_sum", "instructions"


def name_of(gpu, launch):
    """mm/mm.launch:large on an h100 is h100/mm/large."""
    kernel, rest = launch.split("/", 1)
    return f"{gpu}/{kernel}/{rest.split(':', 1)[1]}" if ".launch:" in rest else f"{gpu}/{launch}"


def _run(name, words, limit, folder):
    """Whether it ended well in time; what it said otherwise goes to standard error."""
    try:
        return machine_launches.run(name, *words, cache=folder / "cache", limit=limit) is not None
    except subprocess.TimeoutExpired:
        print(f"  {name} takes more than {limit:g} s", file=sys.stderr)
        return False


def simulated(words, gpu, folder, limit):
    """(Result in fixed order, timed result); None where it failed."""
    capture, fixed, timed = (folder / name for name in ("launch.wtrace", "fixed.json", "timed.json"))
    steps = (("trace-kernel", [*words, "-o", capture]), ("cachesim", [capture, "--gpu", gpu, "--json", fixed]),
             ("cachesim", ["timed", capture, "--gpu", gpu, "--json", timed]))
    done = all(_run(name, step, limit, folder) for name, step in steps)
    capture.unlink(missing_ok=True)
    if not done:
        return None
    in_order, by_cycle = (json.loads(path.read_text(encoding="utf-8")) for path in (fixed, timed))
    return in_order, by_cycle


def cycles_of(in_order, by_cycle):
    """[cores, active cycles of all of them, and the same of folds.BOUNDS: what each unit alone would take]."""
    active, busy = by_cycle["total"]["timing"]["active_cycles"], machine.busy(in_order, by_cycle)
    return [by_cycle["context"]["cores"], active, *(round(active * share) for share in (busy.issue, busy.l1, busy.l2, busy.dram))]


def add(options):
    """For `score --run`; a launch is written as soon as it is done."""
    gpu = presets.canonical(options.gpu)
    version = presets.value_of(gpu, "compute_capability").replace(".", "")
    known = folds.rows(folds.CYCLES)
    done = {(row["launch"], row["front_end"]) for row in known if row["issue"]} & {(row["launch"], row["front_end"]) for row in rates.read()}
    with tempfile.TemporaryDirectory() as work:
        launches = machine_launches.Launches(pathlib.Path(work))
        for one in [one for path in options.run for one in measurements.read(path)[1]]:
            name = name_of(gpu, one.launch)
            if not one.median(MEASURED) or options.only not in one.launch or (one.median(INSTRUCTIONS) or 0) > options.most_instructions:
                continue
            for front_end in options.front_end:
                if (name, front_end) in done or (launch := launches.find(one.launch)) is None:
                    continue
                print(name, front_end, file=sys.stderr, flush=True)
                done.add((name, front_end))
                with tempfile.TemporaryDirectory() as folder:
                    words = machine_launches.words_of(launch, f"sm_{version}", pathlib.Path(folder))[front_end == "clang"]
                    found = simulated(words, gpu, pathlib.Path(folder), options.step_limit)
                if found:
                    cores, active, *bounds = cycles_of(*found)
                    values = (name, gpu, folds.kernel_of(name), cores, round(one.median(MEASURED)), active, front_end, *bounds)
                    known = [row for row in known if (row["launch"], row["front_end"]) != (name, front_end)] + [dict(zip(COLUMNS, map(str, values)))]
                    write(known)
                    rates.put(folds.SIMULATED_RATES, rates.rows_of((name, gpu, front_end), one, *found))


def write(known):
    """Writes cycles.csv, in order."""
    with open(folds.CYCLES, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(known, key=lambda row: (row["launch"], row["front_end"], row["measured"])))
