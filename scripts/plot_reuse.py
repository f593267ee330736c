#!/usr/bin/python3
"""Reuse-distance histogram: python/warpscope/show/plots/reuse.py."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from warpscope.show.plots import reuse

reuse.start()
