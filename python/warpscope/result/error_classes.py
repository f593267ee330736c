"""The class of a launch by which the error of a hit rate is looked up: validation/truth/errors.csv says what each class has shown
against hardware (validation/truth/README.md, "Errors by class")."""
import csv
import pathlib

from warpscope.base.source import SOURCE
from warpscope.result import results

_INSTALLED = pathlib.Path(__file__).parents[1] / "errors.csv"  # of the package in a build, an installation and a wheel
TABLE = _INSTALLED if _INSTALLED.exists() else SOURCE / "validation" / "truth" / "errors.csv"
COLUMNS = ("generation", "live_over_capacity", "stores_share", "engine", "launches", "families", "mean_error", "p90_error")
LIVE = ("<0.5", "0.5-2", ">2")
LIVE_EDGES = (0.5, 2)
LIVE_SHARE = 0.9          # of the reuses that live lines keep
LEAST_LAUNCHES = 10       # below that a class says nothing


def live_lines(histogram):
    """How many lines an L1 must hold to keep 90 % of the reuses: a quantile of the distances in a result's `reuse_histogram`,
    linear inside a bin. The next use of a line right after the last one (distance 0) needs no cache and is left out. 0 without
    reuses."""
    bins = [(one["from"], one["to"] + 1, one["load"] + one["store"]) for one in histogram["bins"] if one["from"] > 0]
    wanted = LIVE_SHARE * sum(count for *_, count in bins)
    for first, end, count in bins:
        if count and wanted <= count:
            return first + (end - first) * wanted / count
        wanted -= count
    return 0.0


def live_class(histogram, capacity_lines):
    """The element of LIVE for live lines over the lines of the L1."""
    ratio = live_lines(histogram) / capacity_lines
    return LIVE[sum(ratio > edge for edge in LIVE_EDGES)]


def stores_share(buffers):
    """Whether stores may find lines that loads brought in: a buffer of the result is both loaded and stored."""
    return any(one["load"]["requests"] and one["store"]["requests"] for one in buffers or [])


def capacity_lines(cache, l1_kib):
    """Lines of the L1 next to local memory: `context.cache` and `context.l1_kib` of a result."""
    kib = l1_kib["least"] if l1_kib else cache["size_kib"]
    return kib * 1024 / cache["line_bytes"]


def class_of(result):
    """(generation, live class, "yes" or "no") of a result.json of fixed order with --reuse-histogram and a preset; None without
    either of the two."""
    context, histogram = result["context"], result.get("reuse_histogram")
    generation = results.preset_values(result).get("generation")
    if not histogram or not generation:
        return None
    live = live_class(histogram, capacity_lines(context["cache"], context.get("l1_kib")))
    return generation, live, "yes" if stores_share(result.get("buffers")) else "no"


def table(path=TABLE):
    """{(generation, live class, stores share, engine): (launches, families, mean error, 90th percentile)} in points."""
    with open(path, newline="", encoding="utf-8") as file:
        return {tuple(row[name] for name in COLUMNS[:4]): (int(row["launches"]), int(row["families"]), float(row["mean_error"]),
                                                            float(row["p90_error"])) for row in csv.DictReader(file)}
