#!/usr/bin/env python3
"""The kernel's jumps written as structured code."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
ROUNDS = 12
MASK = 0xFFFFFFFF
values = [int(v) for v in launch.load("in", np.uint32)]
items = len(values)


def search(i, value):
    """The two loops; returns the value and what was found last, at the jump or at the end."""
    found = 0
    for a in range(ROUNDS):
        for b in range(a + 1):
            found = values[(i + a * 5 + b) % items]
            if found % 13 == 0:
                return value, found
            value = (value + found) & MASK
    return value, found


def choose(i, value, found):
    case = value % 5
    if case == 0:
        value = (value + values[(i + 1) % items]) & MASK
    if case in (0, 1):
        return value ^ values[(i + 2) % items]
    if case == 2:
        value = (value + 17) & MASK
    if case in (2, 3):
        return (value * 3) & MASK
    return (value - found) & MASK


def turn(value):
    turns = 0
    skip_first = value % 2 == 0
    while True:
        if not skip_first:
            # The index is the low word: the kernel adds in 32 bits before it divides.
            value = (value + values[((value + turns) & MASK) % items]) & MASK
        skip_first = False
        turns += 1
        value ^= turns << 3
        if not (turns < ROUNDS and value % 7 != 0):
            return value


def item(i):
    value = values[i]
    if value % 11 == 3:
        return 7
    value, found = search(i, value)
    return turn(choose(i, value, found))


expected = np.array([item(i) for i in range(items)], dtype=np.uint32)
require_equal("out", launch.load("out", np.uint32), expected)
