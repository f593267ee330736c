"""What the kernels' checks share: the command line, loading dumped buffers, comparing.

A check is called as  check.py DIRECTORY --global X[,Y[,Z]] --local X[,Y[,Z]]  where DIRECTORY holds the buffers that
trace-kernel --dump-buffers wrote, and exits with 1 and one line of text when an output is wrong.
"""
import argparse
import pathlib
import sys

import numpy as np


class Launch:
    def __init__(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("directory", type=pathlib.Path)
        parser.add_argument("--global", dest="global_size", required=True)
        parser.add_argument("--local", dest="local_size", required=True)
        arguments = parser.parse_args()
        self.directory = arguments.directory
        self.gx, self.gy, self.gz = _three(arguments.global_size)
        self.lx, self.ly, self.lz = _three(arguments.local_size)

    def load(self, name, dtype):
        """A buffer's content after the launch."""
        return np.fromfile(self.directory / f"{name}.bin", dtype=dtype)


def _three(text):
    sizes = [int(part) for part in text.split(",")]
    return sizes + [1] * (3 - len(sizes))


def require_equal(name, got, expected, relative=0.0):
    """Ends the program unless all elements agree; `relative` is of the largest expected magnitude."""
    got = np.ravel(got)
    expected = np.ravel(expected)
    if got.shape != expected.shape:
        sys.exit(f"{name}: {got.size} elements, expected {expected.size}")
    tolerance = relative * max(1.0, float(np.max(np.abs(expected.astype(np.float64)))))
    wrong = np.flatnonzero(np.abs(got.astype(np.float64) - expected.astype(np.float64)) > tolerance)
    if wrong.size:
        at = wrong[0]
        sys.exit(f"{name}[{at}] is {got[at]}, expected {expected[at]} ({wrong.size} of {got.size} elements differ)")
