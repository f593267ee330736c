#!/usr/bin/env python3
"""The output is the transposed input."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
matrix = launch.load("idata", np.float32).reshape(launch.gy, launch.gx)
require_equal("odata", launch.load("odata", np.float32), matrix.T)
