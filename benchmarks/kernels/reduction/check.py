#!/usr/bin/env python3
"""One sum per work-group."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
values = launch.load("in", np.float32).astype(np.float64).reshape(launch.value("per_item"), launch.gx // launch.lx, launch.lx)
require_equal("out", launch.load("out", np.float32), values.sum(axis=(0, 2)), relative=1e-6)
