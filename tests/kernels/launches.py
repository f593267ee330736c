"""Launch files of the benchmark kernels, read a second time: independent of trace-kernel's own reader.

At small sizes: two work-groups of the launch file's local size in every dimension, so that a new kernel needs no entry
anywhere. write_sim() hands the same launch to Oclgrind.
"""
import json
import pathlib
import re
import struct
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "endtoend"))
from support import BIN, kernel  # noqa: E402

AXES = "xyz"
FORMATS = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q", "ulong": "Q",
           "float": "f", "double": "d"}


def split_mix(seed, index):
    """Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014: output `index` of `seed`."""
    mask = 2**64 - 1
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


class Launch:
    """One kernel's launch with so many work-groups in every dimension."""

    def __init__(self, name, groups=2):
        self.source = kernel(name)
        text = self.source.with_suffix(".launch").read_text(encoding="utf-8")
        self.description = json.loads(re.sub(r"(?m)^\s*//.*$", "", text))
        self.kernel = self.description["kernel"]
        self.defines = self.description.get("defines", {})
        self.arguments = self.description.get("args", {})
        self.sizes = {}
        local = self.description["local"]
        self.local = [self.evaluate(size) for size in (local if isinstance(local, list) else [local])]
        self.items = [groups * size for size in self.local]
        for axis in range(3):
            self.sizes["l" + AXES[axis]] = self.local[axis] if axis < len(self.local) else 1
            self.sizes["g" + AXES[axis]] = self.items[axis] if axis < len(self.items) else 1

    @property
    def options(self):
        """As trace-kernel and the kernels' check.py take them."""
        return "--global", ",".join(map(str, self.items)), "--local", ",".join(map(str, self.local))

    @property
    def build_options(self):
        return " ".join([self.description.get("build_options", "")] +
                        [f"-D{name}={value}" for name, value in self.defines.items()]).strip()

    def evaluate(self, expression):
        """Whole numbers are divided as in C; sizes and scalars of these kernels are never negative."""
        if not isinstance(expression, str):
            return expression
        names = dict(self.sizes, min=min, max=max, ceil_div=lambda a, b: -(-a // b))
        for name in re.findall(r"[A-Za-z_]\w*", expression):
            if name not in names:
                names[name] = self.evaluate(self.arguments[name] if name in self.arguments else self.defines[name])
        return eval(expression.replace("/", "//"), {"__builtins__": {}}, names)  # noqa: S307

    def parameters(self):
        words = [BIN / "kernel-signatures", self.source, "--", *self.build_options.split()]
        answer = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
        return next(one["parameters"] for one in answer["kernels"] if one["name"] == self.kernel)

    def content(self, fill, element, count):
        """`count` numbers as wrapper/buffer_fill.h describes them."""
        word, inside = re.fullmatch(r"(\w+)(?:\((.*)\))?", str(fill)).groups()
        is_floating = element in ("float", "double")
        if word == "zero":
            return [0] * count
        if word == "iota":
            return list(range(count))
        if word != "random":
            raise ValueError(f"{self.source.name}: fill {fill}: teach it to tests/kernels/launches.py")
        seed, low, end = ([self.evaluate(part) for part in inside.split(",")] + [0, 1 if is_floating else 100])[:3]
        draws = (split_mix(seed, index) for index in range(count))
        if is_floating:
            return [low + (draw >> 40) * 2.0**-24 * (end - low) for draw in draws]
        return [low + draw % (end - low) for draw in draws]

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
        for parameter in self.parameters():
            lines += self.argument_lines(parameter)
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
