"""How well simulated values agree with measured ones: errors, skill against trivial predictors, rank correlation."""
import math


def relative_error(simulated, measured):
    """100 (simulated - measured) / measured in percent; 0 where both are 0, None where only the measured value is."""
    if measured == 0:
        return 0.0 if simulated == 0 else None
    return 100.0 * (simulated - measured) / measured


def mean(values):
    values = [value for value in values if value is not None]
    return math.fsum(values) / len(values) if values else None


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
    """Kendall's tau-b (Kendall 1945, doi:10.1093/biomet/33.3.239), which corrects for ties; None if one is constant."""
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
