#!/usr/bin/env python3
"""After whole rounds the chain is back at its beginning, as it visits every place once per round."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
mask, place, seen = launch.value("mask"), 0, set()
for _ in range(mask + 1):
    place = (place * 1664525 + 1013904223) & mask
    seen.add(place)
require_equal("places", np.array(len(seen)), np.array(mask + 1))
require_equal("end", launch.load("end", np.uint32), np.zeros(launch.gx, np.uint32))
