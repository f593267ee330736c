"""Counters of machine code executed here are those of an H100 that do not depend on caches."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests"), str(SOURCE / "python")]
from support import BIN  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402

MEASURED = SOURCE / "validation" / "hardware" / "nvidia-h100-80gb-hbm3" / "2026-11-26-medium.json"


@unittest.skipUnless(cuda_tools.look("nvcc"), "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class CountersNeedsCudaToolkit(unittest.TestCase):
    def test_counters_of_an_h100(self):
        """Shared memory and barriers; irregular loads and loops of different lengths; atomics. Compiled by nvcc 13.0.88 there."""
        for launch, pairs in (("atax/", 17), ("spmv_csr/", 13), ("histogram/", 13)):
            with self.subTest(launch=launch), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([SOURCE / "validation" / "machine-counters", MEASURED, "--only", launch, "--bin", BIN, "-o", folder], capture_output=True,
                                      text=True, check=True, env={**os.environ, "WARPSCOPE_CACHE": ""})
                total = done.stdout.split("| all | ")[1].split(" | ")
                self.assertEqual(int(total[0]), pairs)
                self.assertIn("(100.0 %)", total[1], done.stdout)


if __name__ == "__main__":
    unittest.main()
