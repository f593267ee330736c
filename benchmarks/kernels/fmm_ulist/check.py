#!/usr/bin/env python3
"""Each target's sum over the sources of its box's list, in double precision."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
load = {name: launch.load(name, np.uint32) for name in (
    "target_begin", "target_count", "source_begin", "source_count", "list_begin", "list_count", "list")}
source = launch.floats("source", -1, 4) if launch.value("VECPACK") else launch.floats("source", 4, -1).T
targets = launch.floats("targets", 3, -1).T
expected = np.zeros(len(targets))
for box, (begin, count) in enumerate(zip(load["target_begin"], load["target_count"])):
    for other in load["list"][load["list_begin"][box]:][:load["list_count"][box]]:
        points = source[load["source_begin"][other]:][:load["source_count"][other]]
        away = targets[begin:begin + count, None, :] - points[None, :, :3]
        expected[begin:begin + count] += (points[:, 3] / np.sqrt((away**2).sum(axis=2))).sum(axis=1)
require_equal("potential", launch.floats("potential"), expected, relative=1e-4)
