#!/usr/bin/env python3
"""The keys of each work-group's lists in order."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
length, k = launch.value("length"), launch.value("K")
keys = launch.load("lists", np.uint32).reshape(-1, length) + launch.load("base", np.uint32)[:, None]
require_equal("out", launch.load("out", np.uint32), np.sort(keys.reshape(-1, k * length), axis=1))
