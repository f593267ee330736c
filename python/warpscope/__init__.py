"""The Python part of Warpscope: how an OpenCL or CUDA kernel uses a GPU's L1, without a GPU.

    import warpscope
    mm = warpscope.capture("mm.cl", global_size=(64, 64))
    result = mm.simulate(gpu="h100")
    result.sites()          # a pandas data frame
    mm.addresses()          # NumPy arrays

docs/tools/python.md lists all functions. They call the programs next to this package or on PATH. Data frames need pandas, arrays
NumPy, plots matplotlib; all else needs none of them.
"""
import importlib
from typing import TYPE_CHECKING, List

_HOMES = {"Capture": "captures", "Addresses": "captures", "capture": "captures", "capture_program": "captures",
          "Result": "outcomes", "TimedResult": "outcomes", "Sweep": "outcomes", "Comparison": "outcomes", "Prediction": "outcomes",
          "Plot": "figures", "load": "outcomes", "simulate": "simulations", "timed": "simulations", "sweep": "simulations",
          "what_if": "simulations", "model": "simulations", "gpus": "simulations", "tune": "tune", "TuningResult": "tune",
          "judge": "judge", "Verdict": "judge",
          "Incomplete": "tools"}
# Modules that are public, by the names that the documentation gives them.
_MODULES = {"results": "result.results", "page": "show.page", "whatif": "explore.whatif"}
__all__ = [*_HOMES, "Error", "InputError", "ToolFailed"]

if TYPE_CHECKING:
    from warpscope.api.captures import Addresses, Capture, capture, capture_program
    from warpscope.api.figures import Plot
    from warpscope.api.judge import Verdict, judge
    from warpscope.api.outcomes import Comparison, Prediction, Result, Sweep, TimedResult, load
    from warpscope.api.simulations import gpus, model, simulate, sweep, timed, what_if
    from warpscope.api.tools import Incomplete
    from warpscope.api.tune import TuningResult, tune
    from warpscope.base.errors import Error, InputError, ToolFailed


def __getattr__(name: str) -> object:
    """What is public, when it is first asked for: the programs of this package need little of it."""
    if name in ("Error", "InputError", "ToolFailed"):
        return getattr(importlib.import_module("warpscope.base.errors"), name)
    if name in _MODULES:
        return importlib.import_module(f"warpscope.{_MODULES[name]}")
    if name not in _HOMES:
        raise AttributeError(f"module 'warpscope' has no attribute '{name}'")
    return getattr(importlib.import_module(f"warpscope.api.{_HOMES[name]}"), name)


def __dir__() -> List[str]:
    return sorted([*globals(), *__all__, *_MODULES])
