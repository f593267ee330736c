#!/usr/bin/env python3
"""Row by row in double precision."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import numpy as np
from checking import Launch, require_equal

launch = Launch()
begin, length, column = (launch.load(name, np.uint32) for name in ("begin", "length", "column"))
products = launch.floats("value") * launch.floats("x")[column]
expected = [products[first:first + count].sum() for first, count in zip(begin, length)]
require_equal("y", launch.floats("y"), np.array(expected), relative=1e-6)
