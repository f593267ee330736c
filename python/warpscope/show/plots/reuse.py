"""Reuse-distance histogram of a result (cachesim --reuse-histogram), with the cache's capacity marked."""
from warpscope.base.errors import InputError
from warpscope.base.inputs import complete
from warpscope.result import rates, results
from warpscope.show.plots import style

MOST_LINES, MOST_BINS = 1 << 40, 200  # of a histogram that one can look at


def _bin_label(first, last):
    if first == last:
        return str(first)
    if last < 10_000:
        return f"{first}\u2013{last}"
    for limit, unit in ((1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 10, "Ki")):
        if first >= limit:
            break
    return f"{first / limit:.3g}\u2013{(last + 1) / limit:.3g}\u2009{unit}"


def coarse(bins, capacity):
    """Merges the exact bins below 16 into powers of two, where no edge at the capacity forbids it."""
    merged = []
    for item in bins:
        power = max(item["from"], 1).bit_length() if item["from"] else 0
        joins = (merged and item["from"] < 16 and merged[-1]["power"] == power and item["from"] != capacity)
        if joins:
            merged[-1]["to"] = item["to"]
            for kind in ("load", "store"):
                merged[-1][kind] += item[kind]
        else:
            merged.append(dict(item, power=power))
    return merged


def up_to(bins, capacity):
    """Appends empty bins, so that the mark of the capacity is where it belongs."""
    bins = list(bins)
    while (first := bins[-1]["to"] + 1 if bins else 0) < capacity:
        last = min(max(2 * first - 1, first), capacity - 1)
        bins.append({"from": first, "to": last, "load": 0, "store": 0})
    return bins


def draw(histogram, title, subtitle):
    import matplotlib.pyplot as plt

    style.apply()
    capacity = histogram["capacity_lines"]
    if not 0 < capacity <= MOST_LINES or len(histogram["bins"]) > MOST_BINS:
        raise ValueError(f"{capacity:g} lines and {len(histogram['bins'])} bins, expected at most 2^40 and {MOST_BINS}")
    bins = coarse(histogram["bins"], capacity)
    while bins and bins[-1]["load"] + bins[-1]["store"] == 0 and bins[-1]["from"] > capacity:
        bins.pop()
    bins = up_to(bins, capacity)
    total = sum(item["load"] + item["store"] for item in bins) + sum(histogram["cold"].values())
    figure, cell = plt.subplots(figsize=(min(max(6.5, 2.0 + 0.52 * len(bins)), 14), 4.4))
    positions = list(range(len(bins))) + [len(bins) + 0.6]
    rows = bins + [histogram["cold"]]
    loads = [rates.percent(row["load"], total) or 0 for row in rows]
    stores = [rates.percent(row["store"], total) or 0 for row in rows]
    cell.bar(positions, loads, 0.82, color=style.BLUE, label="loads")
    if any(stores):
        cell.bar(positions, stores, 0.82, bottom=loads, color=style.ORANGE, label="stores")
    top = max(low + high for low, high in zip(loads, stores)) or 1.0
    for position, load, store in zip(positions, loads, stores):
        if load + store >= 0.05:
            cell.annotate(f"{load + store:.3g}", (position, load + store), (0, 2), textcoords="offset points",
                          ha="center", fontsize=8, color="#404040")
    cell.set_ylim(0, top * 1.3)
    edge = sum(1 for item in bins if item["to"] < capacity) - 0.5
    cell.axvline(edge, color=style.VERMILION, linewidth=1.6)
    fits = sum(load + store for load, store, item in zip(loads, stores, bins) if item["to"] < capacity)
    text = f"capacity: {capacity} lines"
    right = edge > len(bins) * 0.6
    cell.annotate(text + f"\n{fits:.3g}\u2009% of the transactions are nearer", (edge, top * 1.28),
                  (-6 if right else 6, 0), textcoords="offset points", ha="right" if right else "left", va="top",
                  color=style.VERMILION, fontsize=9)
    cell.set_xticks(positions, [_bin_label(item["from"], item["to"]) for item in bins] + ["first\nuse"],
                    rotation=40 if len(bins) > 6 else 0, ha="right" if len(bins) > 6 else "center")
    cell.get_xticklabels()[-1].set(rotation=0, ha="center")
    cell.tick_params(axis="x", length=0)
    cell.grid(axis="x", visible=False)
    cell.set_xlabel("Reuse distance (distinct lines since the line's last use)")
    cell.set_ylabel("Transactions (%)")
    figure.suptitle(title)
    cell.set_title(subtitle, fontsize=9, color="#404040")
    if any(stores):
        cell.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def asked_for(arguments):
    """The figure that the options of `warpscope plot` ask for."""
    result = results.load(arguments.inputs[0])
    if not result.get("reuse_histogram"):
        raise InputError(f"{arguments.inputs[0]}: has no reuse histogram, expected one made with --reuse-histogram")
    with complete(arguments.inputs[0], results.EXPECTED):
        subtitle = f"{results.title(result)}\n{results.cache_text(result)}"
        return draw(result["reuse_histogram"], arguments.title, subtitle)
