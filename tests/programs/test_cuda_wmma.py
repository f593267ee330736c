"""Fragments of a warp's matrices (nvcuda::wmma): products, and which lane accesses what."""
import os
import re
import unittest

from support import BIN, SOURCE, ProgramTest

PROGRAM = SOURCE / "tests/programs/cuda/wmma/wmma.cu"
# Accesses of a lane, by hand: elements of a fragment by elements that lie side by side. For each product: A and B at each of two
# steps, then C, and the store of D; first with A, C and D in rows and B in columns, then all the other way round.
VOLTA_HALF = {"half 16x16x16": ((2, 2, 4, 4), (4, 4, 8, 8)), "half 16x16x16 into half": ((2, 2, 1, 1), (4, 4, 8, 8))}
OTHER_HALF = {"half 16x16x16": ((4, 4, 4, 4), (8, 8, 8, 8)), "half 16x16x16 into half": ((4, 4, 4, 4), (8, 8, 8, 8))}
FROM_AMPERE = {"half 32x8x16": ((8, 2, 4, 4), (16, 4, 8, 8)), "half 8x32x16 into half": ((2, 8, 4, 4), (4, 16, 8, 8)),
               "bfloat16 16x16x16": ((4, 4, 4, 4), (8, 8, 8, 8)), "bfloat16 8x32x16": ((2, 8, 4, 4), (4, 16, 8, 8)),
               "tf32 16x16x8": ((4, 4, 4, 4), (4, 4, 8, 8)), "signed char 16x16x16": ((2, 2, 4, 4), (8, 8, 8, 8)),
               "unsigned char 32x8x16": ((4, 1, 4, 4), (16, 4, 8, 8)), "double 8x8x4": ((1, 1, 1, 1), (1, 1, 2, 2))}
WARPS = 6  # that have a tile, of 8


class Wmma(ProgramTest):
    def check_program(self, arch, lanes_of_places, products, *options):
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        self.environment.pop("WARPSCOPE_GPU", None)
        done = self.plain(BIN / "warpscope-nvcc", f"-arch={arch}", *options, PROGRAM, "-o", "wmma")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        traced = self.traced("./wmma")
        self.assertEqual((traced.returncode, traced.stdout), (0, "ok\n"), traced.stderr)
        self.check()
        launches = self.launches()
        self.assertEqual([launch["loads"] for launch in launches[:2]], [0, 32 * lanes_of_places])
        found = [(launch["loads"], launch["stores"]) for launch in launches[2:2 + 2 * len(products)]]
        lanes = 32 * WARPS
        self.assertEqual(found, [(lanes * (2 * (a + b) + c), lanes * d) for orders in products.values() for a, b, c, d in orders])

    def check_places(self, a, b, c):
        """Lane 5 of the kernel that tells places: offsets in the order of the loads."""
        done = self.plain(BIN / "trace-view", "--launch", "1", "--work-item", "0:5", "x.wtrace")
        self.assertEqual(done.returncode, 0, done.stderr)
        loads = [line for line in done.stdout.splitlines() if " load " in line]
        self.assertEqual([int(re.search(r" \+ (\d+) ", line)[1]) for line in loads], a + b + c)
        lines = [line.rpartition(" ")[2] for line in loads]
        self.assertEqual([line.partition(":")[0] for line in lines], ["wmma.cu"] * len(lines))

    def test_volta(self):
        self.check_program("sm_70", 2 + 4 + 4, VOLTA_HALF)
        # The second of the four lanes of group 1: row 9 of A, columns 0 to 3 and rows 1, 5, 9, 13 of B, rows 9 and 11 of C.
        self.check_places([288, 304], [32, 160, 288, 416], [576, 704, 592, 720])

    def test_ampere(self):
        self.check_program("sm_80", 4 + 8 + 4, {**OTHER_HALF, **FROM_AMPERE}, "-DFROM_AMPERE")
        # The same lane: rows 1 and 9, columns 2, 3, 10, 11 of A and C; rows 2, 3, 10, 11 and columns 1 and 9 of B.
        self.check_places([36, 292, 52, 308], [66, 98, 322, 354, 82, 114, 338, 370], [72, 584, 104, 616])


if __name__ == "__main__":
    unittest.main()
