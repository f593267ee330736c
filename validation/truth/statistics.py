"""The figures of validation/notes/truth.md, as functions of numbers: averages by group, intervals, ranks, pairs of variants."""
import math
import random

from warpscope.result.error_statistics import mean

REPEATS = 1000
SEED = 1


def median(values):
    """The middle value; of an even number the mean of the two in the middle; None of none."""
    ordered = sorted(value for value in values if value is not None)
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def percentile(values, percent):
    """Linear between the two values around it; None of none."""
    ordered = sorted(value for value in values if value is not None)
    if not ordered:
        return None
    place = (len(ordered) - 1) * percent / 100
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def share(values, holds):
    """How many of the values hold, as a fraction; None of none."""
    values = [value for value in values if value is not None]
    return sum(bool(holds(value)) for value in values) / len(values) if values else None


def macro_average(errors):
    """The mean over cells of the mean |error| in a cell: {cell: [errors]}. None without any error."""
    return mean([mean([abs(error) for error in cell if error is not None]) for cell in errors.values()])


def bootstrap(errors, repeats=REPEATS, seed=SEED):
    """The 95 % interval of macro_average({(gpu, family): [errors]}) over families: each repeat draws as many families as there are,
    with all their cells. None where there are fewer than two families."""
    by_family = {}
    for (_, family), cell in errors.items():
        average = mean([abs(error) for error in cell if error is not None])
        if average is not None:
            by_family.setdefault(family, []).append(average)
    families = sorted(by_family)
    if len(families) < 2:
        return None
    draw = random.Random(seed)
    averages = []
    for _ in range(repeats):
        drawn = [value for _ in families for value in by_family[draw.choice(families)]]
        averages.append(mean(drawn))
    return percentile(averages, 2.5), percentile(averages, 97.5)


def pairs(variants):
    """Pairs of variants that differ in one parameter: {name: {parameter: value}} -> [(name, name, parameter)]. Of the two the one
    with the smaller value comes first."""
    found = []
    names = sorted(variants)
    for place, first in enumerate(names):
        for second in names[place + 1:]:
            one, other = variants[first], variants[second]
            if one.keys() != other.keys():
                continue
            differing = [key for key in one if one[key] != other[key]]
            if len(differing) == 1:
                key = differing[0]
                found.append((first, second, key) if one[key] < other[key] else (second, first, key))
    return found


def pair_scores(changes, least=0.05, within=0.25):
    """Of [(measured before, after, simulated before, after)] those whose measured value changes by more than `least`: how many, the
    share whose simulated change has the same sign, and the share whose simulated ratio is within `within` of the measured one."""
    tested = signs = ratios = 0
    for before, after, ours_before, ours_after in changes:
        if min(before, after) <= 0 or min(ours_before, ours_after) <= 0 or abs(after / before - 1) <= least:
            continue
        tested += 1
        signs += (after > before) == (ours_after > ours_before) and ours_after != ours_before
        ratios += abs((ours_after / ours_before) / (after / before) - 1) <= within
    return {"pairs": tested, "sign": signs / tested if tested else None, "ratio": ratios / tested if tested else None}
