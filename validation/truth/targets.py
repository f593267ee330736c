"""What validation/notes/truth.md must show, each target next to its figure."""
import dataclasses

from truth import counters, scores, statistics
from warpscope.result import rates

FOR_NCU = ("Volta", "Turing", "Ampere", "Ada", "Hopper", "Blackwell")
FOR_OLD = ("Fermi", "Kepler")


@dataclasses.dataclass
class Target:
    """`figures`: {series: text}; `met` None where there is nothing to compare yet; `ranked`: {series: number} of the first of a
    target's figures, where less is better."""

    name: str
    goal: str
    figures: dict
    met: bool | None
    rows: int
    ranked: dict = dataclasses.field(default_factory=dict)

    @property
    def best_trivial(self):
        """Name of the best trivial predictor; None without any."""
        known = {name: value for name, value in self.ranked.items() if value is not None and name not in scores.ENGINES}
        return min(known, key=known.get) if known else None


def percent_text(value):
    return rates.percent_text(value, none="–")


def number_text(value, digits=2):
    return "–" if value is None else f"{value:.{digits}f}"


def _all_of(conditions):
    """Whether all hold; None where one is not known."""
    return None if None in conditions else all(conditions)


def _at_most(value, limit):
    return None if value is None else value <= limit


def _at_least(value, limit):
    return None if value is None else value >= limit


def _hit_rates(rows, generations, limit, name, engine=scores.RATE_ENGINE):
    of = [row for row in rows if row.launch.generation in generations]
    figures, ranked = {}, {}
    for series in (*scores.ENGINES, *scores.PREDICTORS):
        cells = scores.cells(of, series)
        ranked[series] = statistics.macro_average(cells)
        average, interval = statistics.macro_average(cells), statistics.bootstrap(cells)
        figures[series] = number_text(average) + (f" ({interval[0]:.1f} to {interval[1]:.1f})" if interval else "")
    cells = scores.cells(of, engine)
    return Target(f"L1 hit rate, {name}: mean over (GPU, family) of the mean \\|error\\|, points", f"≤ {limit}, {engine}", figures,
                  _at_most(statistics.macro_average(cells), limit), sum(map(len, cells.values())), ranked)


def _misses(rows):
    ratios = {series: scores.miss_ratios(rows, series) for series in (*scores.ENGINES, *scores.PREDICTORS)}
    medians = {series: statistics.median(values) for series, values in ratios.items()}
    return Target("L1 misses: median \\|log2(simulated / measured)\\|", f"≤ 0.25, {scores.RATE_ENGINE}",
                  {series: number_text(value) for series, value in medians.items()},
                  _at_most(medians[scores.RATE_ENGINE], 0.25), len(ratios[scores.RATE_ENGINE]), medians)


def _reads(rows, name, most_median, within, least_share):
    figures, ranked, judged = {}, {}, None
    for series in (*scores.ENGINES, *scores.PREDICTORS):
        errors = [row.read_error(series) for row in rows]
        errors = [abs(error) for error in errors if error is not None]
        middle, share = statistics.median(errors), statistics.share(errors, lambda error: error <= within)
        figures[series], ranked[series] = f"{percent_text(middle)}, {percent_text(share)}", middle
        if series == scores.DEFAULT_ENGINE:
            judged = _all_of((_at_most(middle, most_median), _at_least(share, least_share)))
    return Target(f"L2 read sectors, {name}: median \\|error\\|, share within {percent_text(within)}",
                  f"≤ {percent_text(most_median)}, ≥ {percent_text(least_share)}", figures, judged, len(rows), ranked)


def _rank(rows, group, least):
    """Against every trivial predictor; the best of these must be 0.1 worse."""
    of = [row for row in rows if row.launch.group == group and row.read_sectors is not None]
    tau = {engine: scores.taus(of, lambda row: row.read_sectors, lambda row, e=engine: row.reads.get(e))[0] for engine in scores.ENGINES}
    trivial = {name: scores.taus(of, lambda row: row.read_sectors, lambda row, n=name: row.ranks.get(n))[0]
               for name in scores.RANK_PREDICTORS}
    best = max((abs(value) for value in trivial.values() if value is not None), default=None)
    ours = tau[scores.DEFAULT_ENGINE]
    met = None if ours is None or best is None else ours >= best + 0.1 and (least is None or ours >= least)
    return Target(f"{group}: Kendall τ of L2 reads", ("≥ %s, and " % least if least else "") + "0.1 above the best trivial one",
                  {name: number_text(value) for name, value in {**tau, **trivial}.items()}, met, len(of),
                  {name: None if value is None else -abs(value) for name, value in trivial.items()})


def _time(rows, group, least, most_regret):
    of = [row for row in rows if row.launch.group == group and row.time is not None]
    figures, ranked = {}, {}
    for name in scores.RANK_PREDICTORS:
        tau, _ = scores.taus(of, lambda row: row.time, lambda row, n=name: row.ranks.get(n))
        ranked[name] = None if tau is None else -tau
        figures[name] = f"{number_text(tau)}, {percent_text(scores.regret(of, lambda row, n=name: row.ranks.get(n)))}"
    tau, _ = scores.taus(of, lambda row: row.time, lambda row: row.cycles.get("timed"))
    cost = scores.regret(of, lambda row: row.cycles.get("timed"))
    figures["timed"] = f"{number_text(tau)}, {percent_text(cost)}"
    goal = f"τ ≥ {least}, ≤ {percent_text(most_regret)}" if least else "no target"
    met = _all_of((_at_least(tau, least), _at_most(cost, most_regret))) if least else None
    return Target(f"{group}: Kendall τ of the time, regret", goal, figures, met, len(of), ranked)


def changes(pairs, counter, series):
    """(measured before, after, simulated before, after) of the pairs that have all four."""
    found = []
    for _, _, first, second in pairs:
        names = [name for name in (counters.L2_READS if counter == "reads" else (counter,)) if name in first.launch.measured]
        if not names or names[0] not in second.launch.measured:
            continue
        if counter == "reads":
            if not (first.reads_comparable and second.reads_comparable):
                continue
            ours = (first.reads.get(series), second.reads.get(series))
        elif counter == "gpu__time_duration.sum":
            ours = (first.cycles.get(series), second.cycles.get(series))
        else:
            ours = tuple(row.values.get(counter, {}).get(series) for row in (first, second))
        if None not in ours:
            found.append((first.launch.measured[names[0]], second.launch.measured[names[0]], *ours))
    return found


PAIR_COUNTERS = ("reads", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                 "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")


def _pairs(rows):
    pairs = scores.variant_pairs(rows)
    figures, judged, count = {}, None, 0
    for engine in scores.ENGINES:
        changed = [change for counter in PAIR_COUNTERS for change in changes(pairs, counter, engine)]
        score = statistics.pair_scores(changed)
        figures[engine] = f"{percent_text(score['sign'])}, {percent_text(score['ratio'])}"
        if engine == scores.DEFAULT_ENGINE:
            judged, count = _all_of((_at_least(score["sign"], 0.9), _at_least(score["ratio"], 0.7))), score["pairs"]
    times = statistics.pair_scores(changes(pairs, "gpu__time_duration.sum", "timed"))
    return [Target("Pairs that differ in one parameter, counters: sign right, ratio within 25 %", "≥ 90 %, ≥ 70 %", figures, judged, count),
            Target("Pairs that differ in one parameter, times: sign right", "≥ 75 %", {"timed": percent_text(times["sign"])},
                   _at_least(times["sign"], 0.75), times["pairs"])]


def _exact(rows, causes):
    values = [value.exact for value in scores.exact_values(rows, causes) if value.counted]
    part = statistics.share(values, bool)
    return Target("Values that should be exact and are", "≥ 95 %", {scores.DEFAULT_ENGINE: percent_text(part)}, _at_least(part, 0.95),
                  len(values))


def all_targets(rows, causes=(), split="family"):
    """Of rows with values that their own folds did not choose; what should be exact depends on none. `causes`: why values that should
    be exact are not."""
    exact = _exact(rows, causes)
    rows = scores.scored(rows, split)
    above, trivial = scores.read_rows(rows)
    return [_hit_rates(rows, FOR_NCU, 3, "compute capability 7.0 and later"), _hit_rates(rows, FOR_OLD, 6, "Fermi and Kepler"),
            _misses(rows), _reads(above, "above 1.2 × the unlimited cache's", 0.2, 0.3, 0.8),
            _reads(trivial, "the others", 0.03, 0.1, 0.95), exact,
            _rank(rows, "rtx2080/transpose", 0.9), _rank(rows, "gtx1070/transpose", 0.9), _rank(rows, "rtx2080/coulomb", 0.9),
            _rank(rows, "rtx2080/conv7x7", None), _rank(rows, "rtx2080ti/convolution", None),
            _time(rows, "rtx2080ti/convolution", 0.85, 0.05), _time(rows, "rtx3090/convolution", 0.65, 0.05), *_pairs(rows)]


def other_times(rows):
    """Ranks of times without a target."""
    groups = sorted({row.launch.group for row in rows if row.time is not None})
    return [target for group in groups if not group.endswith("/convolution")
            for target in [_time(scores.scored(rows), group, None, None)] if target.rows >= 5]
