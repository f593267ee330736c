"""what-if --readonly: loads of an object through the read-only path (texture path, LDG), where the GPU has one.

What it is, by generation (NVIDIA Kepler, Maxwell and Pascal Tuning Guides; CUDA C Programming Guide, __ldg()):

- G80, GT200, Fermi: none for loads of global memory; textures need another program.
- Kepler of compute capability 3.5 and later: a cache of its own, 48 KiB per core, next to the L1, which takes private memory only.
- Maxwell and Pascal: the L1 is the texture cache. Where it does not take global loads by default, it takes read-only ones.
- Volta and later: the L1 takes all global loads, and these are the same.
"""
import dataclasses

from warpscope.base.errors import InputError
from warpscope.result import machine
from warpscope.run.request import LayoutChange


@dataclasses.dataclass(frozen=True)
class Plan:
    """What the read-only path comes to on a GPU: changes of the capture, and what is done, in lines."""

    layout: tuple
    done: list


def _accesses(part, kinds=machine.KINDS):
    return sum(part[kind]["requests"] for kind in kinds)


def _check(result, names):
    buffers = {}
    for buffer in result["buffers"]:
        if buffer["space"] in ("global", "constant"):
            buffers.setdefault(buffer["name"], []).append(buffer)
    for name in names:
        if name not in buffers:
            raise InputError(f"--readonly {name}: the result has no object '{name}' of global memory, expected one of {', '.join(buffers)}")
        if any(_accesses(buffer, ("store", "atomic")) for buffer in buffers[name]):
            raise InputError(f"--readonly {name}: is written to, expected an object that kernels only read: the read-only path sees no stores")


def _private(result):
    return any(_accesses(buffer) for buffer in result["buffers"] if buffer["space"] == "private")


def plan(result, names):
    """The Plan for these objects. `result`: of the capture as it is, on the GPU. Raises InputError."""
    _check(result, names)
    generation, gpu = machine.preset_value(result, "generation", "?"), (result["context"].get("preset") or {}).get("name", "the GPU")
    listed = ", ".join(names)

    def unchanged(why):
        return Plan((), [f"{listed}: nothing changes: {why}"])

    if machine.preset_value(result, "l1_caches_global_loads"):
        if generation == "Fermi":
            return unchanged(f"{gpu} (Fermi) has no read-only path for global memory")
        return unchanged(f"the L1 of {gpu} takes all global loads, and its read-only path is the same cache")
    marks = tuple(LayoutChange("readonly", name) for name in names)
    path = machine.readonly_path(result)
    if path == "l1":
        return Plan(marks, [f"{listed}: the L1 of {gpu} takes its loads, as texture cache; all other global memory bypasses it as before"])
    if path == "cache":
        if _private(result):
            raise InputError(f"--readonly {listed}: the kernels use private memory, which stays in the L1 of {gpu}; this what-if simulates "
                             "one cache, expected kernels without private memory")
        return Plan(marks, [f"{listed}: its loads take the read-only cache of {gpu}, 48 KiB (16 sets of 24 lines: GPGPU-Sim's model)"])
    return unchanged(f"{gpu} ({generation}) has no read-only path for global memory")


