#!/usr/bin/env python3
"""C = A B, in double precision."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
a = launch.load("A", np.float32).reshape(launch.gy, launch.gx).astype(np.float64)
b = launch.load("B", np.float32).reshape(launch.gx, launch.gx).astype(np.float64)
require_equal("C", launch.load("C", np.float32), a @ b, relative=1e-5)
