#!/usr/bin/env python3
"""Each block sorted."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
blocks = launch.before("keys", np.uint32).reshape(-1, 2 * launch.lx)
require_equal("keys", launch.load("keys", np.uint32), np.sort(blocks, axis=1))
