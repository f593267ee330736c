"""Counters of machine code executed here are those of an H100 that do not depend on caches."""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests"), str(SOURCE / "python"), str(SOURCE / "validation")]
from collect import convolutions, family_launches, group_classes, machine_launches  # noqa: E402
from support import BIN  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402

H100 = SOURCE / "validation" / "hardware" / "nvidia-h100-80gb-hbm3"
KEPT = SOURCE / "validation" / "notes" / "machine-code.csv"
MEDIUM, FAMILIES = "2026-11-26-medium.csv", "2026-11-26-families.csv"
# Pairs that are not zero: shared memory and barriers; irregular loads and loops of different lengths; private memory that is indexed.
SAMPLE = ((MEDIUM, "atax/", 15), (MEDIUM, "spmv_csr/", 13), (FAMILIES, "coulomb/16x4-z4-u1-", 14))
LONG = ((MEDIUM, ""), ("2026-11-26-large.csv", ""), (FAMILIES, ""), ("2026-11-27-unseen.csv", ""))


def run_counters(file, folder, *words):
    return subprocess.run([SOURCE / "validation" / "machine-counters", H100 / file, "--bin", BIN, "-o", folder, *words], capture_output=True,
                          text=True, check=True, env={**os.environ, "WARPSCOPE_CACHE": ""}).stdout


@unittest.skipUnless(cuda_tools.look("nvcc"), "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class CountersNeedsCudaToolkit(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_counters_of_an_h100(self):
        """Compiled by nvcc 13.0.88 there. Half of what is run for all: with WARPSCOPE_TEST_KERNELS=all it is what validation/notes/machine-code.csv has."""
        for file, launch, pairs in SAMPLE:
            with self.subTest(launch=launch):
                printed = run_counters(file, self.folder / launch.replace("/", "-"), "--only", launch)
                total = printed.split("| all | ")[1].split(" | ")
                self.assertEqual((int(total[0]), total[1]), (pairs, f"{pairs} (100.0 %)"), printed)
        if os.environ.get("WARPSCOPE_TEST_KERNELS") != "all":
            return
        kept = {(row["launch"], row["counter"]): row["machine"] for row in csv.DictReader(KEPT.open(encoding="utf-8"))}
        for file, launch in LONG:
            run_counters(file, self.folder / "all", "--only", launch, "--most-instructions", "2e7")
        for row in csv.DictReader((self.folder / "all" / "counters.csv").open(encoding="utf-8")):
            self.assertEqual(float(row["machine"]), float(kept.get((row["launch"], row["counter"]), 0)), row)  # zeros are not kept

    def test_some_work_groups_stand_for_all(self):
        """Sums of parts are those of all work-groups. Rows of inputs are no whole sectors, and tiles do not divide the image: 100 is 5 · 19 + 5, and 33 · 3 + 1."""
        os.environ["WARPSCOPE_BIN"] = str(BIN)
        for size, values in ((100, (5, 8, 1, 3, 0, 0)), (100, (32, 1, 1, 3, 0, 1))):
            with self.subTest(values=values):
                row = convolutions.row_of("own/convolution/one", values)
                row["options"] += f" -D SIZE={size}"
                launch = family_launches.Launch(row, self.folder)
                rules = group_classes.rules_of("convolution", launch.defines, False)
                words = machine_launches.compiled(launch, "sm_90", self.folder)
                parts = group_classes.classes(launch.grid, rules)
                self.assertLess(sum(map(len, parts.values())), launch.groups)
                some, every = (machine_launches.simulated(words, which, "h100", self.folder) for which in (parts, group_classes.classes(launch.grid, None)))
                # Hits and misses are not sums of parts.
                self.assertEqual(*({name: value for name, value in one.items() if "hit" not in name and "ratio" not in name and not name.startswith(("lts", "sm__"))}
                                   for one in (some, every)))
                self.assertGreater(every["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 0)


if __name__ == "__main__":
    unittest.main()
