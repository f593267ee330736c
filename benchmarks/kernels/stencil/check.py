#!/usr/bin/env python3
"""Seven-point stencil on the inner cells; the border is untouched."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
shape = (launch.gz + 2, launch.gy + 2, launch.gx)  # z, y, x: x is padded to whole work-groups, not bordered
before = launch.load("A0", np.float32).reshape(shape).astype(np.float64)
inner = before[1:-1, 1:-1, 1:-1]
neighbours = (before[2:, 1:-1, 1:-1] + before[:-2, 1:-1, 1:-1] + before[1:-1, 2:, 1:-1] + before[1:-1, :-2, 1:-1]
              + before[1:-1, 1:-1, 2:] + before[1:-1, 1:-1, :-2])
expected = np.zeros(shape)
expected[1:-1, 1:-1, 1:-1] = np.float32(0.0277778) * neighbours - np.float32(0.1666667) * inner
require_equal("Anext", launch.load("Anext", np.float32), expected, relative=1e-6)
