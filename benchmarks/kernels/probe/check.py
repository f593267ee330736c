#!/usr/bin/env python3
"""All that was loaded is zero."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
require_equal("end", launch.load("end", np.uint32), np.zeros(launch.gx, np.uint32))
