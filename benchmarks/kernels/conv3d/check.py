#!/usr/bin/env python3
"""Three passes of 1 2 1, one per direction."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
cells = launch.floats("in", launch.gz, launch.gy, launch.gx)
for axis in range(3):
    cells = (np.roll(cells, 1, axis) + 2 * cells + np.roll(cells, -1, axis)) / 4
expected = np.zeros_like(cells)
expected[1:-1, 1:-1, 1:-1] = cells[1:-1, 1:-1, 1:-1]
require_equal("out", launch.floats("out"), expected, relative=1e-6)
