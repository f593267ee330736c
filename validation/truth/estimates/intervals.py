#!/usr/bin/python3
"""Spread of hit rates: that of repeats on hardware next to that of --repeat, for validation/notes/intervals.md.

    validation/truth/estimates/intervals.py                     simulates what intervals.csv lacks, then writes the page
    validation/truth/estimates/intervals.py --no-run            the page of what is in intervals.csv

Only launches that are captured whole: --repeat places work-groups at random, which the part of some cores does not say anything about. A
line of intervals.csv says which commit gave it: the last that changed what records and simulates.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(SOURCE / "validation"), str(SOURCE / "python")]
from truth import parts, statistics, tables, turns  # noqa: E402
from warpscope.base import children, toolchain  # noqa: E402
from warpscope.base.command import ArgumentParser, run_main  # noqa: E402
from warpscope.base.errors import ToolFailed  # noqa: E402
from warpscope.result import rates
from collect.comparison import table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "intervals.csv"
PAGE = SOURCE / "validation" / "notes" / "intervals.md"
COUNTER = "l1_cache_global_hit_rate"  # the only rate of which repeats are published
COLUMNS = ("launch", "commit", "in_block", *(f"{engine}_{what}" for engine in ("fixed", "timed") for what in ("first", "least", "median", "most")))
REPEATS = 8
LARGEST = 1 << 18  # warp accesses, roughly, of a launch that is simulated eight times


def compared(launches):
    """Captured whole, with a spread, the cheap ones first; second measurements are part of the first one's spread."""
    return sorted((launch for launch in launches if COUNTER in launch.measured and COUNTER in launch.spread and launch.command is not None
                   and parts.selection(launch.command.options) is None and "--global" not in launch.command.options
                   and not launch.name.endswith(tables.AGAIN) and turns.cost(launch) <= LARGEST), key=lambda one: (turns.cost(one), one.name))


def in_block(total):
    """The hit rate if every line missed once, in percent, of a simulation with a core for every work-group."""
    return rates.rest_percent(rates.percent(total["miss_classes"]["cold"], rates.looked_up(total["load"])))


def spread(total):
    """(first, least, median, most) of the repetitions."""
    found = total["spread"]["load.hit_rate_percent"]
    return found["values"][0], found["min"], found["median"], found["max"]


def simulated(launch):
    """A line of intervals.csv, without the launch and the commit."""
    options = ["--preset", SOURCE / "gpus" / f"{launch.preset}.json", *launch.options(), *launch.command.simulator_options, "--json", "-"]
    with tempfile.TemporaryDirectory() as folder:
        capture = pathlib.Path(folder) / "launch.wtrace"
        toolchain.run("trace-kernel", launch.command.path, *launch.command.options, "-o", capture, quiet=True)

        def total(*words):
            return json.loads(toolchain.output("cachesim", *words, *options, quiet=True))["total"]
        line = {"in_block": in_block(total(capture, "--cores", launch.groups))}
        for engine, words in (("fixed", (capture,)), ("timed", ("timed", capture))):
            for what, value in zip(("first", "least", "median", "most"), spread(total(*words, "--repeat", REPEATS)), strict=True):
                line[f"{engine}_{what}"] = value
    return line


def read(path=TABLE):
    if not path.exists():
        return {}
    return {row["launch"]: {"commit": row["commit"], **{name: float(row[name]) for name in COLUMNS[2:]}} for row in tables.rows(path, COLUMNS)}


def write(found, order, path=TABLE):
    tables.write(path, COLUMNS, ((name, found[name]["commit"], *(f"{found[name][column]:.4g}" for column in COLUMNS[2:]))
                                 for name in order if name in found))


def distance(value, half, least, most):
    """How far apart the intervals value ± half and least to most are; 0 where they meet."""
    return max(0.0, least - (value + half), (value - half) - most)


def lines_of(launches, found):
    for launch in launches:
        if launch.name in found:
            one, value, half = found[launch.name], launch.measured[COUNTER], launch.spread[COUNTER]
            yield [f"`{launch.name}`", f"{value:.1f} ± {half:.1f}",
                   *(f"{one[f'{engine}_first']:.1f} ({one[f'{engine}_least']:.1f} to {one[f'{engine}_most']:.1f})" for engine in ("fixed", "timed")),
                   f"{one['in_block']:.1f}"]


def summary(launches, found):
    """Per engine: how many intervals meet the measured one, how wide ours are, how far apart the others are (medians)."""
    lines = []
    of = [launch for launch in launches if launch.name in found]
    for engine in ("fixed", "timed", "in-block"):
        ranges = [(found[one.name][f"{engine}_least"], found[one.name][f"{engine}_most"]) if engine != "in-block" else
                  (found[one.name]["in_block"],) * 2 for one in of]
        apart = [distance(one.measured[COUNTER], one.spread[COUNTER], *both) for one, both in zip(of, ranges, strict=True)]
        missed = [gap for gap in apart if gap > 0]
        lines.append([engine, len(of), len(of) - len(missed), f"{statistics.median([most - least for least, most in ranges]):.1f}",
                      f"{max(most - least for least, most in ranges):.1f}", f"{statistics.median(missed):.1f}" if missed else "–"])
    return table(["engine", "launches", "intervals meet", "width: median", "largest", "apart, where they do not meet: median"], lines)


def page(launches, found):
    text = (HERE / "intervals_page.txt").read_text(encoding="utf-8")
    words = {"SUMMARY": summary(launches, found), "REPEATS": str(REPEATS),
             "LAUNCHES": table(["launch", "measured, %", "fixed", "timed", "in-block"], list(lines_of(launches, found)))}
    for name, value in words.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def main():
    parser = ArgumentParser(__doc__)
    parser.add_argument("--no-run", action="store_true", help="simulate nothing")
    parser.add_argument("--time-limit", type=float, default=math.inf, metavar="SECONDS", help="begin no simulation after that")
    parser.add_argument("--page", type=pathlib.Path, default=PAGE, help="page to write (default validation/notes/intervals.md)")
    arguments = parser.parse_args()
    children.catch_signals()
    launches, found = compared(tables.launches()), read()
    deadline = time.monotonic() + arguments.time_limit
    said = subprocess.run(["git", "-C", SOURCE, "log", "-1", "--format=%h", "--", "passes", "wrapper", "scheduler", "cachesim", "timed"],
                          capture_output=True, text=True)
    for launch in launches:
        if launch.name in found or arguments.no_run or time.monotonic() > deadline:
            continue
        try:
            found[launch.name] = {**simulated(launch), "commit": said.stdout.strip() or "unknown"}
        except ToolFailed:
            print(f"intervals: {launch.name}: could not be simulated", file=sys.stderr)
        write(found, [one.name for one in launches])
    arguments.page.write_text(page(launches, found), encoding="utf-8")


if __name__ == "__main__":
    run_main("intervals", main)
