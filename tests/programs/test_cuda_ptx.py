"""Inline PTX: results against the PTX manual's definitions, and captures equal to those of the same kernels in C++."""
import os
import unittest

from support import BIN, SOURCE, ProgramTest
from support import load_third as load_tests  # noqa: F401

PROGRAMS = SOURCE / "tests/programs/cuda/ptx"


class InlinePtx(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        self.environment.pop("WARPSCOPE_GPU", None)

    def build(self, name, *options):
        done = self.plain(BIN / "warpscope-nvcc", *options, PROGRAMS / f"{name}.cu", "-o", name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return f"./{name}"

    def test_arithmetic(self):
        done = self.plain(self.build("arithmetic"))
        self.assertEqual((done.stdout, done.stderr), ("ok, 111 instructions\n", ""))

    def test_memory_and_warps(self):
        done = self.assert_same_program(self.build("memory"))
        self.assertEqual(done.stdout, "ok\n")
        self.check()
        counts = [(launch["loads"], launch["stores"], launch["atomics"], launch["barriers"]) for launch in self.launches()]
        self.assertEqual(counts[0::2], counts[1::2], "PTX and C++")
        # By hand: 384 threads. 8 of 128 fill the second array; 100 add to the third counter; 200 do not end early.
        self.assertEqual(counts[0:6:2], [(3 * 384, 3 * 384, 0, 0), (3 * 384, 2 * 384 + 24, 0, 384), (0, 0, 5 * 384 + 100, 0)])
        self.assertEqual(counts[8], (200, 200, 0, 0))

    def test_matrices(self):
        done = self.assert_same_program(self.build("matrix", "-arch=sm_80"))
        self.assertEqual(done.stdout, "ok\n")
        self.check()
        # By hand. Copies of 16 bytes: 32 of A, 16 of each B. ldmatrix: all 32 lanes for A, 16 for each B. Two pairs of D per lane, twice.
        tile = next(launch for launch in self.launches() if launch["kernel"] == "tile")
        self.assertEqual([tile[kind] for kind in ("loads", "stores")], [(32 + 16 + 16) + (32 + 16 + 16), (32 + 16 + 16) + 2 * 2 * 32])

    def test_atomics_of_halves(self):
        done = self.assert_same_program(self.build("half_atomics"))
        self.assertEqual(done.stdout, "ok\n")
        self.check()
        # By hand: 6 by each of 128 threads, and one more in each of 2 blocks.
        self.assertEqual(self.launches()[0]["atomics"], 6 * 128 + 2)

    def test_macros_are_replaced_once(self):
        (self.folder / "k.cu").write_text("__global__ void k(int *a) { asm(\"add.s32 %0, %0, %1;\" : \"+r\"(a[threadIdx.x]) : \"r\"(N)); }\n", encoding="utf-8")
        done = self.plain(BIN / "trace-kernel", "k.cu", "--global", "4", "--local", "4", "--arg", "a=zero", "-D", "N=7", "-D", "T=3", "-o", "k.wtrace", "--dump-buffers", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out/a.bin").read_bytes(), 4 * bytes([7, 0, 0, 0]))

    def test_a_line_of_the_user_is_named(self):
        (self.folder / "k.cu").write_text("template <class T> __device__ void wait(T n) {\n  asm volatile(\"mbarrier\"\n    \".inval.b64 [%0];\" ::\n    \"l\"(0ll));\n}\n"
                                          "__global__ void k(int *a) {\n  a[0] = 1;\n  wait(3);\n}\n", encoding="utf-8")
        done = self.plain(BIN / "trace-kernel", "k.cu", "--global", "1")
        self.assertEqual(done.returncode, 3)
        self.assertIn("k.cu:2:3: inline PTX: mbarrier.inval.b64", done.stderr)


if __name__ == "__main__":
    unittest.main()
