"""The sign of every pair of variants (warpscope model --rank --chart): colour as predicted, number as the reference has it.

After S. Dasgupta, "CUDA Performance Analyzer", MSc thesis, Georgia Institute of Technology, 2011, section 5.2.3, figure 26.
"""
from __future__ import annotations

import pathlib
import re
from typing import TYPE_CHECKING, Any

from warpscope.explore.models import ranking
from warpscope.show.plots import style

if TYPE_CHECKING:
    from warpscope.explore.models.rank_table import Ranking

NUMBERS = 24  # variants up to which the reference is written as numbers; beyond it is a second square
LABELS = 48  # variants up to which their names are written
COLOURS = (style.VERMILION, "#F2F2F2", style.BLUE)  # slower, equal, faster


def _matrix(times: list[Any]) -> Any:
    import numpy
    return numpy.array([[numpy.nan if sign is None else sign for sign in row] for row in times], dtype=float)


def _draw(cell: Any, signs: Any, variants: list[str], title: str) -> None:
    from matplotlib.colors import ListedColormap

    cell.imshow(signs, cmap=ListedColormap(COLOURS), vmin=-1, vmax=1, interpolation="nearest")
    cell.set_title(title)
    cell.grid(False)
    if len(variants) <= LABELS:
        size = 9 if len(variants) <= NUMBERS else 5
        cell.set_xticks(range(len(variants)), variants, rotation=90, fontsize=size)
        cell.set_yticks(range(len(variants)), variants, fontsize=size)
    else:
        cell.set_xlabel("variant, by the reference: the fastest first")
        cell.set_ylabel("variant")


def _order(found: "Ranking") -> list[int]:
    """Variants by the reference, unknown ones last."""
    times = found.columns[found.reference]
    return sorted(range(len(times)), key=lambda at: (times[at] is None, times[at] or 0.0, at))


def save(found: "Ranking", name: str, stem: pathlib.Path) -> list[pathlib.Path]:
    """One predictor against the reference. Returns the paths."""
    import matplotlib.pyplot as plt

    style.apply()
    order = _order(found)
    variants = [found.variants[at] for at in order]
    predicted, reference = (_matrix(ranking.signs([found.columns[column][at] for at in order], found.within))
                            for column in (name, found.reference))
    small = len(variants) <= NUMBERS
    side = max(4.0, 0.34 * len(variants)) + 1.5 if small else 6.0
    figure, cells = plt.subplots(1, 1 if small else 2, figsize=(side if small else 2 * side, side + 0.6), squeeze=False)
    percent = f"{100 * found.within:g} %"
    if small:
        _draw(cells[0][0], predicted, variants, f"colour: {name}; number: {found.reference}")
        for row, signs in enumerate(reference):
            for column, sign in enumerate(signs):
                if sign == sign:
                    cells[0][0].text(column, row, f"{sign:.0f}", ha="center", va="center", fontsize=8,
                                     color="white" if abs(predicted[row][column]) == 1 else "black")
    else:
        _draw(cells[0][0], predicted, variants, name)
        _draw(cells[0][1], reference, variants, f"{found.reference} (reference)")
    figure.suptitle(f"Row over column: blue, 1: faster by more than {percent}; orange, -1: slower; grey, 0: equal", fontsize=9)
    return style.save(figure, stem)


def save_all(found: "Ranking", stem: str) -> list[pathlib.Path]:
    """STEM-PREDICTOR for every column but the reference."""
    paths = []
    for name in found.columns:
        if name != found.reference:
            paths += save(found, name, pathlib.Path(f"{stem}-{re.sub(r'[^A-Za-z0-9.-]', '-', name)}"))
    return paths
