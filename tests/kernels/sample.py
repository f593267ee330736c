"""The kernels that a test of all kernels takes: in CI those of CORE and a sixth of the others, another one after each commit.

WARPSCOPE_TEST_KERNELS=all takes all, as scripts/test --long kernels does; names with commas between them take these.
"""
import os
import pathlib
import sys

from support import kernels

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from sampled import VARIABLE, commit, drawn, some  # noqa: E402, F401

# Together they have every feature (features.py) that any kernel has: these in the order that gives most, and collatz for lanes that
# part by their data.
CORE = ("fmm_ulist", "flow", "nbody", "conv2d", "histogram", "merge_path", "conv3d", "hash_join", "probe", "stencil2d", "store_load", "collatz")


def chosen():
    """Names of the kernels to test, in order."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted == "all":
        return kernels()
    if wanted:
        names = wanted.split(",")
        unknown = sorted(set(names) - set(kernels()))
        if unknown:
            raise SystemExit(f"{VARIABLE}: no kernel '{unknown[0]}', expected all or names of folders of benchmarks/kernels")
        return names
    return sorted([*CORE, *drawn(sorted(set(kernels()) - set(CORE)), commit())])
