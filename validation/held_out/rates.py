"""Hit rates and what the L1 reads from the L2, of launches that `score --run` simulates: ours, and those of trivial predictors."""
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


def read():
    """All rows; none before the first run."""
    return folds.rows(folds.SIMULATED_RATES) if folds.SIMULATED_RATES.exists() else []
