"""The simulations of `import warpscope`. Each runs one command and returns its JSON: the same numbers, the same bytes."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Mapping, Optional, Sequence, Union

from warpscope.api import tools
from warpscope.api.outcomes import Comparison, Prediction, Result, Sweep, TimedResult
from warpscope.api.tools import Numbers, Path
from warpscope.base import toolchain
from warpscope.base.errors import InputError
from warpscope.run.request import given

if TYPE_CHECKING:
    from warpscope.api.captures import Capture

Source = Union["Capture", Path]
Names = Union[str, Sequence[str]]
Settings = Mapping[str, object]


def _path(source: Source) -> str:
    return tools.file_word(getattr(source, "path", source))


def gpus() -> list[str]:
    """The names of the GPUs that `gpu=` takes; a .json file of one's own is taken, too."""
    return re.findall(r"(?m)^([a-z0-9]\S*)", tools.output("cachesim", "--list-presets"))


def simulate(source: Source, *, gpu: Optional[Path] = None, settings: Optional[Settings] = None, carveout: Optional[int] = None,
             policy: str = "warp", launches: Optional[Numbers] = None, kernels: Optional[Names] = None, reuse_histogram: bool = False,
             options: Sequence[object] = ()) -> Result:
    """Simulates in fixed order, as `cachesim` does (docs/tools/cachesim.md).

    `source`: a capture. `gpu`: a name or a .json file (default: $WARPSCOPE_GPU, else as the command warpscope). `settings`: other values
    for keys of the GPU, such as {"l1_size_kib": 48}. `carveout`: KiB that local memory has of a memory that it shares with the L1.
    `policy`: order of the accesses. `launches`, `kernels`: only these, such as "0,3-7". `options`: further ones of cachesim.
    Raises InputError and ToolFailed with the program's line; warns Incomplete.
    """
    words = [*tools.gpu_words(_path(source), gpu, settings, carveout), "--policy", policy, *tools.choice_words(launches, kernels), *options]
    return Result(tools.output("cachesim", _path(source), *words, *(["--reuse-histogram"] if reuse_histogram else []), "--json", "-"))


def timed(source: Source, *, gpu: Optional[Path] = None, settings: Optional[Settings] = None, carveout: Optional[int] = None,
          launches: Optional[Numbers] = None, kernels: Optional[Names] = None, options: Sequence[object] = ()) -> TimedResult:
    """Simulates cycle by cycle, as `cachesim timed` does (docs/tools/timed.md). Arguments and errors as simulate()."""
    words = [*tools.gpu_words(_path(source), gpu, settings, carveout), *tools.choice_words(launches, kernels), *options]
    return TimedResult(tools.output("cachesim", "timed", _path(source), *words, "--json", "-"))


def sweep(source: Source, *, gpu: Optional[Path] = None, size: Optional[Numbers] = None, ways: Optional[Numbers] = None,
          sets: Optional[Numbers] = None, line: Optional[Numbers] = None, sector: Optional[Numbers] = None, index: Optional[Names] = None,
          replacement: Optional[Names] = None, write: Optional[Names] = None, options: Sequence[object] = ()) -> Sweep:
    """Simulates all caches that the lists give, on one schedule, as `cachesim sweep` does (docs/tools/sweep.md).

    `size` in KiB, `line` and `sector` in bytes. A list is a number, "1-16", "8-256*2" or a sequence. Without `gpu` the order is that of
    $WARPSCOPE_GPU, else that of one core.
    """
    def listed(values: Union[Numbers, Names, None]) -> Optional[str]:
        return None if values is None else tools.listed(values)

    words = given(gpu=gpu, size=listed(size), ways=listed(ways), sets=listed(sets), line=listed(line), sector=listed(sector), index=listed(index),
                  replacement=listed(replacement), write=listed(write))
    words += given(gpu=toolchain.given_gpu() or None) if gpu is None else []
    return Sweep(tools.output("cachesim", "sweep", _path(source), *words, *options, "--json", "-"))


def what_if(source: Source, *changes: str, gpu: Optional[Path] = None, clock: str = "auto", settings: Optional[Settings] = None,
            carveout: Optional[int] = None, registers: Optional[int] = None, launches: Optional[Numbers] = None,
            kernels: Optional[Names] = None, output: Optional[Path] = None) -> Comparison:
    """Simulates a changed layout or machine, as `warpscope what-if` does (docs/tools/what-if.md).

    `changes`: such as "pad tile=+1" or "groups tile:4x4", in order. `settings`, `carveout` (KiB) and `registers` (per work-item) change
    the machine after, not before. `clock`: auto, fixed, timed or both. `output`: keeps the changed capture.
    """
    words: list[object] = []
    for change in changes:
        if not isinstance(change, str):
            raise InputError(f"{change!r}: expected a change as a text, such as 'pad tile=+1'")
        option, _, value = change.removeprefix("--").partition(" ")
        words += [f"--{option}", value]
    words += [word for key, value in (settings or {}).items() for word in ("--set", f"{key}={value}")]
    words += given(carveout=carveout, registers=registers, gpu=gpu, output=output)
    return Comparison(tools.front("what-if", _path(source), *words, "--clock", clock, *tools.choice_words(launches, kernels), "--json", "-"))


def model(source: Optional[Union[Source, Result]] = None, *, model: str = "roofline", gpu: Optional[Path] = None,
          inputs: Optional[Path] = None, values: Optional[Settings] = None, launch: Optional[int] = None) -> Prediction:
    """Predicts the time with a published formula, as `warpscope model` does (docs/tools/model.md).

    `source`: a capture, the path of a result.json, or nothing where `inputs` (a file) and `values` give all. `values`: inputs in the
    model's units.
    """
    words = given(model=model, gpu=gpu, inputs=inputs, launch=launch)
    words += [word for name, value in (values or {}).items() for word in ("--set", f"{name}={value}")]
    return Prediction(tools.front("model", *words, *([] if source is None else [_path(source)]), "--json", "-"))  # type: ignore[arg-type]
