"""Simulated counters under the profilers' names, in the form of `ncu --page raw --csv`."""
import csv

from warpscope.base import csv_cells
from warpscope.base.errors import InputError
from warpscope.explore.compare.measured import capability_of, unit_of
from warpscope.result import results

HEAD = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC")
UNITS = {"sectors": "sector", "requests": "request", "warp instructions": "inst", "lines": "line", "wavefronts": "", "ratio": ""}


def _unit(unit):
    """As ncu writes it."""
    return "/".join(UNITS.get(part, part) for part in unit.split(" per "))


def _launches(result, profiler):
    """(launch, metric -> value): of the fixed order, and what only the timed clock has."""
    timed = {launch["launch"]: launch for launch in (result.get("timed") or {}).get("launches") or ()}
    for launch in result["launches"]:
        own = (launch.get("profiler") or {}).get(profiler) or {}
        more = (timed.get(launch["launch"], {}).get("profiler") or {}).get(profiler) or {}
        yield launch, {**more, **own}


def _sizes(values):
    return f"({', '.join(map(str, values))})"


def text(result, profiler):
    """The CSV; `profiler`: ncu or nvprof. Raises InputError where the result has none of its counters."""
    if "launches" not in result:
        raise InputError("the result has no single launches (it is large, or was made with --launches groups), expected one with them")
    launches = list(_launches(result, profiler))
    metrics = sorted({metric for _, values in launches for metric in values})
    capability = capability_of(result)
    if not metrics:
        has = next((name for name in ("ncu", "nvprof") if (result["total"].get("profiler") or {}).get(name)), None)
        raise InputError(f"the result has no counters of {profiler}, expected " + (f"--format {has}-csv for this GPU" if has else "one of a GPU"))
    rows = [[*HEAD, *metrics], [*[""] * len(HEAD), *(_unit(unit_of(metric, profiler, capability)) for metric in metrics)]]
    gpu = result["context"]["preset"]["name"]
    for launch, values in launches:
        grid = [size // group for size, group in zip(launch["global"], launch["local"])]
        rows.append([launch["launch"], 0, "warpscope", gpu, results.own_name(launch), 1, 7, _sizes(launch["local"]), _sizes(grid), 0, capability or "",
                     *("" if metric not in values else repr(values[metric]) for metric in metrics)])
    return csv_cells.text(rows, csv.QUOTE_ALL)
