"""How far hit rates of the L1 were from hardware: validation/truth/errors.csv has measured launches with our rates, and says what error
another launch of the same class may have (validation/truth/README.md, "Errors by class")."""
import csv
import dataclasses
import math
import pathlib

from warpscope.base.source import SOURCE
from warpscope.result import results

_INSTALLED = pathlib.Path(__file__).parents[1] / "errors.csv"  # of the package in a build, an installation and a wheel
TABLE = _INSTALLED if _INSTALLED.exists() else SOURCE / "validation" / "truth" / "errors.csv"
COLUMNS = ("launch", "gpu", "generation", "family", "measured", "fixed", "timed", "full_lru", "unlimited", "no_store_hits", "commit")
ENGINES = ("fixed", "timed")
SERIES = (*ENGINES, "full_lru", "unlimited", "no_store_hits")
LEAST_FAMILIES = 10       # of kernels; of fewer no error can be said that 90 % stay below
SHARE = 0.9
ARCHITECTURES = {"Fermi and Kepler": ("Fermi", "Kepler"), "Maxwell and Pascal": ("Maxwell", "Pascal"),
                 "Volta and later": ("Volta", "Turing", "Ampere", "Ada", "Hopper", "Blackwell")}
ALIKE = 1        # points between our own answers, up to which neither order nor capacity nor stores matter
FAR = 10


@dataclasses.dataclass(frozen=True)
class Measured:
    """A launch that was measured; rates in percent."""

    launch: str
    gpu: str
    generation: str
    family: str      # of kernels: what is left out together
    measured: float
    rates: dict      # {one of SERIES: rate}, without those that are not known

    def error(self, series):
        return abs(self.rates[series] - self.measured)

    @property
    def spread(self):
        """How far our own answers are apart, in points."""
        return max(self.rates.values()) - min(self.rates.values())


@dataclasses.dataclass(frozen=True)
class Error:
    """What the launches of a class say. `text`: the class in words; `bound`: points below which 90 % of the families stay."""

    text: str
    mean: float
    bound: float
    launches: int
    families: int


def table(path=TABLE):
    """Every Measured of the table."""
    with open(path, newline="", encoding="utf-8") as file:
        return [Measured(row["launch"], row["gpu"], row["generation"], row["family"], float(row["measured"]),
                         {name: float(row[name]) for name in SERIES if row[name]}) for row in csv.DictReader(file)]


def architecture_of(generation):
    """The key of ARCHITECTURES; None for other vendors' generations."""
    return next((name for name, members in ARCHITECTURES.items() if generation in members), None)


def _quantile(values):
    """The least value that a further one is not above in SHARE of the cases, where the order says nothing: the conformal quantile."""
    return sorted(values)[math.ceil((len(values) + 1) * SHARE) - 1]


def _nearest_rank(values):
    return sorted(values)[math.ceil(len(values) * SHARE) - 1]


def _ranges(spread):
    """(text, least, most) of the spreads that a spread is judged with, the narrowest first. What is alike is never judged with what is not:
    most launches are, and their errors say nothing of the others."""
    if spread <= ALIKE:
        return [(f"our answers within {ALIKE} point", -1, ALIKE)]
    apart = (f"our answers more than {ALIKE} point apart", ALIKE, math.inf)
    near = (f"our answers {ALIKE} to {FAR} points apart", ALIKE, FAR)
    return [near if spread <= FAR else (f"our answers more than {FAR} points apart", FAR, math.inf), apart]


def _levels(generation, spread):
    """(text, whether a Measured is in it) of the classes of a launch, the narrowest first."""
    own = architecture_of(generation)

    def level(architecture, text, least, most):
        return f"{architecture or 'all GPUs'}, {text}", lambda one: (least < one.spread <= most and
                                                                     (not architecture or architecture_of(one.generation) == architecture))
    return [level(architecture, *part) for architecture in ((own, None) if own else (None,)) for part in _ranges(spread)]


def error_of(rows, generation, spread, engine):
    """The Error of a launch: of the narrowest class with LEAST_FAMILIES, and not below what narrower ones with fewer have shown; of the
    widest one all that it has shown, where that has fewer, too. None without rows of the engine."""
    least, found = 0.0, None
    for text, belongs in _levels(generation, spread):
        families = {}
        for one in rows:
            if engine in one.rates and belongs(one):
                families.setdefault(one.family, []).append(one.error(engine))
        if not families:
            continue
        worst = [_nearest_rank(errors) for errors in families.values()]
        enough = len(families) >= LEAST_FAMILIES
        least = max(least, _quantile(worst) if enough else max(worst))
        mean = sum(sum(errors) / len(errors) for errors in families.values()) / len(families)
        found = Error(text, mean, least, sum(map(len, families.values())), len(families))
        if enough:
            break
    return found


def left_out(rows, engine):
    """[(Measured, Error)] of all rows of an engine, the Error by launches of other families alone."""
    found = []
    for family in sorted({one.family for one in rows}):
        others, known = [one for one in rows if one.family != family], {}
        for one in rows:
            if one.family == family and engine in one.rates:
                key = (architecture_of(one.generation), _ranges(one.spread)[0])
                if key not in known:
                    known[key] = error_of(others, one.generation, one.spread, engine)
                found.append((one, known[key]))
    return found


def spread_of(result, rates, has_stores):
    """How far the answers of a result are apart: `rates` of the engines in percent, and what would change of that of fixed order with a
    fully associative LRU cache, with one without limits, and without hits of stores, if the rates have these in them."""
    total = result["total"]
    classes = total.get("miss_classes")
    answers = [rate for rate in rates.values() if rate is not None]
    whole = sum(total[kind]["transactions"] for kind in ("load", "store", "atomic"))
    if classes and whole and rates.get("fixed") is not None:
        full_lru = classes["conflict"] - classes["anti_conflict"]
        unlimited = classes["invalidated"] + classes["capacity"] + classes["conflict"]
        of_stores = -total["store"]["hits"] - total["store"]["hits_pending"] if has_stores else 0
        answers += [rates["fixed"] + 100 * hits / whole for hits in (full_lru, unlimited, of_stores)]
    return max(answers) - min(answers) if answers else 0.0


def of_result(rows, result, rates, has_stores, engine):
    """The Error of a result.json of fixed order, of a GPU with a generation, with the `rates` of both engines."""
    return error_of(rows, results.preset_values(result)["generation"], spread_of(result, rates, has_stores), engine)
