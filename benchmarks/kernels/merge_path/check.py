#!/usr/bin/env python3
"""All keys in order."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
keys = np.concatenate([launch.load("a", np.uint32), launch.load("b", np.uint32)])
require_equal("out", launch.load("out", np.uint32), np.sort(keys))
