#!/usr/bin/python3
"""Miss classes as stacked bars: python/warpscope/show/plots/miss_classes.py."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
from warpscope.show.plots import miss_classes

miss_classes.start()
