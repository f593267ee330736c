"""Cells of CSV files. A text that a spreadsheet would take for a formula gets a ' in front, as OWASP advises ("CSV Injection"): names
come from programs that others wrote."""
import csv
import io
from typing import Any, Iterable

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.strip() == text


def cell(value: Any) -> Any:
    """The value as a CSV file may have it; numbers, as text too, stay as they are."""
    if isinstance(value, str) and value.startswith(FORMULA) and not _is_number(value):
        return "'" + value
    return value


def plain(text: str) -> str:
    """What cell() was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA) else text


def text(rows: Iterable[Iterable[Any]], quoting: int = csv.QUOTE_MINIMAL) -> str:
    """Rows as the text of a CSV file."""
    file = io.StringIO()
    csv.writer(file, quoting=quoting, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)  # type: ignore[arg-type]
    return file.getvalue()


def table(names: list[str], rows: Iterable[dict[str, Any]]) -> str:
    """The same for rows that are dictionaries; nothing where a row has no such name."""
    return text([names, *([row.get(name, "") for name in names] for row in rows)])
