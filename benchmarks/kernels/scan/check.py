#!/usr/bin/env python3
"""Running sums within each block."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
blocks = launch.load("in", np.uint32).reshape(-1, 2 * launch.lx)
require_equal("out", launch.load("out", np.uint32), np.cumsum(blocks, axis=1) - blocks)
require_equal("sums", launch.load("sums", np.uint32), blocks.sum(axis=1))
