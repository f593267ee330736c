#!/usr/bin/env python3
"""All neighbours of the frontier that had no level."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
begin, degree, neighbour, level = (launch.load(name, np.uint32) for name in ("begin", "degree", "neighbour", "level"))
depth = launch.value("depth")
expected = np.zeros(launch.gx, np.uint32)
for vertex in np.flatnonzero(level == depth):
    reached = neighbour[begin[vertex]:begin[vertex] + degree[vertex]]
    expected[reached[level[reached] == 0]] = depth + 1
require_equal("next_level", launch.load("next_level", np.uint32), expected)
