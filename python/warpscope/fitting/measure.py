"""Timings of the kernel op_chain on one core of the simulated GPU: what a fit of the timed engine's own parameters needs."""
from __future__ import annotations

import pathlib
import tempfile

from warpscope import results, simulation, toolchain
from warpscope.errors import InputError
from warpscope.fitting.timings import Timing
from warpscope.models import machine

NUMBERS = {"register": 0, "special": 1, "local": 2, "barrier": 3, "global": 4, "transaction_128b": 4}  # OPERATION of the kernel
WARPS = (1, 4, 8, 16, 32)
LENGTHS = (32, 64)  # operations of a warp: two runs, whose difference counts
OF_MODEL = {"hong-kim": ("global",), "dasgupta": ("transaction_128b",), "gpuperf": ("register", "special", "global"),
            "spt": ("global", "local", "register", "barrier")}


def _cycles(trace: pathlib.Path, gpu: str, changes: list[str], result: pathlib.Path) -> int:
    values: dict[str, object] = {**dict.fromkeys(("--carveout", "--cache", "--set-index")), "--gpu": gpu, "--set": ["cores=1", *changes]}
    simulation.simulate_timed(trace, values, ["--independent", "1"], result)
    cycles: int = results.load(result)["total"]["timing"]["cycles"]
    return cycles


def _most_warps(gpu: machine.Machine) -> int:
    sizes = [gpu.of_preset("max_work_group_size"), gpu.of_preset("max_work_items_per_core")]
    return min(size for size in (*sizes, 1024) if size is not None) // (gpu.of_preset("warp_size") or 32)


def timings(model: str, gpu: machine.Machine, changes: list[str]) -> list[Timing]:
    """Runs of a model's operations, in the order of OF_MODEL. `changes`: KEY=VALUE of the preset. Raises InputError."""
    if gpu.preset_name is None or gpu.of_preset("warp_size") != 32:
        raise InputError(f"--gpu {gpu.name}: expected a GPU preset with warps of 32 lanes: the kernel op_chain is written for them")
    kernel = machine.folder("benchmarks/kernels") / "op_chain" / "op_chain.cl"
    found = []
    with tempfile.TemporaryDirectory() as folder:
        trace, result = pathlib.Path(folder) / "chain.wtrace", pathlib.Path(folder) / "chain.json"
        for operation in OF_MODEL[model]:
            for warps in (number for number in WARPS if number <= _most_warps(gpu)):
                for length in LENGTHS:
                    items = 32 * warps
                    toolchain.output("trace-kernel", kernel, "-D", f"OPERATION={NUMBERS[operation]}", "-D", f"OPS={length}", "-D", f"ITEMS={items}",
                                     "--global", items, "-o", trace, quiet=True)
                    found.append(Timing(operation, warps, length, _cycles(trace, gpu.preset_name, changes, result)))
    return found
