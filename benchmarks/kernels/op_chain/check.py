#!/usr/bin/env python3
"""What the chains end with."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
operation, chains = launch.value("OPERATION"), launch.value("CHAINS")
rounds = launch.value("OPS") // chains
item = np.arange(launch.gx)
total = np.zeros(launch.gx)
for chain in range(chains):
    value = np.full(launch.gx, launch.value("factor") + chain)
    for _ in range(rounds):
        value = {0: lambda x: x * launch.value("factor") + 1, 1: lambda x: 1 / np.sqrt(x)}.get(operation, lambda x: x)(value)
    if operation == 2:
        value = (item + chain) % launch.lx
    elif operation == 4:
        value = (item // 32 * chains + chain) * rounds * 32 + item % 32 + 32 * rounds
    total += value
require_equal("out", launch.floats("out"), total, relative=1e-5)
