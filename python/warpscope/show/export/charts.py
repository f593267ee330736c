"""Charts of a result that report.html has and `warpscope` does not draw by itself, for PNG and SVG."""
import bisect
import collections

from warpscope.result import rates, results
from warpscope.show.page.timeline import shaped
from warpscope.show.plots import style

# Of what schedulers do, in the order of timing.scheduler_cycles.
COLOURS = (style.GREEN, style.ORANGE, style.GREY, style.YELLOW, style.BLUE, style.PURPLE, "#E4E4E4", "#8C564B")
BARS = 20  # kernels, buffers


def _figure(width, height, title, result):
    import matplotlib.pyplot as plt
    style.apply()
    figure, axes = plt.subplots(figsize=(width, height))
    figure.suptitle(title)
    axes.set_title(results.title(result), fontsize=9, color=style.GREY)
    return figure, axes


def _legend(axes):
    """At the right of the axes, where it hides nothing."""
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _timed(result):
    return result.get("timed") or (result if "timing" in result["total"] else None)


def set_pressure(result):
    """Look-ups and misses of each set; None where no set had any."""
    sets = result["sets"]
    if not any(sets["transactions"]):
        return None
    figure, axes = _figure(8, 3.6, "Set pressure", result)
    edges = [number - 0.5 for number in range(len(sets["transactions"]) + 1)]
    for name, colour in (("transactions", style.HIT_COLOUR), ("misses", style.VERMILION)):
        axes.stairs(sets[name], edges, fill=True, color=colour, label=name)
    axes.set(xlabel="Set", ylabel="Transactions", ylim=(0, None), xlim=(edges[0], edges[-1]))
    axes.xaxis.get_major_locator().set_params(integer=True)
    style.count_axis(axes.yaxis)
    _legend(axes)
    return figure


def miss_curve(result):
    """Misses of a fully associative LRU cache by its size, of all transactions; None without reuse distances."""
    histogram = result.get("reuse_histogram")
    if not histogram or not histogram["bins"]:
        return None
    line = result["context"]["cache"]["line_bytes"]
    edges = [one["from"] for one in histogram["bins"]] + [histogram["bins"][-1]["to"] + 1]
    counts = [one["load"] + one["store"] for one in histogram["bins"]]
    cold = sum(histogram["cold"].values())
    total = cold + sum(counts)
    sizes = sorted({1, *(edge for edge in edges if edge), histogram["capacity_lines"]})  # in lines: it keeps distances below its size
    missed = [rates.percent(cold + sum(counts[bisect.bisect_left(edges[:-1], size):]), total) for size in sizes]
    figure, axes = _figure(8, 3.8, "Misses by the size of the cache, fully associative LRU", result)
    axes.plot([size * line / 1024 for size in sizes], missed, color=style.BLUE, marker=".")
    axes.axvline(histogram["capacity_lines"] * line / 1024, color=style.VERMILION, linestyle="--", label="this L1")
    axes.set(xscale="log", xlabel="Size (KiB)", ylabel="Misses (% of transactions)", ylim=(0, 102))
    style.log_count_axis(axes.xaxis)
    _legend(axes)
    return figure


def occupancy(result):
    """Warps of a core over time, of the launch with most cycles; None without the timed clock."""
    launches = [one for one in (_timed(result) or {}).get("launches") or () if one["timing"].get("occupancy")]
    if not launches:
        return None
    launch = max(launches, key=lambda one: one["timing"]["cycles"])
    stretches = launch["timing"]["occupancy"]
    figure, axes = _figure(8, 3.4, f"Resident warps, launch {launch['launch']}", result)
    axes.stairs([one["warps_per_core"] for one in stretches], [stretches[0]["from"], *(one["to"] for one in stretches)], fill=True,
                color=style.SKY)
    axes.set(xlabel="Cycle (estimated)", ylabel="Warps per core, mean", ylim=(0, None))
    style.count_axis(axes.xaxis)
    return figure


def scheduler_cycles(result):
    """What the schedulers' cycles were spent on, by kernel; None without the timed clock."""
    by_kernel = {}
    for launch in (_timed(result) or {}).get("launches") or ():
        by_kernel.setdefault(launch["kernel"] or "launch", collections.Counter()).update(launch["timing"].get("scheduler_cycles") or {})
    kernels = sorted(by_kernel, key=lambda name: -sum(by_kernel[name].values()))[:BARS]
    if not kernels or not sum(by_kernel[kernels[0]].values()):
        return None
    figure, axes = _figure(8, 2.3 + 0.4 * len(kernels), "Cycles of the schedulers", result)
    left = [0.0] * len(kernels)
    for reason, colour in zip(by_kernel[kernels[0]], COLOURS):
        shares = [rates.percent(by_kernel[name][reason], max(sum(by_kernel[name].values()), 1)) for name in kernels]
        if reason == "held_back" and not any(shares):
            continue
        axes.barh(kernels, shares, left=left, color=colour, label=reason.replace("_", " "))
        left = [a + b for a, b in zip(left, shares)]
    axes.set(xlabel="% of the schedulers' cycles (estimated)", xlim=(0, 100))
    axes.invert_yaxis()
    _legend(axes)
    return figure


def core_work(result):
    """Cycles in which each core has a warp; None without the timed clock, or with one core."""
    cores = [one for one in (_timed(result) or {}).get("cores") or () if "timing" in one]
    if len(cores) < 2:
        return None
    active = [one["timing"]["active_cycles"] for one in cores]
    figure, axes = _figure(8, 3.4, "Work of the cores", result)
    axes.bar([one["core"] for one in cores], active, color=style.BLUE, width=0.8)
    axes.axhline(sum(active) / len(active), color=style.VERMILION, linestyle="--", label="mean")
    axes.set(xlabel="Core", ylabel="Cycles with a warp (estimated)", ylim=(0, None))
    axes.xaxis.get_major_locator().set_params(integer=True)
    style.count_axis(axes.yaxis)
    _legend(axes)
    return figure


def buffers(result):
    """Transactions and misses of each memory object, the most used first; None without any."""
    parts = [(part, sum(part[kind]["transactions"] for kind in ("load", "store", "atomic"))) for part in result["buffers"]]
    parts = sorted((one for one in parts if one[1]), key=lambda one: -one[1])[:BARS]
    if not parts:
        return None
    figure, axes = _figure(8, 1.9 + 0.4 * len(parts), "Transactions by buffer", result)
    names = [f"{part['name'] or '(no known buffer)'}" for part, _ in parts]
    places = range(len(parts))
    axes.barh(places, [count for _, count in parts], color=style.HIT_COLOUR, label="transactions")
    axes.barh(places, [sum(rates.missed(part[kind]) for kind in ("load", "store", "atomic")) for part, _ in parts], color=style.VERMILION,
              height=0.45, label="misses")
    axes.set_yticks(list(places), names)
    axes.invert_yaxis()
    style.count_axis(axes.xaxis)
    _legend(axes)
    return figure


def timeline(result):
    """States of the warps of core 0 in the first cycles of a launch; None where they were not recorded."""
    line = shaped((_timed(result) or {}).get("timeline"), 3000)
    if not line or not line["stretches"]:
        return None
    colours = {"ready": style.ORANGE, "pause": style.YELLOW, "memory": style.BLUE, "barrier": style.PURPLE}
    warps = 1 + max(one[0] for one in line["stretches"])
    figure, axes = _figure(10, min(2 + 0.14 * warps, 11), f"Warps of core {line['core']}, launch {line['launch']}", result)
    for number, state in enumerate(line["states"]):
        for warp in range(warps):
            spans = [(begin, end - begin) for which, _, begin, end, own in line["stretches"] if which == warp and own == number]
            axes.broken_barh(spans, (warp - 0.4, 0.8), color=colours.get(state, style.GREY), label=state if warp == 0 else None)
    axes.plot([at for at, _, _ in line["issues"]], [warp for _, warp, _ in line["issues"]], "|", markersize=3, color=style.BLACK, label="issue")
    axes.set(xlabel="Cycle (estimated)", ylabel="Warp", xlim=(0, line["cycles"]), ylim=(warps - 0.5, -0.5))
    _legend(axes)
    return figure


CHARTS = {"set_pressure": set_pressure, "miss_curve": miss_curve, "occupancy": occupancy, "scheduler_cycles": scheduler_cycles,
          "core_work": core_work, "buffers": buffers, "timeline": timeline}


def write(result, folder):
    """Draws what the result has data for; returns the paths of the PNG and SVG files."""
    return [path for name, draw in CHARTS.items() if (figure := draw(result)) is not None for path in style.save(figure, folder / name)]
