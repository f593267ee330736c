#!/usr/bin/env python3
"""Distances to the chosen centres are the least, to within rounding."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
features = launch.value("features")
point = launch.floats("point", -1, features)
centre = launch.floats("centre", -1, features)
squares = np.stack([((point - one)**2).sum(axis=1) for one in centre])
chosen = squares[launch.load("membership", np.uint32), np.arange(launch.gx)]
require_equal("distance of membership", chosen, squares.min(axis=0), relative=1e-6)
