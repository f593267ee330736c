"""A comparison (difference.py) as one HTML page, in the style of report.html; it needs neither a network nor JavaScript."""
import html

from warpscope.base.errors import printable
from warpscope.explore.compare import sources, text
from warpscope.show import page

ROWS = 2000        # of a table
SOURCE_ROWS = 4000  # source lines, of all files together
AROUND = 3         # lines around a change or an access
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = """
.whole { padding: 0 2rem; max-width: 1640px; }
.better { color: var(--good); } .worse { color: var(--mark); }
.compared td.code { text-align: left; white-space: pre-wrap; min-width: 18rem; width: 46%; vertical-align: top; }
.compared { font-size: .84rem; width: 100%; }
.compared td, .compared th { padding: .06rem .36rem; border: 0; vertical-align: top; }
.compared thead th { border-bottom: 1px solid var(--line); }
.compared .side { border-left: 1px solid var(--line); }
.compared tr.changed td.code, .compared tr.removed td.old, .compared tr.added td.new { background: rgba(var(--heat), .12); }
.compared .gap td { text-align: center; color: var(--muted); }
"""
LESS_IS_WORSE = ("l1_hit_rate", "work_groups_per_core")


def _text(value):
    return html.escape(printable(str(value)))


def cell(value, kind=""):
    """A cell of HTML that is complete."""
    return f"<td{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{value}</td>"


def _change(measure, before, after):
    """The change as a cell, coloured where less or more is better for sure."""
    shown = text.change_text(before, after)
    worse = (after or 0) > (before or 0) if measure not in LESS_IS_WORSE else (after or 0) < (before or 0)
    return cell(_text(shown), ("worse" if worse else "better") if shown else "")


def table(head, rows, name, rest="the JSON of warpscope diff lists them"):
    """A table; `head`: (heading, whether it is text). Rows are lists of complete cells. `rest`: where those are that find no place."""
    if not rows:
        return '<p class="muted">Nothing.</p>'
    cells = "".join(f'<th scope="col"{" class=text" if is_text else ""}>{_text(heading)}</th>' for heading, is_text in head)
    more = f'<p class="more">{len(rows) - ROWS:,} more: {rest}.</p>' if len(rows) > ROWS else ""
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows[:ROWS])
    return (f'<div class="scroll table-box" tabindex="0" role="region" aria-label="{_text(name)}"><table><thead><tr>{cells}</tr></thead>'
            f"<tbody>\n{body}\n</tbody></table></div>{more}")


def _measures(comparison):
    rows, same = text.measures(comparison)
    shown = [[cell(_text(text.name_of(measure)), "text"), cell("timed" if clock == "timed" else "fixed order", "text"),
              cell(text.value_text(measure, before)), cell(text.value_text(measure, after)), _change(measure, before, after)]
             for clock, measure, before, after in rows]
    shown_table = table((("measure", True), ("clock", True), ("before", False), ("after", False), ("change", False)), shown, "Measures")
    note = f'<p class="note">Unchanged in fixed order: {_text(", ".join(same))}.</p>' if same else ""
    if comparison["not_timed"]:
        note += f'<p class="note">Cycles are not compared: {_text(comparison["not_timed"])}.</p>'
    return shown_table + note


def _both(measure, before, after):
    """Before → after in one cell, coloured as _change(); one value where they are the same."""
    change = text.change_text(before, after)
    if not change:
        return cell(text.value_text(measure, after))
    worse = (after or 0) > (before or 0)
    return cell(f"{text.value_text(measure, before)} → {text.value_text(measure, after)} "
                 f'<span class="{"worse" if worse else "better"}">({_text(change)})</span>')


def _pair(old, new, measures):
    return [_both(measure, (old or {}).get(measure), (new or {}).get(measure)) for measure in measures]


def _accesses(comparison):
    rows = []
    for row in comparison["lines"]:
        either = row["after"] or row["before"]
        state = "" if row["before"] and row["after"] else "only after" if row["after"] else "only before"
        rows.append([cell(_text(text.where(row)), "text"), cell(_text(either["name"]), "text"), cell(state, "text"),
                     *_pair(row["before"], row["after"], ("requests", "transactions", "misses", "local_wavefronts"))])
    head = [("place", True), ("access", True), ("", True),
            *((name, False) for name in ("requests", "transactions", "misses", "local wavefronts"))]
    return table(head, rows, "Source accesses")


def _kernels(comparison):
    rows = []
    for row in comparison["kernels"]:
        name = " -> ".join(dict.fromkeys(str(side["kernel"] or "text stream") for side in (row["before"], row["after"]) if side))
        rows.append([cell(_text(name), "text"), *_pair(row["before"], row["after"], ("launches", "timed_cycles", "transactions", "misses"))])
    return table([("kernel", True), *((name, False) for name in ("launches", "cycles", "transactions", "misses"))], rows, "Kernels")


def _launches(comparison):
    rows = []
    for row in comparison["launches"]:
        old, new = row["before"], row["after"]
        size = " -> ".join(dict.fromkeys("×".join(map(str, side["global"])) + " / " + "×".join(map(str, side["local"])) for side in (old, new)))
        numbers = " -> ".join(dict.fromkeys(str(side["first"]) for side in (old, new)))
        rows.append([cell(_text(numbers), "text"), cell(f"{row['count']:,}"), cell(_text(new["kernel"] or "text stream"), "text"),
                     cell(_text(size), "text"),
                     *_pair(old, new, ("cycles", "transactions", "misses", "local_wavefronts"))])
    left = comparison["launches_without_partner"]
    note = "".join(f'<p class="note">{left[side]:,} launches are only {side} or not listed in the result.</p>'
                   for side in ("before", "after") if left[side])
    return table([("first launch", True), ("identical", False), ("kernel", True), ("work-items / group", True),
                   *((name, False) for name in ("cycles", "transactions", "misses", "local wavefronts"))], rows, "Launches") + note


def _costs(comparison, side):
    """(file, line) -> cost of the accesses there."""
    found = {}
    for row in comparison["lines"]:
        access = row[side]
        if access and access["line"]:
            at = (access["file"], access["line"])
            found[at] = found.get(at, 0) + access["cost"]
    return found


def aligned_lines(pair, before, after):
    """[(line before or None, line after or None)] of all lines of a pair of sources, in order."""
    found, j = [], 1
    for i in range(1, before + 1):
        to = pair.lines.get(i)
        if to is None:
            found.append((i, None))
            continue
        found += [(None, line) for line in range(j, to)]
        found.append((i, to))
        j = to + 1
    return found + [(None, line) for line in range(j, after + 1)]


def _source(comparison, before, after, pair, room):
    """Rows of one file: those near a change or an access."""
    texts = [result["sources"][index]["text"].splitlines() for result, index in ((before, pair.before), (after, pair.after))]
    names = [result["sources"][index]["name"] for result, index in ((before, pair.before), (after, pair.after))]
    costs = [_costs(comparison, side) for side in ("before", "after")]
    rows = aligned_lines(pair, *map(len, texts))
    kinds = ["removed" if j is None else "added" if i is None else "changed" if i in pair.changed else "" for i, j in rows]
    of = [[costs[side].get((names[side], row[side])) for side in (0, 1)] for row in rows]
    near = {at + step for at, kind in enumerate(kinds) if kind or any(of[at]) for step in range(-AROUND, AROUND + 1)}
    shown, last = [], -1
    for at in sorted(near & set(range(len(rows))))[:room]:
        if at != last + 1:
            shown.append('<tr class="gap"><td colspan="7">⋯</td></tr>')
        last = at
        mark = {"removed": "−", "added": "+", "changed": "~", "": ""}[kinds[at]]
        cells = [cell(f'<span aria-label="{kinds[at]}">{mark}</span>' if mark else "")]
        for side, css in ((0, "old"), (1, "new")):
            line = rows[at][side]
            cost = of[at][side]
            code = texts[side][line - 1].replace("\t", "    ") if line else ""
            cells += [cell("" if cost is None else f"{cost:,}", "side"), f"<td class=muted>{line or ''}</td>",
                      cell(f"<code>{_text(code)}</code>", f"code {css}")]
        shown.append(f'<tr class="{kinds[at]}">{"".join(cells)}</tr>')
    return names, shown


def _sources(comparison, before, after):
    room, parts = SOURCE_ROWS, []
    for pair in sources.match(before, after):
        names, rows = _source(comparison, before, after, pair, room)
        room -= len(rows)
        if not rows:
            continue
        head = "".join(f'<th scope="col">cost</th><th scope="col">line</th><th scope="col" class="text">{_text(name)}</th>' for name in names)
        parts.append(f'<div class="scroll" tabindex="0" role="region" aria-label="{_text(names[1])}"><table class="compared"><thead><tr>'
                     f'<th scope="col"><span class="hidden">change</span></th>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>')
    return "".join(parts) or '<p class="muted">The results have no sources in common.</p>'


def section(title, lead, body):
    """A part of the page."""
    return f"<section><h2>{title}</h2><p class=lead>{lead}</p>{body}</section>"


def document(comparison, before, after):
    """The page as text; `before` and `after` are the results themselves, for their sources."""
    old, new = comparison["before"], comparison["after"]
    title = f"{old['name']} → {new['name']}"
    context = "".join(f'<p class="warning">{_text(line)}</p>' for line in [" ".join(text.context_lines(comparison))] if line)
    gpus = " → ".join(dict.fromkeys([old["gpu"], new["gpu"]]))
    return "\n".join([
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">', '<meta name="color-scheme" content="light dark">',
        f"<title>{_text(title)} – Warpscope</title>", f"<style>{page.read_bundled('report.css')}{STYLE}</style>", "</head>", "<body>",
        f'<header><div><p class="brand">Warpscope</p><h1>{_text(title)}</h1><p class="muted">{_text(gpus)}; launches: '
        f"{old['launches']:,} → {new['launches']:,}</p></div></header>", '<main class="whole">', context,
        section("What changed", "All launches and cores. Cycles are estimates; cycles of changed programs include what other "
                 "instructions cost.", _measures(comparison)),
        section("Source accesses", "Those whose cost changed most come first. Copies that the compiler made are one access.",
                 _accesses(comparison)),
        section("Source", "Lines near a change or an access. Cost: transactions, misses, and wavefronts of local and constant memory.",
                 _sources(comparison, before, after)),
        section("Kernels", "The same name, or the same place where names differ.", _kernels(comparison)),
        section("Launches", "The n-th launch of a kernel with its n-th launch; counts are of one launch, identical launches are one row.",
                 _launches(comparison)),
        "</main>", "<footer>Warpscope, warpscope diff</footer>", "</body>", "</html>", ""])
