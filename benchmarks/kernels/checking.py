"""What the kernels' checks share: the command line, loading dumped buffers, comparing.

A check is called as  check.py DIRECTORY [--size NAME] [--global X[,Y[,Z]]] [--local X[,Y[,Z]]] [-D NAME=VALUE]...  where
DIRECTORY holds the buffers that trace-kernel --dump-buffers wrote and the options are those that trace-kernel got; it
exits with 1 and one line of text when an output is wrong.
"""
import argparse
import pathlib
import sys

import numpy as np
from buffer_content import content

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from warpscope.base.errors import InputError  # noqa: E402
from warpscope.result import launches  # noqa: E402


class Launch(launches.Launch):
    def __init__(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("directory", type=pathlib.Path)
        parser.add_argument("--size", default="")
        parser.add_argument("--global", dest="global_size", type=_sizes)
        parser.add_argument("--local", dest="local_size", type=_sizes)
        parser.add_argument("-D", dest="defines", action="append", default=[])
        arguments = parser.parse_args()
        folder = pathlib.Path(sys.argv[0]).resolve().parent
        defines = {name: int(value) for name, value in (define.split("=") for define in arguments.defines)}
        try:
            super().__init__(folder / f"{folder.name}.launch", arguments.size, defines, arguments.global_size,
                             arguments.local_size)
        except InputError as error:
            sys.exit(str(error))
        self.directory = arguments.directory
        self.gx, self.gy, self.gz = self.global_size
        self.lx, self.ly, self.lz = self.local_size

    def load(self, name, dtype):
        """A buffer's content after the launch."""
        return np.fromfile(self.directory / f"{name}.bin", dtype=dtype)

    def floats(self, name, *shape):
        """The same, single precision widened to double."""
        content = self.load(name, np.float32).astype(np.float64)
        return content.reshape(shape) if shape else content

    def before(self, name, dtype):
        """A buffer's content before the launch."""
        argument = self.arguments[name]
        element = {np.float32: "float", np.uint32: "uint", np.int32: "int"}[dtype]
        return np.array(content(argument.fill, element, argument.count), dtype=dtype)


def _sizes(text):
    return [int(part) for part in text.split(",")]


def require_equal(name, got, expected, relative=0.0):
    """Ends the program unless all elements agree; `relative` is of the largest expected magnitude."""
    got = np.ravel(got)
    expected = np.ravel(expected)
    if got.shape != expected.shape:
        sys.exit(f"{name}: {got.size} elements, expected {expected.size}")
    tolerance = relative * max(1.0, float(np.max(np.abs(expected.astype(np.float64)))))
    # Not "> tolerance": a NaN is wrong too.
    wrong = np.flatnonzero(~(np.abs(got.astype(np.float64) - expected.astype(np.float64)) <= tolerance))
    if wrong.size:
        at = wrong[0]
        sys.exit(f"{name}[{at}] is {got[at]}, expected {expected[at]} ({wrong.size} of {got.size} elements differ)")
