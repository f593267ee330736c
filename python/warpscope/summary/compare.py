"""Several GPUs in one table: the summary of `--gpu A,B,C`."""
from warpscope.errors import printable
from warpscope.summary import bound, clock, find, layout, machine, rates

MOST_GPUS = 8  # so that the table and a finding for each are at most 25 lines


def _microseconds(result, cycles):
    clock_mhz = machine.preset_value(result, "core_clock_mhz")
    return f"{cycles / clock_mhz:,.1f}" if cycles and clock_mhz else "-"


def _row(name, result, used):
    timed = result.get("timed")
    shown, _ = clock.shown(result)
    rate, _, _ = rates.hit_rate(timed if shown == "timed" else result)
    loads, cycles = result["total"]["load"], rates.cycles(timed)
    return [name, f"{cycles:,}" if cycles else "-", _microseconds(result, cycles), "-" if rate is None else f"{rate:.1f} % {shown}",
            f"{loads['transactions'] / loads['requests']:.2f} {rates.unit_name(result)}" if loads["requests"] else "-",
            bound.verdict(used).split(", cores")[0] if used else "not known without the timed engine"]


def _table(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    right = range(1, len(widths) - 1)
    return ["  ".join(cell.rjust(width) if at in right else cell.ljust(width) for at, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in rows]


def _error_lines(errors):
    """What is known of the errors of the hit rates: one line for each GPU of which something is, one for the others."""
    unknown = [name for name, text in errors if text.startswith("not validated")]
    known = [f"Hit rate on {name}: {text}" for name, text in errors if name not in unknown]
    return known + ([f"Hit rates not validated (fewer than 10 launches): {', '.join(unknown)}"] if unknown else [])


def summary(by_gpu, files):
    """At most 25 lines of 100 columns. `by_gpu`: [(name of the GPU, its result)]; `files`: where the rest is."""
    rows, first, errors = [["GPU", "cycles", "µs", "L1 hit rate", "per load", "bound by"]], [], []
    for name, result in by_gpu:
        used = machine.busy(result, result.get("timed"))
        found, _ = find.findings(result, used)
        rows.append(_row(name, result, used))
        text = f"{found[0].access.where() + ' ' + found[0].access.name() + ': ' if found[0].access else ''}{found[0].what}" if found else "-"
        first.append(f"{name}: {text}")
        errors.append((name, clock.error_text(result, clock.shown(result)[0])))
    texts = {line.split(": ", 1)[1] for line in first}
    same = [f"Costs most on all: {texts.pop()}"] if len(texts) == 1 else ["Costs most:", *(f"  {line}" for line in first)]
    lines = [f"{layout.ran(by_gpu[0][1])}; {len(by_gpu)} GPUs", "", *_table(rows), "", *same, "",
             *_error_lines(errors), f"Files: {files}",
             "Next: one GPU alone (--gpu NAME) shows all findings and rates"]
    return [layout.fit(printable(line)) for line in lines]
