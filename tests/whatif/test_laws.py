"""A what-if counts what the kernel counts that was really changed: pairs of kernels, both captured."""
import unittest

from laws import LawTest, OfMachineCode, line_of


class Laws(LawTest):
    def rows(self, output, pitch, out_pitch=48, height=48):
        return self.launch(output, "rows", "48,48", "16,8",
                           [f"in=count={height}*{pitch},fill=iota", f"out=count={height}*{out_pitch},fill=zero", f"pitch={pitch}",
                            f"out_pitch={out_pitch}"])

    def test_pitch(self):
        before, really = self.rows("before.wtrace", 48), self.rows("really.wtrace", 80)
        self.assert_law(before, ["--pitch", "in=48:80"], really)
        self.assert_same_time("changed.wtrace", really)

    def test_pad_finds_the_row(self):
        self.assert_law(self.rows("before.wtrace", 48), ["--pad", "in=+3"], self.rows("really.wtrace", 51))

    def test_a_narrower_pitch(self):
        self.assert_law(self.rows("before.wtrace", 64), ["--pitch", "in=64:48"], self.rows("really.wtrace", 48))

    def test_moved_neighbours(self):
        """The object behind one that grows moves: its sets change, and its address is that of the changed program."""
        before, really = self.rows("before.wtrace", 48), self.rows("really.wtrace", 49, 50)
        self.assert_law(before, ["--pitch", "in=48:49", "--pitch", "out=48:50"], really)

    def tile(self, output, *macros, tile=16):
        return self.launch(output, "tile", "64,64", f"{tile},{tile}", ["in=count=64*64", "out=count=64*64", "width=64"], "-D",
                           f"TILE={tile}", *macros)

    def test_padded_tile(self):
        for tile in (16, 32):
            before, really = self.tile("before.wtrace", tile=tile), self.tile("really.wtrace", "-D", "PAD=1", tile=tile)
            self.assert_law(before, ["--pad", "tile=+1"], really)
            if self.PADDING_IS_FREE:
                self.assert_same_time("changed.wtrace", really)
            self.assert_law(really, ["--pitch", f"tile.tile={tile + 1}:{tile}"], before)

    def test_swizzled_tile(self):
        for tile in (16, 32):
            before, really = self.tile("before.wtrace", tile=tile), self.tile("really.wtrace", "-D", "CHANGED=1", tile=tile)
            self.assert_law(before, ["--swizzle", f"tile={4 * tile}"], really)

    def test_tile_of_the_caller(self):
        def capture(output, pitch):
            return self.launch(output, "given_tile", "64,64", "16,16",
                               ["in=count=64*64", "out=count=64*64", f"tile={16 * pitch * 4}", "width=64"], "-D", f"PAD={pitch - 16}")

        before, really = capture("before.wtrace", 16), capture("really.wtrace", 20)
        self.assert_law(before, ["--pitch", "tile=16:20"], really)
        for gpu in ("gtx480", "h100"):  # local memory decides how many work-groups are resident
            left, right = (self.simulated(name, gpu)["context"]["schedule"]["residency"] for name in ("changed.wtrace", really))
            self.assertEqual([entry["work_groups"] for entry in left], [entry["work_groups"] for entry in right])

    def test_occupancy_follows_local_memory(self):
        def capture(output, pitch):
            return self.launch(output, "given_tile", "64,64", "16,16",
                               ["in=count=64*64", "out=count=64*64", f"tile={16 * pitch * 4}", "width=64"], "-D", f"PAD={pitch - 16}")

        before, really = capture("before.wtrace", 16), capture("really.wtrace", 176)
        changed = self.change(before, "--pitch", "tile=16:176")
        at_first, then, expected = (self.simulated(name, "gtx480")["context"]["schedule"]["residency"][0]["work_groups"]
                                    for name in (before, changed, really))
        self.assertEqual(then, expected)
        self.assertEqual(then, 48 * 1024 // (16 * 176 * 4))
        self.assertLess(then, at_first)

    def particles(self, kernel, output, *macros):
        return self.launch(output, kernel, "1024", "128", ["p=count=4*1024,fill=random(3)", "out=count=1024", "n=1024"], *macros)

    def test_split(self):
        before, really = (self.particles("particles", *words) for words in (("before.wtrace",), ("really.wtrace", "-D", "CHANGED=1")))
        self.assert_law(before, ["--split", "p=16:4,4,4,4"], really)
        self.assert_law(before, ["--split", "p=16"], really)

    def test_a_wide_load_becomes_four(self):
        before, really = (self.particles("vectors", *words) for words in (("before.wtrace",), ("really.wtrace", "-D", "CHANGED=1")))
        self.assert_law(before, ["--split", "p=16:4,4,4,4"], really)
        requests = [self.simulated(name, "h100")["total"]["load"]["requests"] for name in (before, "changed.wtrace")]
        self.assertEqual(requests, [1024 // 32, 4 * 1024 // 32])

    def product(self, output, *macros):
        return self.launch(output, "product", "64,32", "16,16",
                           ["A=count=32*40", "B=count=64*40", "C=count=64*32", "n=64", "depth=40"], *macros)

    def test_transpose(self):
        before, really = self.product("before.wtrace"), self.product("really.wtrace", "-D", "CHANGED=1")
        self.assert_law(before, ["--transpose", "B=40x64:4"], really)
        self.assert_law(really, ["--transpose", "B=64x40:4"], before)

    def shifted(self, output, first):
        return self.launch(output, "shifted", "2048", "128", [f"in=count={3 * 2048 + first}", "out=count=2048", "n=2048"], "-D",
                           f"FIRST={first}")

    def test_offset(self):
        before, really = self.shifted("before.wtrace", 0), self.shifted("really.wtrace", 5)
        self.assert_law(before, ["--offset", "in=20"], really)

    def test_align(self):
        # Element 5 is at byte 20; the next multiple of 128 is element 32. The object grows by 27 elements.
        before, really = self.shifted("before.wtrace", 5), self.shifted("really.wtrace", 32)
        self.assert_law(before, ["--align", "in=128"], really)

    def ordered(self, output, change, size):
        return self.launch(output, "ordered", f"{size},{size}", "8,8",
                           [f"A=count={size}*{size}", f"B=count={size}*{size}", f"C=count={size}*{size}", f"n={size}"], "-D",
                           f"CHANGED={change}")

    def test_groups_in_tiles(self):
        self.assert_law(self.ordered("before.wtrace", 0, 96), ["--groups", "tile:4x2"], self.ordered("really.wtrace", 1, 96))

    def test_groups_along_a_morton_curve(self):
        self.assert_law(self.ordered("before.wtrace", 0, self.SQUARE), ["--groups", "morton"], self.ordered("really.wtrace", 2, self.SQUARE))

    def twice(self, output, *macros):
        return self.launch(output, "twice", "1024", "128", ["in=count=1024", "other=count=1024", "out=count=1024", "n=1024"], *macros)

    def test_bypass(self):
        before, really = self.twice("before.wtrace"), self.twice("really.wtrace", "-D", "CHANGED=1")
        self.assert_law(before, ["--bypass", "in"], really)
        self.assertGreater(self.simulated("changed.wtrace", "h100")["total"]["load"]["bypasses"], 0)

    def quads(self, output, *macros):
        return self.launch(output, "quads", "1024", "128", ["in=count=4*1024", "out=count=1024"], *macros)

    def test_widen(self):
        before, really = self.quads("before.wtrace"), self.quads("really.wtrace", "-D", "CHANGED=1")
        self.assert_law(before, ["--widen", f"layouts.cl:{line_of('in[4 * i] * in')}"], really)
        requests = [self.simulated(name, "h100")["total"]["load"]["requests"] for name in (before, "changed.wtrace")]
        self.assertEqual(requests, [4 * 1024 // 32, 1024 // 32])

    def pairs(self, output, *macros):
        return self.launch(output, "pairs", "512", "128", ["in=count=6*600", "out=count=512", "kept=512", "n=5"], *macros)

    def test_widen_pairs(self):
        """Structures of 24 bytes: 8 is the widest that they align. Also in local memory, and of lines together."""
        before, really = self.pairs("before.wtrace"), self.pairs("really.wtrace", "-D", "CHANGED=1")
        first, last = line_of("sum += p[0] * p[1]"), line_of("kept[l & ~1]")
        self.assert_law(before, ["--widen", f"layouts.cl:{first}", "--widen", f"layouts.cl:{last}"], really)
        self.assert_law(before, ["--widen", f"layouts.cl:{first}-{last}"], really)

    def test_there_and_back(self):
        """Two changes that undo each other give the capture's own identity."""
        def identity(capture):
            return self.simulated(capture, "h100")["context"]["capture_hash"]

        before = self.rows("before.wtrace", 48)
        for changes in (["--pitch", "in=48:60", "--pitch", "in=60:48"], ["--transpose", "in=48x48:4", "--transpose", "in=48x48:4"],
                        ["--swizzle", "in=64:8", "--swizzle", "in=64:8"]):
            self.assertEqual(identity(self.change(before, *changes)), identity(before), changes)

    def test_same_bytes_twice(self):
        before = self.rows("before.wtrace", 48)
        for name in ("one.wtrace", "two.wtrace"):
            self.change(before, "--pad", "in=+1", output=name)
        self.assertEqual((self.folder / "one.wtrace").read_bytes(), (self.folder / "two.wtrace").read_bytes())


class LawsOfMachineCode(OfMachineCode, Laws):
    # Local memory as a parameter is no parameter in CUDA.
    test_tile_of_the_caller = test_occupancy_follows_local_memory = test_widen_pairs = None


if __name__ == "__main__":
    unittest.main()
