"""The tables and plots of a result. The annotated source is listing.py."""
from warpscope.base.table import aligned, widths
from warpscope.result import counters, kernels, outside, rates, results

PER_REQUEST = "per access"
_KINDS = (("load", "loads"), ("store", "stores"), ("atomic", "atomics"))


def _count(number):
    return f"{number:,}"


def _percent(value):
    return "-" if value is None else f"{value:.2f} %"


def _table(head, rows):
    """Right-aligned columns; the first one is left-aligned."""
    first, *lines = aligned([head, *rows])
    return [first, "-" * (sum(widths([head, *rows])) + 2 * len(head) - 2), *lines]


def _kind_columns():
    """(heading, counters of a kind of access -> text) of every counter that has a heading; a request's transactions next to them."""
    special = {"hits": rates.hits, "misses": rates.missed}
    columns = [(counters.HEADINGS[name], lambda kind, number=special.get(name), name=name: _count((number or _counter(name))(kind)))
               for name in counters.KIND_COUNTERS if name in counters.HEADINGS]
    after = next(at for at, (heading, _) in enumerate(columns, 1) if heading == counters.HEADINGS["transactions"])
    return [*columns[:after], (PER_REQUEST, lambda kind: per_request(kind["transactions"], kind["requests"])), *columns[after:]]


def _counter(name):
    return lambda kind: kind.get(name, 0)


def per_request(transactions, requests):
    """Transactions of one warp access, as text."""
    mean = rates.per_request(transactions, requests)
    return "-" if mean is None else f"{mean:.2f}"


def _kind_row(name, kind):
    return [name, *(text(kind) for _, text in _kind_columns()), _percent(rates.miss_rate_percent(kind))]


def summary(result):
    """Lines of the terminal table."""
    total = result["total"]
    groups = results.launch_groups(result)
    wrong = outside.line(result)
    lines = [wrong, ""] if wrong else []
    lines += [(f"{group['count']:,} × " if group["count"] > 1 else "") + results.launch_text(group) for group in groups[:8]]
    if len(groups) > 8:
        lines.append(f"… {results.launch_count(result) - sum(group['count'] for group in groups[:8]):,} more launches")
    lines += [*results.cache_text(result).split("\n"), *results.not_traced(result), ""]
    by_kernel = kernels.whole_table(result)
    lines += [*by_kernel, ""] if by_kernel else []
    if result["context"].get("partial"):
        lines[-1:] = ["PARTIAL: the capture was cut short, these counts cover its intact part", ""]
    sampling = result["context"].get("sampling", "all")
    if sampled := results.sampled_text(result):
        lines[-1:] = [f"SAMPLED: {sampled}, these counts cover nothing else", ""]
    elif sampling != "all":
        lines[-1:] = [f"SAMPLED: only work-groups {sampling} were recorded, these counts cover nothing else", ""]
    for one in result["context"].get("skipped", []):
        lines[-1:] = [f"SKIPPED: kernel {one['kernel']}, launches {one['launches']}: {one['needs']} {one['what']}, {one['gpu']} "
                      f"allows {one['limit']}", ""]
    head = ["", *(heading for heading, _ in _kind_columns()), "miss rate"]
    lines += _table(head, [_kind_row(name, total[kind]) for kind, name in _KINDS if total[kind]["requests"]])
    if total["miss_classes"]:
        lines += ["", *_class_lines(result)]
    buffers = [part for part in result["buffers"] if any(part[kind]["transactions"] for kind, _ in _KINDS)]
    if buffers:
        arguments = results.argument_names(result)
        head = ["buffer", counters.HEADINGS["transactions"], PER_REQUEST, "load misses", "load miss rate", "share of load misses"]
        lines += ["", *_table(head, [_buffer_row(part, total, results.buffer_label(part, arguments)) for part in buffers])]
    elsewhere = _outside_lines(total)
    lines += [""] + elsewhere if elsewhere else []
    return lines + (["", *_spread_lines(result)] if "repeat" in result else [])


def _spread_lines(result):
    """The range of every rate of `total` over the repetitions."""
    repeat = result["repeat"]
    rows = [[name.replace("_", " "), *(f"{of[key]:.6g}" for key in ("min", "median", "max"))]
            for name, of in result["total"]["spread"].items()]
    return [f"{repeat['count']} repetitions with other {', '.join(repeat['varied'])}; all else is the first, as asked for",
            *_table(["", "lowest", "median", "highest"], rows)]


def _class_lines(result):
    classes = result["total"]["miss_classes"]
    whole = sum(classes[name] for name in results.CLASSES)
    rows = [[name, _count(classes[name]), _percent(rates.percent(classes[name], whole)), counters.HEADINGS[name]]
            for name in results.CLASSES if classes[name] or name != "invalidated"]
    table = _table(["misses", "count", "share", ""], rows)
    gap = max(len(row[3]) for row in rows)  # the explanation reads better left-aligned
    for position, row in enumerate(rows, 2):
        table[position] = table[position][:len(table[position]) - len(row[3])].rstrip() + "   " + row[3]
    table[1] = "-" * (len(table[2]) + gap - len(rows[0][3]))
    return table


def _buffer_row(part, total, name):
    transactions = sum(part[kind]["transactions"] for kind, _ in _KINDS)
    missed = rates.missed(part["load"])
    requests = sum(part[kind]["requests"] for kind, _ in _KINDS)
    return [name or "(no known buffer)", _count(transactions), per_request(transactions, requests), _count(missed),
            _percent(rates.miss_rate_percent(part["load"])),
            _percent(rates.percent(missed, rates.missed(total["load"])))]


def _outside_lines(total):
    lines = []
    for name, kinds in total.get("outside_l1", {}).items():
        lanes = sum(kind["lanes"] for kind in kinds.values())
        if lanes:
            lines.append(f"not through the L1: {_count(lanes)} lane accesses ({name.replace('_', ' ')})")
    return lines


def plots(result, folder):
    """Plots that need only the result; returns the paths of their PNG and SVG files."""
    from warpscope.show.plots import miss_classes, reuse, style  # matplotlib takes a second, and tables do without

    paths = []
    subtitle = f"{results.title(result)}\n{results.cache_text(result)}"
    if result["total"]["miss_classes"] and (bars := miss_classes.bars_of(result, "site")):
        figure = miss_classes.draw(bars, "Why accesses miss", subtitle,
                                        "Memory instruction (buffer, source line)")
        paths += style.save(figure, folder / "miss_classes")
    if result.get("reuse_histogram"):
        paths += style.save(reuse.draw(result["reuse_histogram"], "Reuse distance", subtitle),
                                folder / "reuse_distance")
    return paths
