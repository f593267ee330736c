"""A comparison (difference.py) for the terminal: what changed most first."""
import textwrap
from warpscope.base.table import aligned
from warpscope.explore.compare import difference
from warpscope.result import rates

MOST_LINES, MOST_KERNELS = 5, 5   # source accesses and kernels that are shown
NAMES = {"cycles": "cycles (estimated)", "l1_hit_rate": "L1 hit rate of loads", "l1_misses": "L1 misses",
         "l1_to_l2_read_sectors": "sectors read from the L2", "l1_wavefronts": "L1 wavefronts",
         "local_wavefronts": "wavefronts of local memory", "local_conflicts": "bank conflicts of local memory",
         "core_to_l2_bytes": "bytes to the L2", "l2_to_core_bytes": "bytes from the L2", "dram_read_bytes": "bytes read from DRAM",
         "load_latency_cycles_mean": "latency of a load, mean cycles", "constant_wavefronts": "wavefronts of constants"}
ORDER = ("cycles",)  # first, whatever changed


def name_of(measure):
    """A measure in words."""
    return NAMES.get(measure, measure.replace("_", " "))


def value_text(measure, value):
    """A value as a table shows it; rates, which are between 0 and 1, in percent."""
    if value is None:
        return "-"
    if measure.endswith("rate"):
        return rates.percent_text(value, 2)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.2f}"


def change_text(before, after):
    """-43 %, 2.1 ×, new; empty if nothing changed."""
    if (before or 0) == (after or 0):
        return ""
    if not before:
        return "new"
    after = after or 0
    if after / before >= 2:
        return f"{after / before:.1f} ×"
    change = rates.percent(after - before, before)
    return f"{change:+.0f} %" if abs(change) >= 1 else f"{change:+.2g} %"


def _size(measure, before, after):
    """How much a measure changed: what orders the table."""
    if measure in ORDER:
        return float("inf")
    if not before or not after:
        return 1e9 if before or after else 0
    return max(before, after) / min(before, after)


def measures(comparison):
    """((clock, measure, before, after) of what changed, most first; names of what is the same in fixed order)."""
    rows, same = [], []
    for clock in ("timed", "fixed"):
        part = comparison[clock]
        for measure in part["before"] if part else ():
            before, after = part["before"][measure], part["after"][measure]
            if before is None and after is None:
                continue
            if (before or 0) == (after or 0):
                same += [name_of(measure)] if clock == "fixed" else []
            else:
                rows.append((clock, measure, before, after))
    rows.sort(key=lambda row: (-_size(*row[1:]), row[0] == "timed"))
    return rows, same


def _measure_lines(comparison):
    rows, same = measures(comparison)
    lines = []
    if rows:
        shown = [("", "before", "after", "")]
        for clock, measure, before, after in rows:
            timed = " (timed)" if clock == "timed" and measure != "cycles" else ""
            shown.append((name_of(measure) + timed, value_text(measure, before), value_text(measure, after), change_text(before, after)))
        lines += aligned(shown)
    if not rows:
        lines.append("Nothing changed: every measure of both is the same.")
    elif same:
        lines += wrapped("Unchanged: " + ", ".join(same))
    return lines


def wrapped(text, width=100):
    """A paragraph as lines; the second and later ones are indented."""
    return textwrap.wrap(text, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def where(row):
    """Where an access is: file:line before -> file:line after, once if they are the same."""
    sides = [row[when]["where"] for when in ("before", "after") if row[when]]
    return " -> ".join(dict.fromkeys(sides))


def line_measures(row):
    """(measure, before, after) of an access's measures that changed, those of the cost that changed most first."""
    old, new = row["before"] or {}, row["after"] or {}
    found = [(measure, old.get(measure, 0), new.get(measure, 0))
             for measure in ("local_wavefronts", "constant_wavefronts", "misses", "transactions", "l1_wavefronts", "requests")]
    return sorted((one for one in found if one[1] != one[2]), key=lambda one: -abs(one[2] - one[1]))


def _line_lines(comparison):
    rows = [row for row in comparison["lines"] if line_measures(row)]
    if not rows:
        return []
    lines = ["What changed most in the source"]
    for number, row in enumerate(rows[:MOST_LINES], 1):
        lines.append(f"{number}. {where(row)} {(row['after'] or row['before'])['name']}"
                     + ("" if row["before"] and row["after"] else ": only after" if row["after"] else ": only before"))
        parts = [f"{name_of(measure)} {before:,} -> {after:,}" + (f" ({change_text(before, after)})" if before and after else "")
                 for measure, before, after in line_measures(row)[:2]]
        lines.append("   " + "; ".join(parts))
    if len(rows) > MOST_LINES:
        lines.append(f"   … {len(rows) - MOST_LINES:,} more source accesses changed: --json and --html list them")
    return ["", *lines]


def _kernel_lines(comparison):
    rows = comparison["kernels"]
    if len(rows) < 2:
        return []
    shown = [("kernel", "launches", "transactions", "misses", "cycles")]
    for row in rows[:MOST_KERNELS]:
        old, new = row["before"] or {}, row["after"] or {}
        name = " -> ".join(dict.fromkeys(str(side["kernel"] or "text stream") for side in (old, new) if side))
        cells = []
        for measure in ("launches", "transactions", "misses", "timed_cycles"):
            before, after = old.get(measure), new.get(measure)
            same = before == after
            cells.append(value_text(measure, after) if same else f"{value_text(measure, before)} -> {value_text(measure, after)}")
        shown.append((name, *cells))
    more = [f"… {len(rows) - MOST_KERNELS:,} more kernels"] if len(rows) > MOST_KERNELS else []
    return ["", *aligned(shown), *more]


def _source_lines(comparison):
    found = []
    for source in comparison["sources"]:
        name = " -> ".join(dict.fromkeys([source["before"], source["after"]]))
        counts = [f"{source[what]:,} {what}" for what in ("changed", "removed", "added") if source[what]]
        if counts:
            found.append(f"{name}: {', '.join(counts)}")
    if not found:
        return []
    more = f"; … {len(found) - 3} more files" if len(found) > 3 else ""
    return ["", *wrapped("Lines of the source: " + "; ".join(found[:3]) + more)]


def context_lines(comparison):
    """What else differs: the comparison is then not of the program alone."""
    own = {difference.PROGRAM: "Another program: ", difference.MODEL: "Another version of the model, which alone moves numbers: "}
    changes = [change for change in comparison["context"] if change["what"] not in own]
    lines = [line for change in comparison["context"] if change["what"] in own
             for line in wrapped(f"{own[change['what']]}{change['before']} -> {change['after']}")]
    if not changes:
        return lines
    shown = [f"{change['what']}: {change['before']} -> {change['after']}" for change in changes[:6]]
    more = f"; … {len(changes) - 6} more" if len(changes) > 6 else ""
    return lines + wrapped("Not the same settings: " + "; ".join(shown) + more)


def lines(comparison):
    """The comparison as lines of text."""
    before, after = comparison["before"], comparison["after"]
    gpus = " -> ".join(dict.fromkeys([before["gpu"], after["gpu"]]))
    counts = " -> ".join(dict.fromkeys(f"{side['launches']:,}" for side in (before, after)))
    yield f"{before['name']} -> {after['name']}, {gpus}; {counts} launch{'' if counts == '1' else 'es'}"
    yield from context_lines(comparison)
    yield ""
    yield from _measure_lines(comparison)
    if comparison["not_timed"]:
        yield from wrapped(f"Cycles are not compared: {comparison['not_timed']}")
    yield from _line_lines(comparison)
    yield from _kernel_lines(comparison)
    yield from _source_lines(comparison)
