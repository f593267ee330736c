"""A program's kernels: launches, shares, and the spread over launches. Never a list of launches."""
import re
import textwrap

from warpscope.base.errors import printable
from warpscope.base.table import aligned
from warpscope.result import machine, rates, results

NAME = 34     # longest name of a kernel in front of its numbers; a longer one, or one that leaves them no room, is above them
COLUMNS = 100
LONGEST = 4 * COLUMNS  # of a name in the summary; the middle of a longer one is left out
NAMESPACES = re.compile(r"(?:\w+::)+(?=\w)")
WRAPPERS = re.compile(r"^_kernel_agent(?:_vshmem)?<(?:ParallelForAgent<)?")
_SUMS = ("launches", "transactions", "looked_up", "misses")


def _of(counts, pick):
    return sum(pick(counts[kind]) for kind in machine.KINDS)


def _add(kernel, group):
    """Adds identical launches."""
    looked_up, misses = _of(group, rates.looked_up), _of(group, rates.missed)
    kernel["launches"] += group["count"]
    kernel["transactions"] += _of(group, lambda kind: kind["transactions"])
    kernel["looked_up"] += looked_up
    kernel["misses"] += misses
    if looked_up:
        rate = rates.percent(misses, looked_up)
        _widen(kernel, rate, rate)


def _widen(kernel, least, most):
    known = kernel["miss_rate_percent"]
    kernel["miss_rate_percent"] = {"min": min(least, known["min"]), "max": max(most, known["max"])} if known else \
        {"min": least, "max": most}


def _empty(name):
    return {"kernel": name, **dict.fromkeys(_SUMS, 0), "miss_rate_percent": None, "timed_cycles": None}


def of_groups(result, timed=None):
    """`kernels` of result.json: what the launches of each kernel add up to, in order of the first launch. `timed_cycles` is null unless
    the timed result has all launches."""
    found = {}
    for group in results.launch_groups(result):
        _add(found.setdefault(group["kernel"], _empty(group["kernel"])), group)
    if timed and results.launch_count(timed) == sum(kernel["launches"] for kernel in found.values()):
        for group in results.launch_groups(timed):
            if group["kernel"] in found and "timing" in group:
                kernel = found[group["kernel"]]
                kernel["timed_cycles"] = (kernel["timed_cycles"] or 0) + group["timing"]["cycles"]
    return list(found.values())


def _share(part, whole):
    return rates.percent_text(None if part is None else rates.fraction(part, whole), 1)


def short(name):
    """A long name of a template's instance says more without namespaces and Thrust's wrappers. What no terminal has room for is left out in
    the middle: beginnings and ends differ."""
    if len(name) > NAME:
        name = WRAPPERS.sub("", NAMESPACES.sub("", name)) or name
    return name if len(name) <= LONGEST else name[:LONGEST // 2] + "…" + name[1 - LONGEST // 2:]


def _numbers(kernel, whole):
    rate, spread = rates.percent(kernel["misses"], kernel["looked_up"]), kernel["miss_rate_percent"]
    return [f"{kernel['launches']:,}", _share(kernel["transactions"], whole["transactions"]), _share(kernel["misses"], whole["misses"]), "-" if rate is None else f"{rate:.1f} %",
            f"{spread['min']:.1f} to {spread['max']:.1f} %" if spread else "-", _share(kernel["timed_cycles"], whole["timed_cycles"])]


def _sum(kernels, name):
    together = _empty(name)
    for kernel in kernels:
        for counter in _SUMS:
            together[counter] += kernel[counter]
        if kernel["timed_cycles"] is not None:
            together["timed_cycles"] = (together["timed_cycles"] or 0) + kernel["timed_cycles"]
        if spread := kernel["miss_rate_percent"]:
            _widen(together, spread["min"], spread["max"])
    return together


def _sorted(result):
    """The kernels, the costliest first."""
    kernels = result.get("kernels") or of_groups(result, result.get("timed"))
    return sorted(kernels, key=lambda kernel: (-(kernel["timed_cycles"] or 0), -kernel["transactions"], kernel["kernel"]))


def whole_table(result):
    """Lines of the table by kernel, with all kernels and their whole names; none for one kernel."""
    kernels = _sorted(result)
    return _lines(kernels, lambda name: name, None) if len(kernels) > 1 else []


def table(result, most):
    """Lines of the table by kernel, the costliest first: the head, and as many rows as have room in `most` lines, but at least the costliest
    kernel; the last row is for all others."""
    kernels = _sorted(result)
    for shown in range(min(len(kernels), max(most, 2)), 0, -1):
        rows = kernels
        if shown < len(kernels):
            rows = [*kernels[:shown - 1], _sum(kernels[shown - 1:], f"({len(kernels) - shown + 1:,} other kernels)")]
        lines = _lines(rows, short, COLUMNS)
        if len(lines) <= most + 1 or shown <= 2:
            break
    return lines


def _lines(kernels, shown, columns):
    """The head and the rows. `shown`: a name as it is written; a line of a name has at most so many `columns`, None: as many as it needs."""
    whole = {name: sum(kernel[name] or 0 for kernel in kernels) for name in ("transactions", "misses", "timed_cycles")}
    names = [shown(printable(kernel["kernel"] or "text stream")) for kernel in kernels]
    rows = [["launches", "transactions", "misses", "miss rate, fixed", "least to most", "cycles"], *(_numbers(kernel, whole) for kernel in kernels)]
    if not whole["timed_cycles"]:
        rows = [row[:-1] for row in rows]
    room = min(NAME, columns - max(len(line) for line in aligned([["", *row] for row in rows]))) if columns else NAME
    head, *numbers = aligned([[name if len(name) <= room else "", *row] for name, row in zip(["kernel", *names], rows)])
    above = [[] if len(name) <= room else textwrap.wrap(name, columns or len(name), subsequent_indent="   ", break_on_hyphens=False) for name in names]
    return [head, *(line for name, row in zip(above, numbers) for line in (*name, row))]
