"""CUB: functions of a block in a program's kernels, and algorithms for the device; results and counts."""
import os
import subprocess
import unittest

from support import BIN, SOURCE, ProgramTest
from support import load_third as load_tests  # noqa: F401

PROGRAMS = SOURCE / "tests/programs/cuda/cub"


class Cub(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        self.environment.pop("WARPSCOPE_GPU", None)

    def build(self, name):
        done = self.plain(BIN / "warpscope-nvcc", PROGRAMS / f"{name}.cu", "-o", name)
        self.assertEqual(done.returncode, 0, done.stderr)
        return f"./{name}"

    def test_blocks(self):
        done = self.assert_same_program(self.build("blocks"))
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        self.check()
        # By hand: 8 blocks of 4 warps; each warp stores its sum, and each block the whole one. All threads come to one barrier.
        self.assertEqual([self.launches()[0][count] for count in ("stores", "barriers")], [8 * 4 + 8, 1024])

    def test_device(self):
        done = self.assert_same_program(self.build("device"))
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        self.check()
        self.assertIn("DeviceReduceKernel", self.launches()[0]["kernel"])
        sites = subprocess.run([BIN / "trace-view", "x.wtrace", "--sites", "--launch", "0"], cwd=self.folder, capture_output=True, text=True, check=True)
        reads, shared = {}, 0
        for line in sites.stdout.splitlines():
            words = line.split()
            if words[1:3] == ["load", "global"]:
                reads[int(words[3])] = reads.get(int(words[3]), 0) + int(words[6])
            shared += int(words[6]) if words[1:3] == ["load", "local"] else 0
        # By hand: 24 tiles of 4096 numbers in loads of 16 bytes, and the rest one by one.
        self.assertEqual(reads, {16: 24 * 4096 // 4, 4: 100000 - 24 * 4096})
        # 25 blocks of 8 warps, in which thread 0 adds the sums of 7 others.
        self.assertEqual(shared, 25 * 7)


if __name__ == "__main__":
    unittest.main()
