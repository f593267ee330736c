"""How well simulated or predicted values agree with measured ones: errors, means, skill, order. Each formula once; values that are None are
left out, and None is what has no value."""
import math

POINTS = "points"  # the unit of an error that is a difference of percentages


def error(simulated, measured, unit):
    """simulated - measured in points where both are rates in percent (`unit` is POINTS or "%" of a rate), else relative_error()."""
    return simulated - measured if unit == POINTS else relative_error(simulated, measured)


def relative_error(simulated, measured):
    """100 (simulated - measured) / measured in percent; 0 where both are 0, None where only the measured value is."""
    if measured == 0:
        return 0.0 if simulated == 0 else None
    return 100.0 * (simulated - measured) / measured


def log2_ratio(simulated, measured):
    """log2(simulated / measured): 1 for twice, -1 for half as much; None where either is 0 or missing."""
    return math.log2(simulated / measured) if simulated and measured else None


def mean(values):
    values = [value for value in values if value is not None]
    return math.fsum(values) / len(values) if values else None


def geometric_mean(values):
    """exp of the mean logarithm, of values above 0."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def mean_absolute(values):
    return mean([abs(value) for value in values if value is not None])


def largest_absolute(values):
    return max((abs(value) for value in values if value is not None), default=None)


ROUNDING = 1e-9  # points; rates that are equal on paper differ by less


def skill(errors, trivial_errors):
    """1 - mean |error| / mean |error of a trivial predictor|: 1 perfect, 0 no better than it, negative worse.

    None where the trivial predictor is perfect: nothing can be added to it.
    """
    ours, theirs = mean_absolute(errors), mean_absolute(trivial_errors)
    return None if ours is None or theirs is None or theirs < ROUNDING else 1.0 - ours / theirs


def kendall_tau(first, second):
    """Kendall's tau-b (Kendall 1945, doi:10.1093/biomet/33.3.239), -1 to 1, which corrects for ties; None if one is constant."""
    concordant = discordant = only_first = only_second = 0
    for i, (a, b) in enumerate(zip(first, second)):
        for c, d in zip(first[i + 1:], second[i + 1:]):
            x, y = (a > c) - (a < c), (b > d) - (b < d)
            concordant += x * y > 0
            discordant += x * y < 0
            only_first += x == 0 and y != 0   # tied in the first list only
            only_second += y == 0 and x != 0
    untied = concordant + discordant
    below = math.sqrt((untied + only_first) * (untied + only_second))
    return (concordant - discordant) / below if below else None


def ranks(values):
    """1 for the least; equal values have their mean rank, unknown ones None."""
    ordered = sorted(value for value in values if value is not None)
    return [None if value is None else ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def spearman(first, second):
    """Pearson's correlation of the ranks (Spearman 1904, doi:10.2307/1412159), -1 to 1; None if one is constant."""
    columns = [[rank for rank in ranks(side) if rank is not None] for side in (first, second)]
    means = [sum(column) / len(column) if column else 0.0 for column in columns]
    spread = [[value - middle for value in column] for column, middle in zip(columns, means)]
    below = (sum(x * x for x in spread[0]) * sum(y * y for y in spread[1])) ** 0.5
    return sum(x * y for x, y in zip(*spread)) / below if below else None


def regret(predicted, reference):
    """How much longer than the best the variant takes, by the reference, that is predicted best: a fraction from 0 on. Of equal
    predictions the mean. None where no variant has both."""
    known = [(one, other) for one, other in zip(predicted, reference) if one is not None and other is not None]
    if not known:
        return None
    least = min(one for one, _ in known)
    chosen = [other for one, other in known if one == least]
    return sum(chosen) / len(chosen) / min(other for _, other in known) - 1
