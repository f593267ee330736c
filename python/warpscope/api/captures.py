"""Captures for `import warpscope`: made from a kernel or a program, looked into, and simulated."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import tempfile
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Union

from warpscope.api import frames, simulations, tools
from warpscope.api.figures import Plot, drawn
from warpscope.api.outcomes import Comparison, Prediction, Result, Sweep, TimedResult
from warpscope.api.tools import Path
from warpscope.base import programs
from warpscope.base.errors import InputError
from warpscope.explore.faults import find
from warpscope.run.request import given

if TYPE_CHECKING:
    import numpy
    import pandas

Size = Union[int, Sequence[int], str]
MOST_ADDRESSES = 10_000_000


@dataclass
class Addresses:
    """Accesses of single lanes in the order of the simulation, an element each. `address`: simulated, in bytes; `is_write`; `group`:
    linear work-group; `warp`: inside its group (the work-item, with a policy over work-items); `site`: memory instruction, as in
    Result.sites(). `complete`: False if there are more than were asked for."""

    address: "numpy.ndarray[Any, Any]"
    is_write: "numpy.ndarray[Any, Any]"
    group: "numpy.ndarray[Any, Any]"
    warp: "numpy.ndarray[Any, Any]"
    site: "numpy.ndarray[Any, Any]"
    warp_size: int
    complete: bool

    def __len__(self) -> int:
        return len(self.address)

    def frame(self) -> "pandas.DataFrame":
        """A row per lane access."""
        columns = {name: getattr(self, name) for name in ("address", "is_write", "group", "warp", "site")}
        return tools.needed("pandas", "a data frame").DataFrame(columns)


class Capture:
    """A capture: the memory accesses and branches of all work-items. `path`: its file."""

    def __init__(self, path: Path) -> None:
        self.path = pathlib.Path(tools.file_word(path))
        if not self.path.is_file():
            raise InputError(f"{self.path}: no such file, expected a capture")

    def summary(self) -> dict[str, Any]:
        """What `trace-view --summary --json` says: launches with their sizes, loads, stores, atomics and barriers of work-items."""
        said: dict[str, Any] = json.loads(tools.output("trace-view", "--summary", "--json", tools.file_word(self.path)))
        return said

    def faults(self) -> dict[str, Any]:
        """What the kernels do wrong, in all work-groups, as `warpscope check --json` says it: `faults`, `checked`, `not_checked`, `in_part`."""
        return find.of_capture(self.path)

    def launches(self) -> "pandas.DataFrame":
        """A row per launch of summary()."""
        return frames.table(self.summary()["launches"])

    def simulate(self, **arguments: Any) -> Result:
        """warpscope.simulate() of this capture."""
        return simulations.simulate(self, **arguments)

    def timed(self, **arguments: Any) -> TimedResult:
        """warpscope.timed() of this capture."""
        return simulations.timed(self, **arguments)

    def sweep(self, **arguments: Any) -> Sweep:
        """warpscope.sweep() of this capture."""
        return simulations.sweep(self, **arguments)

    def what_if(self, *changes: str, **arguments: Any) -> Comparison:
        """warpscope.what_if() of this capture."""
        return simulations.what_if(self, *changes, **arguments)

    def model(self, **arguments: Any) -> Prediction:
        """warpscope.model() of this capture."""
        return simulations.model(self, **arguments)

    def addresses(self, *, launch: int = 0, gpu: Optional[Path] = None, policy: str = "warp", limit: int = 1_000_000,
                  options: Sequence[object] = ()) -> Addresses:
        """The accesses of a launch to what the L1 caches, lane by lane, as `warpsched --format text` orders them: core after core, and of
        each warp access the active lanes in turn. Reads at most `limit` (up to 10,000,000) and then stops. Needs NumPy."""
        tools.needed("numpy", "an array")
        from warpscope.result import streams
        if not 1 <= limit <= MOST_ADDRESSES:
            raise InputError(f"limit {limit}, expected 1 to {MOST_ADDRESSES:,}")
        path = tools.file_word(self.path)
        words = [*tools.gpu_words(path, gpu), "--policy", policy, "--launch", str(launch), *map(str, options), "--format", "text", "-o", "-"]
        with tools.piped("warpsched", path, *words) as pipe:
            stream = streams.read_pipe(str(self.path), pipe, limit)
        return Addresses(stream.address, stream.is_write, stream.group, stream.warp, stream.site, stream.warp_size, stream.complete)

    def plot(self, launch: int = 0, limit: int = 400_000) -> Plot:
        """Offset over order under the four policies, coloured by work-item; at most `limit` accesses each."""
        return drawn(lambda: self._pattern(launch, limit))

    def _pattern(self, launch: int, limit: int) -> Any:
        from warpscope.show.plots import access_pattern
        said = self.summary()["launches"][launch]
        panels = list(access_pattern.schedule(tools.file_word(self.path), access_pattern.POLICIES, limit, ["--launch", launch]))
        geometry = access_pattern.Geometry(said["global"], said["local"])
        return access_pattern.draw(panels, geometry, access_pattern.title(said["kernel"], ""))

    def __repr__(self) -> str:
        return f"<Capture: {self.path.name}>"

    def _repr_html_(self) -> str:
        return str(self.launches().to_html())


def _size(size: Size) -> str:
    return str(size) if isinstance(size, (int, str)) else ",".join(map(str, size))


def _named(what: str, values: Optional[Mapping[str, object]]) -> Mapping[str, object]:
    if values is not None and not isinstance(values, Mapping):
        raise InputError(f"{what} {values!r}: expected names with their values, such as {{'n': 64}}")
    return values or {}


def _made(words: Sequence[object], name: str, output: Optional[Path]) -> Capture:
    """Runs trace-kernel into `output`, or into a folder that ends with the capture."""
    at = list(words).index("--") if "--" in words else len(words)
    path = pathlib.Path(tempfile.mkdtemp(prefix="warpscope-")) / f"{name}.wtrace" if output is None else \
        pathlib.Path(tools.file_word(output, "a file for the capture"))
    try:
        tools.output("trace-kernel", *words[:at], "-o", tools.file_word(path), *words[at:], answer=path)
        made = Capture(path)
    except BaseException:
        if output is None:
            shutil.rmtree(path.parent, ignore_errors=True)
        raise
    if output is None:
        weakref.finalize(made, shutil.rmtree, str(path.parent), ignore_errors=True)
    return made


def capture(kernel: Path, *, global_size: Optional[Size] = None, local_size: Optional[Size] = None, size: Optional[str] = None,
            defines: Optional[Mapping[str, object]] = None, arguments: Optional[Mapping[str, object]] = None,
            args: Optional[Mapping[str, object]] = None, kernel_name: Optional[str] = None,
            machine: Union[bool, str] = False, nvcc_options: Optional[str] = None, options: Sequence[object] = (),
            output: Optional[Path] = None) -> Capture:
    """Runs a kernel file (.cl, .cu, .ptx, .cubin) on the CPU and records it, as `trace-kernel` does (docs/tools/trace-kernel.md).

    `global_size`, `local_size`: work-items, up to three dimensions. `size`: one of the launch file's sizes. `defines`: macros.
    `arguments`, or `args`: kernel arguments as in the launch file, such as {"A": "count=gx*gy,fill=iota"}. `machine`: executes NVIDIA's
    machine code: True, or for a GPU or architecture ("sm_80"); `nvcc_options` are for its compiler. `options`: further ones of trace-kernel.
    `output`: the capture's file; without it the file goes when the object goes.
    Raises InputError and ToolFailed with the program's line; warns Incomplete where something cannot be traced.
    """
    sizes = {"global": None if global_size is None else _size(global_size), "local": None if local_size is None else _size(local_size)}
    words: list[object] = [tools.file_word(kernel, "a kernel file"), *given(**sizes, size=size, kernel=kernel_name), *given(nvcc_options=nvcc_options)]
    words += ["--machine"] if machine is True else [f"--machine={machine}"] if machine else []
    words += [word for name, value in _named("defines", defines).items() for word in ("-D", f"{name}={value}")]
    words += [word for name, value in {**_named("arguments", arguments), **_named("args", args)}.items() for word in ("--arg", f"{name}={value}")]
    return _made([*words, *options], pathlib.Path(kernel).stem, output)


def capture_program(command: Union[Path, Sequence[object]], *, gpu: Optional[str] = None, options: Sequence[object] = (),
                    output: Optional[Path] = None) -> Capture:
    """Runs an OpenCL program as it is and records its launches, as `trace-kernel -- PROGRAM` does (docs/tools/programs.md). `command`: the
    program and its arguments, or the name of a program without any. `gpu`: the one that it sees, as --device-like says. A program that fails raises ToolFailed with its status."""
    words = [command] if isinstance(command, (str, os.PathLike)) else command
    if not isinstance(words, Sequence) or not words:
        raise InputError(f"{command!r}: expected a program and its arguments, such as ['./app', 64]")
    return _made([*given(device_like=gpu), *options, "--", *words], programs.name_of([str(word) for word in words]), output)
