#!/usr/bin/env python3
"""Sums of weights along Collatz sequences, cut off above the limit."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
LIMIT = 1200
WEIGHTS = 4096
weight = launch.load("weight", np.uint32)


def total(n):
    result = 0
    while n > 1:
        result += int(weight[n % WEIGHTS])
        if result > LIMIT:
            break
        n = n // 2 if n % 2 == 0 else 3 * n + 1
    return result


expected = np.array([total(int(n)) for n in launch.load("start", np.uint32)], dtype=np.uint32)
require_equal("sum", launch.load("sum", np.uint32), expected)
