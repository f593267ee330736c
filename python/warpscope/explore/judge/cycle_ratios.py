"""How far ratios of cycles were from hardware: validation/hardware/cycles.csv has launches with measured and simulated active cycles of all cores.
What ratio of two launches can be vouched for follows from all pairs of them: who is right about each within 30 % may be wrong about which is faster."""
import csv
import dataclasses
import functools
import itertools
import math
import pathlib

from warpscope.base.source import SOURCE
from warpscope.result import error_classes

_INSTALLED = pathlib.Path(__file__).parents[2] / "cycles.csv"  # of the package in a build, an installation and a wheel
TABLE = _INSTALLED if _INSTALLED.exists() else SOURCE / "validation" / "hardware" / "cycles.csv"
SHORT = 5000  # active cycles of a core; below, starts and ends of launches weigh, which are not simulated


@dataclasses.dataclass(frozen=True)
class RatioError:
    """`factor`: in 90 % of the pairs of launches, simulated over measured ratio is within it, either way. `text`: of what launches."""

    factor: float
    pairs: int
    launches: int
    text: str


@functools.lru_cache(maxsize=8)
def _launches(path: pathlib.Path) -> tuple[tuple[str, str, float, float, float], ...]:
    with open(path, newline="", encoding="utf-8") as file:
        return tuple((row["gpu"], row["family"], float(row["measured"]) / float(row["cores"]), float(row["measured"]), float(row["simulated"]))
                     for row in csv.DictReader(file) if row["front_end"] == "clang")  # judge compiles as that does


def error_of(cycles: float, path: pathlib.Path = TABLE) -> RatioError:
    """The RatioError of two launches, the shorter one of which takes so many cycles. GPUs other than those of the table have no errors of their own."""
    is_short = cycles < SHORT
    rows = [row for row in _launches(path) if (row[2] < SHORT) == is_short]
    logs = [(family, math.log(simulated / measured)) for _, family, _, measured, simulated in rows]
    apart = [abs(one - other) for (family, one), (another, other) in itertools.combinations(logs, 2) if family != another]
    gpus = ", ".join(sorted({row[0] for row in rows}))
    length = f"{'below' if is_short else 'of'} {SHORT:,} cycles{'' if is_short else ' and more'}"
    return RatioError(math.exp(error_classes.quantile(apart)), len(apart), len(rows), f"pairs of launches {length}, {gpus}")
