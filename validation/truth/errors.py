"""The errors that classes of launches have shown: rows and stored results to validation/truth/errors.csv."""
import csv

from truth import scores, statistics
from warpscope.result import error_classes
from warpscope.result.error_statistics import mean


def class_of(row):
    """(generation, live class, "yes" or "no"), as error_classes.class_of() of the whole result; None where it is not known."""
    fixed = row.fixed
    if not fixed.get("reuse") or "stores_share" not in fixed:
        return None
    live = error_classes.live_class(fixed["reuse"], error_classes.capacity_lines(fixed["cache"], fixed.get("l1_kib")))
    return row.launch.generation, live, "yes" if fixed["stores_share"] else "no"


def classes(rows):
    """{(generation, live class, stores share, engine): [(family, error in points)]} of rows with values that their own folds did not choose."""
    found = {}
    for row in scores.scored(rows):
        of = class_of(row)
        if of is None:
            continue
        for engine in scores.ENGINES:
            if row.rates.get(engine) is not None:
                found.setdefault((*of, engine), []).append((row.launch.family, row.error(engine)))
    return found


def lines(rows):
    """The lines of errors.csv: error_classes.COLUMNS."""
    order = {name: place for place, name in enumerate(error_classes.LIVE)}
    found = classes(rows)
    for key in sorted(found, key=lambda key: (key[0], order[key[1]], *key[2:])):
        errors = [abs(error) for _, error in found[key]]
        yield (*key, len(errors), len({family for family, _ in found[key]}), f"{mean(errors):.1f}",
               f"{statistics.percentile(errors, 90):.1f}")


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(error_classes.COLUMNS)
        writer.writerows(lines(rows))
