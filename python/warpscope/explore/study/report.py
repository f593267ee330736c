"""warpscope study report: results.csv, a row per task, and study.html, a page that says which variants are good."""
from __future__ import annotations

import base64
import html
import pathlib
import statistics
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence

from warpscope.base import csv_cells, files
from warpscope.base.errors import InputError, printable
from warpscope.explore.compare.page import POLICY, STYLE, cell, section, table
from warpscope.explore.compare.text import name_of
from warpscope.explore.study import answers
from warpscope.explore.study.answers import Answers, Row
from warpscope.explore.study.measures import MACHINE_CODE
from warpscope.result import rates
from warpscope.show import page

COLUMNS = ("gpu", "configuration", "engine", "status", "reason")
MOST_MEMBERS = 12  # of a front that are listed
MOST_PLACES = 4  # of a program that are named


@dataclass
class Wishes:
    """What was asked for; None: what fits the study."""

    measures: tuple[str, ...] = ()
    axes: Optional[tuple[str, str]] = None
    front: Optional[tuple[str, str]] = None


def csv_text(found: Answers) -> str:
    """A row per task: program, parameters, GPU, configuration, status, measures."""
    parameters, measures = found.parameters(), found.measures()
    measures += [MACHINE_CODE] if any(MACHINE_CODE in row["measures"] for row in found.rows) else []
    return csv_cells.text([["program", *parameters, *COLUMNS, *measures],
                           *([row["program"], *(row["parameters"].get(name, "") for name in parameters), *(row[name] for name in COLUMNS),
                              *(row["measures"].get(name, "") for name in measures)] for row in found.rows)])


def _text(value: Any) -> str:
    return html.escape(printable(str(value)))


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def _cases(found: Answers, program: str, measures: Sequence[str]) -> Iterator[tuple[str, str, list[Row], str]]:
    """(GPU, configuration, rows that have it, measure) of a program."""
    for gpu in found.names_of("gpu"):
        for configuration in found.names_of("configuration"):
            rows = found.of(program=program, gpu=gpu, configuration=configuration)
            for measure in measures if len(measures) > 1 and measures != answers.MEASURES else filter(None, [answers.judged_by(rows, measures)]):
                if having := [row for row in rows if measure in row["measures"]]:
                    yield gpu, configuration, having, measure


def _programs(found: Answers) -> str:
    """A line where not all results are of one program: machine code for different GPUs, or some through Warpscope's clang. Else empty."""
    front_ends = found.front_ends()
    if len(front_ends) < 2:
        return ""
    return "Not the same program everywhere: " + "; ".join(
        f"{front_end}: {', '.join(places[:MOST_PLACES])}{f' and {len(places) - MOST_PLACES} more' if len(places) > MOST_PLACES else ''}"
        for front_end, places in front_ends.items())


def _best(found: Answers, measures: Sequence[str]) -> str:
    rows = []
    for program in found.names_of("program"):
        names = list(answers.varying(found.of(program=program)))
        for gpu, configuration, having, measure in _cases(found, program, measures):
            pick = answers.better(measure)
            values = [row["measures"][measure] for row in having]
            best = next(row for row in having if row["measures"][measure] == pick(values))
            worst = (min if answers.more_is_better(measure) else max)(values)
            ratios = [cell(f"{_ratio(other, pick(values), measure):.2f}×") for other in (statistics.median(values), worst)]
            rows.append([cell(_text(one), "text") for one in (gpu, program, configuration, answers.text_of(best["parameters"], names) or "–", name_of(measure))]
                        + [cell(_number(pick(values))), *ratios, cell(f"{len(values):,}")])
    rows.sort(key=lambda row: found.names_of("gpu").index(html.unescape(row[0].removeprefix('<td class="text">').removesuffix("</td>"))))
    head = [("GPU", True), ("program", True), ("configuration", True), ("best variant", True), ("measure", True), ("value", False),
            ("median", False), ("worst", False), ("variants", False)]
    return str(table(head, rows, "Best variants", "results.csv has all"))


def _ratio(other: float, best: float, measure: str) -> float:
    """How much better the best is."""
    above, below = (best, other) if answers.more_is_better(measure) else (other, best)
    found = rates.fraction(above, below)
    return 1.0 if found is None else found


def _picture(content: bytes, description: str) -> str:
    width = int.from_bytes(content[16:20], "big") * 2 // 3  # 150 pixels per inch
    return (f'<figure><img alt="{_text(description)}" width="{width}" src="data:image/png;base64,{base64.b64encode(content).decode()}">'
            f"<figcaption>{_text(description)}</figcaption></figure>")


def _axes_of(rows: Sequence[Row], wishes: Wishes) -> Optional[tuple[tuple[str, str], tuple[list[Any], list[Any]]]]:
    """The two parameters of a program's heat maps with their values; None where fewer vary."""
    values = answers.varying(rows)
    if wishes.axes:
        names = wishes.axes
        if any(name not in values for name in names):
            return None
    else:
        first = sorted(values, key=lambda name: -len(values[name]))[:2]
        if len(first) < 2:
            return None
        names = tuple(name for name in values if name in first)  # type: ignore[assignment]
    return names, (values[names[0]], values[names[1]])


def _one_parameter(found: Answers, program: str) -> list[Row]:
    """Rows whose GPU is a parameter, too: the second one, where only one varies."""
    return [{**row, "gpu": "", "parameters": {**row["parameters"], "GPU": row["gpu"]}} for row in found.of(program=program)]


def _heat_maps(found: Answers, wishes: Wishes, measures: Sequence[str]) -> str:
    from warpscope.explore.study import pictures
    parts = []
    for program in found.names_of("program"):
        whole = Answers(found.of(program=program), 0, "")
        if len(answers.varying(whole.rows)) == 1 and not wishes.axes:
            whole = Answers(_one_parameter(found, program), 0, "")
        axes = _axes_of(whole.rows, wishes)
        if axes is None:
            continue
        others = [name for name in answers.varying(whole.rows) if name not in axes[0]]
        by_measure: dict[str, list[tuple[str, list[Row]]]] = {}
        for gpu, configuration, _, measure in _cases(whole, program, measures):
            by_measure.setdefault(measure, []).append((", ".join(filter(None, (gpu, configuration))), whole.of(gpu=gpu, configuration=configuration)))
        for measure, panels in by_measure.items():
            more = f"; the best over {', '.join(others)}" if others else ""
            left = f"; {len(panels) - pictures.MOST_PANELS} more are not drawn" if len(panels) > pictures.MOST_PANELS else ""
            parts.append(_picture(pictures.heat_map(panels, measure, *axes), f"{program}: {name_of(measure)} over {axes[0][0]} and {axes[0][1]}{more}{left}"))
    return "".join(parts) or '<p class="muted">No program has two parameters that vary.</p>'


def _fronts(found: Answers, wishes: Wishes) -> str:
    from warpscope.explore.study import pictures
    parts = []
    for program in found.names_of("program"):
        names = list(answers.varying(found.of(program=program)))
        for x_name, y_name in [wishes.front] if wishes.front else answers.FRONTS:
            panels = []
            for gpu in found.names_of("gpu"):
                for configuration in found.names_of("configuration"):
                    rows = [row for row in found.of(program=program, gpu=gpu, configuration=configuration)
                            if x_name in row["measures"] and y_name in row["measures"]]
                    judged = rows and (wishes.front or x_name == answers.judged_by(rows, answers.MEASURES))
                    if judged and len(rows) > 1:
                        panels.append((f"{gpu}, {configuration}", rows))
            if panels:
                parts.append(_front(program, panels, (x_name, y_name), names, pictures))
    return "".join(parts) or '<p class="muted">No program has two variants with the same two measures.</p>'


def _front(program: str, panels: list[tuple[str, list[Row]]], pair: tuple[str, str], names: list[str], pictures: Any) -> str:
    """A picture and its table."""
    x_name, y_name = pair
    members = [answers.front([(row["measures"][x_name], row["measures"][y_name]) for row in rows], *map(answers.more_is_better, pair))
               for _, rows in panels]
    cells = [[cell(_text(title), "text"), cell(str(number)), cell(_text(answers.text_of(rows[at]["parameters"], names)), "text"),
              cell(_number(rows[at]["measures"][x_name])), cell(_number(rows[at]["measures"][y_name]))]
             for (title, rows), front in zip(panels, members) for number, at in enumerate(front[:MOST_MEMBERS], 1)]
    head = [("GPU, configuration", True), ("point", False), ("variant", True), (name_of(x_name), False), (name_of(y_name), False)]
    wanted = " and ".join(f"{'high' if answers.more_is_better(name) else 'low'} {name_of(name)}" for name in pair)
    return (_picture(pictures.fronts(panels, x_name, y_name, members), f"{program}: variants that no other equals or beats in both: {wanted}")
            + str(table(head, cells, "Variants of the front", "results.csv has all")))


def _without(found: Answers) -> str:
    """What did not work, by reason."""
    kinds: dict[tuple[str, str, str], list[Row]] = {}
    for row in found.rows:
        if row["status"] != "ok":
            kinds.setdefault((row["program"], row["status"], row["reason"]), []).append(row)
    rows = [[cell(_text(program), "text"), cell(_text(status), "text"), cell(f"{len(having):,}"), cell(_text(reason), "text"),
             cell(_text(f"{answers.text_of(having[0]['parameters'])} on {having[0]['gpu']}"), "text")]
            for (program, status, reason), having in kinds.items()]
    head = [("program", True), ("status", True), ("tasks", False), ("reason", True), ("the first", True)]
    return str(table(head, rows, "Tasks without a whole result", "results.csv has all"))


def document(found: Answers, name: str, wishes: Wishes) -> str:
    """The page as text."""
    measures = wishes.measures or answers.MEASURES
    good = sum(row["status"] == "ok" for row in found.rows)
    counts = f"{len(found.rows):,} of {found.tasks:,} tasks done, {good:,} with a whole result; {len(found.names_of('gpu')):,} GPUs"
    style = f"{page.read_bundled('report.css')}{STYLE} figure {{ margin: 1rem 0; }} figure img {{ max-width: 100%; background: #fff; }}"
    policy = f"{POLICY}; img-src data:"
    return "\n".join([
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">', f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">', '<meta name="color-scheme" content="light dark">',
        f"<title>{_text(name)} – Warpscope</title>", f"<style>{style}</style>", "</head>", "<body>",
        f'<header><div><p class="brand">Warpscope</p><h1>{_text(name)}</h1><p class="muted">{_text(counts)}</p></div></header>',
        '<main class="whole">', *([f"<p>{_text(programs)}</p>"] if (programs := _programs(found)) else []),
        section("Best variants", "Of each GPU and configuration. Median, worst: how many times worse they are than the best.", _best(found, measures)),
        section("Heat maps", "A cross: no such variant gave a result.", _heat_maps(found, wishes, measures)),
        section("Pareto fronts", "Every other variant is beaten in both measures by one with a number, or is its equal.", _fronts(found, wishes)),
        section("Without a whole result", "A variant that does not compile, does not launch or does not fit the GPU.", _without(found)),
        "</main>", "<footer>Warpscope, warpscope study report</footer>", "</body>", "</html>", ""])


def _pair(text: Optional[str], option: str) -> Optional[tuple[str, str]]:
    if text is None:
        return None
    first, comma, second = text.partition(",")
    if not comma or not first or not second or first == second:
        raise InputError(f"{option} {text}: expected two names with a comma between")
    return first, second


def wishes_of(measures: Sequence[str], axes: Optional[str], front: Optional[str]) -> Wishes:
    """Raises InputError."""
    return Wishes(tuple(measures), _pair(axes, "--map"), _pair(front, "--pareto"))


def make(folder: pathlib.Path, output: pathlib.Path, wishes: Wishes) -> list[str]:
    """Writes both files; what to print. Raises InputError."""
    found = answers.read(folder)
    if not found.rows:
        raise InputError(f"{folder}: no task is done, expected answers; run warpscope study first")
    for measure in (*wishes.measures, *(wishes.front or ())):
        found.check(measure)
    known = list(answers.varying(found.rows))
    for name in wishes.axes or ():
        if name not in known:
            raise InputError(f"--map: no parameter {name} that varies, expected two of {', '.join(known) or '(none)'}")
    output.mkdir(parents=True, exist_ok=True)
    files.write(output / "results.csv", csv_text(found))
    files.write(output / "study.html", document(found, found.name, wishes))
    missing = f"; {found.tasks - len(found.rows):,} tasks are missing" if found.tasks > len(found.rows) else ""
    return [f"{len(found.rows):,} tasks: {output}/results.csv, study.html{missing}", *filter(None, [_programs(found)])]
