"""Which of the two clocks a rate is shown of, and what error that rate has shown."""
import csv

from warpscope.result import error_classes, results
from warpscope.run import budget

# Generations that are judged together where one alone has too few launches.
_FAMILIES = (("Fermi", "Kepler"), ("Maxwell", "Pascal"), ("Volta", "Turing", "Ampere", "Ada", "Hopper", "Blackwell"))
UNDECIDED = "timed"  # where no launches say which clock is better
MANY_LAUNCHES = 60   # of which a budget draws some


def errors():
    """error_classes.table(); {} where that cannot be read."""
    try:
        return error_classes.table()
    except (OSError, KeyError, ValueError, csv.Error):
        return {}


def _score(table, generations, engine):
    """(launches, their mean error) of an engine over the classes that both clocks have."""
    both = {key[:3] for key in table if key[3] == "fixed"} & {key[:3] for key in table if key[3] == "timed"}
    rows = [table[(*key, engine)] for key in both if key[0] in generations]
    launches = sum(row[0] for row in rows)
    return launches, sum(row[0] * row[2] for row in rows) / launches if launches else None


def best(generation, table=None):
    """The clock whose hit rates were closer to hardware: "fixed" or "timed". Of the generation alone if it has LEAST_LAUNCHES, else of
    its neighbours too."""
    table = errors() if table is None else table
    for generations in ((generation,), next((family for family in _FAMILIES if generation in family), ())):
        (count, timed), (other, fixed) = _score(table, generations, "timed"), _score(table, generations, "fixed")
        if min(count, other) >= error_classes.LEAST_LAUNCHES:
            return "timed" if timed <= fixed else "fixed"
    return UNDECIDED


def _offer(clocks):
    """What simulates more where all launches are too much work: some of many launches, or the first work-groups of few; "" where some
    of few launches were simulated."""
    if clocks.get("waves"):
        return "; try --clock timed"
    if not clocks["why"].startswith("work "):
        return ""
    return "; try --budget 40M" if clocks["launches"] >= MANY_LAUNCHES or not clocks["timed_launches"] else ""


def shown(result):
    """("fixed" or "timed", a line about the timed engine where it did not simulate everything, else "")."""
    clocks = result.get("clocks") or {}
    asked, note = clocks.get("asked"), ""
    if clocks.get("why") and asked != "fixed":
        of = f"{clocks['timed_launches']:,} of {clocks['launches']:,} launches" if clocks["timed_launches"] else "left out"
        if drawn := budget.of_sample(result.get("timed")):
            of = f"an estimate by {drawn}"
        elif waves := clocks.get("waves"):
            of = f"first {waves['work_groups']:,} of {waves['of']:,} work-groups"
        note = f"Timed engine: {of} ({clocks['why']}){_offer(clocks)}"
    if "timed" not in result or asked == "fixed":
        return "fixed", note
    return ("timed" if asked == "timed" else best(results.preset_values(result).get("generation", ""))), note


def error_text(result, engine, table=None):
    """The error that rates of this clock have shown on launches of this class."""
    found = error_classes.class_of(result)
    launches, _, mean, most = (errors() if table is None else table).get((*(found or ()), engine), (0, 0, 0, 0))
    if launches < error_classes.LEAST_LAUNCHES:
        return f"not validated (n = {launches})"
    return f"error {mean:.1f} points, 90 % below {most:.1f} (n = {launches})"


def class_text(result):
    """The class of the launch in words; empty where it is not known."""
    found = error_classes.class_of(result)
    if found is None:
        return ""
    generation, live, share = found
    stores = "stores share lines with loads" if share == "yes" else "stores on lines of their own"
    return f"{generation}, live lines {live} of the L1's, {stores}"
