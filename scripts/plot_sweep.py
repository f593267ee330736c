#!/usr/bin/python3
"""Heat map and miss-ratio curves of a sweep: python/warpscope/show/plots/sweep.py."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from warpscope.show.plots import sweep

sweep.start()
