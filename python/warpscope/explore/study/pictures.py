"""The pictures of a study's page: heat maps of two parameters, and fronts of two measures."""
from __future__ import annotations

import io
from typing import Any, Optional, Sequence

from warpscope.explore.compare.text import name_of
from warpscope.explore.study import answers
from warpscope.explore.study.answers import Row
from warpscope.show.plots import style

import matplotlib.pyplot as plt  # behind plots.style, which chooses the backend

COLUMNS = 3             # panels in a row
MOST_PANELS = 12        # of a picture
MOST_WRITTEN = 14       # values of a parameter up to which a cell has its number written into it
Panels = Sequence[tuple[str, list[Row]]]  # titles with rows


def png(figure: Any) -> bytes:
    """The picture; same input, same bytes."""
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    plt.close(figure)
    return file.getvalue()


def _grid(count: int, width: float, height: float) -> tuple[Any, list[Any]]:
    style.apply()
    columns = min(COLUMNS, count)
    lines = -(-count // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(width * columns, height * lines), squeeze=False)
    every = [axis for line in axes for axis in line]
    for axis in every[count:]:
        axis.set_visible(False)
    return figure, every[:count]


def short(value: float) -> str:
    """Four digits: 0.2500, 1,234, 12.3 k, 4.57 M."""
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= limit:
            return f"{value / max(1e3, limit if limit != 1e4 else 1e3):.3g}\u2009{unit}"
    return f"{value:,.0f}" if value == int(value) else f"{value:.3g}"


def _best(rows: list[Row], measure: str, names: tuple[str, str], at: tuple[Any, Any]) -> tuple[Optional[float], bool]:
    """(the best value of the variants with these two values, whether there is such a variant)."""
    here = [row for row in rows if all(row["parameters"].get(name) == value for name, value in zip(names, at))]
    values = [row["measures"][measure] for row in here if measure in row["measures"]]
    return (answers.better(measure)(values) if values else None), bool(here)


def _write(axis: Any, cells: list[list[Optional[float]]], tried: list[list[bool]], image: Any) -> None:
    """Numbers in the cells; a cross where no variant gave one."""
    small = max(len(cells), len(cells[0])) <= MOST_WRITTEN
    for y, line in enumerate(cells):
        for x, value in enumerate(line):
            if value is None:
                axis.text(x, y, "×" if tried[y][x] else "", ha="center", va="center", color=style.GREY, fontsize=11)
            elif small:
                red, green, blue, _ = image.cmap(image.norm(value))
                dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
                axis.text(x, y, short(value), ha="center", va="center", fontsize=8, color="white" if dark else "black")


def heat_map(panels: Panels, measure: str, names: tuple[str, str], values: tuple[list[Any], list[Any]]) -> bytes:
    """A panel each: the measure over the first parameter (across) and the second (up), with one scale for all."""
    import numpy
    shown = panels[:MOST_PANELS]
    tables = []
    for _, rows in shown:
        both = [[_best(rows, measure, names, (x, y)) for x in values[0]] for y in values[1]]
        tables.append(([[one for one, _ in line] for line in both], [[there for _, there in line] for line in both]))
    known = [one for cells, _ in tables for line in cells for one in line if one is not None]
    figure, axes = _grid(len(shown), 1.6 + 0.55 * min(len(values[0]), 10), 1.4 + 0.42 * min(len(values[1]), 12))
    colours = "viridis" if answers.more_is_better(measure) else "viridis_r"
    for axis, (title, _), (cells, tried) in zip(axes, shown, tables):
        grid = numpy.array([[numpy.nan if one is None else float(one) for one in line] for line in cells])
        image = axis.imshow(grid, origin="lower", aspect="auto", cmap=colours, vmin=min(known), vmax=max(known), interpolation="nearest")
        axis.grid(False)
        axis.set_title(title)
        axis.set_xticks(range(len(values[0])), [str(value) for value in values[0]])
        axis.set_yticks(range(len(values[1])), [str(value) for value in values[1]])
        axis.set_xlabel(names[0])
        axis.set_ylabel(names[1])
        _write(axis, cells, tried, image)
    bar = figure.colorbar(image, ax=axes, shrink=0.9)
    bar.set_label(name_of(measure))
    style.count_axis(bar.ax.yaxis)
    return png(figure)


def fronts(panels: Panels, x_name: str, y_name: str, members: Sequence[list[int]]) -> bytes:
    """A panel each: every variant as a point, those of the front joined and numbered as in `members` (indexes into the rows)."""
    shown = panels[:MOST_PANELS]
    figure, axes = _grid(len(shown), 3.6, 3.1)
    for axis, (title, rows), front in zip(axes, shown, members):
        points = [(row["measures"][x_name], row["measures"][y_name]) for row in rows]
        axis.scatter(*zip(*points), s=22, color=style.GREY, alpha=0.7, linewidths=0)
        best = [points[at] for at in front]
        axis.plot(*zip(*best), drawstyle="steps-post", color=style.VERMILION, linewidth=1.2)
        axis.scatter(*zip(*best), s=34, color=style.VERMILION, zorder=3)
        for number, (x, y) in enumerate(best, 1):
            axis.annotate(str(number), (x, y), xytext=(5, 4), textcoords="offset points", fontsize=9)
        axis.margins(0.12)
        axis.set_title(title)
        axis.set_xlabel(name_of(x_name))
        axis.set_ylabel(name_of(y_name))
        for each in (axis.xaxis, axis.yaxis):
            style.count_axis(each)
    return png(figure)
