"""Tables for a terminal."""
from __future__ import annotations

from typing import Collection, Sequence

GAP = "  "  # between columns


def widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Of the columns, in characters."""
    return [max(map(len, column)) for column in zip(*rows)]


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """A line per row: the columns `left`, counted from 0, are left-aligned, the others right-aligned."""
    sizes = widths(rows)
    return [GAP.join(cell.ljust(size) if at in left else cell.rjust(size) for at, (cell, size) in enumerate(zip(row, sizes))).rstrip()
            for row in rows]
