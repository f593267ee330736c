#!/usr/bin/env python3
"""C = alpha A A^T + beta C in double precision."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
n = launch.value("n")
a = launch.floats("A", n, launch.value("m"))
before = launch.before("C", np.float32).astype(np.float64).reshape(n, n)
expected = launch.value("alpha") * a @ a.T + launch.value("beta") * before
require_equal("C", launch.floats("C"), expected, relative=1e-5)
