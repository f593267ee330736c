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
sys.path.insert(0, str(SOURCE / "python"))
from buffer_content import content  # noqa: E402
from support import BIN, kernel  # noqa: E402
from warpscope.result import launches  # noqa: E402

FORMATS = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q", "ulong": "Q",
           "float": "f", "double": "d"}


class Launch(launches.Launch):
    """One kernel's launch."""

    def __init__(self, name, size="small", defines=None):
        self.source = kernel(name)
        super().__init__(self.source.with_suffix(".launch"), size, defines)
        self.size = size
        self.own_defines = defines or {}
        self.build_options = " ".join([self.build_options, *(f"-D{name}={value}" for name, value in self.defines.items())]).strip()

    @property
    def options(self):
        """As trace-kernel and the kernels' check.py take them."""
        return (*(["--size", self.size] if self.size else []),
                *(word for name, value in self.own_defines.items() for word in ("-D", f"{name}={value}")))

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
        words = [BIN / "compile-kernel", self.source, "--signatures", "--", *self.build_options.split()]
        answer = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
        return next(one["parameters"] for one in answer["kernels"] if one["name"] == self.kernel)

    def argument_lines(self, parameter):
        """One argument in Oclgrind's format."""
        element = parameter["element"]
        given = self.arguments[parameter["name"]]
        if parameter["kind"] == "local":
            return [f"<size={given.shared_bytes}>"]
        width = parameter["vector_width"]
        if parameter["kind"] == "value":
            values = given.values * width
        else:
            lanes = 4 if width == 3 else width
            values = content(given.fill, element, given.count * lanes)
        size = len(values) * struct.calcsize(FORMATS[element])
        rows = [values[at:at + 16] for at in range(0, len(values), 16)]
        number = (lambda v: f"{v:.17g}") if element in ("float", "double") else str
        return [f"<size={size} {element}>"] + [" ".join(map(number, row)) for row in rows]

    def write_sim(self, path, program):
        """Writes a .sim file that runs `program`, OpenCL C or bitcode."""
        three = [" ".join(map(str, sizes)) for sizes in (self.global_size, self.local_size)]
        lines = [str(program), self.kernel, *three]
        for parameter in self.parameters:
            lines += self.argument_lines(parameter)
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
