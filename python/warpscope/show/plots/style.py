"""The look of every plot: sizes, fonts, colours that people with colour vision deficiency can tell apart."""
import pathlib
import sys

from warpscope.base import third_party

third_party.check()
import matplotlib  # noqa: E402

if "IPython" not in sys.modules:  # a notebook has a backend of its own
    matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend must be chosen first)
import numpy  # noqa: E402
from matplotlib.colors import ListedColormap  # noqa: E402

# Okabe and Ito, "Color Universal Design" (2008), https://jfly.uni-koeln.de/color/
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
)
GREY = "#8A8A8A"
SERIES = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK)

# One colour per kind of miss or hit, the same in every plot.
MISS_COLOURS = {"cold": SKY, "capacity": BLUE, "conflict": VERMILION, "invalidated": PURPLE}
HIT_COLOUR = "#DDDDDD"

# Viridis without its last tenth, whose yellow is too faint on white.
WORK_ITEM_COLOURS = ListedColormap(matplotlib.colormaps["viridis"](numpy.linspace(0, 0.91, 256)))


def apply():
    """Sets the style of every figure that is made afterwards."""
    plt.rcParams.update({
        "figure.dpi": 100,
        "savefig.dpi": 150,
        "figure.constrained_layout.use": True,
        "font.size": 10,
        "axes.titlesize": 11,
        "axes.labelsize": 10,
        "figure.titlesize": 13,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#E4E4E4",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "legend.frameon": False,
        "svg.hashsalt": "warpscope",  # same input, same bytes
        "svg.fonttype": "none",
    })


def save(figure, stem):
    """Writes STEM.png and STEM.svg and returns their paths. No date goes in: same input, same bytes."""
    stem = pathlib.Path(stem)
    paths = []
    for suffix, metadata in ((".png", {"Software": None}), (".svg", {"Date": None, "Creator": None})):
        path = stem.with_name(stem.name + suffix)
        figure.savefig(path, metadata=metadata)
        figure.set_layout_engine("none")  # laid out once; to do it again takes as long as drawing
        paths.append(path)
    plt.close(figure)
    return paths


def grouped(number):
    """A count with thin groups of three: 33 554 432."""
    return f"{number:,.0f}".replace(",", "\u2009")


def count_axis(axis):
    """Ticks of large counts as 10 k, 2 M."""
    from matplotlib.ticker import FuncFormatter

    def short(value, _position):
        for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if abs(value) >= 10 * limit or (abs(value) >= limit and value % (limit / 100) == 0):
                return f"{value / limit:g}\u2009{unit}"
        return f"{value:g}"

    axis.set_major_formatter(FuncFormatter(short))


def log_count_axis(axis):
    """The same on a logarithmic axis: plain numbers at 1, 2, 5, 10, …, or at powers of ten where there are many decades."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    if axis.get_scale() == "log":
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < 1000 else (1,), numticks=6))
        axis.set_minor_formatter(NullFormatter())
    count_axis(axis)
