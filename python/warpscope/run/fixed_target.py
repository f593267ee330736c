"""One CPU target for kernels whose results and addresses must be the same on every machine.

PoCL compiles for the CPU that it finds, and with it decide the built-in functions and whether a * b + c is rounded once or twice."""
import os
import pathlib

from warpscope.base.errors import ToolFailed
from warpscope.run import simulation

CPU = "haswell"  # as LLVM calls it: AVX2 and fused multiply-adds, no AVX-512; x86-64-v3
KERNEL_LIBRARY = "avx2"  # PoCL's built-in functions for it, which also decide the target where PoCL has several, as Debian's has
NEEDED = ("avx2", "fma", "bmi1", "bmi2", "f16c", "abm", "movbe")  # as /proc/cpuinfo calls them
# What a user may set of PoCL; its other variables change code.
KEPT = ("POCL_CACHE_DIR", "POCL_DEBUG", "POCL_DEVICES", "POCL_KERNEL_CACHE", "POCL_MAX_PTHREAD_COUNT")
CPU_INFO = pathlib.Path("/proc/cpuinfo")


def missing(text):
    """What the CPU lacks, from the text of /proc/cpuinfo; all of NEEDED if it says nothing."""
    flags = next((line.partition(":")[2].split() for line in text.splitlines() if line.partition(":")[0].strip() == "flags"), [])
    return [flag for flag in NEEDED if flag not in flags]


def environment(given=None):
    """The environment for trace-kernel, from `given` (default: ours). Raises ToolFailed with status 3 on a CPU that has not got what the target needs."""
    try:
        text = CPU_INFO.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    if lacking := missing(text):
        raise ToolFailed(simulation.EXIT_NOT_TRACEABLE, f"kernels are compiled for {CPU} here, expected a CPU that also has {', '.join(lacking)}")
    given = os.environ if given is None else given
    kept = {name: value for name, value in given.items() if not name.startswith("POCL_") or name in KEPT}
    return {**kept, "POCL_LLVM_CPU_NAME": CPU, "POCL_KERNELLIB_NAME": KERNEL_LIBRARY}
