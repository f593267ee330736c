"""Reads, misses and miss rate over configurations, compared with published values."""

from warpscope.base.errors import InputError
from warpscope.base.inputs import complete, read_json
from warpscope.result import rates, results
from warpscope.show.plots import style

METRICS = (("reads", "Read transactions\n(per core)"), ("misses", "Read misses\n(per core)"),
           ("miss_rate_percent", "Miss rate\n(% of the reads)"))
# Label, colour, width: if they coincide, both show.
PUBLISHED = {"hardware": ("GTX 480, hardware counters", style.BLACK, 4.0),
             "document": ("simulated in the dissertation", "#C9B700", 2.0)}
LOGARITHMIC_FROM = 8  # largest over smallest value
MARKERS = "osD^v<>"


def draw(configurations, series, published, title, subtitle="", axis="Configuration"):
    """`series`: {name: {configuration: {metric: value, metric + "_spread": standard deviation}}}.

    `published`: dicts with configuration, metric, value, by and exact, as in validation/hardware.
    """
    import matplotlib.pyplot as plt

    style.apply()
    width = min(max(9.0, 2.6 + (0.35 + 0.08 * len(series)) * len(configurations)), 14)
    figure = plt.figure(figsize=(width, 9.0))
    labels = len(series) + len({(point["by"], point["exact"]) for point in published})
    grid = figure.add_gridspec(len(METRICS) + 1, 1, height_ratios=[*[1.0] * len(METRICS), 0.05 * labels])
    cells = [figure.add_subplot(grid[row]) for row in range(len(METRICS))]
    for cell, (metric, label) in zip(cells, METRICS):
        _draw_series(cell, configurations, series, metric)
        _draw_published(cell, configurations, [point for point in published if point["metric"] == metric])
        cell.set_ylabel(label)
        _scale(cell, [values[metric] for one in series.values() for values in one.values()])
        for position in range(len(configurations) - 1):
            cell.axvline(position + 0.5, color="#EFEFEF", linewidth=0.8)
        cell.grid(axis="x", visible=False)
        cell.set_xticks(range(len(configurations)), configurations if cell is cells[-1] else [])
        cell.set_xlim(-0.5, len(configurations) - 0.5)
    cells[-1].set_xlabel(axis)
    figure.align_ylabels(cells)
    figure.suptitle(title)
    if subtitle:
        cells[0].set_title(subtitle, fontsize=9, color="#404040")
    _legend(figure.add_subplot(grid[-1]), cells, series)
    return figure


def _scale(cell, values):
    """From zero; logarithmic where small and large values would not both be legible."""
    from matplotlib.ticker import LogLocator, NullFormatter

    if min(values) > 0 and max(values) > LOGARITHMIC_FROM * min(values):
        cell.set_yscale("log")
        cell.set_ylim(min(values) / 1.6, max(values) * 1.6)
        wide = max(values) > 100 * min(values)
        cell.yaxis.set_major_locator(LogLocator(10, (1.0,) if wide else (1.0, 2.0, 5.0)))
        cell.yaxis.set_minor_formatter(NullFormatter())
        cell.set_ylabel(cell.get_ylabel() + "\nlogarithmic")
    else:
        cell.set_ylim(0, 1.08 * max(cell.get_ylim()[1], 1e-9))
    style.count_axis(cell.yaxis)


def _legend(cell, cells, series):
    handles = {}
    for other in cells:
        for handle, text in zip(*other.get_legend_handles_labels()):
            handles.setdefault(text, handle)
    labels = sorted(handles, key=lambda text: text not in series)  # ours first, published behind
    cell.set_axis_off()
    cell.legend([handles[text] for text in labels], labels, loc="upper center", ncol=2)


def _draw_series(cell, configurations, series, metric):
    step = 0.72 / max(len(series), 1)
    for number, (name, values) in enumerate(series.items()):
        places = [place for place, configuration in enumerate(configurations) if configuration in values]
        points = [values[configurations[place]] for place in places]
        shift = (number - (len(series) - 1) / 2) * step
        cell.errorbar([place + shift for place in places], [point[metric] for point in points],
                      [point.get(metric + "_spread", 0) for point in points], linestyle="none", capsize=2,
                      marker=MARKERS[number % len(MARKERS)], markersize=5, elinewidth=1, label=name,
                      color=style.SERIES[number % len(style.SERIES)])


def _draw_published(cell, configurations, points):
    """A line across the configuration: solid where the value is stated, dashed where it is only about that."""
    for by, (name, colour, width) in PUBLISHED.items():
        for exact in (True, False):
            chosen = [point for point in points if point["by"] == by and point["exact"] == exact]
            places = [(place, point["value"]) for point in chosen for place, configuration in enumerate(configurations)
                      if point["configuration"] in (configuration, "all")]
            if places:
                cell.hlines([value for _, value in places], [place - 0.46 for place, _ in places],
                            [place + 0.46 for place, _ in places], color=colour, linewidth=width, zorder=1.5,
                            linestyle="solid" if exact else (0, (2, 1)), label=name if exact else name + " (about)")


def from_results(labelled):
    """One series out of results of cachesim; the values are means over the cores."""
    series = {}
    for label, result in labelled:
        cores = max(len(result["cores"]), 1)
        load = result["total"]["load"]
        series[label] = {"reads": rates.looked_up(load) / cores, "misses": rates.missed(load) / cores,
                         "miss_rate_percent": rates.miss_rate_percent(load) or 0.0}
    return [label for label, _ in labelled], {"simulated": series}


def from_table(path, kernel):
    """What draw() takes, for one kernel in a table of repeat-chapter8."""
    table = read_json(path, "a table of repeat-chapter8")
    try:
        plot = table["plots"][kernel]
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: no plot of kernel '{kernel}', expected a table of repeat-chapter8") from error
    return tuple(plot[key] for key in ("configurations", "series", "published", "title", "subtitle", "axis"))


def asked_for(arguments):
    """The figure that the options of `warpscope plot` ask for."""
    with complete(arguments.inputs[0], "a table of repeat-chapter8 or " + results.EXPECTED):
        return figure_of(arguments)


def figure_of(arguments):
    if "=" in arguments.inputs[0]:
        labelled = [text.rpartition("=")[::2] for text in arguments.inputs]
        labelled = [(label or path, results.load(path)) for label, path in labelled]
        configurations, series = from_results(labelled)
        parts = [configurations, series, [], "Reads and misses", results.cache_text(labelled[0][1]), "Configuration"]
    else:
        parts = list(from_table(arguments.inputs[0], arguments.kernel))
    parts[3] = arguments.title or parts[3]
    return draw(*parts)
