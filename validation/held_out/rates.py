"""Hit rates and what the L1 reads from the L2, of launches that `score --run` or `accuracy --machine --rates` simulates: ours, and those of trivial predictors."""
import csv

from held_out import folds
from truth import counters, scores
from warpscope.result import hit_rates, simulated_counters

QUANTITIES = {"hit_rate": "l1.hit_rate_percent", "l2_reads": "l1.read_sectors_from_l2"}  # the names that hw-profile gives them
ENGINES = ("timed", "fixed", "full_lru", "unlimited")  # ours, then trivial predictors
COLUMNS = ("launch", "gpu", "front_end", "quantity", "measured", *ENGINES)
TRIVIAL = ENGINES[2:]


def _text(value):
    return "" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _predicted(in_order):
    """{quantity: {trivial predictor: value}}; of the second quantity nothing where loads bypass the L1."""
    entry = {"total": in_order["total"], "cache": in_order["context"]["cache"]}
    load, found = entry["total"]["load"], {name: {} for name in QUANTITIES}
    for name, misses in scores.predicted_misses(None, {"fixed": entry}).items():
        found["hit_rate"][name] = scores.rate_with(misses, entry, False)
        if not load["bypasses"]:
            found["l2_reads"][name] = misses * counters.transaction_bytes(entry) / counters.SECTOR
    return found


def _simulated(result, quantity):
    return hit_rates.hit_rate(result)[0] if quantity == "hit_rate" else simulated_counters.counters(result).get(QUANTITIES[quantity])


def rows_of(names, measured, in_order, by_cycle):
    """Rows of rates.csv. `names`: launch, gpu and front end; `measured`: a measurements.Launch; then the results of cachesim, fixed order with classes of misses, and timed."""
    predicted = _predicted(in_order)
    ours = {"timed": by_cycle, "fixed": in_order}
    rows = []
    for quantity, counter in QUANTITIES.items():
        if (value := measured.median(counter)) is not None:
            values = {**predicted[quantity], **{name: _simulated(result, quantity) for name, result in ours.items()}}
            rows.append(dict(zip(COLUMNS, (*names, quantity, _text(value), *(_text(values.get(name)) for name in ENGINES)))))
    return rows


def rows_of_truth(scored):
    """Rows of rates.csv of launches that others measured and we simulated as machine code. `scored`: scores.Row of `accuracy --machine`; those without a
    measured hit rate, or without an engine's, are left out. Rates are those with values of the preset that a launch's own fold did not choose."""
    rows = []
    for row in scored:
        own = row.scored.get("family", None if row.launch.fold_family else row)
        if own is not None and row.hit_rate is not None and {"timed", "fixed"} <= own.rates.keys():
            rows.append(dict(zip(COLUMNS, (row.launch.name, row.launch.gpu, "machine", "hit_rate", _text(row.hit_rate), *(_text(own.rates.get(name)) for name in ENGINES)))))
    return rows


def read(path=None):
    """All rows of this table, or of rates.csv; none before the first run."""
    path = path or folds.SIMULATED_RATES
    return folds.rows(path) if path.exists() else []


def put(path, rows):
    """Puts rows into the table in the place of the same launches', front ends' and quantities'; the others stay."""
    known = {(row["launch"], row["front_end"], row["quantity"]): row for row in [*read(path), *rows]}
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(known.values(), key=lambda row: (row["launch"], row["front_end"], row["measured"])))
