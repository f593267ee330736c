#!/usr/bin/env python3
"""The same walk on the host."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
follow, place = launch.load("next", np.uint32), launch.value("first")
for _ in range(launch.value("steps")):
    place = follow[place]
require_equal("end", launch.load("end", np.uint32), np.full(launch.gx, place, np.uint32))
