"""The tables of README.md, and of the accuracy page, of what cycles.csv and errors.csv have."""
import itertools
import math

from collect.comparison import table
from held_out import folds, rates as simulated_rates
from truth import statistics
from warpscope.result.error_statistics import kendall_tau

LEAST_CYCLES, WITHIN, PAIR = 20_000, 0.3, 2.0
MANY = 8  # launches of a kernel whose order is looked at
ABOVE = 1.2  # times the misses of an unlimited cache: from here the cache is tested
ENGINES = simulated_rates.ENGINES
HEAD = "## Held-out kernels, next to trivial predictors"
GROUPS = ("held out, not seen", "held out by its name, seen", "others")


def group_of(kernel, seen):
    """Which of GROUPS."""
    if folds.fold_of(kernel) != folds.HELD_OUT:
        return GROUPS[2]
    return GROUPS[kernel in seen]


def mean_of_kernels(values):
    """The mean of means: [(kernel, value)]; a kernel may be one of a GPU."""
    by_kernel = {}
    for kernel, value in values:
        by_kernel.setdefault(kernel, []).append(value)
    means = [sum(own) / len(own) for own in by_kernel.values()]
    return sum(means) / len(means)


def _bound_errors(rows):
    """[(kernel, |ln|)] of the larger of the bounds, times the factor that makes their mean 0."""
    logs = [(kernel, math.log(max(map(float, bounds)) / measured)) for kernel, measured, _, bounds in rows if all(bounds) and max(map(float, bounds)) > 0]
    shift = mean_of_kernels(logs) if logs else 0
    return [(kernel, abs(one - shift)) for kernel, one in logs]


def signs(rows):
    """(right, of): pairs of launches of different kernels, measured within PAIR of each other."""
    right = pairs = 0
    for (one, measured, ours, _), (other, its_measured, its_ours, _) in itertools.combinations(rows, 2):
        if one == other or max(measured, its_measured) > PAIR * min(measured, its_measured) or measured == its_measured:
            continue
        pairs += 1
        right += (measured < its_measured) == (ours < its_ours) and ours != its_ours
    return right, pairs


def cycles():
    """A row per group and front end."""
    seen, groups = folds.seen(), {}
    for row in folds.rows(folds.CYCLES):
        kernel = folds.kernel_of(row["launch"])
        if float(row["measured"]) >= LEAST_CYCLES * float(row["cores"]):
            groups.setdefault((group_of(kernel, seen), row["front_end"]), []).append(
                (kernel, float(row["measured"]), float(row["simulated"]), [row[name] for name in folds.BOUNDS]))
    lines = []
    for (group, front_end), rows in sorted(groups.items(), key=lambda one: (GROUPS.index(one[0][0]), one[0][1])):
        logs = [(kernel, abs(math.log(ours / measured))) for kernel, measured, ours, _ in rows]
        bounds, (right, pairs) = _bound_errors(rows), signs(rows)
        lines.append((group, front_end, len(rows), len({kernel for kernel, *_ in rows}), f"{mean_of_kernels(logs):.3f}",
                      f"{mean_of_kernels(bounds):.3f} ({len(bounds)})" if bounds else "",
                      f"{100 * mean_of_kernels([(kernel, abs(ours / measured - 1) <= WITHIN) for kernel, measured, ours, _ in rows]):.0f}",
                      f"{100 * mean_of_kernels([(kernel, abs(ours / measured - 1)) for kernel, measured, ours, _ in rows]):.1f}",
                      f"{100 * right / pairs:.0f} of {pairs}" if pairs else ""))
    return table(("cycles of launches", "front end", "launches", "kernels", "mean abs. ln", "best bound (of)", "within 30 %, %", "MAPE, %", "pairs right, %"), lines)


def rates():
    """A row per group, front end, and whether the timed engine has simulated the launches, so that all columns are of the same ones."""
    seen, groups = folds.seen(), {}
    machine = [row for row in simulated_rates.read() if (row["quantity"], row["front_end"]) == ("hit_rate", "machine")]
    for row in folds.rows(folds.RATES) + machine:
        kernel, misses = folds.kernel_of(row["launch"]), 100 - float(row["measured"])
        if row["unlimited"] and misses > ABOVE * (100 - float(row["unlimited"])):
            key = group_of(kernel, seen), row["front_end"], not row["timed"]
            groups.setdefault(key, []).append(((row["gpu"], kernel), {engine: abs(float(row[engine]) - float(row["measured"])) for engine in ENGINES if row[engine]}))
    lines = []
    for (group, front_end, not_timed), rows in sorted(groups.items(), key=lambda one: (GROUPS.index(one[0][0]), *one[0][1:])):
        cells = []
        for engine in ENGINES:
            errors = [(key, found[engine]) for key, found in rows if engine in found]
            cells.append(f"{mean_of_kernels(errors):.1f} ({statistics.median([error for _, error in errors]):.1f})" if errors else "–")
        lines.append((group, front_end, len(rows), len({key for key, _ in rows}), *cells))
    return table(("hit rates that test the cache", "front end", "launches", "GPUs × kernels", "timed", "fixed order", "full LRU", "unlimited"), lines)


def reads():
    """A row per group and front end: errors in percent of what was measured."""
    seen, groups = folds.seen(), {}
    for row in simulated_rates.read():
        measured = float(row["measured"])
        if row["quantity"] == "l2_reads" and row["unlimited"] and measured > ABOVE * float(row["unlimited"]):
            groups.setdefault((group_of(folds.kernel_of(row["launch"]), seen), row["front_end"]), []).append(
                (folds.kernel_of(row["launch"]), {engine: 100 * abs(float(row[engine]) / measured - 1) for engine in ENGINES if row[engine]}))
    lines = []
    for (group, front_end), rows in sorted(groups.items(), key=lambda one: (GROUPS.index(one[0][0]), one[0][1])):
        medians = [statistics.median([found[engine] for _, found in rows if engine in found]) for engine in ENGINES]
        lines.append((group, front_end, len(rows), len({kernel for kernel, _ in rows}), *(f"{median:.1f}" for median in medians)))
    return table(("reads of the L2", "front end", "launches", "kernels", "timed", "fixed order", "full LRU", "unlimited"), lines)


def _orders(pairs):
    """Kendall's tau of [(measured, simulated)], "–" where one of them is constant or unknown."""
    tau = kendall_tau(*zip(*pairs)) if len(pairs) >= MANY else None
    return "–" if tau is None else f"{tau:.2f}"


def _reads_cells(own):
    """Of rows of reads: tau and the median error of each engine, in percent."""
    cells = []
    for engine in ENGINES:
        pairs = [(float(row["measured"]), float(row[engine])) for row in own if row[engine] and float(row["measured"])]
        cells.append(f"{_orders(pairs)} ({statistics.median([100 * abs(ours / measured - 1) for measured, ours in pairs]):.1f})" if pairs else "–")
    return cells


def variants():
    """A row per kernel with many launches on a GPU, and front end: how well their order is said."""
    groups, of_reads = {}, {}
    for row in folds.rows(folds.CYCLES):
        groups.setdefault((row["gpu"], folds.kernel_of(row["launch"]), row["front_end"]), []).append(row)
    for row in simulated_rates.read():
        if row["quantity"] == "l2_reads":
            of_reads.setdefault((row["gpu"], folds.kernel_of(row["launch"]), row["front_end"]), []).append(row)
    lines = []
    for key, rows in sorted(groups.items()):
        if len(rows) < MANY:
            continue
        measured, ours = ([float(row[name]) for row in rows] for name in ("measured", "simulated"))
        best = measured[ours.index(min(ours))] / min(measured) - 1
        bounds = [(float(row["measured"]), max(float(row[name]) for name in folds.BOUNDS)) for row in rows if all(row[name] for name in folds.BOUNDS)]
        lines.append((*key, len(rows), _orders(list(zip(measured, ours))), f"{100 * best:.0f}", _orders(bounds), *_reads_cells(of_reads.get(key, []))))
    return table(("GPU", "kernel", "front end", "launches", "τ of cycles", "slower than the best, %", "τ of the best bound",
                  "reads of the L2: τ (error), timed", "fixed order", "full LRU", "unlimited"), lines)


def all_of():
    """Lines of Markdown."""
    return [*cycles().splitlines(), "", *rates().splitlines(), "", *variants().splitlines(), "", *reads().splitlines()]


def section():
    """The lines of the accuracy page."""
    text = [HEAD, "",
            f"Kernels are held out by a hash of their name ([protocol](../../validation/held_out/README.md)); all averages are over kernels, since one kernel has hundreds of launches. "
            f"*Held out by its name, seen*: an error of it was on our pages when the protocol began, so it is no claim; *held out, not seen* has a row as soon as such launches are measured. "
            "`validation/held_out/score --doc` makes this section of [cycles.csv](../../validation/hardware/cycles.csv) and [errors.csv](../../validation/truth/errors.csv).", "",
            f"**Cycles**: active cycles of launches of {LEAST_CYCLES:,} cycles of a core and more. *Best bound*: the larger of what issue slots, wavefronts of the L1, L2 and DRAM alone would take, times one "
            f"factor that is fitted to the row itself (of so many launches). *Pairs right*: launches of different kernels, measured within a factor of two of each other, of which the right one is the faster.", ""]
    rates_text = (f"**Hit rates**: launches whose measured misses are more than {ABOVE} times the cold ones. Errors in points: the mean over (GPU, kernel), in parentheses the median of the launches. "
                  "*Full LRU*: a fully associative cache of the same size; *unlimited*: cold misses only. Lines without *timed* are launches that the timed engine has not simulated.")
    reads_text = (f"**What the L1 reads from the L2**, sectors of launches of an H100 (`l1tex__m_xbar2l1tex_read_sectors`) with more than {ABOVE} times those of an unlimited cache: the median error, percent. "
                  "[rates.csv](../../validation/hardware/rates.csv) has them, and the hit rates of machine code above.")
    variants_text = (f"**Variants**: kernels with {MANY} launches and more on one GPU. *τ*: Kendall's rank correlation of what is simulated with what was measured (1: the same order). *Slower than the best*: how much longer the "
                     "launch takes that is said to be the fastest. *Reads of the L2*: in parentheses the median error, percent.")
    return [*text, *cycles().splitlines(), "", rates_text, "", *rates().splitlines(), "", reads_text, "", *reads().splitlines(), "", variants_text, "", *variants().splitlines(), ""]
