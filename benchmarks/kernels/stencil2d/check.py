#!/usr/bin/env python3
"""The mean of four neighbours on the inner cells."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
cells = launch.floats("in", launch.gy + 2, launch.gx + 2)
expected = np.zeros_like(cells)
expected[1:-1, 1:-1] = 0.25 * (cells[1:-1, :-2] + cells[1:-1, 2:] + cells[:-2, 1:-1] + cells[2:, 1:-1])
require_equal("out", launch.floats("out"), expected, relative=1e-6)
