#!/usr/bin/python3
"""Mechanisms on and off: simulates a small part of each family with several sets of options, for validation/notes/ablation.md.

    validation/truth/ablation/compare.py FOLDER off= 'fill=--set l1_allocates_on_fill=true' 'both=--set l1_allocates_on_fill=true --set unrolled_iterations=1'
    validation/truth/ablation/compare.py FOLDER --only 'gt630/*' off= seed2='--seed 2'

Every other argument is NAME=OPTIONS, a column: options of `cachesim timed`, or with --fixed of `cachesim`. launches.csv has the
launches, their part (--work-groups) and options that all columns have. FOLDER keeps the captures. Prints a line per launch, and the
mean |error| of each (GPU, family): points of a rate, percent of a count.
"""
import argparse
import collections
import csv
import fnmatch
import json
import pathlib
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[2] / "python")]
from truth import counters, parts, runs, store, tables
from warpscope.base import toolchain
from warpscope.result import error_statistics, rates


def fail(message):
    print(f"ablation: {message}", file=sys.stderr)
    sys.exit(2)


def run(tool, *words):
    """Standard output of a tool; ends the program with its message where it fails."""
    result = subprocess.run(toolchain.command(tool, *words), env=toolchain.environment(), capture_output=True, text=True, check=False)
    if result.returncode != 0:
        fail(result.stderr.strip() or f"{tool}: exit status {result.returncode}")
    return result.stdout


def captured(folder, launch, part):
    path = folder / (launch.name.replace("/", "_") + ".wtrace")
    if not path.exists():
        chosen = (*parts.without(launch.command.options, "--work-groups"), "--work-groups", part) if part else launch.command.options
        run("trace-kernel", launch.command.path, *chosen, "-o", path)
    return path


def counter_of(launch):
    """The counter that is compared: a hit rate where one was published, else the L2's read sectors."""
    return next(name for name in (*counters.HIT_RATES, *counters.L2_READS) if name in launch.measured)


def miss_ratio(launch, entry):
    """Of a working set after its first round, in which every core reads all of it once."""
    load, sectors = entry["total"]["load"], launch.groups * int(launch.name.rpartition("kib")[2]) * 1024 // counters.SECTOR
    return rates.percent(rates.missed(load) - sectors, load["transactions"] - sectors)


def simulated(launch, entry, counter):
    return miss_ratio(launch, entry) if counter == "l1_miss_ratio" else counters.simulated(launch, entry, counter)


def columns(texts):
    named = [text.partition("=") for text in texts]
    if any(not equals for _, equals, _ in named):
        fail(f"{' '.join(texts)}: expected columns NAME=OPTIONS, such as off= and 'fill=--set l1_allocates_on_fill=true'")
    return [(name, shlex.split(options)) for name, _, options in named]


def errors_of(launch, row, chosen, arguments):
    """[(value, error)] of every column, and the measured value."""
    counter = counter_of(launch)
    measured = launch.measured[counter] * (100 if counter == "l1_miss_ratio" else 1)
    path = captured(arguments.folder, launch, row["work_groups"])
    found = []
    for _, options in chosen:
        words = [*([] if arguments.fixed else ["timed"]), path, "--preset", store.preset_file(launch.preset), *launch.options(),
                 *shlex.split(row["options"]), *options, "--launches", "groups", "--json", "-"]
        value = simulated(launch, runs.reduced(json.loads(run("cachesim", *words))), counter)
        found.append((value, abs(error_statistics.error(value, measured, error_statistics.POINTS if counter in counters.HIT_RATES else "%"))))
    return measured, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("columns", nargs="+")
    parser.add_argument("--only", default="*", help="launches: a pattern as a shell's")
    parser.add_argument("--fixed", action="store_true", help="fixed order instead of timed mode")
    arguments = parser.parse_args()
    chosen = columns(arguments.columns)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    known = {launch.name: launch for launch in tables.launches()}
    sums = collections.defaultdict(list)
    print("launch", "measured", *(name for name, _ in chosen), sep="\t")
    with open(HERE / "launches.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if not fnmatch.fnmatch(row["launch"], arguments.only):
                continue
            launch = known[row["launch"]]
            measured, found = errors_of(launch, row, chosen, arguments)
            sums[launch.gpu, launch.family].append([error for _, error in found])
            print(launch.name, f"{measured:.6g}", *(f"{value:.6g}" for value, _ in found), sep="\t", flush=True)
    for (gpu, family), rows in sums.items():
        print(f"{gpu}/{family}", f"n = {len(rows)}", *(f"{sum(column) / len(rows):.2f}" for column in zip(*rows)), sep="\t")


if __name__ == "__main__":
    main()
