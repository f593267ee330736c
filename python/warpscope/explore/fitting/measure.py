"""Timings of the kernel op_chain on one core of the simulated GPU: what a fit of the timed engine's own parameters needs."""
from __future__ import annotations

import pathlib
import tempfile

from warpscope.base import toolchain
from warpscope.base.errors import InputError
from warpscope.explore.fitting.timings import Timing
from warpscope.explore.models import machine
from warpscope.result import results
from warpscope.run import simulation
from warpscope.run.request import Gpu, Request

NUMBERS = {"register": 0, "special": 1, "local": 2, "barrier": 3, "global": 4, "transaction_128b": 4, "memory_barrier": 4}  # OPERATION of the kernel
WARPS = (1, 4, 8, 16, 32)
LENGTHS = (32, 64)  # operations of a warp: two runs, whose difference counts
BARRIERS = (8, 64)  # among 64 loads
OF_MODEL = {"hong-kim": ("global",), "dasgupta": ("transaction_128b",), "gpuperf": ("register", "special", "global", "memory_barrier"),
            "spt": ("global", "local", "register", "barrier")}


def _simulated(trace: pathlib.Path, gpu: str, changes: list[str], result: pathlib.Path) -> dict[str, int]:
    """`timing` of the launch on one core."""
    simulation.simulate_timed(trace, Request(Gpu(gpu, ("cores=1", *changes))), ["--set", "dependence_distance=1"], result)
    timing: dict[str, int] = results.load(result)["total"]["timing"]
    return timing


def _most_warps(gpu: machine.Machine) -> int:
    sizes = [gpu.of_preset("max_work_group_size"), gpu.of_preset("max_work_items_per_core")]
    return min(size for size in (*sizes, 1024) if size is not None) // (gpu.of_preset("warp_size") or 32)


def _costing(pair: list[Timing]) -> list[Timing]:
    """Both runs, or none where barriers among loads cost nothing: such runs have no slope to fit."""
    return pair if pair[0].operation != "memory_barrier" or pair[1].cycles > pair[0].cycles else []


def timings(model: str, gpu: machine.Machine, changes: list[str]) -> list[Timing]:
    """Runs of a model's operations, in the order of OF_MODEL. `changes`: KEY=VALUE of the preset. Raises InputError."""
    if gpu.preset_name is None or gpu.of_preset("warp_size") != 32:
        raise InputError(f"--gpu {gpu.name}: expected a GPU preset with warps of 32 lanes: the kernel op_chain is written for them")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for operation in OF_MODEL[model]:
            for warps in (number for number in WARPS if number <= _most_warps(gpu)):
                lengths = BARRIERS if operation == "memory_barrier" else LENGTHS
                found += _costing([_timing(operation, warps, length, gpu.preset_name, changes, pathlib.Path(folder)) for length in lengths])
    return found


def _timing(operation: str, warps: int, length: int, gpu: str, changes: list[str], folder: pathlib.Path) -> Timing:
    """A run of `length` operations per warp; of memory_barrier that many barriers among as many loads as there are barriers at most."""
    kernel = machine.folder("benchmarks/kernels") / "op_chain" / "op_chain.cl"
    among = operation == "memory_barrier"
    counts = ["-D", f"OPS={BARRIERS[-1]}", "-D", f"BARRIERS={length}"] if among else ["-D", f"OPS={length}"]
    trace, result = folder / "chain.wtrace", folder / "chain.json"
    toolchain.output("trace-kernel", kernel, "-D", f"OPERATION={NUMBERS[operation]}", *counts, "-D", f"ITEMS={32 * warps}", "--global", 32 * warps,
                     "-o", trace, quiet=True)
    timing = _simulated(trace, gpu, changes, result)
    share = round(timing["memory_instructions"] / (timing["warp_instructions"] - length * warps), 3) if among else 1.0
    return Timing(operation, warps, length, timing["cycles"], memory_share=share)
