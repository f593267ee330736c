"""Tests of captures as wholes, of captures of machine code (tests/machine/suite, sm_80): repetitions, waves, budgets. The GPUs are such as run it.
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
from support import OfMachineCode  # noqa: E402

INSTEAD = {"gtx480": "rtx3070", "v100": "a100", "v100,a100": "a100,rtx3070"}


class OnAmpere(OfMachineCode):
    def call(self, tool, *words, **options):
        return super().call(tool, *(INSTEAD.get(word, word) if isinstance(word, str) else word for word in words), **options)


class Repeat(OnAmpere, test_repeat.Repeat):
    pass


class TimedWaves(OnAmpere, test_timed_waves.TimedWaves):
    pass


class Budget(OnAmpere, test_budget.Budget):
    test_each_gpu_has_it = None  # it reads the GPUs' names in the table


if __name__ == "__main__":
    unittest.main()
