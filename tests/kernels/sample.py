"""The kernels that a test of all kernels takes: in CI those of CORE and a quarter of the others, another one after each commit.

WARPSCOPE_TEST_KERNELS=all takes all, as scripts/test --long kernels does; names with commas between them take these.
"""
import functools
import hashlib
import os
import subprocess

from launches import SOURCE
from support import kernels

VARIABLE = "WARPSCOPE_TEST_KERNELS"
# Together they have every feature (features.py) that any kernel has: these in the order that gives most, and collatz for lanes that
# part by their data.
CORE = ("fmm_ulist", "flow", "nbody", "conv2d", "histogram", "merge_path", "conv3d", "hash_join", "probe", "stencil2d", "store_load", "collatz")


@functools.cache
def commit():
    """The commit that is tested; empty without git."""
    done = subprocess.run(["git", "-C", str(SOURCE), "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def quarter(names, key):
    """A quarter of the names, rounded up, that follows from the key."""
    ranked = sorted(names, key=lambda name: hashlib.sha256(f"{key} {name}".encode()).digest())
    return ranked[:-(-len(ranked) // 4)]


def some(cases):
    """A quarter of a test's cases, in their order; all of them if WARPSCOPE_TEST_KERNELS is all."""
    cases = list(cases)
    return cases if os.environ.get(VARIABLE) == "all" else [case for case in cases if str(case) in quarter(map(str, cases), commit())]


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
    return sorted([*CORE, *quarter(sorted(set(kernels()) - set(CORE)), commit())])
