#!/usr/bin/python3
"""Reuse-distance histogram: python/warpscope/plots/reuse.py."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from warpscope.plots import reuse

reuse.start()
