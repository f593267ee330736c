"""Plots that a notebook shows."""
from __future__ import annotations

import base64
import io
import pathlib
from typing import TYPE_CHECKING, Any, Callable

from warpscope.api.tools import Path, needed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Plot:
    """A matplotlib figure (`figure`) that a notebook shows, and that save() writes as the commands do."""

    def __init__(self, figure: "Figure") -> None:
        self.figure = figure

    def png(self) -> bytes:
        """The picture, 100 dots per inch; the same figure gives the same bytes."""
        file = io.BytesIO()
        self.figure.savefig(file, format="png", dpi=100, metadata={"Software": None})
        return file.getvalue()

    def _repr_html_(self) -> str:
        return f'<img alt="{self.figure.get_label() or "plot"}" src="data:image/png;base64,{base64.b64encode(self.png()).decode()}">'

    def save(self, stem: Path) -> list[pathlib.Path]:
        """Writes STEM.png and STEM.svg, and returns their paths."""
        from warpscope.show.plots import style
        return [pathlib.Path(path) for path in style.save(self.figure, stem)]


def drawn(draw: Callable[[], Any]) -> Plot:
    """A figure made with this project's style, which the caller's own plots do not get. Raises InputError without matplotlib."""
    matplotlib = needed("matplotlib", "a plot")
    needed("numpy", "a plot")
    with matplotlib.rc_context():
        from warpscope.show.plots import style
        style.apply()
        figure = draw()
    from matplotlib import pyplot
    pyplot.close(figure)  # out of pyplot's list, which a notebook would show once more
    return Plot(figure)
