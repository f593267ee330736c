"""Several GPUs in one table: the summary of `--gpu A,B,C`."""
from warpscope.base.table import aligned
from warpscope.result import hit_rates, machine, rates
from warpscope.show.summary import advised, bound, clock, layout, races, rate_lines, words, wrapped

MOST_GPUS = 8  # so that the table and a finding for each are at most layout.LINES


def _microseconds(result, cycles):
    clock_mhz = machine.preset_value(result, "core_clock_mhz")
    return f"{cycles / clock_mhz:,.1f}" if cycles and clock_mhz else "-"


def _row(name, result, used):
    timed = result.get("timed")
    shown, _ = clock.shown(result)
    rate, _, _ = hit_rates.hit_rate(timed if shown == "timed" else result)
    loads, cycles = result["total"]["load"], rate_lines.cycles(timed)
    return [name, f"{cycles:,}" if cycles else "-", _microseconds(result, cycles), "-" if rate is None else f"{rate:.1f} % {shown}",
            f"{rates.per_request(loads['transactions'], loads['requests']):.2f} {rate_lines.unit_name(result)}" if loads["requests"] else "-",
            bound.verdict(bound.main_kernel(result, used)[1]).split(", cores")[0] if used else "not known without the timed engine"]


def _error_lines(errors):
    """What is known of the errors of the hit rates: one line for each GPU of which something is, one for the others."""
    unknown = [name for name, text in errors if text.startswith("not validated")]
    known = [f"Hit rate on {name}: {text}" for name, text in errors if name not in unknown]
    return known + ([f"Hit rates not validated: {', '.join(unknown)}"] if unknown else [])


def _gain(finding):
    """What the remedy of a finding gains: time, or of which counter it has fewer where there are no cycles."""
    if not finding or not finding.gain:
        return ""
    measure = finding.advice["gain"]["measure"] if finding.advice else "cycles"
    return f"{finding.gain:.2f} ×{'' if measure == 'cycles' else ' fewer ' + measure.replace('_', ' ')} by {finding.what_if}; "


def _finding_lines(named, several):
    """What costs most, of [(name of the GPU, its first Finding or None)]: a line for all if they agree and no remedy was simulated, else one
    for each GPU. A remedy's gain comes first."""
    texts = [words.title(finding, several) if finding else "-" for _, finding in named]
    gains = [_gain(finding) for _, finding in named]
    if len(set(texts)) == 1 and not any(gains):
        return [f"Costs most on all: {texts[0]}"]
    times = any(gain and "fewer" not in gain for gain in gains)
    return ["Costs most (× as fast by what-if, simulated):" if times else "Costs most (by what-if, simulated):" if any(gains) else "Costs most:",
            *(f"  {name}: {gain}{text}" for (name, _), gain, text in zip(named, gains, texts))]


def summary(by_gpu, files, capture=""):
    """At most layout.LINES lines of layout.COLUMNS. `by_gpu`: [(name of the GPU, its result)]; `files`: where the rest is; `capture`: its
    file, if that is known."""
    rows, first, errors = [["GPU", "cycles", "µs", "L1 hit rate", "per load", "bound by"]], [], []
    for name, result in by_gpu:
        used = machine.busy(result, result.get("timed"))
        found, _ = advised.of_result(result, used)
        rows.append(_row(name, result, used))
        first.append((name, found[0] if found else None))
        errors.append((name, clock.error_text(result, clock.shown(result)[0])))
    above = [f"{layout.ran(by_gpu[0][1])}; {len(by_gpu)} GPUs", *races.lines(by_gpu[0][1], capture), "", *aligned(rows, left=(0, len(rows[0]) - 1)), "", *_finding_lines(first, words.has_several_kernels(by_gpu[0][1])), ""]
    below = [f"Files: {files}", "Next: one GPU alone (--gpu NAME) shows all findings and rates"]
    known = _error_lines(errors)
    above, known, below = (wrapped.every(lines) for lines in (above, known, below))
    if len(above) + len(known) + len(below) > layout.LINES:
        known = ["How far such hit rates were off is in report.txt, for each GPU"]
    return [*above, *known, *below]
