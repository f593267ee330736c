"""The kernels of the suite by two paths, machine code executed here and Warpscope's clang, next to what an H100 counted: validation/machine-suite."""
import json

from collect import machine_launches
from collect.comparison import table
from truth import scores

RATE = "l1tex__t_sector_hit_rate.pct"
REQUESTS = [f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st")]
SPILLS = [f"l1tex__t_requests_pipe_lsu_mem_local_op_{op}.sum" for op in ("ld", "st")]
INSTRUCTIONS = "smsp__inst_executed.sum"
COUNTS = ("accesses", "registers", "spills", "instructions")
RATES = ("fixed", "timed")
PREDICTORS = ("full_lru", "unlimited")
WAYS = ("measured", "clang", "machine")
COLUMNS = ("kernel", *(f"{what}_{way}" for what in COUNTS for way in WAYS), "rate_measured", *(f"{clock}_{way}" for clock in RATES for way in WAYS[1:]),
           *PREDICTORS)
CLOSE = 0.1  # points: differences of rates below this are none


def measured(counters):
    """{column: value} of what the GPU counted."""
    def median(*names):
        return sum(counters[name][1] for name in names)
    return {"accesses": median(*REQUESTS), "registers": median(machine_launches.REGISTERS), "spills": median(*SPILLS), "instructions": median(INSTRUCTIONS),
            "rate": median(RATE)}


def simulated(words, gpu, folder):
    """{column: value} of one path."""
    capture, found = folder / "launch.wtrace", {}
    if machine_launches.run("trace-kernel", *words, "-o", capture, cache=folder / "cache") is None:
        return {}
    for clock, first in (("fixed", []), ("timed", ["timed"])):
        result = folder / f"{clock}.json"
        if machine_launches.run("cachesim", *first, capture, "--gpu", gpu, "--json", result) is None:
            continue
        content = json.loads(result.read_text(encoding="utf-8"))
        ncu = content["total"]["profiler"]["ncu"]
        found[clock] = ncu[RATE]
        if clock == "fixed":
            found["accesses"], found["spills"] = (sum(ncu.get(name, 0) for name in names) for names in (REQUESTS, SPILLS))
            found["registers"] = max(machine_launches.LEAST_REGISTERS, content["context"]["schedule"]["residency"][0]["registers"])
            found.update({name: scores.rate_with(misses, content, False)
                          for name, misses in scores.predicted_misses(None, {"fixed": content}).items() if name in PREDICTORS})
        # Through clang, only the timed engine knows: it estimates them.
        found.setdefault("instructions", ncu.get(INSTRUCTIONS, ""))
        if found["instructions"] == "":
            del found["instructions"]
    return found


def row_of(kernel, counters, machine, clang):
    truth = measured(counters)
    row = {"kernel": kernel, "rate_measured": truth["rate"]}
    for what in COUNTS:
        row.update({f"{what}_measured": truth[what], f"{what}_clang": clang.get(what, ""), f"{what}_machine": machine.get(what, "")})
    for clock in RATES:
        row.update({f"{clock}_clang": clang.get(clock, ""), f"{clock}_machine": machine.get(clock, "")})
    row.update({name: machine.get(name, "") for name in PREDICTORS})
    return {name: text_of(value) for name, value in row.items()}


def text_of(value):
    if isinstance(value, str):
        return value
    return f"{value:.2f}".rstrip("0").rstrip(".")


def counts_table(rows):
    """Markdown: what differs from the measured count is bold."""
    def cells(row, what):
        truth = row[f"{what}_measured"]
        others = (row[f"{what}_{way}"] for way in WAYS[1:])
        return [_grouped(truth), *(_grouped(value) if value in (truth, "") else f"**{_grouped(value)}**" for value in others)]
    header = ["kernel", *(name for what in ("accesses", "registers", "instructions") for name in (what, "clang", "machine"))]
    return table(header, [[f"`{row['kernel']}`", *cells(row, "accesses"), *cells(row, "registers"), *cells(row, "instructions")] for row in rows])


def rates_table(rows):
    """Markdown, hit rates in percent."""
    names = ("rate_measured", *(f"{clock}_{way}" for clock in RATES for way in WAYS[1:]), *PREDICTORS)
    header = ["kernel", "measured", "fixed, clang", "fixed, machine", "timed, clang", "timed, machine", "full LRU", "unlimited"]
    return table(header, [[f"`{row['kernel']}`", *(row[name] or "–" for name in names)] for row in rows])


def summary_table(rows):
    """Per series of hit rates: launches, mean and largest error in points, launches within CLOSE."""
    lines = []
    for name, title in (*((f"{clock}_{way}", f"{clock}, {way}") for clock in RATES for way in WAYS[1:]), ("full_lru", "full LRU"), ("unlimited", "unlimited")):
        errors = [(abs(float(row[name]) - float(row["rate_measured"])), row["kernel"]) for row in rows if row[name] != ""]
        lines.append([title, len(errors), f"{sum(error for error, _ in errors) / len(errors):.2f}", f"{max(errors)[0]:.2f} (`{max(errors)[1]}`)",
                      sum(error <= CLOSE for error, _ in errors)])
    return table(["hit rate", "kernels", "mean error", "largest", f"within {CLOSE} points"], lines)


def nearer(rows, clock):
    """(kernels where machine code is nearer to the GPU, where clang is), by more than CLOSE points."""
    found = ([], [])
    for row in rows:
        errors = [abs(float(row[f"{clock}_{way}"]) - float(row["rate_measured"])) for way in WAYS[1:] if row[f"{clock}_{way}"] != ""]
        if len(errors) == 2 and abs(errors[0] - errors[1]) > CLOSE:
            found[errors[1] > errors[0]].append(row["kernel"])
    return found


def _grouped(value):
    return value if value == "" else f"{int(float(value)):,}"
