"""What is asked of a tuning run. The command builds it once from its words (commands/tune_options.py)."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

from warpscope.explore.tuning import kernel_tuner
from warpscope.explore.tuning.space import Configuration, Parameter


@dataclass
class Request:
    """`others`: options of trace-kernel, as given; `changes`: KEY=VALUE of the GPU; `constants`: macros that do not vary; `listed` with
    `measured`: the variants of a list. Numbers that are None follow from the kernel or the machine; `gpu` None is the default one."""

    kernel: str = ""
    gpu: Optional[str] = None
    changes: tuple[str, ...] = ()
    clock: str = "both"
    objective: Optional[str] = None
    strategy: Optional[str] = None
    max_simulations: Optional[int] = None
    seed: int = 1
    jobs: Optional[int] = None
    by: Optional[str] = None
    t4: Optional[str] = None
    csv: Optional[str] = None
    write_t1: Optional[str] = None
    output: Optional[str] = None
    parameters: list[Parameter] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    restrictions: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    listed: Optional[list[Configuration]] = None
    measured: Optional[list[Optional[float]]] = None
    problem: Optional[kernel_tuner.Problem] = None
