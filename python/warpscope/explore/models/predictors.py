"""What predicts the time of a captured launch: a model with a machine (hong-kim@c1060), or the timed engine (timed@gtx480)."""
from __future__ import annotations

import dataclasses
import pathlib
from typing import Any, Optional, Union

from warpscope.base.errors import InputError, ToolFailed
from warpscope.explore.models import from_result, gather, machine
from warpscope.explore.models.formulas import catalogue
from warpscope.run.simulation import EXIT_NOT_TRACEABLE

TIMED = "timed"  # the engine, not a formula
KNOWN = (*catalogue.OF_LAUNCHES, TIMED)
EXPECTED = f"MODEL@GPU or MODEL, with one of {', '.join(KNOWN)}"
Path = Union[str, pathlib.Path]


@dataclasses.dataclass(frozen=True)
class Predictor:
    """`gpu`: a machine.Machine. `name`: as the user wrote it, MODEL or MODEL@GPU."""

    model: str
    gpu: Any
    name: str

    @property
    def unit(self) -> str:
        return "cycles" if self.model == TIMED else "s"


def why_not(model: str, gpu: machine.Machine) -> Optional[str]:
    """Why a model cannot predict for this GPU; None if it can."""
    if gpu.preset_name is None:
        return f"{gpu.name} has no GPU preset, so captures cannot be simulated"
    if model == TIMED and gpu.of_preset("vendor") == "AMD":
        return "the rates of AMD's GPUs were never measured, so cycles are no estimate"
    if model == TIMED:
        return None if gpu.of_preset("issue_width_per_scheduler") is not None else f"the preset of {gpu.name} lacks what timed mode needs"
    if model == "roofline":
        absent = [key for key in ("fp32_per_cycle", "core_clock_mhz", "dram_bandwidth_gb_per_s") if gpu.of_preset(key) is None]
        return f"the preset of {gpu.name} does not know {', '.join(absent)}" if absent and not gpu.has(model) else None
    known = ", ".join(machine.knowing(model))
    return None if gpu.has(model) else f"no parameters of {gpu.name} with a source; known: {known}"


def named(text: str, default: Optional[str]) -> Predictor:
    """The predictor of MODEL@GPU, or of MODEL on the GPU `default`. Raises InputError."""
    model, at, gpu = text.partition("@")
    if model not in KNOWN or (at and not gpu):
        raise InputError(f"--by {text}: expected {EXPECTED}")
    if not gpu and default is None:
        raise InputError(f"--by {text}: on which GPU is not given, expected {model}@GPU or --gpu")
    loaded = machine.load(gpu or default)
    if reason := why_not(model, loaded):
        raise InputError(f"--by {text}: not applicable: {reason}")
    return Predictor(model, loaded, text)


def listed(text: str, default: Optional[str]) -> list[Predictor]:
    """The predictors of a list with commas. Raises InputError, also for one that is given twice."""
    found = [named(word, default) for word in text.split(",")]
    if twice := [one.name for at, one in enumerate(found) if one.name in [other.name for other in found[:at]]]:
        raise InputError(f"--by {text}: {twice[0]} is given twice, expected it once")
    return found


def every(gpu: str) -> tuple[list[Predictor], dict[str, str]]:
    """(all that can predict for a GPU, {model: why not} of the others)."""
    loaded = machine.load(gpu)
    reasons = {model: why_not(model, loaded) for model in KNOWN}
    return ([Predictor(model, loaded, model) for model, reason in reasons.items() if reason is None],
            {model: reason for model, reason in reasons.items() if reason is not None})


def predict(capture: Path, predictors: list[Predictor], launch: Optional[str] = None, fresh: bool = False) -> dict[str, Union[float, str]]:
    """{predictor's name: seconds, of timed cycles; or the reason in words where the capture has not what it needs}. Each GPU is
    simulated once; unless `fresh`, not at all if that was done before."""
    simulated: dict[str, Union[from_result.Simulated, str]] = {}
    found: dict[str, Union[float, str]] = {}
    for one in predictors:
        key = str(one.gpu.path)
        if key not in simulated:
            simulated[key] = _simulated(capture, launch, one.gpu, fresh)
        known = simulated[key]
        try:
            found[one.name] = known if isinstance(known, str) else _time(one, known)
        except InputError as error:
            found[one.name] = str(error)
    return found


def _simulated(capture: Path, launch: Optional[str], gpu: machine.Machine, fresh: bool) -> Union[from_result.Simulated, str]:
    """Of one GPU, or why it cannot launch the variant; the engine has said what does not fit."""
    try:
        simulated: from_result.Simulated = from_result.simulated(capture, launch, gpu, fresh=fresh)
        return simulated
    except ToolFailed as error:
        if error.status != EXIT_NOT_TRACEABLE:
            raise
        return f"{gpu.name} cannot launch it"


def _time(predictor: Predictor, simulated: from_result.Simulated) -> float:
    if predictor.model == TIMED:
        cycles: float = simulated.cycles()
        return cycles
    collected, absent = simulated.inputs(predictor.model, predictor.gpu)
    inputs = gather.resolve(predictor.model, predictor.gpu, collected, {}, absent)
    seconds: float = gather.answer(predictor.model, inputs).seconds
    return seconds
