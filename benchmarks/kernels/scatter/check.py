#!/usr/bin/env python3
"""Every element at the place that its key gives."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
places = launch.load("key", np.uint32) * np.uint32(2654435769) & np.uint32(launch.value("mask"))
expected = np.empty(launch.gx * launch.value("per_item"), np.float32)
expected[places] = launch.load("in", np.float32)
require_equal("out", launch.load("out", np.float32), expected)
