#!/usr/bin/env python3
"""Each block sorted."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
blocks = launch.load("in", np.uint32).reshape(-1, launch.lx * launch.value("PER_ITEM"))
require_equal("out", launch.load("out", np.uint32), np.sort(blocks, axis=1))
