"""The annotated source: numbers at the left, source at the right."""
import collections

from warpscope.base.table import aligned
from warpscope.result import accesses, rates, results
from warpscope.show.report import per_request

_KINDS = ("load", "store", "atomic")
_COLUMNS = ("transactions", "per access", "misses", "miss rate", "of all", "cold", "capac", "confl", "inval")
WORST = 10    # lines that an excerpt begins with
AROUND = 2    # lines before and after each
_LEGEND = ["transactions, misses: of loads, stores and atomics, all cores.  per access: transactions of a warp access.",
           "of all: share of all misses.  cold, capac(ity), confl(ict), inval(idated): shares of the classified misses",
           "(with a no-allocate write policy: of load misses).  N local: wavefronts of local memory, and how many an access takes."]


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


def _total(sites, pick):
    return sum(pick(site[kind]) for site in sites for kind in _KINDS)


def _local(sites, name):
    return sum(kind.get(name, 0) for site in sites for kind in site.get("outside_l1", {}).get("local", {}).values())


def _outside_cells(sites):
    """Of accesses that do not go to the L1: wavefronts of local memory, if these were counted."""
    blank = [""] * (len(_COLUMNS) - 2)
    if _local(sites, "wavefronts"):
        return [f"{_local(sites, 'wavefronts'):,} local", per_request(_local(sites, "wavefronts"), _local(sites, "requests")), *blank]
    outside = any(not site["reaches_l1"] for site in sites) or _total(sites, lambda kind: kind["requests"])
    return ["outside L1" if outside else "0", "", *blank]


def _cells(sites, all_misses):
    """The numbers of one row, a text for each of _COLUMNS."""
    transactions, missed = _total(sites, lambda kind: kind["transactions"]), _total(sites, rates.missed)
    if not transactions:
        return _outside_cells(sites)
    cells = [f"{transactions:,}", per_request(transactions, _total(sites, lambda kind: kind["requests"])), f"{missed:,}",
             _percent(rates.percent(missed, _total(sites, rates.looked_up)), " "),
             _percent(rates.percent(missed, all_misses), "") if all_misses else ""]
    classes = [sum((site["miss_classes"] or {}).get(name, 0) for site in sites) for name in results.CLASSES]
    whole = sum(classes)
    return cells + [f"{rates.percent(count, whole):.0f}%" if whole else "" for count in classes]


def _percent(value, gap):
    return "-" if value is None else f"{value:.2f}{gap}%"


def _instructions(sites):
    """Sites of one line as [[copies of one source access]], in order of their first."""
    found = {}
    for site in sites:
        found.setdefault(accesses.key(site, results.buffer_names(site)), []).append(site)
    return list(found.values())


def _rows(number, text, by_line, all_misses):
    """(cells, source text) of a line, and of every instruction where it holds several."""
    code = f"{number:4d} | {text}".replace("\t", "  ")
    line = by_line.get(number)
    if line is None:
        return [([""] * len(_COLUMNS), code)]
    also = f"   [+ line {', '.join(map(str, sorted(line.also)))}]" if line.also else ""
    rows = [(_cells(line.sites, all_misses), code + also)]
    parts = _instructions(line.sites)
    if len(line.sites) > 1:
        rows += [(_cells(part, all_misses), f"     |   \u2514 {_describe(part)}") for part in parts]
    return rows


def _describe(part):
    names = ", ".join(results.buffer_names(part[0]))
    copies = f", {len(part)} copies" if len(part) > 1 else ""
    return f"{part[0]['kind']} {names or part[0]['space']}, column {part[0]['locations'][0]['column']}{copies}"


def _aligned(rows):
    """The first row is the head. Columns that are empty everywhere are left out."""
    used = [column for column in range(len(_COLUMNS)) if any(cells[column] not in ("", "0%") for cells, _ in rows[1:])]
    lines = aligned([[*(cells[column] for column in used), text] for cells, text in rows], left=(len(used),))
    return [lines[0], "-" * min(max(len(line) for line in lines), 100), *lines[1:]]


def _cost(line):
    """What orders lines: cycles of the L1 and of local memory, and what the L2 is asked for."""
    return (_total(line.sites, lambda kind: kind["transactions"]) + _total(line.sites, rates.missed)
            + _local(line.sites, "wavefronts"))


def _every_miss(result):
    return sum(rates.missed(result["total"][kind]) for kind in _KINDS)


def whole(result):
    """Every line of every source."""
    lines = []
    for source, by_line in sorted(_by_line(result).items()):
        text = result["sources"][source]["text"].splitlines()
        rows = [row for number, line in enumerate(text, 1) for row in _rows(number, line, by_line, _every_miss(result))]
        lines += _aligned([(list(_COLUMNS), result["sources"][source]["name"]), *rows]) + [""]
    return lines + _LEGEND if lines else []


def excerpts(result, worst=WORST, around=AROUND):
    """The `worst` lines that access memory, the costliest first, each with `around` lines before and after it. A line that an earlier
    excerpt has shown begins none of its own."""
    ranked = sorted(((-_cost(line), source, number) for source, by_line in _by_line(result).items() for number, line in by_line.items()))
    by_line, all_misses, shown, rows = _by_line(result), _every_miss(result), set(), []
    for _, source, number in ranked[:worst]:
        if (source, number) in shown:
            continue
        text = result["sources"][source]["text"].splitlines()
        first, last = max(1, number - around), min(len(text), number + around)
        wanted = [at for at in range(first, last + 1) if (source, at) not in shown]
        rows.append(([""] * len(_COLUMNS), f"{result['sources'][source]['name']}:{number}"))
        rows += [row for at in wanted for row in _rows(at, text[at - 1], by_line[source], all_misses)]
        shown.update((source, at) for at in wanted)
    if not rows:
        return []
    left = len([one for one in ranked if one[1:] not in shown])
    more = [f"{left:,} more lines access memory: report.txt"] if left else []
    return [*_aligned([(list(_COLUMNS), "source"), *rows]), *more, "", *_LEGEND]
