#!/usr/bin/env python3
"""The updated matrix, and its transposed times y."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
n = launch.value("n")
u1, v1, u2, v2, y, z = (launch.floats(name) for name in ("u1", "v1", "u2", "v2", "y", "z"))
a = launch.before("A", np.float32).astype(np.float64).reshape(n, n) + np.outer(u1, v1) + np.outer(u2, v2)
require_equal("A", launch.floats("A"), a, relative=1e-6)
require_equal("x", launch.floats("x"), z + launch.value("beta") * a.T @ y, relative=1e-5)
