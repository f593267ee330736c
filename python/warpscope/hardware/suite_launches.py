"""Launch files of the benchmark kernels for programs that run them on a GPU (docs/tools/trace-kernel.md has the format).

Standard library only: this runs on machines that have CUDA and Python and nothing else. The launches are those that
trace-kernel captures: the same sizes, the same values, the same content of buffers.
"""
import ast
import hashlib
import json
import operator
import pathlib
import re

from warpscope.errors import InputError, reason

SIZES = ("small", "medium", "large")
OWN_SIZE = "medium"  # what a launch file says outside of its "sizes"
FILLS = ("zero", "iota", "constant", "random", "range", "file")
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
FUNCTIONS = {"min": min, "max": max, "ceil_div": lambda a, b: -(-a // b)}
AXES = "xyz"


def without_comments(text):
    """JSON without its // comments; what is in quotes stays."""
    return re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda match: match[1] or " ", text, flags=re.S)


def _divide(a, b, remainder):
    """As in C: whole numbers round towards zero."""
    if b == 0:
        raise ZeroDivisionError
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return a - b * quotient if remainder else quotient


def evaluate(expression, lookup, where):
    """The number that an expression of a launch file stands for; `lookup` gives the value of a name."""
    if isinstance(expression, bool):
        return int(expression)
    if not isinstance(expression, str):
        return expression

    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.Name):
            return lookup(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return -value(node.operand) if isinstance(node.op, ast.USub) else value(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Mod)):
            return _divide(value(node.left), value(node.right), isinstance(node.op, ast.Mod))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            return FUNCTIONS[node.func.id](*(value(argument) for argument in node.args))
        raise InputError(f"{where}: '{expression}': expected numbers, names, + - * / %, min, max, ceil_div")

    try:
        return value(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ZeroDivisionError, TypeError, RecursionError) as error:
        raise InputError(f"{where}: '{expression}': {error}, expected an expression") from error


class Argument:
    """One entry of "args": a value, a buffer, dynamic shared memory or a null pointer; sizes and values are numbers."""

    def __init__(self, name):
        self.name = name
        self.values = None       # of scalars and vectors
        self.count = None        # elements of a buffer
        self.bytes = None        # size of a buffer instead
        self.shared_bytes = None  # dynamic shared memory
        self.fill = None         # (word, numbers) or ("file", path); None = by the element's type
        self.is_null = False
        self.type = None


class Launch:
    """A launch file in one of its sizes, with every expression evaluated."""

    def __init__(self, path, root, size=OWN_SIZE, variant=None):
        self.path = pathlib.Path(path)
        self.size = size
        self.defines_are_arguments = False  # the kernel's source has none of them; buffers begin at multiples of their size
        self.variant = {name: str(value) for name, value in (variant or {}).items()}
        chosen = ",".join(f"{name}={value}" for name, value in self.variant.items())
        self.name = f"{self.path.relative_to(root)}:{size}" + (f":{chosen}" if chosen else "")
        self.source = source_of(self.path)
        self.folder = self.path.parent.name
        text = self.path.read_text(encoding="utf-8")
        self.description = merged(read_description(self.path), size)
        self.description["defines"].update(self.variant)
        if "global" not in self.description:
            raise InputError(f"{self.path}: no \"global\", expected a launch file with the launch's sizes")
        self.kernel = self.description.get("kernel")
        self.defines = {name: str(value) for name, value in self.description.get("defines", {}).items()}
        options = self.description.get("build_options", "")
        self.build_options = [word for word in options.split() if word.startswith("-D")]
        self.is_named = size in read_description(self.path).get("sizes", {})
        self._open = set()
        self._sizes = {}
        self._resolve()
        self.input = hashlib.sha256(self.source.read_bytes() + text.encode()).hexdigest()[:12]

    def _resolve(self):
        for letter, key in (("l", "local"), ("g", "global")):
            sizes = self.description.get(key, [1] if key == "local" else None)
            sizes = sizes if isinstance(sizes, list) else [sizes]
            for axis in range(3):
                value = self._number(sizes[axis], key) if axis < len(sizes) else 1
                self._sizes[letter + AXES[axis]] = int(value)
        if "local" not in self.description:
            raise InputError(f"{self.path}: no \"local\", expected the work-group's size")
        self.global_size = [self._sizes["g" + axis] for axis in AXES]
        self.local_size = [self._sizes["l" + axis] for axis in AXES]
        for items, group in zip(self.global_size, self.local_size):
            if group < 1 or items < 1 or items % group:
                raise InputError(f"{self.path}: global {self.global_size} is not a multiple of local {self.local_size}")
        self.grid = [items // group for items, group in zip(self.global_size, self.local_size)]
        self.groups = self.grid[0] * self.grid[1] * self.grid[2]
        self.arguments = [self._argument(name, given) for name, given in self.description.get("args", {}).items()]

    def _lookup(self, name):
        given = self.description.get("args", {})
        scalar = name in given and not isinstance(given[name], dict)
        value = given[name] if scalar else given[name].get("value") if name in given else None
        if value is None and name in self._sizes:
            return self._sizes[name]
        if value is None:
            value = self.description.get("defines", {}).get(name)
        if value is None:
            raise InputError(f"{self.path}: unknown name '{name}', expected gx, lx, a define or a scalar argument")
        if name in self._open:
            raise InputError(f"{self.path}: the value of '{name}' depends on itself")
        self._open.add(name)
        number = self._number(value, name)
        self._open.discard(name)
        return number

    def _number(self, expression, what):
        return evaluate(expression, self._lookup, f"{self.path}: {what}")

    def _argument(self, name, given):
        argument = Argument(name)
        where = f"argument '{name}'"
        if not isinstance(given, dict):
            argument.values = [self._number(one, where) for one in (given if isinstance(given, list) else [given])]
            return argument
        argument.type = given.get("type")
        argument.is_null = bool(given.get("null"))
        if "local" in given:
            argument.shared_bytes = int(self._number(given["local"], where))
        if "value" in given:
            values = given["value"] if isinstance(given["value"], list) else [given["value"]]
            argument.values = [self._number(one, where) for one in values]
        argument.count = int(self._number(given["count"], where)) if "count" in given else None
        argument.bytes = int(self._number(given["bytes"], where)) if "bytes" in given else None
        if "fill" in given:
            argument.fill = self._fill(given["fill"], where)
        return argument

    def _fill(self, text, where):
        if not isinstance(text, str):
            return "constant", [self._number(text, where)]
        if text.startswith("file:"):
            return "file", str((self.path.parent / text[5:]).resolve())
        match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text, flags=re.S)
        if not match or match[1] not in FILLS:
            raise InputError(f"{self.path}: {where}: fill '{text}', expected one of {', '.join(FILLS)}")
        return match[1], [self._number(part, where) for part in split_top(match[2] or "")]

    @property
    def program_key(self):
        """Launches with the same key share a compiled program."""
        defines = () if self.defines_are_arguments else tuple(sorted(self.defines.items()))
        return (str(self.source), self.kernel, defines, tuple(self.build_options))

    @property
    def options(self):
        """The sizes as trace-kernel and the kernels' check.py take them."""
        named = ["--size", self.size] if self.is_named else []
        for name, value in self.variant.items():
            named += ["-D", f"{name}={value}"]
        return [*named, "--global", ",".join(map(str, self.global_size)), "--local", ",".join(map(str, self.local_size))]


OWN_PROBE_WORDS = 1 << 20  # WORDS of probe.launch


def probe_launches(plan, root):
    """Launches of the kernel `probe` for the rows of a plan of `cachesim infer` (docs/tools/infer.md), and those of the kernels
    that show what stores do. Raises InputError with the line."""
    word = 4  # the plan is in bytes, the kernel counts in words
    launches, header, seen = [], None, set()
    try:
        lines = pathlib.Path(plan).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{plan}: {reason(error)}, expected a plan of cachesim infer") from error
    for number, line in enumerate(lines, 1):
        if not line or line.startswith("#"):
            continue
        cells = line.split(",")
        if header is None:
            header = cells
            missing = [name for name in ("pattern", "mask", "step", "places", "rounds", "hot") if name not in header]
            if missing:
                raise InputError(f"{plan}:{number}: no column '{missing[0]}', expected a plan of cachesim infer")
            continue
        row = dict(zip(header, cells))
        if len(cells) != len(header):
            raise InputError(f"{plan}:{number}: {len(cells)} columns, expected {len(header)}")
        if row["pattern"] != "chase":
            continue
        try:
            mask = 2**32 - 1 if row["mask"] == "all" else int(row["mask"], 0) // word
            step = int(row["step"]) // word if row["mask"] == "all" else 1
            variant = {"MASK": mask, "STEP": step, **{key.upper(): int(row[key]) for key in ("places", "rounds", "hot")}}
            if row["mask"] != "all" and mask >= OWN_PROBE_WORDS:
                variant["WORDS"] = 1 << mask.bit_length()  # beyond the buffer of the launch file
        except ValueError as error:
            raise InputError(f"{plan}:{number}: {error}, expected whole numbers") from error
        if step < 1 or (row["mask"] != "all" and int(row["mask"], 0) % word):
            raise InputError(f"{plan}:{number}: expected steps and masks of whole words ({word} bytes)")
        if tuple(variant.values()) not in seen:
            launches.append(Launch(root / "probe" / "probe.launch", root, OWN_SIZE, variant))
            launches[-1].defines_are_arguments = True
        seen.add(tuple(variant.values()))
    if not launches:
        raise InputError(f"{plan}: no row of pattern 'chase', expected a plan of cachesim infer")
    stores = [Launch(root / "store_load" / "store_load.launch", root, "small", variant) for variant in ({}, {"LOAD_FIRST": 0})]
    return launches + stores + [Launch(root / "store_store" / "store_store.launch", root, "small")]


def split_top(text, separator=","):
    """Splits at separators outside of all brackets; empty text has no parts."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character in "([{<") - (character in ")]}>")
        if character == separator and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [one.strip() for one in [*parts, part]] if text.strip() else []


def read_description(path):
    """A launch file's JSON; raises InputError."""
    try:
        description = json.loads(without_comments(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}), expected a launch file") from error
    if not isinstance(description, dict):
        raise InputError(f"{path}: expected a JSON object with the launch's sizes")
    return description


def sizes_in(description):
    """The names of a launch file's sizes; its own is the suite's medium one."""
    named = list(description.get("sizes", {}))
    return named if OWN_SIZE in named else [*named, OWN_SIZE]


def variants_of(path):
    """Other values of a kernel's macros that are measured too: benchmarks/hardware/variants.json, by the launch file's stem."""
    file = path.parents[2] / "hardware" / "variants.json"
    return json.loads(file.read_text(encoding="utf-8")).get(path.stem, []) if file.exists() else []


def launch_named(name, root):
    """The launch that a name stands for (FILE:SIZE, FILE:SIZE:MACRO=VALUE,…), or None where there is none any more."""
    file_name, size, *variant = name.split(":")
    path = pathlib.Path(root) / file_name
    if not path.exists() or size not in sizes_in(read_description(path)):
        return None
    return Launch(path, root, size, dict(one.split("=", 1) for one in variant[0].split(",")) if variant else None)


def merged(description, size):
    """What the file says, with what one of its sizes says instead."""
    chosen = description.get("sizes", {}).get(size, {})
    result = {**description, **{key: chosen[key] for key in ("global", "local", "offset") if key in chosen}}
    for key in ("args", "defines"):
        result[key] = dict(description.get(key, {}))
        for name, given in chosen.get(key, {}).items():
            both = isinstance(given, dict) and isinstance(result[key].get(name), dict)
            result[key][name] = {**result[key][name], **given} if both else given
    return result


def source_of(path):
    """NAME.cu next to NAME.launch, NAME-more.launch and the like: the longest name that fits, else the folder's."""
    path = pathlib.Path(path)
    fitting = [cu for cu in path.parent.glob("*.cu") if path.stem == cu.stem or re.match(re.escape(cu.stem) + r"[^A-Za-z0-9]",
                                                                                          path.stem)]
    if fitting:
        return max(fitting, key=lambda cu: len(cu.stem))
    return path.parent / f"{path.parent.name}.cu"


def find(root, sizes, kernels=()):
    """All launches under `root` of these sizes, in the order of their names; `kernels` are folder names."""
    root = pathlib.Path(root)
    unknown = [name for name in kernels if not (root / name).is_dir()]
    if unknown:
        raise InputError(f"--kernels {unknown[0]}: no such folder in {root}")
    paths = [path for path in sorted(root.glob("*/*.launch")) if not kernels or path.parent.name in kernels]
    launches = [Launch(path, root, size) for path in paths if source_of(path).exists()
                for size in sizes_in(read_description(path)) if size in sizes]
    if OWN_SIZE in sizes:
        launches += [Launch(path, root, OWN_SIZE, variant) for path in paths for variant in variants_of(path)]
    if not launches:
        raise InputError(f"{root}: no launch file with size {', '.join(sizes)} and a .cu file next to it")
    return launches
