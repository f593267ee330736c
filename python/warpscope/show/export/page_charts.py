"""Charts of the page whose data is not in the result alone: roofline, misses of other caches, pictures of the buffers."""
from warpscope.show.export import request_charts
from warpscope.show.page import caches, roofline, samples
from warpscope.show.plots import style

LEVELS = {"L1": (style.BLUE, "o"), "L2": (style.ORANGE, "s"), "DRAM": (style.PURPLE, "^")}
COUNTED = {"flops": "Floating-point operations", "fp64": "Double-precision operations", "instructions": "Warp instructions"}
PANELS = 6  # buffers of a picture


def _points(found, counted):
    """[(kernel, level, x in operations per byte, y in operations per second)] of the kernels that have both numbers."""
    return [(row["kernel"], level, row[counted] / moved, row[counted] / row["seconds"]) for row in found["kernels"] if row.get(counted)
            for level, moved in row["bytes"].items() if moved and level in found["ceilings"]]


def draw_roofline(found, title):
    """A figure of what page.roofline.of_result() returns: operations, of fp32 or else of fp64, if every kernel has some, else warp instructions; None where no kernel
    has a point."""
    import matplotlib.pyplot as plt
    if not found:
        return None
    counted = next((name for name in COUNTED if all(row.get(name) for row in found["kernels"]) and name in found["ceilings"]), "instructions")
    points, peak = _points(found, counted), found["ceilings"].get(counted)
    if not points or not peak:
        return None
    style.apply()
    figure, axes = plt.subplots(figsize=(8, 5))
    figure.suptitle("Roofline")
    axes.set_title(title, fontsize=9, color=style.GREY)
    slopes = {level: found["ceilings"][level] for level in LEVELS if level in found["ceilings"]}
    low = min([x for *_, x, _ in points] + [peak / rate for rate in slopes.values()]) / 4
    high = max([x for *_, x, _ in points] + [peak / rate for rate in slopes.values()]) * 4
    for level, rate in slopes.items():
        axes.plot([low, peak / rate], [low * rate, peak], color=LEVELS[level][0], linewidth=1.4)
        note = ", assumed" if level in found["assumed"] else ""
        axes.plot([], [], color=LEVELS[level][0], marker=LEVELS[level][1], label=f"{level}, {rate / 1e9:,.0f} GB/s{note}")
    axes.plot([peak / max(slopes.values(), default=peak / low), high], [peak, peak], color=style.BLACK, linewidth=1.4, label="peak")
    named = set()
    for kernel, level, x, y in sorted(points, key=lambda point: -point[2]):
        axes.plot([x], [y], color=LEVELS[level][0], marker=LEVELS[level][1], linestyle="none")
        if kernel not in named:  # at its rightmost mark
            axes.annotate(kernel, (x, y), xytext=(7, -3), textcoords="offset points", fontsize=8)
            named.add(kernel)
    axes.set(xscale="log", yscale="log", xlim=(low, high), xlabel=f"{COUNTED[counted]} per byte moved",
             ylabel=f"{COUNTED[counted]} per second (estimated)")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def draw_caches(found, title):
    """A heat map of what page.caches.of_capture() returns; None without it."""
    import matplotlib.pyplot as plt
    if not found:
        return None
    style.apply()
    figure, axes = plt.subplots(figsize=(7, 4))
    figure.suptitle("Misses of other L1 caches")
    axes.set_title(title, fontsize=9, color=style.GREY)
    rates = style.numpy.array([[style.numpy.nan if rate is None else rate for rate in row] for row in found["misses"]], dtype=float)
    low, high = float(style.numpy.nanmin(rates)), float(style.numpy.nanmax(rates))
    if high - low < 1:  # points: no colours for what is all the same
        low, high = 0.0, 100.0
    image = axes.imshow(rates, origin="lower", aspect="auto", cmap="viridis", interpolation="nearest", vmin=low, vmax=high)
    for y, row in enumerate(found["misses"]):
        for x, rate in enumerate(row):
            if rate is not None:
                axes.text(x, y, f"{rate:.1f}", ha="center", va="center", fontsize=8, color="white" if rate <= (low + high) / 2 else "black")
    axes.set_xticks(range(len(found["sizes"])), found["sizes"])
    axes.set_yticks(range(len(found["ways"])), found["ways"])
    axes.set(xlabel="Size (KiB)", ylabel="Ways")
    axes.grid(visible=False)
    figure.colorbar(image, ax=axes, label="Loads that miss (%)")
    return figure


def draw_buffers(sample, title):
    """How often each part of the buffers of one sample (page.samples.of_capture()) is read and written; None where it has none."""
    import matplotlib.pyplot as plt
    pictures = sample["buffers"][:PANELS]
    if not pictures:
        return None
    style.apply()
    figure, cells = plt.subplots(len(pictures), 1, figsize=(9, 1.2 + 1.5 * len(pictures)), squeeze=False)
    figure.suptitle(f"Parts of the buffers, kernel {sample['kernel']}\n{title}", fontsize=11)
    for axes, picture in zip(cells[:, 0], pictures):
        edges = [part * picture["part_bytes"] / 1024 for part in range(len(picture["loads"]) + 1)]
        edges[-1] = picture["size"] / 1024
        for name, sign, colour in (("loads", 1, style.BLUE), ("stores", -1, style.VERMILION)):
            axes.stairs([sign * count for count in picture[name]], edges, fill=True, color=colour, label=f"{name} (of a sample)")
        axes.axhline(0, color=style.BLACK, linewidth=0.6)
        axes.set_title(picture["name"], fontsize=9, loc="left")
        axes.set(ylabel="Accesses", xlim=(0, edges[-1]))
        axes.yaxis.set_major_formatter(lambda value, _position: f"{abs(value):,.0f}")
    cells[-1, 0].set_xlabel("Offset (KiB)")
    cells[0, 0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def write(result, title, capture, folder):
    """Draws what there is data for, with `title` below each chart's name; returns the paths. Without a capture only the roofline."""
    figures = {"roofline": draw_roofline(roofline.of_result(result, capture), title)}
    if capture is not None:
        figures["other_caches"] = draw_caches(caches.of_capture(result, capture), title)
        for number, sample in enumerate(samples.of_capture(result, capture)):
            suffix = f"_{number + 1}" if number else ""
            figures[f"buffer_parts{suffix}"] = draw_buffers(sample, title)
            figures[f"requests{suffix}"] = request_charts.draw(sample, result, title)
    return [path for name, figure in figures.items() if figure is not None for path in style.save(figure, folder / name)]
