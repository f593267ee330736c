#!/usr/bin/env python3
"""Among the keys 1, 2, 3, … a query has itself as predecessor."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
require_equal("found", launch.load("found", np.uint32), launch.load("query", np.uint32))
