"""-arch, -code and -gencode: which __CUDA_ARCH__ device code sees."""
import os
import re

from warpscope.base import presets, toolchain
from warpscope.nvcc.errors import Fatal

DEFAULT, OLDEST, NEWEST = toolchain.ARCHITECTURE, 35, 86  # NEWEST: what release 11.5 knows
SIMULATED = 90  # of the GPU that programs see without $WARPSCOPE_GPU (toolchain.DEFAULT_GPU)
KNOWN = (35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86)
NAME = re.compile(r"(?:sm|compute|lto)_(\d{2,3})[af]?")
SPECIAL = ("native", "all", "all-major")


def native(folder, default=DEFAULT):
    """The compute capability of $WARPSCOPE_GPU as a number such as 75; `default` without one. `folder`: of NAME.json."""
    gpu = os.environ.get("WARPSCOPE_GPU", "")
    path = folder / f"{presets.canonical(gpu)}.json"
    if not gpu or "/" in gpu or not path.is_file():
        return default
    said = presets.read(path).get("compute_capability", {})
    version = said.get("value", "") if isinstance(said, dict) else ""
    return int(version.replace(".", "")) if re.fullmatch(r"\d+\.\d", version) else default


def number_of(name):
    """sm_70, compute_70, sm_90a → 70, 90; native, all, all-major → the name itself."""
    if name in SPECIAL:
        return name
    if found := NAME.fullmatch(name):
        return int(found[1])
    raise Fatal(f"Unsupported gpu architecture '{name}'")


def of_gencode(value):
    """The number that arch= names in arch=compute_70,code=sm_70."""
    if found := re.search(r"(?:^|,)arch=([\w-]+)", value):
        return number_of(found[1])
    raise Fatal(f"Option '--generate-code {value}', missing architecture")


def settle(named, folder):
    """What counts of those that the command line names, in its order: (number, warning or "")."""
    first = named[0] if named else DEFAULT
    if first in SPECIAL:
        first = native(folder)
    if first < OLDEST:
        return OLDEST, f"the architecture sm_{first} is older than sm_{OLDEST}: __CUDA_ARCH__ is {OLDEST * 10}"
    if first > NEWEST:
        return first, f"the architecture sm_{first} is newer than release 11.5: __CUDA_ARCH__ is {first * 10}, what it added is missing"
    return first, ""
