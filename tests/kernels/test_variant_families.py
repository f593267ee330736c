"""Families of validation/hardware/families whose variants were measured (transpose, coulomb, conv7x7, convolution), at tiny sizes:
their results, and requests and sectors as the descriptions say. A request is worked out here, lane by lane. A run takes a
sixth of the tests (sampled.py), scripts/test --long kernels all.
"""
import struct
import unittest

from launches import SOURCE
from support import ToolTest
from sampled import load_tests  # noqa: F401

FAMILIES = SOURCE / "validation" / "hardware" / "families"
GPU = "rtx2080"
LANES = 32


def sectors(requests):
    """Of requests, each the words of its lanes."""
    return sum(len({word // 8 for word in words}) for words in requests)


class Groups:
    """Work-items of a launch by warps: (x, y) in the work-group, and the work-group's place."""

    def __init__(self, grid, block):
        items = [(x, y) for y in range(block[1]) for x in range(block[0])]
        warps = [items[at:at + LANES] for at in range(0, len(items), LANES)]
        self.warps = [((gx, gy), warp) for gy in range(grid[1]) for gx in range(grid[0]) for warp in warps]

    def requests(self, words_of):
        """`words_of(group, item)`: per instruction the word, or None where the lane is not active."""
        made = []
        for group, warp in self.warps:
            for words in zip(*(words_of(group, item) for item in warp)):
                active = [word for word in words if word is not None]
                if active:
                    made.append(active)
        return made


class Family(ToolTest):
    def measure(self, family, **defines):
        words = [word for name, value in defines.items() for word in ("-D", f"{name}={value}")]
        self.run_tool("trace-kernel", FAMILIES / family / f"{family}.cl", "--size", "small", *words, "--verify", "--dump-buffers", "out",
                      "-o", "x.wtrace")
        result = self.result("x.wtrace", "--gpu", GPU)
        self.buffers = {buffer["name"]: buffer for buffer in result["buffers"]}
        self.sites, self.local = result["sites"], result["total"]["outside_l1"]["local"]

    def assert_accesses(self, kind, name, requests):
        counts = self.buffers[name][kind]
        self.assertEqual((name, kind, counts["requests"], counts["sectors"]), (name, kind, len(requests), sectors(requests)))

    def private(self, kind, what):
        return sum(site[kind][what] for site in self.sites if site["space"] == "private")

    def floats(self, name):
        data = (self.folder / "out" / f"{name}.bin").read_bytes()
        return struct.unpack(f"<{len(data) // 4}f", data)


class Transpose(Family):
    SIZE = 64

    def transpose(self, vector, column_reads, block, tile_y, diagonal=0):
        size, (width, height) = self.SIZE, block
        self.measure("transpose", SIZE=size, VECTOR_TYPE=vector, CR=column_reads, WORK_GROUP_SIZE_X=width, WORK_GROUP_SIZE_Y=height,
                     TILE_SIZE_X=width, TILE_SIZE_Y=tile_y, DIAGONAL_MAP=diagonal)
        self.assert_transposed()
        grid = (size // vector // width, size // tile_y)

        def places(group, item):
            row = sum(group) % grid[1] if diagonal else group[1]
            return [(group[0] * width + item[0], row * tile_y + y) for y in range(item[1], tile_y, height)]

        def row_wise(group, item):
            return [[y * size + x * vector + i for i in range(vector)] for x, y in places(group, item)]

        def column_wise(group, item):
            return [(x * vector + i) * size + y for x, y in places(group, item) for i in range(vector)]

        groups = Groups(grid, block)
        rows = [[word for vectors in request for word in vectors] for request in groups.requests(row_wise)]
        columns = groups.requests(column_wise)
        self.assert_accesses("load", "in", columns if column_reads else rows)
        self.assert_accesses("store", "out", rows if column_reads else columns)

    def assert_transposed(self):
        size, before, after = self.SIZE, self.floats("in"), self.floats("out")
        self.assertEqual(after, tuple(before[x * size + y] for y in range(size) for x in range(size)))

    def test_row_reads(self):
        self.transpose(1, 0, (8, 4), 16)

    def test_column_reads_of_vectors_along_diagonals(self):
        self.transpose(4, 1, (4, 8), 16, diagonal=1)

    def test_through_local_memory(self):
        size, width, height, tile = self.SIZE, 16, 4, 8
        self.measure("transpose", SIZE=size, LOCAL_MEM=1, PADD_LOCAL=1, WORK_GROUP_SIZE_X=width, WORK_GROUP_SIZE_Y=height,
                     TILE_SIZE_X=width, TILE_SIZE_Y=tile)
        self.assert_transposed()
        groups = Groups((size // width, size // tile), (width, height))
        step = width * height // tile
        self.assert_accesses("load", "in", groups.requests(
            lambda g, item: [(g[1] * tile + y) * size + g[0] * width + item[0] for y in range(item[1], tile, height)]))

        def stored(group, item):
            number = item[1] * width + item[0]
            return [(group[0] * width + i) * size + group[1] * tile + number % tile for i in range(number // tile, width, step)]

        self.assert_accesses("store", "out", groups.requests(stored))
        self.assertEqual((self.local["load"]["lanes"], self.local["store"]["lanes"]), (size * size, size * size))


class Coulomb(Family):
    GRID, ATOMS = 16, 8

    def coulomb(self, slices, unroll, soa):
        self.measure("coulomb", GRID=self.GRID, ATOMS=self.ATOMS, Z_ITERATIONS=slices, INNER_UNROLL_FACTOR=unroll, USE_SOA=soa)
        return self.GRID**3 // slices // LANES  # warps

    def test_sums_in_registers(self):
        warps = self.coulomb(4, 0, 0)
        self.assert_accesses("load", "atoms", [[4 * atom + i for i in range(4)] for atom in range(self.ATOMS)] * warps)
        # A warp has two rows of the grid.
        self.assertEqual((self.buffers["energy"]["load"]["requests"], self.buffers["energy"]["load"]["sectors"]), (4 * warps, 16 * warps))
        self.assertEqual(self.private("load", "sectors"), 0)

    def test_sums_in_private_memory(self):
        slices = 4
        warps = self.coulomb(slices, 2, 1)
        for name in ("atom_x", "atom_y", "atom_z", "atom_w"):
            self.assert_accesses("load", name, [[atom] for atom in range(self.ATOMS)] * warps)
        per_warp = LANES * 4 // 32 * slices * (self.ATOMS + 1)  # once per atom and slice, and once at the start or the end
        self.assertEqual((self.private("load", "sectors"), self.private("store", "sectors")), (per_warp * warps, per_warp * warps))


class Conv7x7(Family):
    SIZE, PITCH = 64, 70

    def test_window_in_registers(self):
        size, block, wx, wy = self.SIZE, (8, 8), 2, 1
        self.measure("conv7x7", SIZE=size, TBX_XL=8, TBY_XL=8, WPTX=wx, WPTY=wy, VECTOR=2)
        groups = Groups((size // 8 // wx, size // 8 // wy), block)

        def corner(group, item):
            return (group[0] * 8 + item[0]) * wx, (group[1] * 8 + item[1]) * wy

        def window(group, item):
            left, top = corner(group, item)
            return [(top + y) * self.PITCH + left + x for x in range(wx + 6) for y in range(wy + 6)]

        self.assert_accesses("load", "in", groups.requests(window))
        self.assert_accesses("load", "coefficients", [[word] for word in range(49)] * len(groups.warps))
        self.assertEqual((self.buffers["out"]["store"]["requests"], self.buffers["out"]["store"]["sectors"]),
                         (len(groups.warps), size * size // 8))
        self.assert_filtered(size)

    def assert_filtered(self, size):
        image, filtered, out = self.floats("in"), self.floats("coefficients"), self.floats("out")
        for x, y in ((0, 0), (size - 1, 17), (31, size - 1)):
            exact = sum(image[(y + b) * self.PITCH + x + a] * filtered[7 * b + a] for a in range(7) for b in range(7))
            self.assertAlmostEqual(out[y * size + x], exact, places=3)

    def test_staged_window_in_private_memory(self):
        size, wx, wy, width, height = self.SIZE, 1, 2, 8, 16
        self.measure("conv7x7", SIZE=size, LOCAL=1, TBX_XL=width, TBY_XL=height, WPTX=wx, WPTY=wy, UNROLL_FACTOR=1)
        groups = Groups((size // width // wx, size // height // wy), (width, height))

        def staged(group, item):
            words = []
            for h in range(wy):  # the own element, then the halo: left, right, top, bottom, corners
                x, y = item[0], item[1] * wy + h
                across = [0] + [by for by, needed in ((-3, x < 3), (3, x >= width - 3)) if needed]
                down = [0] + [by for by, needed in ((-3, y < 3), (3, y >= height * wy - 3)) if needed]
                for by in (-3, 0, 3):
                    for at in (-3, 0, 3):
                        place = (group[1] * height * wy + y + by + 3) * self.PITCH + group[0] * width + x + at + 3
                        words.append(place if by in down and at in across else None)
            return words

        requests = groups.requests(staged)
        self.assertEqual((self.buffers["in"]["load"]["requests"], self.buffers["in"]["load"]["sectors"]),
                         (len(requests), sectors(requests)))
        self.assertEqual(self.private("store", "sectors"), len(groups.warps) * 4 * (wx + 6) * (wy + 6))
        self.assert_filtered(size)


class Convolution(Family):
    @staticmethod
    def inside(column, row, pitch):
        return row * pitch + column if max(column, row) < pitch else None

    def test_tile(self):
        size, (width, height), tile = 64, (16, 4), (3, 1)
        self.measure("convolution", SIZE=size, block_size_x=width, block_size_y=height, tile_size_x=tile[0], tile_size_y=tile[1],
                     read_only=1)
        pitch, outputs = size + 14, (width * tile[0], height * tile[1])
        groups = Groups((-(-size // outputs[0]), size // outputs[1]), (width, height))

        across = -(-(outputs[0] + 14) // width)  # elements of a row for the lanes that have most

        def staged(group, item):
            """Rows of elements: those left over from the fours, then the fours; as many places for every lane."""
            count = -(-(outputs[0] + 14 - item[0]) // width)
            columns = [item[0] + width * i for i in range(count)]
            in_row = columns[:count % 4] + [None] * (3 - count % 4) + columns[count % 4:]
            in_row += [None] * (3 + across - len(in_row))
            rows = [item[1] + height * i for i in range(-(-(outputs[1] + 14) // height))]
            return [self.inside(group[0] * outputs[0] + x, group[1] * outputs[1] + y, pitch)
                    if x is not None and y < outputs[1] + 14 else None for y in rows for x in in_row]

        loads = groups.requests(staged)
        self.assert_accesses("load", "in", loads)
        image, weights, out = self.floats("in"), self.floats("filter"), self.floats("out")
        for x, y in ((0, 0), (63, 40), (47, 63)):
            exact = sum(image[(y + i) * pitch + x + j] * weights[15 * i + j] for i in range(15) for j in range(15))
            self.assertAlmostEqual(out[y * size + x], exact, places=2)

        self.measure("convolution", SIZE=size, block_size_x=width, block_size_y=height, tile_size_x=tile[0], tile_size_y=tile[1],
                     read_only=1, copies_only=1)
        self.assert_accesses("load", "in", loads)

    def test_outputs_share_rows_of_the_filter_that_are_unrolled_together(self):
        """24 outputs below each other: three rows one by one read 24 rows of the tile each, four times three rows read 26."""
        self.measure("convolution", SIZE=48, block_size_x=32, block_size_y=1, tile_size_x=1, tile_size_y=24, read_only=0)
        warps = 2 * 2  # each of a work-group of its own
        self.assertEqual(self.local["load"]["requests"], warps * (3 * 24 + 4 * 26) * 15)


class Commands(unittest.TestCase):
    EVERY_RUN = True

    def test_every_command_names_a_kernel(self):
        tables = sorted((SOURCE / "validation" / "truth" / "commands").glob("*.csv"))
        for table in tables:
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                self.assertTrue((SOURCE / line.split(",")[1]).is_file(), line)


del Family  # it has no tests
if __name__ == "__main__":
    unittest.main()
