"""Reads the kernels' launch files (docs/tools/trace-kernel.md), independently of trace-kernel's own reader.

For the kernels' checks and the tests; standard library only. A launch file's own sizes are the suite's medium size.
"""
import json
import pathlib
import re

AXES = "xyz"


def split_mix(seed, index):
    """Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014: output `index` of `seed`."""
    mask = 2**64 - 1
    z = (seed + (index + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


class LaunchFile:
    """One launch: the file's own, or one of its sizes; `global_size`, `local_size` and `defines` replace the file's."""

    def __init__(self, path, size="", global_size=None, local_size=None, defines=None):
        self.path = pathlib.Path(path)
        self.description = json.loads(re.sub(r"(?m)^\s*//.*$", "", self.path.read_text(encoding="utf-8")))
        self.size = size
        chosen = self.description.get("sizes", {})[size] if size else {}
        self.kernel = self.description["kernel"]
        self.defines = {**self.description.get("defines", {}), **chosen.get("defines", {}), **(defines or {})}
        self.arguments = dict(self.description.get("args", {}))
        for name, given in chosen.get("args", {}).items():
            both = isinstance(given, dict) and isinstance(self.arguments.get(name), dict)
            self.arguments[name] = {**self.arguments[name], **given} if both else given
        self.sizes = {}
        self.local = self._dimensions("l", local_size or chosen.get("local") or self.description["local"])
        self.items = self._dimensions("g", global_size or chosen.get("global") or self.description["global"])

    def _dimensions(self, letter, given):
        sizes = [self.evaluate(size) for size in (given if isinstance(given, (list, tuple)) else [given])]
        for axis in range(3):
            self.sizes[letter + AXES[axis]] = sizes[axis] if axis < len(sizes) else 1
        return sizes

    @property
    def groups(self):
        """Number of work-groups."""
        number = 1
        for axis in AXES:
            number *= self.sizes["g" + axis] // self.sizes["l" + axis]
        return number

    def evaluate(self, expression):
        """Whole numbers are divided as in C; sizes and scalars of these kernels are never negative."""
        if not isinstance(expression, str):
            return expression
        names = dict(self.sizes, min=min, max=max, ceil_div=lambda a, b: -(-a // b))
        for name in re.findall(r"[A-Za-z_]\w*", expression):
            if name not in names:
                names[name] = self.value(name)
        return eval(expression.replace("/", "//"), {"__builtins__": {}}, names)  # noqa: S307

    def value(self, name):
        """A scalar argument or a define, as a number."""
        return self.evaluate(self.arguments[name] if name in self.arguments else self.defines[name])

    def content(self, fill, element, count):
        """`count` numbers as wrapper/launch/buffer_fill.h describes them."""
        word, inside = re.fullmatch(r"(\w+)(?:\((.*)\))?", str(fill)).groups()
        numbers = [self.evaluate(part) for part in inside.split(",")] if inside else []
        is_floating = element in ("float", "double")
        if not inside and re.fullmatch(r"\d+", word):
            return [int(word)] * count
        if word == "zero":
            return [0] * count
        if word == "constant":
            return [numbers[0]] * count
        if word == "iota":
            return list(range(count))
        if word == "range":
            start, step, last = numbers
            length = (last - start) // step + 1
            return [start + index % length * step for index in range(count)]
        if word != "random":
            raise ValueError(f"{self.path.name}: fill {fill}: teach it to benchmarks/kernels/launch_file.py")
        seed, low, end = (numbers + [0, 1 if is_floating else 100])[:3]
        draws = (split_mix(seed, index) for index in range(count))
        if is_floating:
            return [low + (draw >> 40) * 2.0**-24 * (end - low) for draw in draws]
        return [low + draw % (end - low) for draw in draws]
