#!/usr/bin/python3
"""Address over order of accesses: python/warpscope/show/plots/access_pattern.py."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from warpscope.show.plots import access_pattern

access_pattern.start()
