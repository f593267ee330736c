"""Whether a change pays: its gain must be larger than the error of the numbers that it rests on."""
import dataclasses

from warpscope.explore.advice.proposal import ESTIMATED, EXACT, MODELLED
from warpscope.result import rates
from warpscope.show.summary import clock

EXACT_PART = 0.02     # counters that follow from addresses alone; also the least gain of all
ESTIMATED_PART = 0.10  # of the cycles, where only the timed engine says that it helps
MOST_FACTOR = 100.0    # larger gains are shown as this
UNKNOWN_POINTS = 10.0  # error of a hit rate where nothing like it was measured
# The counters that do not depend on the order of the warps.
_EXACT = ("transactions", "l1_wavefronts", "local_wavefronts", "requests")


@dataclasses.dataclass
class Gain:
    """Of one trial. `factor` is before ÷ after of `measure`, `least` and `most` its range with the error `error`."""

    measure: str   # "cycles", or the counter that falls most where there are none
    factor: float
    least: float
    most: float
    whole: float   # the same for the whole program, of which only some kernels gain
    grade: str
    error: str     # what the range rests on, in a phrase


def error_points(result, engine="fixed"):
    """(mean error of a hit rate in points, what it is the error of) of the result's class; UNKNOWN_POINTS if nothing like it was measured."""
    found = clock.error_of(result, engine)
    if found is None:
        return UNKNOWN_POINTS, f"{UNKNOWN_POINTS:.0f} points of hit rate are assumed, nothing like it was validated"
    return found.mean, f"{found.mean:.1f} points of hit rate, the mean error of its class"


def saved(compared, name):
    """Part of a measure that a change saves, below 0 if it grows; 0 if it is not known or was 0."""
    return rates.saved(compared["before"][name], compared["after"][name])


def exact_part(fixed):
    """What the change saves of counters that rest on addresses alone: the larger of its parts of the transactions, and of the wavefronts
    of the L1 and of local memory together."""
    before, after = fixed["before"], fixed["after"]
    wavefronts = [sum((side[name] or 0) for name in ("l1_wavefronts", "local_wavefronts")) for side in (before, after)]
    parts = [saved(fixed, "transactions")]
    if wavefronts[0]:
        parts.append(rates.saved(*wavefronts))
    return max(parts)


def points(compared):
    """By how many points the hit rate of loads rises; where none was looked up, it was 0."""
    before, after = compared["before"]["l1_hit_rate"], compared["after"]["l1_hit_rate"]
    return 100 * (after - (before or 0.0)) if after is not None else 0.0


def _starts_looking_up(compared):
    """Whether loads look the L1 up that all bypassed it."""
    return compared["before"]["l1_hit_rate"] is None and compared["after"]["l1_hit_rate"] is not None


def _fetched(fixed):
    """What the change saves of the misses; where nothing was looked up, of what the L1s ask the L2 for."""
    return saved(fixed, "l1_to_l2_read_sectors" if _starts_looking_up(fixed) else "l1_misses")


def worth(fixed):
    """What the change promises, as a part of the counter that falls most."""
    return max(exact_part(fixed), _fetched(fixed))


def promises(trial):
    """The grade of what the change can gain, by the fixed order; None where it gains nothing."""
    if trial.proposal.grade == ESTIMATED:
        return ESTIMATED
    if exact_part(trial.fixed) > EXACT_PART and not _starts_looking_up(trial.fixed):
        return EXACT
    return MODELLED if _fetched(trial.fixed) > EXACT_PART else None


def _error(trial, grade, result):
    """(the error as a part of what is saved, what it rests on); the part is 1 or more where the gain is not larger than the error."""
    if grade == EXACT:
        return EXACT_PART / exact_part(trial.fixed), f"{rates.percent_text(EXACT_PART)}, counters are exact"
    if grade == ESTIMATED:
        return ESTIMATED_PART, f"{rates.percent_text(ESTIMATED_PART)} of the cycles, which only the timed engine knows"
    rise = points(trial.timed or trial.fixed)
    limit, text = error_points(result, "timed" if trial.timed else "fixed")
    return (limit / rise if rise > 0 else 1.0), text


def _factor(part):
    """before ÷ after where a part of before is saved; at most MOST_FACTOR."""
    return 1 / max(1 - part, 1 / MOST_FACTOR)


def _range(part, uncertain):
    """(least, most) of before ÷ after, if the saved part is uncertain by a part of itself."""
    return _factor(part * (1 - uncertain)), _factor(part * (1 + uncertain))


def _without_cycles(fixed):
    """(part saved, counter) of the counter that falls most; (0, "") if another one grows: nothing says which weighs more."""
    if any(saved(fixed, name) < -EXACT_PART for name in (*_EXACT, "l1_misses", "l1_to_l2_read_sectors")):
        return 0.0, ""
    fetched = "l1_to_l2_read_sectors" if _starts_looking_up(fixed) else "l1_misses"
    measure = max(("transactions", "local_wavefronts", "l1_wavefronts", fetched), key=lambda name: saved(fixed, name))
    return saved(fixed, measure), measure


def of_trial(trial, grade, result, share=1.0):
    """The Gain of a trial that promised one, in kernels that take `share` of the program; None if it is not larger than its error in cycles, or without them in counters."""
    uncertain, text = _error(trial, grade, result)
    if uncertain >= 1 or grade == ESTIMATED and not trial.timed:
        return None
    part, measure = (saved(trial.timed, "cycles"), "cycles") if trial.timed else _without_cycles(trial.fixed)
    if part <= (ESTIMATED_PART if grade == ESTIMATED else EXACT_PART):
        return None
    low, high = _range(part, uncertain)
    return Gain(measure, _factor(part), low, high, _factor(part * share), grade, text)
