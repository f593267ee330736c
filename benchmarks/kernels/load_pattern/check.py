#!/usr/bin/env python3
"""The sums and the place where each work-item's walk ends."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
B128, MERGE32, MERGE64, VECTOR = 2, 3, 4, 5
pattern, iterations = launch.value("PATTERN"), launch.value("iterations")
item = np.arange(launch.gx)
thread, group = item % launch.lx, item // launch.lx
warp, lane = item // 32, item % 32
index = {0: warp * 4 * iterations * 32 + lane // 16 * 8 + lane % 8, 1: warp * 4 * iterations * 32 + lane,
         B128: 2 * (warp * 4 * iterations * 32 + lane), MERGE32: group * launch.lx + thread // 16 * 8 + thread % 8,
         MERGE64: item, VECTOR: warp * 4 * iterations * 2}[pattern]
index = index + 4 * iterations * {B128: 64, VECTOR: 2}.get(pattern, 32)
a, b = np.full(launch.gx, 0.5), thread.astype(np.float64)
for _ in range(20 * iterations):
    a = a * 0.5 + b
    b = b * 0.25 + 1
require_equal("out", launch.floats("out"), a + b + index, relative=1e-5)
