#!/usr/bin/env python3
"""Sums of indirectly read elements."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
indices = launch.load("idx", np.uint32).reshape(-1, launch.gx)
data = launch.load("data", np.float32).astype(np.float64)
require_equal("out", launch.load("out", np.float32), data[indices].sum(axis=0), relative=1e-6)
