"""Measured launches with our rates: what validation/truth/errors.csv holds, and how well its errors hold for launches left out."""
import csv
import pathlib

from collect.comparison import table
from truth import tables
from warpscope.result import error_classes

# Kernels of the suite that say something of each other, as the folds of families do (README.md).
SUITE = {"mm": "matmul", "mm_regtile": "matmul", "mm_tiled": "matmul", "syrk": "matmul", "mt": "transpose", "mt_diagonal": "transpose",
         "mt_padded": "transpose", "mt_tiled": "transpose", "conv3d": "stencils", "stencil": "stencils", "stencil2d": "stencils",
         "fdtd": "stencils", "reduction_ladder": "reduction", "search_bst": "search", "search_btree": "search", "search_shared": "search",
         "search_sorted": "search", "spmv_csr": "spmv", "spmv_ell": "spmv", "store_load": "store_store"}
TABLE = tables.SOURCE / "validation" / "truth" / "errors.csv"
PAGE = tables.SOURCE / "docs" / "validation" / "accuracy.md"
HEAD = "## Printed errors"
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


def family_of(launch, folds):
    """What is left out together with a launch. `folds`: {family: fold} of the published launches."""
    return folds.get(launch.family) or SUITE.get(launch.family, launch.family)


def line(row, folds):
    """The line of a launch, as error_classes.COLUMNS. Rates are those with values that its own fold did not choose."""
    launch = row.launch
    name = launch.name if launch.name.split("/")[0] == launch.gpu else f"{launch.preset}/{launch.name}"
    rates = [row.rates.get(series) for series in ("fixed", "timed", "full_lru", "unlimited")]
    return (name, launch.preset if name != launch.name else launch.gpu, launch.generation, family_of(launch, folds),
            *map(_number, (row.hit_rate, *rates, _no_store_hits(row))), row.fixed.get("commit") or "")


def write(path, rows):
    """Puts the launches of `rows` that have a measured hit rate into the table; the others in it stay, and those that lack a clock which
    the table has."""
    path = pathlib.Path(path)
    known = {}
    if path.exists():
        with open(path, newline="", encoding="utf-8") as file:
            known = {one[0]: one for one in list(csv.reader(file))[1:]}
    folds = {launch.family: launch.fold_family for launch in tables.launches()}
    for row in rows:
        own = row.scored.get("family", None if row.launch.fold_family else row)  # launches of a file belong to no fold
        if own is not None and row.hit_rate is not None and "fixed" in own.rates:
            one = line(own, folds)
            if one[TIMED] or not known.get(one[0], one)[TIMED]:
                known[one[0]] = one
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(error_classes.COLUMNS)
        writer.writerows(known[name] for name in sorted(known))


    if path.resolve() == TABLE:
        update_page(PAGE, error_classes.table(path))


def inside(rows, engine):
    """{family: (inside, all, mean error, mean bound)}: launches whose error is at most what the launches of other families say."""
    families = {}
    for one, error in error_classes.left_out(rows, engine):
        families.setdefault(one.family, []).append((one, error))
    return {family: (sum(one.error(engine) <= error.bound for one, error in found), len(found),
                     sum(one.error(engine) for one, _ in found) / len(found), sum(error.bound for _, error in found) / len(found))
            for family, found in families.items()}


def _mean(rows, series):
    errors = [one.error(series) for one in rows if series in one.rates]
    return f"{sum(errors) / len(errors):.1f}" if errors else "–"


def section(rows):
    """The lines of the accuracy page."""
    found = {engine: inside(rows, engine) for engine in error_classes.ENGINES}
    shares = {engine: tuple(map(sum, zip(*((a, b) for a, b, *_ in families.values())))) for engine, families in found.items()}
    text = [HEAD, "",
            "The summary prints an error with every hit rate: the mean, and what 90 % of the families stay below "
            "([how](../../validation/truth/README.md#errors-by-class)). Here every family of kernels is judged by the others alone, on all GPUs: "
            + "; ".join(f"*{engine}* {inside_of} of {of} launches are inside ({100 * inside_of / of:.0f} %)" for engine, (inside_of, of) in shares.items())
            + ". The bounds are the means of what is printed. *Full LRU* and *unlimited* (cold misses only) are the trivial predictors. Errors are in points.", ""]
    heads = ["family", "launches, timed", "inside", "error", "bound", "launches, fixed", "inside", "error", "bound", "full LRU", "unlimited"]
    lines = []
    for family in sorted({one.family for one in rows}):
        cells = []
        for engine in ("timed", "fixed"):
            of = found[engine].get(family)
            cells += [str(of[1]), f"{100 * of[0] / of[1]:.0f} %", f"{of[2]:.1f}", f"{of[3]:.1f}"] if of else ["–"] * 4
        own = [one for one in rows if one.family == family]
        lines.append([f"`{family}`", *cells, _mean(own, "full_lru"), _mean(own, "unlimited")])
    return [*text, *table(heads, lines).splitlines(), ""]


def update_page(path, rows):
    """Makes the section of the accuracy page again."""
    before, _, after = path.read_text(encoding="utf-8").partition(f"{HEAD}\n")
    path.write_text(before + "\n".join(section(rows)) + "\n## " + after.partition("\n## ")[2], encoding="utf-8")
