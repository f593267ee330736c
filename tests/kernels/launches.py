"""Launches of the benchmark kernels at their small size; write_sim() hands one to Oclgrind."""
import functools
import json
import pathlib
import runpy
import struct
import subprocess
import sys
import unittest.mock

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "endtoend"))
sys.path.insert(0, str(SOURCE / "benchmarks" / "kernels"))
from launch_file import LaunchFile  # noqa: E402
from support import BIN, kernel  # noqa: E402

FORMATS = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q", "ulong": "Q",
           "float": "f", "double": "d"}


class Launch(LaunchFile):
    """One kernel's launch."""

    def __init__(self, name, size="small", defines=None):
        self.source = kernel(name)
        super().__init__(self.source.with_suffix(".launch"), size, defines=defines)
        self.own_defines = defines or {}

    @property
    def options(self):
        """As trace-kernel and the kernels' check.py take them."""
        return (*(["--size", self.size] if self.size else []),
                *(word for name, value in self.own_defines.items() for word in ("-D", f"{name}={value}")))

    @property
    def build_options(self):
        return " ".join([self.description.get("build_options", "")] +
                        [f"-D{name}={value}" for name, value in self.defines.items()]).strip()

    def run_check(self, buffers):
        """What the kernel's check.py has against the buffers, or nothing. In this process: numpy is loaded only once."""
        check = self.source.with_name("check.py")
        with unittest.mock.patch.object(sys, "argv", [str(check), str(buffers), *self.options]):
            try:
                runpy.run_path(str(check), run_name="__main__")
            except SystemExit as wrong:
                return str(wrong.code)
        return ""

    @functools.cached_property
    def parameters(self):
        words = [BIN / "kernel-signatures", self.source, "--", *self.build_options.split()]
        answer = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
        return next(one["parameters"] for one in answer["kernels"] if one["name"] == self.kernel)

    def argument_lines(self, parameter):
        """One argument in Oclgrind's format."""
        element = parameter["element"]
        given = self.arguments[parameter["name"]]
        if parameter["kind"] == "local":
            return [f"<size={self.evaluate(given['local'])}>"]
        width = parameter["vector_width"]
        if parameter["kind"] == "value":
            values = [self.evaluate(given)] * width
        else:
            lanes = 4 if width == 3 else width
            values = self.content(given["fill"], element, self.evaluate(given["count"]) * lanes)
        size = len(values) * struct.calcsize(FORMATS[element])
        rows = [values[at:at + 16] for at in range(0, len(values), 16)]
        number = (lambda v: f"{v:.17g}") if element in ("float", "double") else str
        return [f"<size={size} {element}>"] + [" ".join(map(number, row)) for row in rows]

    def write_sim(self, path, program):
        """Writes a .sim file that runs `program`, OpenCL C or bitcode."""
        three = [" ".join(map(str, sizes + [1] * (3 - len(sizes)))) for sizes in (self.items, self.local)]
        lines = [str(program), self.kernel, *three]
        for parameter in self.parameters:
            lines += self.argument_lines(parameter)
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
