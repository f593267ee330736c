"""The law of test_laws.py for random pitches, paddings, structures, shifts and tiles, and for kernels of the suite. A run takes a
sixth of the random cases (sampled.py), scripts/test --long kernels all."""
import os
import random
import unittest

from laws import LawTest
from sampled import VARIABLE, some

CASES = int(os.environ.get("WARPSCOPE_WHATIF_CASES", "4"))  # of each kind
GPUS = ("gtx280", "gtx480", "gtx680", "gtx1080", "rtx2080", "h100")


class RandomLayouts(LawTest):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("WARPSCOPE_SEED", "16"))

    def each_case(self):
        for case in some(range(CASES)):
            with self.subTest(f"seed {self.seed}, case {case}", again=f"{VARIABLE}=all /usr/bin/python3 -B {__file__}"):
                chance = random.Random(f"{self.seed} {case}")
                yield chance, (chance.choice(GPUS),)

    def test_pitches(self):
        for chance, gpus in self.each_case():
            side = chance.choice((32, 48, 64))
            old, new = (side + chance.choice((0, 1, 2, 4, 7, 16, 32, chance.randrange(100))) for _ in range(2))
            if old == new:
                new += 1

            def rows(output, pitch, side=side):
                return self.launch(output, "rows", f"{side},{side}", "16,8",
                                   [f"in=count={side}*{pitch},fill=iota", f"out=count={side}*{side}", f"pitch={pitch}",
                                    f"out_pitch={side}"])

            before, really = rows("before.wtrace", old), rows("really.wtrace", new)
            self.assert_law(before, ["--pitch", f"in={old}:{new}"], really, gpus)
            if new > old:
                self.assert_law(before, ["--pad", f"in=+{new - old}"], really, gpus)

    def test_tiles(self):
        for chance, gpus in self.each_case():
            tile = chance.choice((8, 16))  # 512 work-items in a group are the most that a GT200 takes
            old, new = chance.sample(range(6), 2)

            def capture(output, pad, tile=tile):
                return self.launch(output, "tile", "64,64", f"{tile},{tile}", ["in=count=64*64", "out=count=64*64", "width=64"], "-D",
                                   f"TILE={tile}", "-D", f"PAD={pad}")

            before, really = capture("before.wtrace", old), capture("really.wtrace", new)
            self.assert_law(before, ["--pitch", f"tile={tile + old}:{tile + new}"], really, (*gpus, "gtx480"))

    def test_shifts(self):
        for chance, gpus in self.each_case():
            old, more = chance.randrange(64), chance.randrange(1, 80)

            def capture(output, first):
                return self.launch(output, "shifted", "2048", "128", [f"in=count={3 * 2048 + first}", "out=count=2048", "n=2048"], "-D",
                                   f"FIRST={first}")

            before, really = capture("before.wtrace", old), capture("really.wtrace", old + more)
            self.assert_law(before, ["--offset", f"in={4 * more}"], really, (*gpus, "gtx480"))

    def test_transposed(self):
        for chance, gpus in self.each_case():
            width, height, depth = chance.choice((32, 64)), chance.choice((16, 32)), chance.randrange(5, 70)

            def capture(output, changed, width=width, height=height, depth=depth):
                return self.launch(output, "product", f"{width},{height}", "16,8",
                                   [f"A=count={height}*{depth}", f"B=count={width}*{depth}", f"C=count={width}*{height}", f"n={width}",
                                    f"depth={depth}"], "-D", f"CHANGED={changed}")

            before, really = capture("before.wtrace", 0), capture("really.wtrace", 1)
            self.assert_law(before, ["--transpose", f"B={depth}x{width}:4"], really, (*gpus, "gtx480"))

    def test_structures(self):
        for chance, gpus in self.each_case():
            items = 64 * chance.randrange(1, 20)
            name = chance.choice(("particles", "vectors"))

            def capture(output, changed, items=items, name=name):
                return self.launch(output, name, items, "64", [f"p=count=4*{items},fill=random(3)", f"out=count={items}", f"n={items}"],
                                   "-D", f"CHANGED={changed}")

            before, really = capture("before.wtrace", 0), capture("really.wtrace", 1)
            self.assert_law(before, ["--split", "p=16:4,4,4,4"], really, (*gpus, "gtx480"))


class Suite(LawTest):
    def test_transpositions(self):
        """mt_padded is mt_tiled with rows of one element more."""
        for tile in (16, 32):
            for name in ("mt_tiled", "mt_padded"):
                self.capture(name, "--size", "small", "-D", f"TILE={tile}", output=f"{name}.wtrace")
            self.assert_law("mt_tiled.wtrace", ["--pad", "tile=+1"], "mt_padded.wtrace", ("gtx480", "gtx1080", "h100"))
            self.assert_same_time("changed.wtrace", "mt_padded.wtrace")
            self.assert_law("mt_padded.wtrace", ["--pitch", f"tile={tile + 1}:{tile}"], "mt_tiled.wtrace")

    def test_tile_of_sources(self):
        """TRANS=1 of fmm_ulist keeps the four words of a source side by side, in one access; TRANS=0 has four arrays."""
        for output, trans in (("before.wtrace", 1), ("really.wtrace", 0)):
            self.capture("fmm_ulist", "--size", "small", "-D", "SHMEM=1", "-D", f"TRANS={trans}", output=output)
        self.assert_law("before.wtrace", ["--split", "tiles=16:4,4,4,4"], "really.wtrace")

    def test_identity(self):
        """A layout that is the old one is the old capture, for kernels with loops, divergence, barriers and atomics."""
        for name, change in (("mm", "B=32:32"), ("mm_tiled", "A=32:32"), ("histogram", None), ("bitonic", None), ("spmv_csr", None),
                             ("fmm_ulist", None), ("nbody", "body=4:4"), ("reduction", None)):
            self.capture(name, "--size", "small")
            buffers = self.result("capture.wtrace", "--gpu", "gtx480")["buffers"]
            changes = ["--pitch", change] if change else [word for buffer in buffers for word in ("--offset", f"{buffer['name']}=0")]
            changed = self.change("capture.wtrace", *changes)
            identities = {self.result(path, "--gpu", "gtx480")["context"]["capture_hash"] for path in ("capture.wtrace", changed)}
            self.assertEqual(len(identities), 1, name)


if __name__ == "__main__":
    unittest.main()
