"""Why accesses miss: stacked bars of the miss classes."""
from warpscope.base.errors import InputError
from warpscope.base.inputs import complete
from warpscope.result import rates, results
from warpscope.show.plots import style

LETTER = 0.085  # inches; one letter of a label


def draw(bars, title, subtitle, label):
    """`bars`: list of (label, transactions that are classified, {class: misses})."""
    import matplotlib.pyplot as plt

    style.apply()
    width = min(max(7.2, 2.4 + 0.75 * len(bars)), 16)
    figure, cell = plt.subplots(figsize=(width, 4.4))
    base = [0.0] * len(bars)
    for name in results.CLASSES:
        shares = [rates.percent(misses[name], whole) or 0.0 for _, whole, misses in bars]
        if any(shares) or name != "invalidated":
            cell.bar(range(len(bars)), shares, 0.68, bottom=base, color=style.MISS_COLOURS[name], label=name,
                     edgecolor="white", linewidth=0.6)
        base = [low + share for low, share in zip(base, shares)]
    top = max(base) or 1.0
    for position, height in enumerate(base):
        cell.annotate(f"{height:.3g}\u2009%", (position, height), (0, 3), textcoords="offset points", ha="center",
                      fontsize=9)
    cell.set_ylim(0, top * 1.12)
    spare = max(0.0, 4 - len(bars)) / 2  # few bars stay slim
    cell.set_xlim(-0.6 - spare, len(bars) - 0.4 + spare)
    names = [name for name, _, _ in bars]
    room = (width - 1.9) / (len(bars) + 2 * spare) / LETTER  # letters that fit under a bar
    slanted = max(len(line) for name in names for line in name.split("\n")) > room
    cell.set_xticks(range(len(bars)), names, rotation=35 if slanted else 0, ha="right" if slanted else "center")
    cell.tick_params(axis="x", length=0)
    cell.grid(axis="x", visible=False)
    cell.set_xlabel(label)
    cell.set_ylabel("Misses (% of the transactions\nthat would allocate a line)")
    figure.suptitle(title)
    cell.set_title(subtitle, fontsize=9, color="#404040")
    handles, texts = cell.get_legend_handles_labels()
    cell.legend(handles[::-1], texts[::-1], loc="upper left", bbox_to_anchor=(1.0, 1.0), title="Miss class")
    return figure


def _merge(groups, key, counts, result):
    whole, misses = groups.setdefault(key, [0, dict.fromkeys(results.CLASSES, 0)])
    groups[key][0] = whole + results.classified(counts, result)
    for name in results.CLASSES:
        misses[name] += (counts["miss_classes"] or {}).get(name, 0)


def bars_of(result, by, most=24):
    """Bars over the parts of one result: the `most` with the most misses, in their own order."""
    groups = {}
    if by == "site":
        for site in result["sites"]:
            _merge(groups, results.site_label(site), site, result)
    else:
        for part in result[by + "s"]:
            name = part.get("name") or "unnamed"
            _merge(groups, name if by == "buffer" else str(part["core"]), part, result)
    bars = [(name, whole, misses) for name, (whole, misses) in groups.items() if whole]
    keep = sorted(bars, key=lambda bar: -sum(bar[2].values()))[:most]
    return [bar for bar in bars if bar in keep]


def asked_for(arguments):
    """The figure that the options of `warpscope plot` ask for."""
    labelled = [text.rpartition("=")[::2] for text in arguments.inputs]
    loaded = [(label or path, results.load(path)) for label, path in labelled]
    with complete(arguments.inputs[0], results.EXPECTED):
        return figure_of(arguments, loaded)


def figure_of(arguments, loaded):
    for label, result in loaded:
        if result["total"]["miss_classes"] is None:
            raise InputError(f"{label}: has no miss classes, expected a result made without --no-classes")
    first = loaded[0][1]
    if len(loaded) == 1:
        bars = bars_of(first, arguments.by)
        subtitle = f"{results.title(first)}\n{results.cache_text(first)}"
        label = {"site": "Memory instruction (buffer, source line)", "buffer": "Buffer", "core": "Core"}[arguments.by]
    else:
        bars = [(name, results.classified(result["total"], result), result["total"]["miss_classes"])
                for name, result in loaded]
        subtitle, label = results.title(first), "Configuration"
    if not bars:
        raise InputError(f"{arguments.inputs[0]}: no transaction reached the L1, there is nothing to plot")
    return draw(bars, arguments.title, subtitle, label)
