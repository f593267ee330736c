"""Launches as trace-kernel makes them: launch files (docs/tools/trace-kernel.md) with every expression evaluated.

The tool launch-file evaluates them. Where there is no build, as on most machines with a GPU, what it printed for the benchmark
kernels is read from validation/hardware/launches.json. Standard library of Python 3.9 only.
"""
import functools
import hashlib
import json
import pathlib
import subprocess

from warpscope.base import toolchain
from warpscope.base.errors import InputError, reason
from warpscope.base.source import SOURCE

OWN_SIZE = "medium"  # what a launch file says outside of its "sizes"
KERNELS = SOURCE / "benchmarks" / "kernels"
STORED = SOURCE / "validation" / "hardware" / "launches.json"


class Argument:
    """One entry of "args": a value, a buffer, dynamic shared memory or a null pointer; sizes and values are numbers."""

    def __init__(self, said):
        self.name = said["name"]
        self.type = said.get("type")
        self.is_null = said.get("null", False)
        self.values = said.get("values")  # of scalars and vectors
        self.count = said.get("count")    # elements of a buffer
        is_local = said.get("local", False)
        self.bytes = None if is_local else said.get("bytes")         # size of a buffer instead
        self.shared_bytes = said.get("bytes") if is_local else None  # size of local memory
        fill = said.get("fill")           # (word, numbers) or ("file", path); None = by the element's type
        self.fill = fill and (fill["kind"], fill.get("numbers", fill.get("path")))


class Launch:
    """A launch file, or one of its sizes; defines and sizes that are given replace the file's. Raises InputError."""

    def __init__(self, path, size="", defines=None, global_size=None, local_size=None):
        self.path = pathlib.Path(path)
        said = evaluated(self.path, size, defines, global_size, local_size)
        if said["local"] is None:
            raise InputError(f"{self.path}: no \"local\", expected the work-group's size")
        self.kernel = said["kernel"]
        self.global_size, self.local_size = said["global"], said["local"]
        self.grid = [items // group for items, group in zip(self.global_size, self.local_size)]
        self.groups = self.grid[0] * self.grid[1] * self.grid[2]
        self.defines = said["defines"]
        self.build_options = said["build_options"]
        self.sizes = said["sizes"]
        self.arguments = {one["name"]: Argument(one) for one in said["arguments"]}
        self._define_values = said["define_values"]

    def value(self, name):
        """A scalar argument or a define, as a number."""
        return self.arguments[name].values[0] if name in self.arguments else self._define_values[name]


def has_tool():
    try:
        return bool(toolchain.command("launch-file"))
    except InputError:
        return False


def evaluated(path, size="", defines=None, global_size=None, local_size=None):
    """What launch-file prints. Raises InputError with its message, which names the file."""
    if not has_tool():
        return _stored(path, size, defines, global_size, local_size)
    options = ["--size", size] if size else []
    for option, sizes in (("--global", global_size), ("--local", local_size)):
        options += [option, ",".join(map(str, sizes))] if sizes else []
    for name, value in (defines or {}).items():
        options += ["-D", f"{name}={value}"]
    done = subprocess.run([*toolchain.command("launch-file"), str(path), *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, check=False)
    if done.returncode:
        message = done.stderr.strip().rpartition("\n")[2].partition(": ")[2]
        raise InputError(f"{path.parent}/{message}" if message.startswith(path.name) else f"{path}: {message}")
    return json.loads(done.stdout)


def name_of(path, size="", defines=None):
    """FILE:SIZE or FILE:SIZE:MACRO=VALUE,…, the key in launches.json; the path is that in benchmarks/kernels, of others in the source tree."""
    chosen = ",".join(f"{name}={value}" for name, value in (defines or {}).items())
    path = path.resolve()
    place = path.relative_to(KERNELS if KERNELS in path.parents else SOURCE)
    return f"{place}:{size or OWN_SIZE}" + (f":{chosen}" if chosen else "")


def digest(path):
    """Changes with a launch file's text."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


@functools.lru_cache(maxsize=None)
def _table():
    return json.loads(STORED.read_text(encoding="utf-8"))


def _stored(path, size, defines, global_size, local_size):
    build = "a build of the tools (cmake --preset release && cmake --build --preset release)"
    try:
        said = _table()[name_of(path, size, defines)]
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{path}: not in {STORED.name} ({reason(error)}), expected {build}") from error
    if said["digest"] != digest(path):
        raise InputError(f"{path}: has changed since {STORED.name} was written, expected {build}")
    for given, stored in ((global_size, said["global"]), (local_size, said["local"])):
        if given and [*given, 1, 1][:3] != stored:
            raise InputError(f"{path}: size {given}: not in {STORED.name}, expected {build}")
    return said


def store(launches):
    """The content of launches.json: (path, size, defines) of each, evaluated by the tool; a line per launch, once."""
    lines = []
    for path, size, defines in launches:
        said = {**evaluated(path, size, defines), "digest": digest(path)}
        lines.append(f"{json.dumps(name_of(path, size, defines))}: {json.dumps(said, sort_keys=True, separators=(',', ':'))}")
    return "{\n" + ",\n".join(sorted(set(lines))) + "\n}\n"
