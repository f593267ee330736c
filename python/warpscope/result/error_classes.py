"""How far hit rates of the L1 were from hardware: validation/truth/errors.csv has measured launches with our rates, and says what error
another launch of the same class may have (validation/truth/README.md, "Errors by class")."""
import csv
import dataclasses
import math
import pathlib

from warpscope.base.source import SOURCE
from warpscope.result import hit_rates, results

_INSTALLED = pathlib.Path(__file__).parents[1] / "errors.csv"  # of the package in a build, an installation and a wheel
TABLE = _INSTALLED if _INSTALLED.exists() else SOURCE / "validation" / "truth" / "errors.csv"
COLUMNS = ("launch", "gpu", "generation", "family", "measured", "fixed", "timed", "full_lru", "unlimited", "no_store_hits", "no_private", "commit", "front_end")
ENGINES = ("fixed", "timed")
PRIVATE = "no_private"
SERIES = (*ENGINES, "full_lru", "unlimited", "no_store_hits", PRIVATE)
LEAST_FAMILIES = 10       # of kernels; of fewer no error can be said that 90 % stay below
SHARE = 0.9
ARCHITECTURES = {"Fermi and Kepler": ("Fermi", "Kepler"), "Maxwell and Pascal": ("Maxwell", "Pascal"),
                 "Volta and later": ("Volta", "Turing", "Ampere", "Ada", "Hopper", "Blackwell")}
ALIKE = 1        # points between our own answers, up to which neither order nor capacity nor stores matter
LEFT_OPEN = 40   # points that are added to how far a rate is from our other answers, before errors are compared with it


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

    def part(self, series):
        """The error as a part of what our answers leave open."""
        return self.error(series) / left_open(self.rates, series)

    def part_outside(self, series):
        """The same of how far the measured rate is outside of what ours says with private memory and without."""
        least, most = sorted((self.rates[series], self.rates.get(PRIVATE, self.rates[series])))
        return max(least - self.measured, self.measured - most, 0.0) / left_open(self.rates, series)

    @property
    def spread(self):
        return spread(self.rates)


@dataclasses.dataclass(frozen=True)
class Error:
    """What the launches of a class say. `text`: the class in words; `mean`, and `bound`, what 90 % of the families stay below: parts of what
    the answers of a launch leave open, or, of one launch, points."""

    text: str
    mean: float
    bound: float
    launches: int
    families: int

    def points(self, answers, series):
        """The same of the rate of a series of a launch, {one of SERIES: rate}. Whether private memory is in registers is not for us to say,
        so that both rates are within the bound; a rate is a percentage, so that no error is larger than it allows."""
        rate, scale = answers[series], left_open(answers, series)
        most = max(rate, 100 - rate)
        other = abs(rate - answers.get(PRIVATE, rate))
        return dataclasses.replace(self, mean=min(self.mean * scale, most), bound=min(self.bound * scale + other, most))


def spread(answers):
    """How far answers, {one of SERIES: rate in percent}, are apart, in points."""
    return max(answers.values()) - min(answers.values())


def left_open(answers, series):
    """How much our answers leave open about the rate of a series, in points: how far the farthest of the others is, and LEFT_OPEN, for
    what none of them knows."""
    return max(abs(answers[series] - one) for one in answers.values()) + LEFT_OPEN


def table(path=TABLE):
    """Every Measured of the table."""
    with open(path, newline="", encoding="utf-8") as file:
        return [Measured(row["launch"], row["gpu"], row["generation"], row["family"], float(row["measured"]),
                         {name: float(row[name]) for name in SERIES if row[name]}) for row in csv.DictReader(file)]


def architecture_of(generation):
    """The key of ARCHITECTURES; None for other vendors' generations."""
    return next((name for name, members in ARCHITECTURES.items() if generation in members), None)


def quantile(values):
    """The least value that a further one is not above in SHARE of the cases, where the order says nothing: the conformal quantile; of too few
    values the largest."""
    return sorted(values)[min(len(values), math.ceil((len(values) + 1) * SHARE)) - 1]


def _levels(generation, apart):
    """(text, whether a Measured is in it) of the classes of a launch, the narrowest first. What is alike is never judged with what is not: most
    launches are, and their errors say nothing of the others. Those of the others are parts of what answers leave open, on whatever GPU."""
    own = architecture_of(generation)

    def alike(architecture):
        return f"{architecture or 'all GPUs'}, our answers within {ALIKE} point", lambda one: (one.spread <= ALIKE and (
            not architecture or architecture_of(one.generation) == architecture))
    if apart <= ALIKE:
        return [alike(architecture) for architecture in ((own, None) if own else (None,))]
    return [(f"all GPUs, our answers more than {ALIKE} point apart", lambda one: one.spread > ALIKE)]


def class_of(rows, generation, apart, engine):
    """The Error, in parts, of launches whose answers are this far apart: of the narrowest class with LEAST_FAMILIES, and not below what
    narrower ones with fewer have shown; of the widest one all that it has shown, where that has fewer, too. None without rows of the engine."""
    least, found = 0.0, None
    for text, belongs in _levels(generation, apart):
        families = {}
        for one in rows:
            if engine in one.rates and belongs(one):
                families.setdefault(one.family, []).append(one)
        if not families:
            continue
        worst = [quantile([one.part_outside(engine) for one in ones]) for ones in families.values()]
        enough = len(families) >= LEAST_FAMILIES
        least = max(least, quantile(worst) if enough else max(worst))
        mean = sum(sum(one.part(engine) for one in ones) / len(ones) for ones in families.values()) / len(families)
        found = Error(text, mean, least, sum(map(len, families.values())), len(families))
        if enough:
            break
    return found


def error_of(rows, generation, answers, engine):
    """The Error, in points, of a launch with these answers, {one of SERIES: rate in percent}; None without rows of the engine."""
    found = class_of(rows, generation, spread(answers), engine)
    return found and found.points(answers, engine)


def left_out(rows, engine):
    """[(Measured, Error)] of all rows of an engine, the Error by launches of other families alone."""
    found = []
    for family in sorted({one.family for one in rows}):
        others, known = [one for one in rows if one.family != family], {}
        for one in rows:
            if one.family == family and engine in one.rates:
                key = (architecture_of(one.generation), one.spread <= ALIKE)
                if key not in known:
                    known[key] = class_of(others, one.generation, one.spread, engine)
                found.append((one, known[key].points(one.rates, engine)))
    return found


def answers_of(result, rates, has_stores):
    """What a result says of a hit rate, {one of SERIES: percent}: `rates` of the engines, and what that of fixed order would be with a fully
    associative LRU cache, with one without limits, and, if the rates have these in them, without hits of stores and without private memory,
    which a GPU's compiler may keep in registers."""
    total = result["total"]
    classes = total.get("miss_classes")
    answers = {engine: rate for engine, rate in rates.items() if rate is not None}
    whole = sum(total[kind]["transactions"] for kind in ("load", "store", "atomic"))
    if classes and whole and "fixed" in answers:
        more = {"full_lru": classes["conflict"] - classes["anti_conflict"],
                "unlimited": classes["invalidated"] + classes["capacity"] + classes["conflict"]}
        if has_stores:
            more["no_store_hits"] = -total["store"]["hits"] - total["store"]["hits_pending"]
        answers |= {name: rates["fixed"] + 100 * hits / whole for name, hits in more.items()}
    if has_stores and (without := hit_rates.without_private(total)) is not None:
        answers[PRIVATE] = without
    return answers


def of_result(rows, result, rates, has_stores, engine):
    """The Error, in points, of a result.json of fixed order, of a GPU with a generation, with the `rates` of both engines; None where it has
    no rate of the engine."""
    if rates.get(engine) is None:
        return None
    return error_of(rows, results.preset_values(result)["generation"], answers_of(result, rates, has_stores), engine)
