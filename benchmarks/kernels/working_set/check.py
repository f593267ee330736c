#!/usr/bin/env python3
"""Sums over each work-group's region, weighted by the round."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
rounds = launch.value("rounds")
values = launch.floats("in", launch.gx // launch.lx, -1, launch.lx)
require_equal("out", launch.floats("out"), values.sum(axis=1) * (rounds * (rounds + 1) / 2), relative=1e-5)
