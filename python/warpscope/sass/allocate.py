"""Registers of a blocked multiplication without bank conflicts: every r_x × r_y multiply-add C[i][j] += A[i] · B[j] reads three banks.

X. Zhang et al., PPoPP 2017, section 4.1: banks repeat with a pattern of 2 × 2; A and B lie in pairs of neighbouring registers, so that one
load of 64 bits fills two of them; two sets of A and B, so that the next are loaded while these are used.
"""
from __future__ import annotations

import itertools
from typing import NamedTuple, Optional

from warpscope.sass.banks import ARCHITECTURES, degree

PATTERN = 2  # rows and columns that a pattern repeats after
KEPLER_BANKS = 4
MOST_REGISTERS = 255


class Pattern(NamedTuple):
    """Banks: of A[i] by i mod 2, of B[j] by j mod 2, of C[i][j] by both."""

    a: tuple[int, int]
    b: tuple[int, int]
    c: tuple[tuple[int, int], tuple[int, int]]

    def text(self) -> str:
        """As the paper writes it."""
        return f"A=[{self.a[0]};{self.a[1]}] B=[{self.b[0]} {self.b[1]}] C=[{self.c[0][0]} {self.c[0][1]};{self.c[1][0]} {self.c[1][1]}]"


class Allocation(NamedTuple):
    """Registers: `a`, `b` of both sets, `c` by rows."""

    a: tuple[list[int], list[int]]
    b: tuple[list[int], list[int]]
    c: list[list[int]]

    def used(self) -> list[int]:
        """All registers."""
        return [register for part in (*self.a, *self.b, *self.c) for register in part]


def patterns(a: tuple[int, int] = (0, 1), b: tuple[int, int] = (2, 3)) -> list[Pattern]:
    """All patterns of C that conflict with neither A nor B, and that use all four banks equally."""
    found = []
    for banks in itertools.permutations(range(KEPLER_BANKS)):
        c = (banks[:2], banks[2:])
        if all(len({a[i], b[j], c[i][j]}) == 3 for i in range(PATTERN) for j in range(PATTERN)):
            found.append(Pattern(a, b, ((c[0][0], c[0][1]), (c[1][0], c[1][1]))))
    return found


def _pairs(count: int, free: list[int], banks: tuple[int, int], bank_of) -> Optional[list[int]]:  # type: ignore[no-untyped-def]
    """`count` registers in neighbouring pairs of these two banks, taken from `free`."""
    taken: list[int] = []
    for register in list(free):
        if len(taken) >= count:
            break
        pair = (register, register + 1)
        if register % 2 == 0 and pair[1] in free and tuple(map(bank_of, pair)) == banks:
            taken += pair
            free.remove(pair[0])
            free.remove(pair[1])
    return taken[:count] if len(taken) >= count else None


def allocate(rows: int, columns: int, pattern: Pattern) -> Optional[Allocation]:
    """Registers for a work-item's block of rows × columns on Kepler, the lowest first; None if 255 are too few."""
    bank_of = ARCHITECTURES["kepler"].bank
    free = list(range(MOST_REGISTERS))
    sets = [_pairs(count, free, banks, bank_of) for _ in range(2) for count, banks in ((rows, pattern.a), (columns, pattern.b))]
    if any(part is None for part in sets):
        return None
    c = []
    for i in range(rows):
        row = []
        for j in range(columns):
            bank = pattern.c[i % PATTERN][j % PATTERN]
            register = next((one for one in free if bank_of(one) == bank), None)
            if register is None:
                return None
            free.remove(register)
            row.append(register)
        c.append(row)
    a0, b0, a1, b1 = (part or [] for part in sets)
    return Allocation((a0, a1), (b0, b1), c)


def naive(rows: int, columns: int) -> Allocation:
    """C by rows from R0 on, then A, B and the second A and B, as a compiler without banks in mind would."""
    first = rows * columns
    starts = [first, first + rows, first + rows + columns, first + 2 * rows + columns]
    a0, b0, a1, b1 = (list(range(start, start + count)) for start, count in zip(starts, (rows, columns, rows, columns)))
    return Allocation((a0, a1), (b0, b1), [list(range(i * columns, (i + 1) * columns)) for i in range(rows)])


def conflicts(allocation: Allocation, depth: int = 4) -> dict[int, int]:
    """{degree: how many of the depth · rows · columns multiply-adds have it}; the sets take turns."""
    kepler, counts = ARCHITECTURES["kepler"], dict.fromkeys((1, 2, 3), 0)
    for step in range(depth):
        a, b = allocation.a[step % 2], allocation.b[step % 2]
        for i, row in enumerate(allocation.c):
            for j, register in enumerate(row):
                counts[degree(kepler, [register, a[i], b[j]])] += 1
    return counts
