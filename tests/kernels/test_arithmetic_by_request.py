"""READMEs of fdtd, stencil2d, hash_join and bfs, asserted exactly: every request of every warp is walked through here, as
the README and the kernel's data say, and its distinct lines are counted. Small sizes, lines of 32 words, one core.
"""
import unittest

from launches import Launch
import buffer_content  # next to the kernels
from test_arithmetic import LINE, Arithmetic, content, lines, warps


class ByRequest(Arithmetic):
    def assert_buffer(self, measured, kind, name, requests):
        """`requests`: lists of word numbers, one per warp instruction; empty ones are none."""
        requests = [words for words in requests if words]
        counts = measured.buffers[name][kind]
        self.assertEqual((name, kind, counts["requests"], counts["transactions"]),
                         (name, kind, len(requests), sum(lines(words) for words in requests)))

    def assert_cold(self, measured, name, requests):
        self.assertEqual((name, measured.cold_of(name)), (name, lines([word for words in requests for word in words])))

    def test_fdtd(self):
        got, width, rows = self.measure("fdtd"), 64 + 2, 16
        cells = [[y * width + x + lane for lane in range(LINE)] for y in range(1, rows + 1) for x in (1, 1 + LINE)]

        def moved(*by):
            return [[word + step for word in warp] for warp in cells for step in by]

        for name, requests in (("hz", moved(0, -width, -1, width, 1)), ("ex", moved(0, width)), ("ey", moved(0, 1))):
            self.assert_buffer(got, "load", name, requests)
            self.assert_cold(got, name, requests)
        for name in ("new_ex", "new_ey", "new_hz"):
            self.assert_buffer(got, "store", name, cells)
        self.assertEqual((got.total["load"]["lanes"], got.total["store"]["lanes"]), (9 * 64 * 16, 3 * 64 * 16))

    def test_stencil2d(self):
        tile, width = 16, 32 + 2
        got = self.measure("stencil2d")
        loads, stores = [], []
        for top in (1, 1 + tile):
            for left in (1, 1 + tile):
                for two in range(0, tile, 2):  # a warp has two rows of the tile
                    rows = [top + two, top + two + 1]
                    own = [y * width + left + x for y in rows for x in range(tile)]
                    stores.append(own)
                    loads += [own, [y * width + left - 1 for y in rows], [y * width + left + tile for y in rows],
                              [word - width for word in own[:tile]] if two == 0 else [],
                              [word + width for word in own[tile:]] if two == tile - 2 else []]
        self.assertEqual(sum(1 for words in loads if words), 4 * (8 + 8 + 8 + 1 + 1))
        self.assert_buffer(got, "load", "in", loads)
        self.assert_cold(got, "in", loads)
        self.assert_buffer(got, "store", "out", stores)
        self.assert_counts(got, local_stores=4 * (tile**2 + 4 * tile), local_loads=4 * 4 * tile**2)

    def test_hash_join(self):
        launch = Launch("hash_join")
        (key,) = content("hash_join", "key")
        buckets = launch.value("BUCKETS")
        table = buffer_content.content(launch.arguments["bucket"].fill, "uint", 4 * buckets)
        hashes = [value * 2654435769 % 2**32 for value in key]
        places, tags = [one % buckets for one in hashes], [1 + (one >> 28) for one in hashes]
        got = self.measure("hash_join")
        self.assert_buffer(got, "load", "key", warps(list(range(len(key)))))
        # A bucket is four words; quarter-warps are coalesced alone, so a request's transactions are theirs together.
        self.assertEqual(got.load("bucket"), sum(lines([4 * place for place in quarter]) for quarter in warps(places, 8)))
        self.assertEqual(got.load("bucket", "requests"), len(key) // LINE)
        self.assertEqual(got.cold_of("bucket"), lines([4 * place for place in places]))
        found = [[4 * places[i] + slot for i in warp if table[4 * places[i] + slot] == tags[i]]
                 for warp in warps(list(range(len(key)))) for slot in range(4)]
        self.assert_buffer(got, "load", "payload", found)
        self.assert_cold(got, "payload", found)
        for name in ("matches", "sum"):
            self.assert_buffer(got, "store", name, warps(list(range(len(key)))))

    def test_bfs(self):
        level, degree, neighbour = content("bfs", "level", "degree", "neighbour")
        widest = 16
        walks, looked_at, stored, frontiers = [], warps(list(range(len(level)))), [], []
        for warp in warps(list(range(len(level)))):
            frontier = [vertex for vertex in warp if level[vertex] == 3]
            frontiers.append(frontier)
            for k in range(widest):  # the lanes of the frontier walk in step; each leaves after its last neighbour
                places = [widest * vertex + k for vertex in frontier if k < degree[vertex]]
                others = [neighbour[place] for place in places]
                walks.append(places)
                looked_at.append(others)
                stored.append([other for other in others if level[other] == 0])
        got = self.measure("bfs")
        for name, requests in (("begin", frontiers), ("degree", frontiers), ("neighbour", walks), ("level", looked_at)):
            self.assert_buffer(got, "load", name, requests)
            self.assert_cold(got, name, requests)
        self.assert_buffer(got, "store", "next_level", stored)


del Arithmetic  # its tests are not this file's
if __name__ == "__main__":
    unittest.main()
