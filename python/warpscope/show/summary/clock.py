"""Which of the two clocks a rate is shown of, and what error that rate has shown."""
import csv

from warpscope.base.errors import printable
from warpscope.result import error_classes, hit_rates, kernels, per_kernel, results
from warpscope.run import budget

UNDECIDED = "timed"  # where no launches say which clock is better
LEAST_LAUNCHES = 10  # below that they say nothing
MANY_LAUNCHES = 60   # of which a budget draws some


def errors():
    """error_classes.table(); [] where that cannot be read."""
    try:
        return error_classes.table()
    except (OSError, KeyError, ValueError, csv.Error):
        return []


def _mean_error(rows, engine):
    """Over families of kernels."""
    families = {}
    for one in rows:
        families.setdefault(one.family, []).append(one.error(engine))
    return sum(sum(found) / len(found) for found in families.values()) / len(families)


def best(generation, rows=None):
    """The clock whose hit rates were closer to hardware: "fixed" or "timed". Of the generation alone if LEAST_LAUNCHES of it have both
    clocks, else of its architectures too."""
    rows = [one for one in (errors() if rows is None else rows) if "fixed" in one.rates and "timed" in one.rates]
    own = error_classes.architecture_of(generation)
    for near in (lambda one: one.generation == generation, lambda one: own and error_classes.architecture_of(one.generation) == own):
        chosen = [one for one in rows if near(one)]
        if len(chosen) >= LEAST_LAUNCHES:
            return "timed" if _mean_error(chosen, "timed") <= _mean_error(chosen, "fixed") else "fixed"
    return UNDECIDED


def _offer(clocks):
    """What simulates more where all launches are too much work: some of many launches, or the first work-groups of few; "" where some
    of few launches were simulated."""
    if clocks.get("waves"):
        return "; try --clock timed"
    if not clocks["why"].startswith("work "):
        return ""
    return "; try --budget 40M" if clocks["launches"] >= MANY_LAUNCHES or not clocks["timed_launches"] else ""


def _untimed_kernels(result):
    """Names those that no number of cycles is about, but for those that the first line names (not_timed_line()); "" if there are none."""
    told = {one["kernel"] for one in result["context"].get("not_timed") or []}
    names = [printable(kernels.short(name)) for name in per_kernel.without_cycles(result) if name not in told]
    return f"; cycles are without {names[0]}{f' and {len(names) - 1:,} more' if len(names) > 1 else ''}" if names else ""


def shown(result):
    """("fixed" or "timed", a line about the timed engine where it did not simulate everything, else "")."""
    clocks = result.get("clocks") or {}
    asked, note = clocks.get("asked"), ""
    if clocks.get("why") and asked != "fixed" and (clocks["timed_launches"] or not results.not_timed(result)):
        of = f"{clocks['timed_launches']:,} of {clocks['launches']:,} launches" if clocks["timed_launches"] else "left out"
        if drawn := budget.of_sample(result.get("timed")):
            of = f"an estimate by {drawn}"
        elif waves := clocks.get("waves"):
            of = f"first {waves['work_groups']:,} of {waves['of']:,} work-groups"
        note = f"Timed engine: {of} ({clocks['why']}){_offer(clocks)}{_untimed_kernels(result)}"
    if "timed" not in result or asked == "fixed":
        return "fixed", note
    return ("timed" if asked == "timed" else best(results.preset_values(result).get("generation", ""))), note


def error_of(result, engine, rows=None):
    """The error_classes.Error of rates of this clock; None where nothing like it was measured."""
    if not results.preset_values(result).get("generation"):
        return None
    return error_classes.of_result(errors() if rows is None else rows, result, hit_rates.of_both(result), hit_rates.has_stores(result), engine)


def error_text(result, engine, rows=None):
    """The error that rates of this clock have shown on launches of this class."""
    found = error_of(result, engine, rows)
    if found is None:
        return "not validated (n = 0)"
    return f"error {found.mean:.1f} points, 90 % below {found.bound:.1f} (n = {found.launches})"


def class_text(result, engine):
    """The class of the launch in words; empty where it is not known."""
    found = error_of(result, engine)
    return f"{found.text}; {found.families} families" if found else ""
