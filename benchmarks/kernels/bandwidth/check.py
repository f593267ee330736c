#!/usr/bin/env python3
"""Each work-item's share of all vectors."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
sums = launch.floats("in", -1, 4).sum(axis=1)
expected = [sums[i::launch.gx].sum() for i in range(launch.gx)]
require_equal("out", launch.floats("out"), np.array(expected), relative=1e-6)
