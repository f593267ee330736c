"""The source tree, if the package is used from it (not from a build or an installation): kernels, presets and measurements are there."""
import pathlib

SOURCE = pathlib.Path(__file__).resolve().parents[3]
