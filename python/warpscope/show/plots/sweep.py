"""Heat map and miss-ratio curves of a sweep."""
from warpscope.base.errors import InputError
from warpscope.base.inputs import complete, read_json
from warpscope.show.plots import style

SCHEMA = 1
EXPECTED = "a result of cachesim sweep --json"
KEYS = ("context", "cells", "best", "curves", "preset_cell")
AXES = {"size_kib": "Capacity (KiB)", "ways": "Ways", "sets": "Sets", "line_bytes": "Line (bytes)"}
SPLITS = ("set_index", "replacement", "write_policy", "line_bytes")
MOST_MAPS = 6
MOST_CURVES = 7


def load(path):
    """The sweep as a dict. Raises InputError when it is missing, not JSON or something else."""
    sweep = read_json(path, EXPECTED)
    if not isinstance(sweep, dict) or sweep.get("kind") != "sweep" or any(key not in sweep for key in KEYS):
        raise InputError(f"{path}: no sweep, expected {EXPECTED}")
    if sweep["schema"] != SCHEMA:
        raise InputError(f"{path}: schema {sweep['schema']}, expected {SCHEMA}; use the scripts of that release")
    if all(cell["load_miss_rate_percent"] is None for cell in sweep["cells"]):
        raise InputError(f"{path}: no loads were looked up, expected a kernel that loads through the L1")
    return sweep


def split_of(sweep, wanted):
    """The key that tells the maps apart: as asked, or the first one with several values."""
    if wanted:
        return wanted
    several = [key for key in SPLITS if len({cell[key] for cell in sweep["cells"]}) > 1]
    return several[0] if several else SPLITS[0]


def places(values):
    """Position on an axis by value: equal steps, whatever the distance of the values."""
    return {value: place for place, value in enumerate(sorted(set(values)))}


def best_by_place(numbered, x_key, y_key):
    """{(x, y): (miss rate, cell number)} of the best cell per place."""
    best = {}
    for number, cell in numbered:
        place, rate = (cell[x_key], cell[y_key]), cell["load_miss_rate_percent"]
        if rate is not None and (place not in best or rate < best[place][0]):
            best[place] = (rate, number)
    return best


def own_label(sweep):
    """Of the star. Where launches have different L1s next to their local memory, it is at the largest."""
    kib = sweep.get("preset_l1_kib")
    return "the hardware's own" + (f", {min(kib)} to {max(kib)} KiB by launch" if kib else "")


def of_one_size(sweep):
    """(number, cell) of what is one cache throughout."""
    return [(number, cell) for number, cell in enumerate(sweep["cells"])
            if not (sweep.get("preset_l1_kib") and number == sweep["preset_cell"])]


def mark(axes, xs, ys, cells, x_key, y_key, best, own, label):
    """Rings around the best caches, a star on the hardware's own."""
    spots = [(xs[cells[n][x_key]], ys[cells[n][y_key]]) for n in best]
    if spots:
        axes.scatter(*zip(*spots), s=34, facecolors="none", edgecolors="white", linewidths=2.6, zorder=3)
        axes.scatter(*zip(*spots), s=34, facecolors="none", edgecolors=style.VERMILION, linewidths=1.2, zorder=4,
                     label="fewer misses than all smaller ones")
    if own is not None:
        axes.scatter([xs[cells[own][x_key]]], [ys[cells[own][y_key]]], marker="*", s=150, color=style.ORANGE,
                     edgecolors="black", linewidths=0.8, zorder=5, label=label)


def ticks(axis, positions):
    """At most about twelve labels."""
    values = list(positions)
    step = max(1, (len(values) + 11) // 12)
    chosen = values[::step]
    axis.set_ticks([positions[value] for value in chosen], [f"{value:g}" for value in chosen])


def draw_maps(figure, grid, sweep, split, x_key, y_key):
    cells, own = sweep["cells"], sweep["preset_cell"]
    values = list(dict.fromkeys(cell[split] for cell in cells))[:MOST_MAPS]
    rates = [cell["load_miss_rate_percent"] for cell in cells if cell["load_miss_rate_percent"] is not None]
    numpy = style.numpy
    xs, ys = places(cell[x_key] for cell in cells), places(cell[y_key] for cell in cells)
    image, drawn, marks = None, [], {}
    for column, value in enumerate(values):
        axes = figure.add_subplot(grid[0, column])
        numbered = [(number, cell) for number, cell in of_one_size(sweep) if cell[split] == value]
        field = numpy.full((len(ys), len(xs)), numpy.nan)
        for (x, y), (rate, _) in best_by_place(numbered, x_key, y_key).items():
            field[ys[y], xs[x]] = rate
        image = axes.imshow(field, origin="lower", aspect="auto", cmap="viridis", vmin=min(rates),
                            vmax=max(max(rates), min(rates) + 1e-9), interpolation="nearest")
        best = [number for number in sweep["best"] if cells[number][split] == value]
        mark(axes, xs, ys, cells, x_key, y_key, best, own if own is not None and cells[own][split] == value else None,
             own_label(sweep))
        for handle, label in zip(*axes.get_legend_handles_labels()):
            marks.setdefault(label, handle)
        axes.set_title(f"{value} bytes" if split == "line_bytes" else str(value), fontsize=10)
        axes.set_xlabel(AXES[x_key])
        axes.set_ylabel(AXES[y_key] if column == 0 else "")
        axes.grid(visible=False)
        ticks(axes.xaxis, xs)
        ticks(axes.yaxis, ys)
        drawn.append(axes)
    figure.colorbar(image, ax=drawn, label="Loads that miss (%)", pad=0.01)
    if marks:
        drawn[0].legend(marks.values(), marks.keys(), loc="lower left", bbox_to_anchor=(0, 1.06), ncol=2, fontsize=8,
                        borderaxespad=0)


def curve_label(sweep, cell):
    """What tells the curves apart."""
    parts = [f"{cell['sets']} sets"]
    for key in ("set_index", "replacement", "write_policy"):
        if len({other[key] for other in sweep["cells"]}) > 1:
            parts.append(cell[key])
    if len({other["line_bytes"] for other in sweep["cells"]}) > 1:
        parts.append(f"{cell['line_bytes']} B")
    return ", ".join(parts)


def draw_curves(axes, sweep):
    """The curves that reach the lowest miss rates, knees as dots."""
    cells = sweep["cells"]
    rate = lambda number: cells[number]["load_miss_rate_percent"]  # noqa: E731
    curves = sorted(sweep["curves"], key=lambda curve: sum(map(rate, curve["cells"])) / len(curve["cells"]))
    curves = curves[:MOST_CURVES]
    for number, curve in enumerate(curves):
        colour = style.SERIES[number % len(style.SERIES)]
        axes.plot([cells[n]["size_kib"] for n in curve["cells"]], [rate(n) for n in curve["cells"]], color=colour,
                  linewidth=1.4, label=curve_label(sweep, cells[curve["cells"][0]]))
        axes.scatter([cells[n]["size_kib"] for n in curve["knees"]], [rate(n) for n in curve["knees"]], color=colour,
                     s=26, zorder=3)
    own = sweep["preset_cell"]
    if own is not None:
        axes.scatter([cells[own]["size_kib"]], [rate(own)], marker="*", s=150, color=style.ORANGE,
                     edgecolors="black", linewidths=0.8, zorder=5, label=own_label(sweep))
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _position: f"{value:g}")
    axes.set_xlabel("Capacity (KiB), logarithmic; dots: knees")
    axes.set_ylabel("Loads that miss (%)")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8)


def title_of(sweep):
    """The kernel and the sweep in two lines."""
    context = sweep["context"]
    launches = context["launches"]
    name = launches[0]["kernel"] if launches else context["input"]["name"]
    if len(launches) > 1:
        name += f" and {len(launches) - 1} more launches"
    return f"{name}: {style.grouped(len(sweep['cells']))} caches, {context['cores']} cores"


def draw(sweep, split=None, x_key="ways", y_key="sets"):
    import matplotlib.pyplot as plt

    style.apply()
    split = split_of(sweep, split)
    maps = min(MOST_MAPS, len({cell[split] for cell in sweep["cells"]}))
    with_curves = bool(sweep["curves"])
    figure = plt.figure(figsize=(min(5 + 3.6 * maps, 16), 9.0 if with_curves else 5.0))
    grid = figure.add_gridspec(2 if with_curves else 1, maps)
    draw_maps(figure, grid, sweep, split, x_key, y_key)
    if with_curves:
        draw_curves(figure.add_subplot(grid[1, :]), sweep)
    figure.suptitle(title_of(sweep))
    return figure


def asked_for(arguments):
    """The figure that the options of `warpscope plot` ask for."""
    with complete(arguments.inputs[0], EXPECTED):
        return draw(load(arguments.inputs[0]), arguments.split, arguments.x, arguments.y)
