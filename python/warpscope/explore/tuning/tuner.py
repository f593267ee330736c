"""One tuning run: from what was asked for to ranked variants and their files."""
from __future__ import annotations

import json
import pathlib
import shlex
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional

from warpscope.base import csv_cells, files, presets, toolchain
from warpscope.base.errors import InputError
from warpscope.explore.models import predictors
from warpscope.explore.tuning import kernel_tuner, search, table
from warpscope.explore.tuning.launch import Launch
from warpscope.explore.tuning.request import Request
from warpscope.explore.tuning.space import Configuration, Space, local_size
from warpscope.explore.tuning.variants import Kernel, Simulator, Variant, words_of
from warpscope.result import launches
from warpscope.run.experiment import processors
from warpscope.run.request import Gpu
from warpscope.run.simulation import check_options

COLUMNS = ("cycles", "transactions", "l1_hit_rate", "local_conflicts")  # of the table, next to the objective


@dataclass
class Progress:
    """How far a run is: `done` of at most `of` simulations; `best`: the least objective so far."""

    done: int
    of: int
    best: Optional[float]


@dataclass
class Tuning:
    """What a run found. `variants`: by their objective, invalid ones last; `allowed`: how many variants there are."""

    kernel: Kernel
    space: Space
    objective: str
    strategy: str
    variants: list[Variant]
    allowed: int
    reused: int
    measured: Optional[dict[Configuration, Optional[float]]]
    folder: pathlib.Path

    @property
    def best(self) -> Variant:
        """The variant with the least objective."""
        return self.variants[0]

    def valid(self) -> list[Variant]:
        return [variant for variant in self.variants if variant.is_valid]

    def command(self, variant: Variant) -> str:
        """The `warpscope` command that looks at a variant."""
        capture, machine, _ = words_of(self.space.parameters, variant.configuration)
        words = ["warpscope", str(self.kernel.path), *self.kernel.launch.words, *self.kernel.sizes(variant.configuration), *capture]
        return shlex.join([*words, *machine, *self.kernel.gpu.words()])

    def rows(self) -> list[dict[str, Any]]:
        """A row per variant: its parameters, the objective, invalidity and reason, the measures of both clocks."""
        names = sorted({name for variant in self.variants for clock in (variant.fixed, variant.timed) for name in clock or {}})
        found = []
        for rank, variant in enumerate(self.variants, 1):
            row = {**variant.configuration, "rank": rank if variant.is_valid else None, self.objective: variant.measure(self.objective),
                   "milliseconds": variant.milliseconds, "invalidity": variant.invalidity, "reason": variant.why,
                   **{name: variant.measure(name) for name in variant.models}}
            for name in names:
                for prefix, clock in (("", variant.fixed), ("timed_", variant.timed)):
                    if name in (clock or {}) and (prefix == "" or name not in (variant.fixed or {})):
                        row.setdefault(name, (clock or {})[name])
            found.append(row)
        return found

    def csv_text(self) -> str:
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        return csv_cells.table(names, rows)

    def lines(self, top: int = 10) -> list[str]:
        """What `warpscope tune` prints."""
        return table.lines(self, top)


def _own(kernel: Kernel, request: Request) -> dict[str, Any]:
    """The macros of the launch file, with their values."""
    path = kernel.launch_file()
    if path is None or path.suffix != ".launch" or request.problem is not None:
        return {}
    values: dict[str, Any] = launches.evaluated(path, kernel.launch.size)["define_values"]
    return values


def _constants(kernel: Kernel, request: Request) -> dict[str, Any]:
    """Macros that no parameter sets, with their values."""
    names = {parameter.name for parameter in request.parameters}
    return {name: value for name, value in {**_own(kernel, request), **request.constants}.items() if name not in names}


def _sizes(kernel: Kernel, request: Request) -> Callable[[dict[str, Any]], Mapping[str, int]]:
    def sizes(named: dict[str, Any]) -> Mapping[str, int]:
        path = kernel.launch_file()
        if path is None:
            raise InputError(f"--restrict: gx … lz: {kernel.path} has no launch file, expected one next to it")
        local = next((local_size(named[one.name]) for one in request.parameters if one.kind == "local"), kernel.launch.local_size)
        defines = {**request.constants, **{one.name: named[one.name] for one in request.parameters if one.kind == "define"}}
        launch = launches.evaluated(path, kernel.launch.size, defines, kernel.launch.global_size, local)
        return dict(zip(("gx", "gy", "gz", "lx", "ly", "lz"), [*launch["global"], *(launch["local"] or [1, 1, 1])]))

    return sizes


def space_of(kernel: Kernel, request: Request) -> Space:
    """The variants of a kernel. Raises InputError."""
    return Space(request.parameters, request.restrictions, request.listed, _constants(kernel, request), _sizes(kernel, request))


def _start(space: Space, allowed: list[Configuration], own: Mapping[str, Any]) -> Configuration:
    """The launch file's own variant if it is there, else the middle one."""
    for one in allowed if set(own) & set(space.names) else []:
        if all(own.get(name, value) == value for name, value in space.named(one).items()):
            return one
    return allowed[len(allowed) // 2]


def _kernel(request: Request) -> Kernel:
    gpu = Gpu(request.gpu or toolchain.given_gpu() or toolchain.DEFAULT_GPU, request.changes)
    clock = "fixed" if presets.is_amd(gpu.name) else request.clock
    kernel = Kernel(pathlib.Path(request.kernel), gpu, Launch.of_words(request.others), clock)
    kernel.by = predictors.listed(request.by, gpu.name) if request.by else []
    if request.problem is not None:
        kernel.sizes = request.problem.size_words
    check_options(gpu.words(), quiet=True)
    return kernel


def _order(variants: list[Variant], objective: str) -> list[Variant]:
    def key(variant: Variant) -> tuple[bool, float]:
        value = variant.measure(objective)
        return value is None, value or 0.0

    return sorted(variants, key=key)


def _objective(kernel: Kernel) -> str:
    if kernel.by:
        return kernel.by[0].name
    return "cycles" if kernel.clock == "both" else "l1_to_l2_read_sectors"


def run(request: Request, on_progress: Optional[Callable[[Progress], None]] = None) -> Tuning:
    """Simulates, writes the files, and returns the ranking. Raises InputError, also where no variant is valid."""
    kernel = _kernel(request)
    space = space_of(kernel, request)
    allowed = space.all()
    objective = request.objective or _objective(kernel)
    most = min(request.max_simulations or len(allowed), len(allowed))
    strategy = request.strategy or ("all" if most == len(allowed) else "greedy")
    folder = pathlib.Path(request.output or f"warpscope-tune-{kernel.path.stem}")
    if request.write_t1:
        _write_problem(request.write_t1, space, kernel, allowed)
    progress = Progress(0, most, None)

    def count(variant: Variant) -> None:
        value = variant.measure(objective)
        progress.done += 1
        progress.best = value if progress.best is None else min(progress.best, progress.best if value is None else value)
        if on_progress:
            on_progress(progress)

    simulator = Simulator(kernel, space, folder, request.jobs or processors(), count)
    found: dict[Configuration, Variant] = {}

    def simulate(batch: list[Configuration]) -> search.Costs:
        found.update(simulator.each(batch))
        return {one: found[one].measure(objective) for one in batch}

    start = _start(space, allowed, _own(kernel, request))
    search.run(strategy, space, allowed, start, request.seed, most, simulate)
    _check(list(found.values()), objective)
    measured = dict(zip(request.listed or [], request.measured)) if request.measured else None
    tuning = Tuning(kernel, space, objective, strategy, _order(list(found.values()), objective), len(allowed), simulator.reused, measured,
                    folder)
    _publish(tuning, request)
    return tuning


def _check(variants: list[Variant], objective: str) -> None:
    """Raises InputError if nothing can be ranked."""
    valid = [variant for variant in variants if variant.is_valid]
    if not valid:
        raise InputError(f"none of {len(variants)} variants is valid; the first: {variants[0].why}")
    if all(variant.measure(objective) is None for variant in valid):
        if objective in valid[0].models:
            raise InputError(f"--by {objective}: {valid[0].models[objective]}")
        known = sorted({name for clock in (valid[0].fixed, valid[0].timed) for name in clock or {}})
        raise InputError(f"--objective {objective}: no variant has it, expected one of {', '.join(known)}")


def _publish(tuning: Tuning, request: Request) -> None:
    t4 = json.dumps(kernel_tuner.results(tuning.variants, tuning.objective), indent=1) + "\n"
    files.write(tuning.folder / "results.json", t4)
    if request.t4:
        files.write(request.t4, t4)
    files.write(tuning.folder / "results.csv", tuning.csv_text())
    if request.csv:
        files.write(request.csv, tuning.csv_text())


MOST_EVALUATED = 256  # variants whose arguments are compared, for --write-t1


def _write_problem(path: str, space: Space, kernel: Kernel, allowed: list[Configuration]) -> None:
    """Writes T1. Raises InputError for what T1 cannot say."""
    file = kernel.launch_file()
    if file is None or file.suffix != ".launch":
        raise InputError(f"--write-t1: {kernel.path} has no launch file, expected one next to it")
    size, sizes = kernel.launch.size, kernel.launch.global_size
    if other := [word for word in (*kernel.launch.others, *(["--local"] if kernel.launch.local_size else [])) if word.startswith("-")]:
        raise InputError(f"--write-t1: T1 cannot say {other[0]}, expected no more than -D, --size and --global")
    said = kernel_tuner.launch_text(file)
    said.update(said.get("sizes", {}).get(size, {}) if size else {})
    said.update({"global": sizes} if sizes else {})
    launched = [launches.evaluated(file, size, {**space.constants, **space.named(one)}, sizes)["arguments"]
                for one in allowed[:MOST_EVALUATED]]
    for first, other in zip(launched[0] * len(launched), (one for each in launched for one in each)):
        if first != other:
            raise InputError(f"--write-t1: argument {first['name']} differs from variant to variant, which T1 cannot say; expected one size "
                             "for all, such as --global 256,256")
    files.write(path, json.dumps(kernel_tuner.problem(space, kernel.path, said, launched[0], len(allowed)), indent=1) + "\n")
