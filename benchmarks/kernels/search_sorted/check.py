#!/usr/bin/env python3
"""Numbers of keys that are not above each query."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
expected = np.searchsorted(launch.load("key", np.uint32), launch.load("query", np.uint32), side="right")
require_equal("found", launch.load("found", np.uint32), expected)
