#!/usr/bin/env python3
"""Both products in double precision."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
n = launch.value("n")
a = launch.floats("A", n, n)
require_equal("q", launch.floats("q"), a @ launch.floats("p"), relative=1e-5)
require_equal("s", launch.floats("s"), a.T @ launch.floats("r"), relative=1e-5)
