"""The report of a result: terminal table, annotated source listing, plots."""
import collections

from warpscope import counters, results

_KINDS = (("load", "loads"), ("store", "stores"), ("atomic", "atomics"))


def _count(number):
    return f"{number:,}"


def _percent(value):
    return "-" if value is None else f"{value:.2f} %"


def _table(head, rows):
    """Right-aligned columns; the first one is left-aligned."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]

    def line(row):
        return "  ".join(cell.ljust(width) if number == 0 else cell.rjust(width)
                         for number, (cell, width) in enumerate(zip(row, widths))).rstrip()

    return [line(head), "-" * (sum(widths) + 2 * len(widths) - 2), *(line(row) for row in rows)]


def _kind_columns():
    """(heading, counter of a kind of access -> number) of every counter that has a heading."""
    special = {"hits": lambda kind: kind["hits"] + kind["hits_pending"], "misses": results.missed}
    return [(counters.HEADINGS[name], special.get(name, lambda kind, name=name: kind.get(name, 0)))
            for name in counters.KIND_COUNTERS if name in counters.HEADINGS]


def _kind_row(name, kind):
    return [name, *(_count(number(kind)) for _, number in _kind_columns()), _percent(results.miss_rate(kind))]


def summary(result):
    """Lines of the terminal table."""
    total = result["total"]
    groups = results.launch_groups(result)
    lines = [(f"{group['count']:,} × " if group["count"] > 1 else "") + results.launch_text(group) for group in groups[:8]]
    if len(groups) > 8:
        lines.append(f"… {sum(group['count'] for group in groups[8:]):,} more launches")
    lines += [*results.cache_text(result).split("\n"), *results.not_traced(result), ""]
    if result["context"].get("partial"):
        lines[-1:] = ["PARTIAL: the capture was cut short, these counts cover its intact part", ""]
    sampling = result["context"].get("sampling", "all")
    if cores := result["context"].get("sampled_cores"):
        lines[-1:] = [f"SAMPLED: only {cores['count']} of {cores['of']} cores were recorded ({sampling}), these counts cover nothing else",
                      ""]
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
        head = ["buffer", counters.HEADINGS["transactions"], "load misses", "load miss rate", "share of load misses"]
        lines += ["", *_table(head, [_buffer_row(part, total) for part in buffers])]
    outside = _outside_lines(total)
    lines += [""] + outside if outside else []
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
    rows = [[name, _count(classes[name]), _percent(results.percent(classes[name], whole)), counters.HEADINGS[name]]
            for name in results.CLASSES if classes[name] or name != "invalidated"]
    table = _table(["misses", "count", "share", ""], rows)
    gap = max(len(row[3]) for row in rows)  # the explanation reads better left-aligned
    for position, row in enumerate(rows, 2):
        table[position] = table[position][:len(table[position]) - len(row[3])].rstrip() + "   " + row[3]
    table[1] = "-" * (len(table[2]) + gap - len(rows[0][3]))
    return table


def _buffer_row(part, total):
    transactions = sum(part[kind]["transactions"] for kind, _ in _KINDS)
    missed = results.missed(part["load"])
    return [part["name"] or "(no known buffer)", _count(transactions), _count(missed),
            _percent(results.miss_rate(part["load"])),
            _percent(results.percent(missed, results.missed(total["load"])))]


def _outside_lines(total):
    lines = []
    for name, kinds in total.get("outside_l1", {}).items():
        lanes = sum(kind["lanes"] for kind in kinds.values())
        if lanes:
            lines.append(f"not through the L1: {_count(lanes)} lane accesses ({name.replace('_', ' ')})")
    return lines


class _Line:
    """The memory instructions of one source line, and the other lines that they were merged from."""

    def __init__(self):
        self.sites = []
        self.also = set()


def _by_line(result):
    """{source index: {line: _Line}}; an instruction merged from several lines is listed at its first."""
    lines = collections.defaultdict(lambda: collections.defaultdict(_Line))
    for site in result["sites"]:
        if site["source"] is None or not site["locations"]:
            continue
        name = result["sources"][site["source"]]["name"]
        own = [place for place in site["locations"] if place["file"] == name] or site["locations"]
        line = lines[site["source"]][own[0]["line"]]
        line.sites.append(site)
        line.also.update(place["line"] for place in own[1:] if place["line"] != own[0]["line"])
    return lines


_COLUMNS = ("transactions", "misses", "miss rate", "of all", "cold", "capac", "confl", "inval")


def _cells(sites, all_misses):
    """The numbers of one row: transactions, misses, miss rate, share of all misses, shares of the classes."""
    def total(pick):
        return sum(pick(site[kind]) for site in sites for kind, _ in _KINDS)

    transactions, missed = total(lambda kind: kind["transactions"]), total(results.missed)
    if not transactions:
        return ["outside L1" if any(site[kind]["requests"] for site in sites for kind, _ in _KINDS)
                or any(not site["reaches_l1"] for site in sites) else "0"] + [""] * 7
    cells = [_count(transactions), _count(missed), _percent(results.percent(missed, total(results.looked_up))),
             _percent(results.percent(missed, all_misses))[:-2].strip() + "%" if all_misses else ""]
    classes = [sum((site["miss_classes"] or {}).get(name, 0) for site in sites) for name in results.CLASSES]
    whole = sum(classes)
    return cells + [f"{100 * count / whole:.0f}%" if whole else "" for count in classes]


def listing(result):
    """Lines of the annotated source: numbers at the left, source at the right."""
    every = result["total"]
    all_misses = sum(results.missed(every[kind]) for kind, _ in _KINDS)
    lines = []
    for source, by_line in sorted(_by_line(result).items()):
        rows = list(_listing_rows(result["sources"][source], by_line, all_misses))
        lines += _aligned([(list(_COLUMNS), result["sources"][source]["name"]), *rows]) + [""]
    if lines:
        lines += ["transactions, misses: of loads, stores and atomics, all cores.  of all: share of all misses.",
                  "cold, capac(ity), confl(ict), inval(idated): shares of the classified misses",
                  "(with a no-allocate write policy: of load misses)."]
    return lines


def _listing_rows(source, by_line, all_misses):
    """(cells, source text) of every line, and of every instruction where a line holds several."""
    blank = [""] * len(_COLUMNS)
    for number, source_line in enumerate(source["text"].splitlines(), 1):
        code = f"{number:4d} | {source_line}".replace("\t", "  ")
        if number not in by_line:
            yield blank, code
            continue
        line = by_line[number]
        also = f"   [+ line {', '.join(map(str, sorted(line.also)))}]" if line.also else ""
        yield _cells(line.sites, all_misses), code + also
        if len(line.sites) > 1:
            for site in line.sites:
                yield _cells([site], all_misses), f"     |   \u2514 {_describe(site)}"


def _aligned(rows):
    """The first row is the head. Columns that are empty everywhere are left out."""
    used = [column for column in range(len(_COLUMNS)) if any(cells[column] not in ("", "0%") for cells, _ in rows[1:])]
    width = {column: max(len(cells[column]) for cells, _ in rows) for column in used}
    lines = ["  ".join([*(cells[column].rjust(width[column]) for column in used), text]).rstrip()
             for cells, text in rows]
    return [lines[0], "-" * min(max(len(line) for line in lines), 100), *lines[1:]]


def _describe(site):
    names = ", ".join(results.buffer_names(site))
    place = site["locations"][0]
    return f"{site['kind']} {names or site['space']}, column {place['column']}"


def plots(result, folder):
    """Plots that need only the result; returns the paths of their PNG and SVG files."""
    from warpscope.plots import miss_classes, reuse, style  # matplotlib takes a second, and tables do without

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
