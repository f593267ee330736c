"""warpscope.tune(): `warpscope tune` for Python."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Sequence

from warpscope.api import frames
from warpscope.api.tools import Path, needed
from warpscope.base.errors import InputError
from warpscope.commands import tune_options
from warpscope.explore.tuning import kernel_tuner, tuner
from warpscope.explore.tuning.space import Parameter
from warpscope.explore.tuning.variants import Variant
from warpscope.run.request import given

if TYPE_CHECKING:
    import pandas


class TuningResult:
    """Ranked variants. `tuning`: the same as objects."""

    def __init__(self, tuning: tuner.Tuning) -> None:
        self.tuning = tuning

    @property
    def best(self) -> dict[str, Any]:
        """The parameters of the variant with the least objective."""
        return self.tuning.best.configuration

    @property
    def variants(self) -> list[Variant]:
        """By their objective, invalid ones last."""
        return self.tuning.variants

    def frame(self) -> "pandas.DataFrame":
        """A row per variant, as results.csv has them: parameters, rank, objective, milliseconds, invalidity, reason, measures."""
        needed("pandas", "a data frame")
        return frames.table(self.tuning.rows())

    def t4(self) -> dict[str, Any]:
        """Kernel Tuner's T4 (docs/schema/t4-1.0.0.json)."""
        return kernel_tuner.results(self.tuning.variants, self.tuning.objective)

    def summary(self, top: int = 10) -> str:
        """What the command prints."""
        return "\n".join(self.tuning.lines(top))

    def __repr__(self) -> str:
        return f"<TuningResult: {len(self.variants)} variants, best {self.best}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"


def _word(value: object) -> str:
    return "x".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)


def tune(kernel: Path, parameters: Optional[Mapping[str, Sequence[object]]] = None, *, local: Optional[Sequence[object]] = None,
         carveout: Optional[Sequence[int]] = None, what_if: Optional[Mapping[str, Sequence[str]]] = None, restrict: Sequence[str] = (),
         gpu: Optional[Path] = None, strategy: Optional[str] = None, max_simulations: Optional[int] = None, seed: int = 1,
         objective: Optional[str] = None, clock: str = "both", jobs: Optional[int] = None, t1: Optional[Path] = None,
         output: Optional[Path] = None, arguments: Sequence[object] = (),
         progress: Optional[Callable[[tuner.Progress], None]] = None) -> TuningResult:
    """Finds the variant of a kernel with the fewest simulated cycles, as `warpscope tune` does (docs/tools/tune.md).

    `parameters`: {macro: values}. `local`: sizes of the work-group, such as ["8x8", (16, 16)]. `carveout`: KiB. `what_if`:
    {"pad:tile": ["none", "+1"]}. `restrict`: conditions such as "TILE * TILE <= 1024". `output`: the folder of answers, in which a run
    goes on that was stopped (default warpscope-tune-NAME). `arguments`: further options, as for the command. `progress` is called after
    every variant. Raises InputError, also where no variant is valid.
    """
    ours = [Parameter(name, tuple(values)) for name, values in (parameters or {}).items()]
    words = given(gpu=gpu, strategy=strategy, max_simulations=max_simulations, seed=seed, objective=objective, clock=clock, jobs=jobs, output=output,
                  t1=t1, local=None if local is None else ",".join(map(_word, local)),
                  carveout=None if carveout is None else ",".join(map(str, carveout)))
    words += [word for name, values in (what_if or {}).items() for word in ("--what-if", f"{name}={','.join(values)}")]
    words += [word for text in restrict for word in ("--restrict", text)]
    request = tune_options.parse(list(map(str, [kernel, *words, *arguments]))).request
    request.parameters = [*ours, *request.parameters]
    if request.listed is not None and ours:
        raise InputError("--list: lists the variants, expected no other parameters")
    return TuningResult(tuner.run(request, progress))
