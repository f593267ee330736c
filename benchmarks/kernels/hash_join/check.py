#!/usr/bin/env python3
"""Every slot of a key's bucket compared with its tag."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
hashes = launch.load("key", np.uint32) * np.uint32(2654435769)
place = hashes & np.uint32(launch.value("mask"))
is_match = launch.load("bucket", np.uint32).reshape(-1, 4)[place] == 1 + (hashes >> np.uint32(28))[:, None]
payload = launch.load("payload", np.uint32).reshape(-1, 4)[place]
require_equal("matches", launch.load("matches", np.uint32), is_match.sum(axis=1))
require_equal("sum", launch.load("sum", np.uint32), np.where(is_match, payload, 0).sum(axis=1))
