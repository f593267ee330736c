"""The device that a traced OpenCL program sees is the GPU of the report: by kind, by its numbers, and with the program's own results."""
import pathlib
import shutil
import subprocess
import unittest

from support import BIN, TEST_BIN, ProgramTest
from support import load_third as load_tests  # noqa: F401

HOST = TEST_BIN / "programs_host"
PYTHON = "/usr/bin/python3"
FOUND, NOT_FOUND, MIB = 0, -1, 1 << 20
PYOPENCL = """
import numpy as np, pyopencl as cl, pyopencl.array
from pyopencl.scan import InclusiveScanKernel
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
x = cl.array.to_device(queue, np.arange(4000, dtype=np.int32) % 11)
y = cl.array.empty_like(x)
InclusiveScanKernel(context, np.int32, "a+b", neutral="0")(x, y)
assert (y.get() == np.cumsum(x.get())).all()
print("sum", y.get()[-1])
"""


class Kinds(ProgramTest):
    def kinds(self, *options):
        done = self.traced(HOST, "device_kinds", options=options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.splitlines()

    def test_a_gpu_is_found_by_every_call_that_asks_for_one(self):
        for like in ("v100", "mi100", "common"):
            with self.subTest(like):
                lines = self.kinds("--device-like", like)
                for kind in ("gpu", "cpu", "default", "all"):  # a CPU is there without us, too
                    self.assertIn(f"{kind}: {FOUND}, same 1, context 0", lines)
                    self.assertIn(f"{kind}: first 5, weighted sum {5 * 64 * 65 // 2}", lines)
                self.assertTrue(any(line.startswith(f"accelerator: {NOT_FOUND}, ") for line in lines), lines)
                self.assertIn("without a platform: 0", lines)
                self.assertIn("is gpu 1, is cpu 0", lines)
                self.assertEqual(len(self.launches()), 4)

    def test_pocl_is_as_without_us(self):
        self.assertEqual(self.kinds("--device-like", "pocl"), self.plain(HOST, "device_kinds").stdout.splitlines())

    def test_numbers_of_an_nvidia_gpu(self):
        plain = {line.split()[0]: line for line in self.plain(HOST, "device_kinds").stdout.splitlines()}
        memory = int(plain["global"].split()[1].rstrip(","))
        lines = self.kinds("--device-like", "gtx480")  # 1.5 GB, of which OpenCL gives a quarter at once; L2 of 768 KiB
        most = min(384 * MIB, int(plain["global"].split()[3].rstrip(",")))
        for line in ("name 'NVIDIA GeForce GTX 480'", "vendor 'The pocl project'", "vendor id 10006, clock 700", "vectors 1 1 1 1 1 1",
                     f"global {min(1536 * MIB, memory)}, most {most}, cache {768 * 1024}, line 128", "parts 1 of 1 kinds, first 0"):
            self.assertIn(line, lines)
        self.assertEqual(lines.count("too small: -30"), 2)  # CL_INVALID_VALUE

    def test_numbers_of_an_amd_gpu(self):
        lines = self.kinds("--device-like", "mi100")  # clinfo of AMD's cards: char 4, short 2, int 1, long 1, float 1, double 1
        self.assertIn("vectors 4 2 1 1 1 1", lines)
        self.assertIn("name 'AMD Instinct MI100'", lines)


@unittest.skipUnless(subprocess.run([PYTHON, "-c", "import pyopencl"], capture_output=True, check=False).returncode == 0,
                     "needs Debian's package python3-pyopencl")
class Libraries(ProgramTest):
    def test_pyopencl_takes_the_groups_of_a_gpu(self):
        """With a CPU its scan takes groups of 16 (test_applications.py compares all results)."""
        (self.folder / "scan.py").write_text(PYOPENCL)
        self.assert_same_program(PYTHON, "scan.py", options=["--device-like", "v100"])
        self.assertGreaterEqual(max(launch["local"][0] for launch in self.launches()), 128)
        self.traced(PYTHON, "scan.py", options=["--device-like", "pocl"])
        self.assertEqual(max(launch["local"][0] for launch in self.launches()), 16)


if __name__ == "__main__":
    unittest.main()
