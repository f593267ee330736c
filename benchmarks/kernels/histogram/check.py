#!/usr/bin/env python3
"""Counts per bin."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
BINS = launch.value("BINS")
counts = np.bincount(launch.load("values", np.uint32) % BINS, minlength=BINS)
require_equal("bins", launch.load("bins", np.uint32), counts)
