"""Of many cases those that a run takes: a sixth, others after each commit; of long tests of whole programs a third or a quarter.

    from sampled import some                        some(cases)
    from sampled import load_tests                  the file's tests are sampled, a sixth
    from sampled import load_third as load_tests    a third; load_quarter: a quarter; load_twelfth: a twelfth

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
ARCHITECTURE = "WARPSCOPE_TEST_ARCHITECTURE"
TWELFTH, SIXTH, QUARTER, THIRD = 12, 6, 4, 3


@functools.cache
def commit():
    """The commit that is tested; empty without git."""
    done = subprocess.run(["git", "-C", pathlib.Path(__file__).parent, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def drawn(names, key, parts=SIXTH):
    """One of so many parts of the names, rounded up, that follows from the key."""
    ranked = sorted(names, key=lambda name: hashlib.sha256(f"{key} {name}".encode()).digest())
    return ranked[:-(-len(ranked) // parts)]


def architecture(name, known):
    """One of the architectures of NVIDIA's GPUs that are known (75, 80, …), for a group of tests: by the commit and its name, or
    WARPSCOPE_TEST_ARCHITECTURE, as scripts/test --long machine-code sets it to each."""
    given = os.environ.get(ARCHITECTURE)
    return int(given) if given else int(drawn(map(str, known), f"{commit()} {name}", len(list(known)))[0])


def some(cases, parts=SIXTH):
    """A part of a test's cases, in their order; all of them if WARPSCOPE_TEST_KERNELS is all."""
    cases = list(cases)
    if os.environ.get(VARIABLE) == "all":
        return cases
    names = drawn(map(str, cases), commit(), parts)
    return [case for case in cases if str(case) in names]


def tests_of(suite):
    """All tests of a suite, in their order."""
    return [test for part in suite for test in (tests_of(part) if isinstance(part, unittest.TestSuite) else [part])]


def _load(tests, parts):
    """Classes with EVERY_RUN = True run always."""
    every = {test.id().split(".", 1)[1]: test for test in tests_of(tests)}
    others = [name for name, test in every.items() if not getattr(test, "EVERY_RUN", False)]
    names = some(others, parts)
    print(f"{len(names)} of {len(others)} tests, again: /usr/bin/python3 -B {sys.argv[0]} {' '.join(names)}", flush=True)
    return unittest.TestSuite(test for name, test in every.items() if name in names or name not in others)


def load_tests(_loader, tests, _pattern):
    return _load(tests, SIXTH)


def load_twelfth(_loader, tests, _pattern):
    return _load(tests, TWELFTH)


def load_quarter(_loader, tests, _pattern):
    return _load(tests, QUARTER)


def load_third(_loader, tests, _pattern):
    return _load(tests, THIRD)
