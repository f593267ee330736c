#!/usr/bin/env python3
"""The second stores are what stays."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
numbers = np.arange(launch.gx, dtype=np.uint32).reshape(-1, launch.lx)
require_equal("data", launch.load("data", np.uint32), np.roll(numbers, launch.value("shift"), axis=1))
