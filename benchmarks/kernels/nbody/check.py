#!/usr/bin/env python3
"""All pairs in double precision."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
body = launch.floats("body", -1, 4)
expected = np.zeros((launch.gx, 4))
for i in range(launch.gx):
    away = body[:, :3] - body[i, :3]
    expected[i, :3] = (away * (body[:, 3] / ((away**2).sum(axis=1) + launch.value("softening"))**1.5)[:, None]).sum(axis=0)
require_equal("acceleration", launch.floats("acceleration"), expected, relative=1e-4)
