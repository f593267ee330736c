#!/usr/bin/env python3
"""The sum of both products in double precision."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
n = launch.value("n")
x = launch.floats("x")
expected = launch.value("alpha") * launch.floats("A", n, n) @ x + launch.value("beta") * launch.floats("B", n, n) @ x
require_equal("y", launch.floats("y"), expected, relative=1e-5)
