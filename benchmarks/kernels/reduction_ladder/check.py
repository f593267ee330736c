#!/usr/bin/env python3
"""One sum per work-group, of as many elements as the step reads."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
step, groups = launch.value("STEP"), launch.gx // launch.lx
values = launch.floats("in")
if step == 4:
    rows = values.reshape(-1, groups, launch.lx).swapaxes(0, 1)
else:
    per_group = launch.lx * (2 if step == 3 else 1)
    rows = values[:groups * per_group].reshape(groups, per_group)
require_equal("out", launch.floats("out"), rows.reshape(groups, -1).sum(axis=1), relative=1e-6)
