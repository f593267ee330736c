#!/usr/bin/env python3
"""Electric fields on the whole plane first, then the magnetic field from them."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
shape = launch.gy + 2, launch.gx + 2
ex, ey, hz = (launch.floats(name, *shape) for name in ("ex", "ey", "hz"))
ex[1:] -= 0.5 * (hz[1:] - hz[:-1])
ey[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
new_hz = hz[1:-1, 1:-1] - 0.7 * (ex[2:, 1:-1] - ex[1:-1, 1:-1] + ey[1:-1, 2:] - ey[1:-1, 1:-1])
for name, inner in (("new_ex", ex[1:-1, 1:-1]), ("new_ey", ey[1:-1, 1:-1]), ("new_hz", new_hz)):
    expected = np.zeros(shape)
    expected[1:-1, 1:-1] = inner
    require_equal(name, launch.floats(name), expected, relative=1e-6)
