#!/usr/bin/env python3
"""Every work-item has its neighbour's value."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
stored = launch.before("data", np.uint32) * np.uint32(launch.value("LOAD_FIRST")) + np.arange(launch.gx, dtype=np.uint32)
expected = np.roll(stored.reshape(-1, launch.lx), -launch.value("shift"), axis=1)
require_equal("data", launch.load("data", np.uint32), stored)
require_equal("out", launch.load("out", np.uint32), expected)
