"""Tables and plot data of repeat-chapter8."""
import csv
import dataclasses
import itertools
import math

from warpscope.base.errors import InputError

ALL_RESIDENT = 0
WORK_ITEMS_PER_CORE, GROUPS_PER_CORE = 1536, 8  # compute capability 2.0, CUDA C Programming Guide, table of limits


@dataclasses.dataclass(frozen=True)
class Configuration:
    kernel: str
    name: str  # as in the dissertation: work-items x work-groups per dimension
    global_size: tuple
    local_size: tuple

    @property
    def groups(self):
        return math.prod(self.global_size) // math.prod(self.local_size)

    @property
    def fitting(self):
        """Work-groups that a core of the GTX 480 holds at once."""
        return min(GROUPS_PER_CORE, WORK_ITEMS_PER_CORE // math.prod(self.local_size))


def read_published(path):
    """The published points; `exact` becomes a bool, `value` a number."""
    with open(path, newline="", encoding="utf-8") as file:
        return [{**row, "value": float(row["value"]), "exact": row["exact"] == "yes"} for row in csv.DictReader(file)]


def pretty(name):
    return name.replace("x", "\u00d7")


def resident_text(resident):
    return "all" if resident == ALL_RESIDENT else str(resident)


# Name of a series in plots and tables -> which rows it consists of.
SERIES = {
    "as the dissertation: random, linear sets, all resident":
        {"assignment": "random", "set_index": "linear", "resident": ALL_RESIDENT},
    "random, linear sets, as many resident as fit": {"assignment": "random", "set_index": "linear", "fits": True},
    "random, Fermi hash, all resident": {"assignment": "random", "set_index": "fermi-xor", "resident": ALL_RESIDENT},
    "random, Fermi hash, as many resident as fit": {"assignment": "random", "set_index": "fermi-xor", "fits": True},
    "round-robin, linear sets, as many resident as fit":
        {"assignment": "round-robin", "set_index": "linear", "fits": True},
    "round-robin, Fermi hash, as many resident as fit":
        {"assignment": "round-robin", "set_index": "fermi-xor", "fits": True},
}
SETS = {"linear": "linear sets", "fermi-xor": "Fermi hash"}
LETTERS = dict(zip(SERIES, "abcdef"))  # column heads
# Trivial predictors, from the rows of (d): a model is worth what it adds to them. Letter -> what, which metric.
TRIVIAL = {"g": ("trivial: only cold misses, order as (d)", "cold_percent"),
           "h": ("trivial: fully associative LRU of the same size, order as (d)", "fully_associative_percent")}
TRIVIAL_ROWS = {"assignment": "random", "fits": True, "set_index": "fermi-xor"}
TITLES = {"mt": "Matrix transposition", "mm": "Matrix multiplication", "stencil": "Stencil"}


def pick(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def in_order(rows, key):
    return list(dict.fromkeys(row[key] for row in rows))


def default_optimize(rows):
    """Our compilation where it was run."""
    modes = in_order(rows, "optimize")
    return "gpu" if "gpu" in modes else modes[0]


def plots(rows, published):
    """{kernel: what plot_configurations.draw takes}."""
    made = {}
    rows = pick(rows, optimize=default_optimize(rows))
    for kernel in in_order(rows, "kernel"):
        own = pick(rows, kernel=kernel)
        points = [dict(point, configuration=pretty(point["configuration"])) for point in published
                  if point["kernel"] == kernel]
        runs = max(row["runs"] for row in own)
        made[kernel] = {
            **(_by_resident(own, points) if kernel == "stencil" else _by_configuration(own, points)),
            "title": f"{TITLES[kernel]}{_only_size(own)} on one core of a GTX 480",
            "subtitle": f"L1: 16 KiB, 128-byte lines, 4 ways, LRU; random assignment: median of {runs} runs, "
                        "bars: standard deviation"}
    return made


def _only_size(rows):
    names = in_order(rows, "configuration")
    return f", {pretty(names[0])}," if len(names) == 1 else ""


def _by_configuration(rows, points):
    series = {}
    for name, wanted in SERIES.items():
        if chosen := pick(rows, **wanted):
            series[name] = {pretty(row["configuration"]): row for row in chosen}
    return {"configurations": [pretty(name) for name in in_order(rows, "configuration")], "series": series,
            "published": points, "axis": "Configuration (work-items × work-groups, per dimension)"}


def _by_resident(rows, points):
    series = {}
    for assignment in in_order(rows, "assignment"):
        for set_index in in_order(rows, "set_index"):
            chosen = pick(rows, assignment=assignment, set_index=set_index)
            series[f"{assignment}, {SETS[set_index]}"] = {resident_text(row["resident"]): row for row in chosen}
    residents = sorted(in_order(rows, "resident"), key=lambda number: number or math.inf)
    return {"configurations": [resident_text(number) for number in residents], "series": series,
            "published": [dict(point, configuration="all") for point in points], "axis": "Resident work-groups per core"}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join("---:" if number else "---" for number in range(len(head)))
             + "|"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def number(value):
    return f"{value:,.0f}" if value == round(value) or value >= 1000 else f"{value:.1f}"


def exact(value):
    """Two decimals, or three where that is the exact value: 3.125."""
    return f"{value:.3f}" if abs(value - round(value, 3)) < 1e-9 and round(value, 2) != round(value, 3) \
        else f"{value:.2f}"


def rate(row, metric="miss_rate_percent"):
    spread = row[metric + "_spread"]
    return exact(row[metric]) + (f" ± {spread:.2f}" if spread >= 0.005 else "")


def markdown(rows, published):
    """Every table, by kernel; then our difference from each published value."""
    optimize = default_optimize(rows)
    own = pick(rows, optimize=optimize)
    lines = [f"Compilation `{optimize}`; {compilations(rows)}",
             "Reads and misses are those of core 0. ± is the standard deviation over the random assignments.",
             "*fit*: work-groups of this size that a core of the GTX 480 holds at once. Miss rates in % of the reads:", "",
             *(f"- ({letter}) {name}" for name, letter in LETTERS.items()),
             *(f"- ({letter}) {name}" for letter, (name, _) in TRIVIAL.items()), ""]
    for kernel in in_order(own, "kernel"):
        lines += [f"### {TITLES[kernel]}", ""]
        lines += _kernel_table(pick(own, kernel=kernel)) + [""]
        if kernel != "mt":
            lines += _resident_table(pick(own, kernel=kernel)) + [""]
    lines += ["### Distance from the hardware", "", *_distances(own, published), ""]
    lines += ["### Difference from the published values", "", *_differences(own, published), ""]
    return "\n".join(lines)


def compilations(rows):
    """Whether O0 and gpu give the same numbers."""
    modes = in_order(rows, "optimize")
    if len(modes) < 2:
        return "no other was run."
    strip = [[{key: value for key, value in row.items() if key != "optimize"} for row in pick(rows, optimize=mode)]
             for mode in modes]
    different = {f"{a['kernel']} {pretty(a['configuration'])}" for a, b in zip(*strip) if a != b}
    if not different:
        return f"`{modes[0]}` and `{modes[1]}` give the same numbers in all {len(strip[0])} rows."
    return f"`{modes[0]}` and `{modes[1]}` differ in: {', '.join(sorted(different))}."


def _kernel_table(rows):
    names = [name for name in SERIES if pick(rows, **SERIES[name])]
    trivial = TRIVIAL if pick(rows, **TRIVIAL_ROWS) else {}
    head = ["configuration", "groups", "fit", "reads, round-robin", *(f"({LETTERS[name]}) %" for name in names),
            *(f"({letter}) %" for letter in trivial)]
    body = []
    for configuration in in_order(rows, "configuration"):
        own = pick(rows, configuration=configuration)
        fits = pick(own, fits=True)[0]
        reads = pick(own, assignment="round-robin", fits=True)[0]["reads"]
        body.append([pretty(configuration), number(fits["groups"]), fits["resident"], number(reads),
                     *(rate(pick(own, **SERIES[name])[0]) for name in names),
                     *(rate(pick(own, **TRIVIAL_ROWS)[0], metric) for _, metric in trivial.values())])
    return table(head, body)


def _resident_table(rows):
    residents = sorted({row["resident"] for row in rows}, key=lambda value: value or math.inf)
    assignment = "random" if pick(rows, assignment="random") else "round-robin"
    head = ["configuration", "sets", *(f"{resident_text(value)} resident" for value in residents)]
    body = []
    for configuration in in_order(rows, "configuration"):
        for set_index in in_order(rows, "set_index"):
            chosen = pick(rows, configuration=configuration, set_index=set_index, assignment=assignment)
            by_resident = {row["resident"]: rate(row) for row in chosen}
            body.append([pretty(configuration), set_index, *(by_resident.get(value, "") for value in residents)])
    return [f"Miss rate in % over the number of resident work-groups, {assignment} assignment:", "",
            *table(head, body)]


# What the published miss rates are about, apart: name, kernel, which configurations (name, groups).
PARTS = (("mm, 16×16 items, below 60 groups", "mm", lambda name, groups: name.startswith("16x") and groups < 60),
         ("mm, 16×16 items, from 64 groups on", "mm", lambda name, groups: name.startswith("16x") and groups >= 60),
         ("mm, 32×32 items", "mm", lambda name, groups: name.startswith("32x")),
         ("stencil", "stencil", lambda name, groups: True))


def _distances(rows, published):
    """Mean distance of the miss rate from the hardware, for each way to simulate."""
    hardware = {(point["kernel"], point["configuration"]): point["value"] for point in published
                if point["by"] == "hardware" and point["metric"] == "miss_rate_percent"}
    body = []
    residents = sorted({row["resident"] for row in rows} - {1}, key=lambda value: value or math.inf)
    choices = [("as many resident as fit", {"fits": True}),
               *((f"{resident_text(value)} resident", {"resident": value}) for value in residents)]
    for assignment in in_order(rows, "assignment"):
        for (text, wanted), set_index in itertools.product(choices, in_order(rows, "set_index")):
            own = pick(rows, assignment=assignment, set_index=set_index, **wanted)
            body.append([f"{assignment}, {text}, {SETS[set_index]}",
                         *_distance_cells(own, hardware, "miss_rate_percent")])
    for letter, (name, metric) in TRIVIAL.items():
        body.append([f"({letter}) {name}", *_distance_cells(pick(rows, **TRIVIAL_ROWS), hardware, metric)])
    note = "Mean over the configurations of | our miss rate \u2212 the hardware's |, in percentage points."
    return [note, "", *table(["", *(name for name, _, _ in PARTS)], body)]


def _distance_cells(rows, hardware, metric):
    for _, kernel, belongs in PARTS:
        gaps = [abs(row[metric] - hardware[kernel, row["configuration"]]) for row in rows
                if row["kernel"] == kernel and (kernel, row["configuration"]) in hardware
                and belongs(row["configuration"], row["groups"])]
        yield f"{sum(gaps) / len(gaps):.1f}" if gaps else ""


def _differences(rows, published):
    head = ["kernel", "configuration", "value", "published", "by", *(f"({letter})" for letter in [*LETTERS.values(), *TRIVIAL])]
    body = []
    for point in published:
        unit = " %" if point["metric"].endswith("percent") else ""
        own = pick(rows, kernel=point["kernel"])
        if point["configuration"] != "all":
            own = pick(own, configuration=point["configuration"])
        if not own:
            continue
        about = "" if point["exact"] else "about "
        body.append([point["kernel"], pretty(point["configuration"]), point["metric"].replace("_percent", ""),
                     f"{about}{point['value']:g}{unit}", point["by"],
                     *(_difference(pick(own, **wanted), point, point["metric"]) for wanted in SERIES.values()),
                     *(_difference(pick(own, **TRIVIAL_ROWS), point, metric) if unit else ""
                       for _, metric in TRIVIAL.values())])
    note = "Counts: difference in % of the published value; rates: difference in percentage points."
    return [note, "", *table(head, body)]


def _difference(rows, point, metric):
    """The difference that is largest in size over the rows."""
    if not rows:
        return ""
    gaps = [row[metric] - point["value"] for row in rows]
    gap = max(gaps, key=abs)
    return f"{gap:+.2f}" if point["metric"].endswith("percent") else f"{100 * gap / point['value']:+.1f} %"


BEGIN, END = "<!-- generated by validation/repeat-chapter8: begin -->", "<!-- generated: end -->"


def place_of_generated(page):
    """What comes before and after the generated part of a page."""
    old = page.read_text(encoding="utf-8")
    if BEGIN not in old or END not in old:
        raise InputError(f"{page}: has no place for the tables, expected the lines '{BEGIN}' and '{END}'")
    return old.split(BEGIN)[0], old.split(END)[1]


def replace_generated(page, text):
    """Replaces the text between the two markers of a page."""
    head, tail = place_of_generated(page)
    page.write_text(f"{head}{BEGIN}\n\n{text}\n{END}{tail}", encoding="utf-8")
