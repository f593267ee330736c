"""Of many cases those that a run takes: a quarter, another one after each commit.

WARPSCOPE_TEST_KERNELS=all takes all, as scripts/test --long kernels does. A test that is named on the command line runs always.
"""
import functools
import hashlib
import os
import pathlib
import subprocess
import sys
import unittest

VARIABLE = "WARPSCOPE_TEST_KERNELS"


@functools.cache
def commit():
    """The commit that is tested; empty without git."""
    done = subprocess.run(["git", "-C", pathlib.Path(__file__).parent, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def quarter(names, key):
    """A quarter of the names, rounded up, that follows from the key."""
    ranked = sorted(names, key=lambda name: hashlib.sha256(f"{key} {name}".encode()).digest())
    return ranked[:-(-len(ranked) // 4)]


def some(cases):
    """A quarter of a test's cases, in their order; all of them if WARPSCOPE_TEST_KERNELS is all."""
    cases = list(cases)
    return cases if os.environ.get(VARIABLE) == "all" else [case for case in cases if str(case) in quarter(map(str, cases), commit())]


def tests_of(suite):
    """All tests of a suite, in their order."""
    return [test for part in suite for test in (tests_of(part) if isinstance(part, unittest.TestSuite) else [part])]


def load_tests(_loader, tests, _pattern):
    """For a file of which a run takes a quarter of the tests: from sampled import load_tests. Classes with EVERY_RUN = True run always."""
    every = {test.id().split(".", 1)[1]: test for test in tests_of(tests)}
    others = [name for name, test in every.items() if not getattr(test, "EVERY_RUN", False)]
    names = some(others)
    print(f"{len(names)} of {len(others)} tests, again: /usr/bin/python3 -B {sys.argv[0]} {' '.join(names)}", flush=True)
    return unittest.TestSuite(test for name, test in every.items() if name in names or name not in others)
