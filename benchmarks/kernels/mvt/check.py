#!/usr/bin/env python3
"""Both products, added to what was there before."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
n = launch.value("n")
a = launch.floats("A", n, n)
for x, y, matrix in (("x1", "y1", a), ("x2", "y2", a.T)):
    require_equal(x, launch.floats(x), launch.before(x, np.float32) + matrix @ launch.floats(y), relative=1e-5)
