"""Tests of captures as wholes, of captures of machine code (tests/machine/suite): repetitions, waves, budgets. The GPUs are such as run it. Each run takes
one architecture of three.
More of this kind: tests/whatif/test_laws.py, test_sort_index.py, tests/endtoend/test_sampled_cores.py, test_laws.py next to this file.
"""
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests")]
import test_budget  # noqa: E402
import test_repeat  # noqa: E402
import test_timed_waves  # noqa: E402
import sampled  # noqa: E402
from support import OfMachineCode  # noqa: E402

GPUS = {75: ("rtx2080", "t4"), 80: ("rtx3070", "a100"), 90: ("h200", "h20")}


class OnItsGpus(OfMachineCode):
    ARCHITECTURE = sampled.architecture("laws of today", GPUS)
    FIRST, SECOND = GPUS[ARCHITECTURE]
    INSTEAD = {"gtx480": FIRST, "v100": SECOND, "v100,a100": f"{SECOND},{FIRST}"}

    def call(self, tool, *words, **options):
        return super().call(tool, *(self.INSTEAD.get(word, word) if isinstance(word, str) else word for word in words), **options)


class Repeat(OnItsGpus, test_repeat.Repeat):
    pass


class TimedWaves(OnItsGpus, test_timed_waves.TimedWaves):
    pass


class Budget(OnItsGpus, test_budget.Budget):
    test_each_gpu_has_it = None  # it reads the GPUs' names in the table


if __name__ == "__main__":
    unittest.main()
