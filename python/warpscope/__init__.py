"""The Python part of Warpscope: reads results, makes reports and plots, and compares with counters of GPUs."""
import pathlib

# The source tree, if the package is used from it (not from a build or an installation): kernels, presets and measurements are there.
SOURCE = pathlib.Path(__file__).resolve().parents[2]
