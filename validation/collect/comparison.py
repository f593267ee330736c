"""Simulated compared with measured, launch by launch: tables, explanations and scatter plots of compare-hw and of the accuracy page."""
from warpscope.result import rates, simulated_counters
from warpscope.result import error_statistics as statistics

# What is compared, in the order of the tables; rates are compared in points, the others relatively.
COMPARED = ("load.requests", "load.sectors", "load.tag_lookups", "load.wavefronts", "load.hits", "load.misses", "store.requests",
            "store.sectors", "store.tag_lookups", "store.hits", "store.misses", "atomic.requests", "private_load.requests",
            "private_load.sectors", "private_store.requests", "private_store.sectors", "l2.reads_of_l1",
            "l1.read_sectors_from_l2", "l2.writes_of_l1", "l1.write_sectors_to_l2", "shared_load.requests",
            "shared_store.requests", "shared_load.wavefronts", "shared_store.wavefronts", "shared_load.conflicts",
            "shared_store.conflicts", "shared.config_bytes", "cycles.active_sum", "cycles.elapsed", "load.line_hits_of_one_core", "load.line_misses_of_one_core", "load.hit_rate_percent")
RATES = ("load.hit_rate_percent",)
LABELS = {"load.requests": "Warp loads", "load.sectors": "Sectors of loads", "load.tag_lookups": "Tag look-ups of loads",
          "load.wavefronts": "Wavefronts of loads in the tag stage", "load.hits": "Hitting sectors of loads",
          "load.misses": "Missing sectors of loads", "store.requests": "Warp stores", "store.sectors": "Sectors of stores",
          "store.tag_lookups": "Tag look-ups of stores", "store.hits": "Hitting sectors of stores",
          "store.misses": "Missing sectors of stores", "atomic.requests": "Warp atomics",
          "private_load.requests": "Warp loads of private memory", "private_load.sectors": "Sectors of loads of private memory",
          "private_store.requests": "Warp stores to private memory", "private_store.sectors": "Sectors of stores to private memory",
          "l2.reads_of_l1": "Sectors that the L1s read from the L2", "l1.read_sectors_from_l2": "Sectors that reach the L1s",
          "l2.writes_of_l1": "Sectors that the L1s write to the L2", "l1.write_sectors_to_l2": "Sectors that leave the L1s",
          "shared_load.requests": "Warp loads from local memory", "shared_store.requests": "Warp stores to local memory",
          "shared_load.wavefronts": "Wavefronts of loads from local memory",
          "shared_store.wavefronts": "Wavefronts of stores to local memory",
          "shared_load.conflicts": "Conflicts of loads from local memory",
          "shared_store.conflicts": "Conflicts of stores to local memory",
          "shared.config_bytes": "Bytes set apart for local memory, per core",
          "cycles.active_sum": "Cycles in which a core had a warp, summed", "cycles.elapsed": "Cycles of the launch",
          "load.line_hits_of_one_core": "Hits of loads, lines, one core",
          "load.line_misses_of_one_core": "Misses of loads, lines, one core", "load.hit_rate_percent": "Hit rate of loads, %"}
NEAR_COLD = 1.2


class Compared:
    """One launch: measured and simulated counters, trivial predictors, what the simulation knew."""

    def __init__(self, name, measured, result, launch=None, without_placement=None, timed=None):
        """`result`: in fixed order, which has the trivial predictors; `timed`: the one to compare, if not that."""
        self.name = name
        self.measured = completed(measured)
        self.simulated = simulated_counters.counters(timed or result, launch)
        self.predicted = simulated_counters.predictors(result, launch)
        self.load = simulated_counters.parts_of(result, launch)["load"]
        if "load.line_misses_of_one_core" in self.measured and simulated_counters.can_tell_one_core(result):
            self._one_core(result["cores"][0], (timed or result)["cores"][0])
        self.unit = simulated_counters.geometry(result)[1]
        self.classes = (result["total"] if launch is None else result["launches"][launch]).get("miss_classes") or {}
        self.cache = result["context"]["cache"]
        self.without_placement = None
        if without_placement is not None:
            self.without_placement = simulated_counters.counters(without_placement, launch).get("load.hit_rate_percent")
        self.notes = []

    def _one_core(self, core, shown):
        """Fermi's and Kepler's counters are those of one core: so is what they are compared with."""
        self.load = simulated_counters.Part().add(core["load"], core.get("miss_classes"))
        self.classes = core.get("miss_classes") or {}
        simulated = simulated_counters.Part().add(shown["load"], None)
        if simulated.looked_up:
            self.simulated["load.hit_rate_percent"] = rates.rest_percent(rates.miss_rate_percent(simulated.counts))
            self.predicted = self.load.predictors()

    @property
    def title(self):
        """mm, medium for mm/mm.launch:medium."""
        place, _, rest = self.name.partition(".launch:")
        folder, _, stem = place.partition("/")
        return ", ".join([folder if folder == stem or not stem else place, *rest.split(":")]) if rest else self.name

    @property
    def family(self):
        """mm and mm_tiled are variants of one kernel."""
        return self.name.split("/")[0].split("_")[0]

    @property
    def size(self):
        return (self.name.split(":") + [""])[1]

    def pairs(self):
        """(counter, simulated, measured) of all that both have."""
        return [(name, self.simulated[name], self.measured[name]) for name in COMPARED
                if name in self.simulated and name in self.measured]

    def error(self, counter):
        """Points of a rate, percent of a count; None where one is missing."""
        if counter not in self.simulated or counter not in self.measured:
            return None
        return statistics.error(self.simulated[counter], self.measured[counter], statistics.POINTS if counter in RATES else "%")

    def predicted_error(self, predictor):
        """Points of hit rate that a trivial predictor is off."""
        rate = self.predicted[predictor]
        return None if rate is None or "load.hit_rate_percent" not in self.measured else \
            statistics.error(rates.rest_percent(rate), self.measured["load.hit_rate_percent"], statistics.POINTS)

    @property
    def near_cold(self):
        """Measured misses are little more than the cold ones: this launch tests counting, not the cache."""
        misses = self.measured.get("load.misses", self.measured.get("load.line_misses_of_one_core"))
        if "load.misses" not in self.measured and "load.hit_rate_percent" in self.measured:
            misses = rates.misses_at(self.measured["load.hit_rate_percent"], self.load.looked_up)
        return misses is not None and misses <= NEAR_COLD * self.load.cold

    def mechanism(self):
        """What the difference in hit rate probably comes from, by what else differs."""
        requests, sectors = self.error("load.requests"), self.error("load.sectors")
        if requests is not None and abs(requests) > 0.1:
            return (f"the launch itself differs: {requests:+.1f} % warp loads; compiled otherwise (merged, hoisted or unrolled "
                    "loads), or data-dependent")
        if sectors is not None and abs(sectors) > 0.1:
            return f"coalescing differs: same warp loads, {sectors:+.1f} % sectors"
        simulated = self.simulated.get("load.hit_rate_percent")
        measured = self.measured.get("load.hit_rate_percent")
        if simulated is None or measured is None:
            return "hit rate not compared"
        if self.without_placement is not None and abs(simulated - measured) < 0.5 * abs(self.without_placement - measured):
            return "placement of work-groups: with the recorded one the error is less than half"
        if self.near_cold:
            return ("hardware misses little more than the cold ones: which work-groups share a core and its lines (placement), or how "
                    "lines and waiting requests are counted")
        carveouts = [values.get("shared.config_bytes") for values in (self.measured, self.simulated)]
        if None not in carveouts and carveouts[0] != carveouts[1]:
            return (f"another size of the L1: the driver set {carveouts[0] / 1024:g} KiB of its memory apart for shared memory, and "
                    f"{carveouts[1] / 1024:g} KiB were simulated; --carveout {carveouts[0] / 1024:g} takes the driver's")
        missed = max(self.load.missed, 1)
        share = self.classes.get("conflict", 0) / missed
        fully = self.predicted["fully associative LRU"]
        if simulated < measured:
            if share > 0.5:
                return (f"{rates.percent_text(share)} of the simulated misses are conflicts: the set index, or a too regular order of "
                        "warps, which hardware does not keep")
            return ("misses beyond the cold ones that hardware does not have: its warps run less far apart, its L1 is larger "
                    f"than {self.cache['size_kib']} KiB here, or waiting requests merge and count as hits")
        if fully is not None and fully > 100 - measured - 1 and self.load.missed < fully / 100 * self.load.looked_up:
            return "a fully associative LRU cache comes nearer: replacement in the sets"
        return ("hardware misses more: its warps run further apart than in the simulated order, more work-groups are resident, or "
                "its L1 is smaller")


def completed(measured):
    """With the hit rate of loads where it follows from counts, and all atomics together."""
    result = dict(measured)
    if "atomic.requests" in result and "reduction.requests" in result:
        result["atomic.requests"] += result["reduction.requests"]  # a capture does not tell them apart
    hits, misses = result.get("load.hits"), result.get("load.misses")
    if hits is None and None not in (misses, result.get("load.sectors")):
        hits = result["load.sectors"] - misses
    if hits is None or misses is None:
        hits, misses = result.get("load.line_hits_of_one_core"), result.get("load.line_misses_of_one_core")
    if hits is not None and misses is not None and hits + misses > 0:
        result["load.hit_rate_percent"] = rates.percent(hits, hits + misses)
    return result


def number(value, digits=2):
    """A table's cell: thin groups of three for counts, a dash for what is missing."""
    if value is None:
        return "–"
    if float(value).is_integer() and abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if digits else f"{value:.0f}"


def table(header, rows):
    """Markdown; the first column is text, the others are numbers."""
    lines = ["| " + " | ".join(header) + " |", "|" + "|".join(["---"] + ["--:"] * (len(header) - 1)) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def counter_rows(compared):
    """Per counter: launches, mean and largest |error|, how many are exact within 0.1 %."""
    rows = []
    for counter in COMPARED:
        errors = [(one.error(counter), one.title) for one in compared
                  if counter in one.simulated and counter in one.measured]
        if not errors:
            continue
        known = [error for error, _ in errors if error is not None]
        worst = max(errors, key=lambda pair: float("inf") if pair[0] is None else abs(pair[0]))
        unit = "points" if counter in RATES else "%"
        exact = sum(error is not None and abs(error) <= 0.1 for error, _ in errors)
        differs = worst[0] is None or abs(worst[0]) >= 0.005
        rows.append([f"`{counter}`", len(errors), exact, f"{number(statistics.mean_absolute(known))} {unit}",
                     "measured 0" if worst[0] is None else f"{worst[0]:+.2f} {unit}" if differs else "–",
                     worst[1] if differs else "–"])
    return rows


def summary(compared):
    """Markdown: counters, skill, ranks, the worst five, launches near cold apart."""
    tested = [one for one in compared if not one.near_cold]
    lines = ["### Counters", "",
             table(["counter", "launches", "within 0.1 %", "mean \\|error\\|", "worst", "of"], counter_rows(compared)), ""]
    lines += ["### Hit rate of loads", "", *hit_rate_lines(tested, compared), ""]
    near = [one.title for one in compared if one.near_cold]
    if near:
        lines += [f"Apart: {len(near)} launches whose measured misses are within {NEAR_COLD} times the cold ones (they test "
                  f"counting, not the cache): {'; '.join(near)}.", ""]
    lines += rank_lines(compared)
    lines += worst_lines(compared)
    return "\n".join(lines)


def hit_rate_lines(tested, compared):
    counter = "load.hit_rate_percent"
    rows = []
    for title, launches in (("the cache is tested", tested), ("all", compared)):
        errors = [one.error(counter) for one in launches if one.error(counter) is not None]
        if not errors:
            continue
        cells = [title, len(errors), number(statistics.mean_absolute(errors)), number(statistics.largest_absolute(errors))]
        for predictor in ("cold misses only", "fully associative LRU"):
            theirs = [one.predicted_error(predictor) for one in launches if one.error(counter) is not None]
            cells += [number(statistics.mean_absolute(theirs)), number(statistics.skill(errors, theirs))]
        rows.append(cells)
    if not rows:
        return ["No launch has both."]
    return [table(["launches where", "number", "mean \\|error\\|, points", "largest", "cold only", "skill", "fully assoc. LRU",
                   "skill"], rows), "",
            "Skill: 1 − mean |error| / mean |error of the predictor|; below 0 the predictor is better.", *placement_lines(compared)]


def placement_lines(compared):
    """What the recorded placement changes: the rest of the error is that of order and cache."""
    counter = "load.hit_rate_percent"
    placed = [one for one in compared if one.without_placement is not None and one.error(counter) is not None]
    if not placed:
        return []
    without = [one.without_placement - one.measured[counter] for one in placed]
    return ["", f"On the recorded placement ({len(placed)} launches) the mean |error| is "
            f"{number(statistics.mean_absolute([one.error(counter) for one in placed]))} points, on the simulator's own "
            f"{number(statistics.mean_absolute(without))} points: the difference is placement, the rest order and cache."]


def rank_lines(compared):
    """Kendall's tau of the hit rate over the variants of one kernel at one size."""
    groups = {}
    for one in compared:
        if one.error("load.hit_rate_percent") is not None:
            groups.setdefault((one.family, one.size), []).append(one)
    rows = []
    for (family, size), ones in sorted(groups.items()):
        if len(ones) < 3:
            continue
        tau = statistics.kendall_tau([one.simulated["load.hit_rate_percent"] for one in ones],
                                     [one.measured["load.hit_rate_percent"] for one in ones])
        rows.append([f"{family}, {size}", len(ones), number(tau)])
    if not rows:
        return []
    return ["### Order of variants", "", "Kendall's τ of the hit rate of loads over the variants of a kernel (1: same order).", "",
            table(["kernel", "variants", "τ"], rows), ""]


def worst_lines(compared, count=5):
    """The largest outliers of the hit rate, and why."""
    counter = "load.hit_rate_percent"
    wrong = sorted((one for one in compared if one.error(counter) is not None and abs(one.error(counter)) >= 0.05),
                   key=lambda one: -abs(one.error(counter)))[:count]
    if not wrong:
        return []
    lines = ["### Furthest off", ""]
    for one in wrong:
        lines.append(f"- **{one.title}**: simulated {one.simulated[counter]:.2f} %, measured {one.measured[counter]:.2f} %. "
                     f"Likely: {one.mechanism()}.")
    return [*lines, ""]


def scatter(compared, counters, title):
    """One panel per counter: simulated over measured, with y = x."""
    import matplotlib.pyplot as plt
    from warpscope.show.plots import style

    style.apply()
    columns = min(3, len(counters))
    rows = -(-len(counters) // columns)
    figure, cells = plt.subplots(rows, columns, figsize=(4.0 * columns, 3.9 * rows + 0.4), squeeze=False)
    for cell, counter in zip(cells.flat, counters):
        ones = [one for one in compared if counter in one.simulated and counter in one.measured]
        # Both zero says nothing and would need a linear piece on the axes.
        _panel(cell, counter, [one for one in ones if counter in RATES or one.simulated[counter] or one.measured[counter]])
    for cell in list(cells.flat)[len(counters):]:
        cell.set_axis_off()
    figure.suptitle(title)
    return figure


def _panel(cell, counter, compared):
    from warpscope.show.plots import style

    is_rate = counter in RATES
    for near, colour, marker, label in ((False, style.BLUE, "o", "tests the cache"),
                                        (True, style.ORANGE, "s", "misses near the cold ones")):
        ones = [one for one in compared if one.near_cold == near]
        if ones:
            cell.plot([one.measured[counter] for one in ones], [one.simulated[counter] for one in ones], linestyle="none",
                      marker=marker, markersize=5, color=colour, markerfacecolor="none", markeredgewidth=1.2, label=label)
    values = [value for one in compared for value in (one.measured[counter], one.simulated[counter])] or [1]
    low, high = (0, 100) if is_rate else (min(values), max(values))
    if not is_rate:
        positive = [value for value in values if value > 0]
        low = min(positive, default=1) / 2
        high = max(positive, default=1) * 2
        scale = {"value": "symlog", "linthresh": low} if min(values) == 0 else {"value": "log"}
        cell.set_xscale(**scale)
        cell.set_yscale(**scale)
        low = 0 if min(values) == 0 else low
    else:
        low, high = -2, 102
    cell.plot([low, high], [low, high], color=style.GREY, linewidth=0.8, zorder=0.5)
    cell.set_xlim(low, high)
    cell.set_ylim(low, high)
    if not is_rate:
        for axis in (cell.xaxis, cell.yaxis):
            style.log_count_axis(axis)
    cell.set_aspect("equal", adjustable="box")
    cell.set_title(LABELS.get(counter, counter), fontsize=10)
    cell.set_xlabel("measured")
    cell.set_ylabel("simulated")
    if counter in RATES and any(one.near_cold for one in compared):
        cell.legend(loc="upper left", fontsize=7)
