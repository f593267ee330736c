"""Budgets of simulated work: look-ups of the L1 and instructions of warps, of which the fixed order simulates those that access memory. No clock
decides what is simulated, so the answer is the same on every machine, however busy it is."""
import os
import re

from warpscope.base.errors import InputError

TIMED = 40_000_000  # look-ups and memory instructions, up to which the timed engine takes everything without being asked
OF_LAUNCH = 1_000   # what starting a launch counts in the timed engine
MOST_INSTRUCTIONS = 400_000_000  # that it may issue then: how much a kernel computes is not known before
AFTER = 600_000_000  # that follows the fixed order by default: the timed engine first, advice with what is left
ADVICE = "WARPSCOPE_ADVICE_BUDGET"
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def number_of(option, text):
    """50M as a number, from 0 on."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)", str(text))
    if not found or float(found[1]) * UNITS[found[2]] > 1e15:
        raise InputError(f"{option} {text}: expected a number of look-ups and warp instructions, such as 500K, 50M or 2G; a budget counts what is "
                         "simulated, not seconds")
    return round(float(found[1]) * UNITS[found[2]])


def text_of(work):
    """40 M"""
    unit = max((one for one in UNITS if UNITS[one] <= max(work, 1)), key=UNITS.get)
    value = work / UNITS[unit]
    return f"{value:.{1 if unit and value < 10 else 0}f} {unit}".rstrip()


def words(work):
    """The option for cachesim; nothing without a budget."""
    return ["--budget", work] if work else []


def of_advice(given, timed, gpus=1):
    """How much advice may simulate: what --advice-budget says, else its variable, else what the timed engine has left of the default; several
    GPUs share it."""
    text = given or os.environ.get(ADVICE)
    if text:
        return number_of("--advice-budget" if given else f"${ADVICE}", text) // gpus
    return max(AFTER // gpus - timed, 0)


def fixed_work(counts):
    """What the fixed order simulates: look-ups, and memory instructions of all memories."""
    accesses = sum(counts[kind]["requests"] + counts[kind]["transactions"] for kind in ("load", "store", "atomic"))
    return accesses + sum(kind["requests"] for memory in counts.get("outside_l1", {}).values() for kind in memory.values())


def timed_work(result):
    """What the timed engine has simulated: look-ups, and all instructions; 0 of None."""
    timing = (result or {"total": {}})["total"].get("timing", {})
    return timing.get("warp_instructions", 0) + timing.get("tag_lookups", 0)


class Work:
    """A budget, and how much of it is used."""

    def __init__(self, limit):
        self.limit, self.used = limit, 0

    @property
    def left(self):
        return self.limit - self.used

    def take(self, work, part=1.0):
        """Whether that much fits what is left of this part of the budget; it is used then."""
        fits = self.used + work <= part * self.limit
        self.used += work if fits else 0
        return fits


def of_sample(result):
    """Which launches a timed result has that were drawn in a budget: "60 of 870 launches"; empty where it has all."""
    drawn = (result or {"context": {}})["context"].get("sampled_launches")
    return f"{drawn['count']:,} of {drawn['of']:,} launches" if drawn else ""
