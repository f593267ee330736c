#!/usr/bin/env python3
"""Partial vectors: each work-group's rows transposed, times these rows times x."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
n = launch.value("n")
groups = launch.gx // launch.lx
a = launch.floats("A", groups, launch.lx, n)
product = a @ launch.floats("x")
require_equal("y", launch.floats("y"), np.einsum("gkj,gk->gj", a, product), relative=1e-5)
