"""Measured launches with our rates: what validation/truth/errors.csv holds, and how well its errors hold for launches left out."""
import csv
import dataclasses
import pathlib

from collect import sections
from collect.comparison import table
from truth import tables
from warpscope.result import error_classes, hit_rates, rates

# Kernels of the suite that say something of each other, as the folds of families do (README.md).
SUITE = {"mm": "matmul", "mm_regtile": "matmul", "mm_tiled": "matmul", "syrk": "matmul", "mt": "transpose", "mt_diagonal": "transpose",
         "mt_padded": "transpose", "mt_tiled": "transpose", "conv3d": "stencils", "stencil": "stencils", "stencil2d": "stencils",
         "fdtd": "stencils", "reduction_ladder": "reduction", "search_bst": "search", "search_btree": "search", "search_shared": "search",
         "search_sorted": "search", "spmv_csr": "spmv", "spmv_ell": "spmv", "store_load": "store_store"}
# Published datasets of accuracy_data.py, by preset: what begins the name of a launch, and the family.
PUBLISHED = {"gtx480": ("", "matmul"), "titanx": ("multiply/", "matmul"), "v100": ("working_set/", "working_set")}
TABLE = tables.SOURCE / "validation" / "truth" / "errors.csv"
PAGE = tables.SOURCE / "docs" / "validation" / "accuracy.md"
HEAD = "## Printed errors"
LEAST_INSIDE = 0.88  # of the launches of a family that is left out
CLANG = "clang"  # the compiler of these launches; "machine" is NVIDIA's
TIMED = error_classes.COLUMNS.index("timed")
NCU = "l1tex__t_sector_hit_rate.pct"


def _number(value):
    return "" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _no_store_hits(row):
    """The rate if no store hit; None where the measured one is of loads alone."""
    if row.hit_counter != NCU:
        return None
    total = row.fixed["total"]
    store = total["store"]
    whole = sum(total[kind]["transactions"] for kind in ("load", "store", "atomic"))
    return row.rates["fixed"] - 100 * (store["hits"] + store.get("hits_pending", 0)) / whole if whole else None


def _no_private(row):
    """The rate without private memory; None where there is none, or where the measured rate has none in it."""
    return hit_rates.without_private(row.fixed["total"]) if row.hit_counter == NCU else None


def family_of(launch, folds):
    """What is left out together with a launch. `folds`: {family: fold} of the published launches."""
    return folds.get(launch.family) or SUITE.get(launch.family, launch.family)


def line(row, folds):
    """The line of a launch, as error_classes.COLUMNS. Rates are those with values that its own fold did not choose."""
    launch = row.launch
    name = launch.name if launch.name.split("/")[0] == launch.gpu else f"{launch.preset}/{launch.name}"
    simulated = [row.rates.get(series) for series in ("fixed", "timed", "full_lru", "unlimited")]
    return (name, launch.preset if name != launch.name else launch.gpu, launch.generation, family_of(launch, folds),
            *map(_number, (row.hit_rate, *simulated, _no_store_hits(row), _no_private(row))), row.fixed.get("commit") or "", CLANG)


def write(path, rows):
    """Puts the launches of `rows` that have a measured hit rate into the table."""
    folds = {launch.family: launch.fold_family for launch in tables.launches()}
    lines = []
    for row in rows:
        own = row.scored.get("family", None if row.launch.fold_family else row)  # launches of a file belong to no fold
        if own is not None and row.hit_rate is not None and "fixed" in own.rates:
            lines.append(line(own, folds))
    _put(path, lines)


def write_published(path, datasets, commit):
    """Puts the points of accuracy_data's datasets of hit or miss rates into the table."""
    lines = []
    for dataset in datasets:
        turn = rates.rest_percent if dataset.quantity.startswith("miss rate") else lambda value: value
        for point in dataset.points if dataset.preset in PUBLISHED and dataset.unit == "points" else ():
            kernel, family = PUBLISHED[dataset.preset]
            name = f"{kernel}kib{point.configuration.split()[0]}" if "KiB" in point.configuration else kernel + point.configuration.replace(" ", "/")
            values = (point.measured, *map(point.simulated.get, ("fixed order", "timed")),
                      *map(point.trivial.get, ("fully associative LRU", "cold misses only")), None, None)
            lines.append((f"{dataset.preset}/{name}", dataset.preset, tables.preset_value(dataset.preset, "generation"),
                          "stencils" if "stencil" in name else family,
                          *(_number(value if value is None else turn(value)) for value in values), commit, CLANG))
    _put(path, lines)


def _put(path, lines):
    """Lines of the table; the others in it stay, and those that have a clock which theirs lack."""
    path = pathlib.Path(path)
    known = {}
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            known = {one[0]: one for one in list(csv.reader(file))[1:]}
    for one in lines:
        if one[TIMED] or not known.get(one[0], one)[TIMED]:
            known[one[0]] = one
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(error_classes.COLUMNS)
        writer.writerows(known[name] for name in sorted(known))
    if path.resolve() == TABLE:
        update_page(PAGE, error_classes.table(path))


@dataclasses.dataclass(frozen=True)
class Inside:
    """Launches of a family, or of all, judged by the launches of other families. `error`, `bound`: means, in points."""

    inside: int
    of: int
    error: float
    bound: float

    @property
    def share(self):
        return self.inside / self.of

    @classmethod
    def of_pairs(cls, pairs):
        """`pairs`: [(error, bound)] in points."""
        return cls(sum(error <= bound for error, bound in pairs), len(pairs), sum(error for error, _ in pairs) / len(pairs),
                   sum(bound for _, bound in pairs) / len(pairs))


def by_family(pairs):
    """{family: Inside} of [(Measured, error, bound)]."""
    families = {}
    for one, error, bound in pairs:
        families.setdefault(one.family, []).append((error, bound))
    return {family: Inside.of_pairs(found) for family, found in families.items()}


def inside(rows, engine):
    """{family: Inside} of what is printed, by launches of other families."""
    return by_family([(one, one.error(engine), error.bound) for one, error in error_classes.left_out(rows, engine)])


def constant(rows, engine):
    """The same of the trivial bound: one for all launches, the conformal quantile over the other families whatever our answers say."""
    families, pairs = {}, []
    for one in rows:
        if engine in one.rates:
            families.setdefault(one.family, []).append(one)
    worst = {family: error_classes.quantile([one.error(engine) for one in ones]) for family, ones in families.items()}
    for family, ones in families.items():
        bound = error_classes.quantile([value for name, value in worst.items() if name != family])
        pairs += [(one, one.error(engine), min(bound, max(one.rates[engine], 100 - one.rates[engine]))) for one in ones]
    return by_family(pairs)


def _summary(families):
    """All families in a sentence: how many launches are inside, the mean width, and which families are below LEAST_INSIDE."""
    inside_of, of = sum(one.inside for one in families.values()), sum(one.of for one in families.values())
    width = sum(one.bound for one in families.values()) / len(families)
    low = sorted(f"`{name}` {one.inside} of {one.of}" for name, one in families.items() if one.share < LEAST_INSIDE)
    return (f"{inside_of} of {of} launches are inside ({100 * inside_of / of:.0f} %), the bound is {width:.1f} points wide (mean over the families), "
            + (f"families below {100 * LEAST_INSIDE:.0f} %: {', '.join(low)}" if low else f"no family is below {100 * LEAST_INSIDE:.0f} %"))


def _mean(rows, series):
    errors = [one.error(series) for one in rows if series in one.rates]
    return f"{sum(errors) / len(errors):.1f}" if errors else "–"


def section(rows):
    """The lines of the accuracy page."""
    found = {engine: inside(rows, engine) for engine in error_classes.ENGINES}
    text = [HEAD, "",
            "The summary prints an error with every hit rate: the mean, and what 90 % of the families stay below "
            "([how](../../validation/truth/README.md#errors-by-class)). Here every family of kernels is judged by the others alone, on all GPUs. "
            "*Constant* is the trivial bound: the same for all launches, from the same families.", ""]
    for engine in reversed(error_classes.ENGINES):
        text += [f"- *{engine}*: {_summary(found[engine])}. *Constant*: {_summary(constant(rows, engine))}."]
    text += ["", "*Error* and *bound* are means in points. *Full LRU* and *unlimited* (cold misses only) are the errors of the trivial predictors.", ""]
    heads = ["family", "launches, timed", "inside", "error", "bound", "launches, fixed", "inside", "error", "bound", "full LRU", "unlimited"]
    lines = []
    for family in sorted({one.family for one in rows}):
        cells = []
        for engine in ("timed", "fixed"):
            of = found[engine].get(family)
            cells += [str(of.of), f"{100 * of.share:.0f} %", f"{of.error:.1f}", f"{of.bound:.1f}"] if of else ["–"] * 4
        own = [one for one in rows if one.family == family]
        lines.append([f"`{family}`", *cells, _mean(own, "full_lru"), _mean(own, "unlimited")])
    return [*text, *table(heads, lines).splitlines(), ""]


def update_page(path, rows):
    """Makes the section of the accuracy page again."""
    sections.replace(path, section(rows))
