"""How an answer is shown: text, JSON that --inputs takes again, CSV."""
import json

from warpscope.base import csv_cells
from warpscope.base.table import aligned
from warpscope.explore.models.formulas import catalogue

SCHEMA = 1


def number(value):
    """A value for people: six digits, whole numbers as they are."""
    if not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:,.6g}"


def duration(seconds):
    """A time in the unit that suits it."""
    for limit, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if abs(seconds) >= limit:
            return f"{seconds / limit:.5g} {unit}"
    return f"{seconds * 1e9:.5g} ns"


def as_json(model, gpu, inputs, answer):
    """The object of --json. No key depends on where it was made, so that feeding it back gives the same bytes."""
    parts = [{"name": part.name, "value": part.value, "unit": part.unit, "equation": part.equation,
              **({"reconstructed": part.reconstructed} if part.reconstructed else {})} for part in answer.parts]
    return {"schema": SCHEMA, "kind": "model", "model": model, "gpu": gpu,
            "inputs": {name: value.as_json() for name, value in inputs.items()}, "seconds": answer.seconds, "parts": parts,
            "rows": answer.rows, "bottleneck": answer.bottleneck,
            "advice": [{"text": text, "seconds": seconds} for text, seconds in answer.advice]}


def json_text(content):
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def csv_text(inputs, answer):
    """A row per input and part: kind, name, value, unit, origin or equation, why reconstructed."""
    return csv_cells.text([["kind", "name", "value", "unit", "origin_or_equation", "reconstructed"],
                           *(["input", name, value.value, value.unit, value.origin, ""] for name, value in inputs.items()),
                           *(["part", part.name, part.value, part.unit, part.equation, part.reconstructed] for part in answer.parts),
                           ["answer", "seconds", answer.seconds, "s", "", ""], ["answer", "bottleneck", answer.bottleneck, "", "", ""]])


def _table(rows):
    """Columns side by side: names to the left, numbers to the right, the rest to the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [f"  {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:<{widths[2]}}  {row[3]}".rstrip() for row in rows]


def text(model, gpu, inputs, answer):
    """The lines that the command prints."""
    lines = [f"{catalogue.MODELS[model].TITLE}{f' on {gpu}' if gpu else ''}: predicted time {duration(answer.seconds)}",
             f"bottleneck: {answer.bottleneck}", "", "Inputs"]
    lines += _table([(name, number(value.value), value.unit, value.origin) for name, value in inputs.items()])
    lines += ["", "Parts (* = equation reconstructed, see below)"]
    lines += _table([(part.name, number(part.value), part.unit if part.unit != "name" else "",
                      f"{_equation(part.equation)}{' *' if part.reconstructed else ''}") for part in answer.parts])
    lines += _matrix(answer.rows)
    if answer.advice:
        lines += ["", "What would help"]
        lines += [f"  {f'up to {duration(seconds)}: ' if seconds is not None else ''}{advice}" for advice, seconds in answer.advice]
    reasons = dict.fromkeys(part.reconstructed for part in answer.parts if part.reconstructed)
    if reasons:
        lines += ["", "Reconstructed"] + [f"  * {reason}" for reason in reasons]
    return lines


def _equation(equation):
    return f"({equation})" if equation else ""


def _matrix(rows):
    """Kernels × operations, of models that have them."""
    if not rows:
        return []
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    cells = [["kernel", *columns]]
    cells += [[label, *(duration(row[column]) if column in row else "-" for column in columns)] for label, row in rows.items()]
    return ["", "Kernels and operations", *(f"  {line}" for line in aligned(cells))]
