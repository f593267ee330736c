#!/usr/bin/python3
"""Reads, misses and miss rate over configurations: python/warpscope/show/plots/configurations.py."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from warpscope.show.plots import configurations

configurations.start()
