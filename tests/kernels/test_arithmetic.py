"""What the kernels' READMEs expect by arithmetic, asserted: transactions, cold misses, hits, local accesses, barriers.

Small sizes, one core, lines of 128 bytes, 16 KiB in 4 ways with LRU and linear sets unless said otherwise. Where counts
depend on data, the expected ones are computed here from the launch file's content, request by request. A run takes a sixth of
the tests (sampled.py), scripts/test --long kernels all.
"""
import json
import unittest

from launches import Launch
import buffer_content  # next to the kernels
from support import ToolTest
from sampled import load_tests  # noqa: F401

LINE = 32  # words of a line, lanes of a warp
FULLY = ("16", "128", "128", "LRU", "WTNA")


class Measured:
    """Counts of one launch."""

    def __init__(self, result, summary):
        self.total = result["total"]
        self.launch = summary
        self.buffers = {buffer["name"]: buffer for buffer in result["buffers"]}
        self.loads = self.total["load"]["transactions"]
        self.stores = self.total["store"]["transactions"]
        self.misses = self.total["load"]["misses"]
        self.cold = self.total["miss_classes"]["cold"]
        local = self.total["outside_l1"]["local"]
        self.local_loads, self.local_stores = local["load"]["lanes"], local["store"]["lanes"]
        self.barriers = summary["barriers"]

    def load(self, buffer, what="transactions"):
        return self.buffers[buffer]["load"][what]

    def store(self, buffer, what="transactions"):
        return self.buffers[buffer]["store"][what]

    def cold_of(self, buffer):
        return self.buffers[buffer]["miss_classes"]["cold"]


class Arithmetic(ToolTest):
    def measure(self, name, *options, cache=("16", "128", "4", "LRU", "WTNA"), simulate=()):
        self.capture(name, "--size", "small", *options, output="x.wtrace")
        result = self.result("x.wtrace", *cache, "--self-check", *simulate)
        self.assert_conserved(result)
        return Measured(result, json.loads(self.run_tool("trace-view", "--summary", "--json", "x.wtrace"))["launches"][0])

    def assert_counts(self, measured, **expected):
        self.assertEqual({name: getattr(measured, name) for name in expected}, expected)


def content(name, *buffers, **defines):
    """A small launch's buffers before it runs, as lists of numbers."""
    launch = Launch(name, defines=defines)
    arguments = [launch.arguments[buffer] for buffer in buffers]
    return [buffer_content.content(one.fill, "uint", one.count) for one in arguments]


def warps(values, width=LINE):
    return [values[at:at + width] for at in range(0, len(values), width)]


def lines(words):
    return len({word // LINE for word in words})


class Dense(Arithmetic):
    def test_mm(self):
        for width in (32, 64):
            groups = (width // 16)**2
            got = self.measure("mm", "--global", f"{width},{width}")
            self.assert_counts(got, loads=24 * width * groups, cold=2 * width * width // LINE)

    def test_tiled_mm(self):
        width = 64
        got = self.measure("mm_tiled", "--global", f"{width},{width}")
        self.assert_counts(got, loads=2 * width * 16, cold=2 * width * width // LINE,
                           barriers=width * width * 2 * width // 16)
        self.assert_counts(self.measure("mm_regtile"), loads=128 * width, cold=2 * width * width // LINE)

    def test_transpositions(self):
        for n, local, load_lines, store_lines in ((64, "32,8", 64 * 64 // 32, 64 * 64), (64, "16,16", 64 * 64 // 16, 64 * 64 // 2)):
            got = self.measure("mt", "--global", f"{n},{n}", "--local", local)
            self.assert_counts(got, loads=load_lines, stores=store_lines, cold=n * n // 32)
        for name in ("mt_tiled", "mt_padded", "mt_diagonal"):
            for tile in (32, 16):
                n = 64
                got = self.measure(name, "--global", f"{n},{n}", "-D", f"TILE={tile}")
                self.assert_counts(got, loads=n * n // tile, stores=n * n // tile, cold=n * n // 32,
                                   local_loads=n * n, local_stores=n * n, barriers=n * n)

    def test_matrix_times_vector(self):
        n, local = 64, 32
        square, vector, in_warps = n * n // LINE, n // LINE, n // 32
        self.assert_counts(self.measure("atax"), loads=34 * n * in_warps, stores=n // local * vector,
                           cold=square + vector)
        self.assert_counts(self.measure("bicg"), loads=35 * n * in_warps, stores=2 * vector, cold=square + 2 * vector)
        self.assert_counts(self.measure("mvt"), loads=(35 * n + 2) * in_warps, stores=2 * vector,
                           cold=square + 4 * vector)
        self.assert_counts(self.measure("gesummv"), loads=65 * n * in_warps, stores=vector, cold=2 * square + vector)
        got = self.measure("gemver")
        self.assert_counts(got, loads=(4 * n + 3) * in_warps, stores=(n + 1) * in_warps, cold=square + 6 * vector)
        self.assertEqual(got.load("A", "misses"), square)
        self.assertEqual(got.store("A", "hits"), n * in_warps)

    def test_syrk(self):
        m, groups = 32, 4
        self.assert_counts(self.measure("syrk"), loads=(144 * m + 16) * groups, stores=16 * groups,
                           cold=2 * 32 * 32 // LINE)

    def test_convolutions(self):
        # Rows of three warps: those at the edges lack a lane and with it a line, for three rows of neighbours each.
        got = self.measure("conv2d", "--global", "96,16")
        self.assert_counts(got, loads=(4 + 5 + 4) * 3 * 14, cold=96 * 16 // LINE)
        self.assertEqual(got.total["load"]["lanes"], 9 * 94 * 14)
        got = self.measure("conv3d")
        self.assert_counts(got, loads=(4 + 4) * 9 * 2 * 2, cold=64 * 4 * 4 // LINE)
        self.assertEqual(got.total["load"]["lanes"], 27 * 62 * 2 * 2)

    def test_stencils(self):
        got = self.measure("stencil2d")
        tile, groups = 16, 4
        self.assertEqual(got.total["load"]["lanes"], (tile**2 + 4 * tile) * groups)
        self.assert_counts(got, local_stores=(tile**2 + 4 * tile) * groups, local_loads=4 * tile**2 * groups)
        got = self.measure("fdtd")
        self.assertEqual((got.total["load"]["lanes"], got.total["store"]["lanes"]), (9 * 64 * 16, 3 * 64 * 16))
        got = self.measure("stencil")
        self.assertEqual((got.total["load"]["lanes"], got.total["store"]["lanes"]), (7 * 126 * 2 * 2, 126 * 2 * 2))


class Irregular(Arithmetic):
    def test_sparse_matrices(self):
        (length,) = content("spmv_csr", "length")
        got = self.measure("spmv_csr")
        for buffer in ("column", "value"):
            self.assertEqual(got.load(buffer), sum(length))
            self.assertEqual(got.cold_of(buffer), sum(1 for count in length if count))
        (length,) = content("spmv_ell", "length")
        got = self.measure("spmv_ell")
        for buffer in ("column", "value"):
            self.assertEqual(got.load(buffer), sum(max(rows) for rows in warps(length)))
            self.assertEqual(got.load(buffer, "misses"), got.load(buffer))

    def test_bfs(self):
        level, degree, neighbour = content("bfs", "level", "degree", "neighbour")
        got = self.measure("bfs")
        with_frontier = sum(1 for some in warps(level) if 3 in some)
        visited = [other for vertex, at in enumerate(level) if at == 3
                   for other in neighbour[16 * vertex:][:degree[vertex]]]
        self.assertEqual(got.load("begin"), with_frontier)
        self.assertEqual(got.load("degree"), with_frontier)
        self.assertEqual(got.load("level", "lanes"), len(level) + len(visited))
        self.assertEqual(got.store("next_level", "lanes"), sum(1 for other in visited if level[other] == 0))

    def test_indirect_accesses(self):
        n = 256 * 4
        got = self.measure("scatter")
        self.assert_counts(got, loads=2 * n // LINE, misses=2 * n // LINE)
        places = [i * 2654435769 % n for i in range(n)]
        self.assertEqual(got.stores, sum(lines(some) for some in warps(places)))
        (index,) = content("gather", "idx")
        got = self.measure("gather")
        self.assertEqual(got.load("idx", "misses"), len(index) // LINE)
        self.assertEqual(got.load("data"), sum(lines(some) for some in warps(index)))

    def test_hash_join(self):
        (key,) = content("hash_join", "key")
        bucket = [4 * (value * 2654435769 % 2**32 & 255) for value in key]
        got = self.measure("hash_join")
        self.assertEqual(got.load("key", "misses"), len(key) // LINE)
        self.assertEqual(got.load("bucket"), sum(lines(some) for some in warps(bucket, 8)))
        self.assertEqual(got.stores, 2 * len(key) // LINE)

    def test_kmeans(self):
        features, centres, points = 8, 4, 128
        self.assert_counts(self.measure("kmeans"), loads=centres * features * (features + 1) * points // LINE,
                           cold=points * features // LINE + centres * features // LINE,
                           misses=points * features // LINE + centres * features // LINE)

    def test_nbody(self):
        n, local = 128, 64
        # A work-item's own body is one load of 16 bytes, though its mass is not used: 4 lines, as those of every tile.
        self.assert_counts(self.measure("nbody"), loads=(1 + n // local) * 4 * n // 32, cold=n // 8,
                           local_loads=n * n, local_stores=n * n // local, barriers=2 * n * n // local)

    def test_fmm_ulist(self):
        loads = {}
        for switches in ("SHMEM=0", "SHMEM=0 VECPACK=1", "SHMEM=0 UJAM=2", "SHMEM=0 PREFETCH=1", "SHMEM=0 RSQRT=1 TIGHT=1",
                         "SHMEM=1", "SHMEM=1 TRANS=1"):
            loads[switches] = self.measure("fmm_ulist", *(word for one in switches.split() for word in ("-D", one)))
        defines = {"SHMEM": 0}
        targets, sources, counts, boxes = content("fmm_ulist", "target_count", "source_count", "list_count", "list",
                                                  **defines)
        plain, packed, jammed, early = (loads[f"SHMEM=0{more}"].load("source", "lanes")
                                        for more in ("", " VECPACK=1", " UJAM=2", " PREFETCH=1"))

        def interactions(per_item, extra=0):
            """Of work-items with sources; all 32 go along in every round of `per_item` targets each."""
            return sum(32 * -(-targets[box] // (32 * per_item)) * sum(sources[other] + extra
                                                                     for other in boxes[3 * box:][:counts[box]])
                       for box in range(4))

        self.assertEqual(plain, 4 * interactions(1))
        self.assertEqual(packed, interactions(1))
        self.assertEqual(jammed, 4 * interactions(2))
        self.assertEqual(early, 4 * interactions(1, extra=1))
        self.assertEqual(loads["SHMEM=0 RSQRT=1 TIGHT=1"].load("source"), loads["SHMEM=0"].load("source"))
        rounds = sum(-(-targets[box] // 32) * sum(sources[other] // 32 for other in boxes[3 * box:][:counts[box]])
                     for box in range(4))
        for switches in ("SHMEM=1", "SHMEM=1 TRANS=1"):
            got = loads[switches]
            self.assertEqual(got.load("source", "lanes"), plain - rounds * 32 * (32 - 1) * 4)
            self.assertEqual(got.barriers, rounds * 2 * 32)
            self.assertEqual(got.local_stores * (4 if got.local_stores == rounds * 32 else 1), rounds * 32 * 4)


class Primitives(Arithmetic):
    def test_reduction_ladder(self):
        local, groups = 128, 2
        for step, per_item in ((0, 1), (1, 1), (2, 1), (3, 2), (4, 8)):
            got = self.measure("reduction_ladder", "-D", f"STEP={step}")
            self.assert_counts(got, loads=per_item * 256 // LINE, misses=per_item * 256 // LINE, barriers=256 * (7 + 1),
                               local_loads=groups * (2 * (local - 1) + 1), local_stores=groups * (2 * local - 1))

    def test_reduction_and_histogram(self):
        n = 512 * 4
        got = self.measure("reduction")
        self.assert_counts(got, loads=n // LINE, misses=n // LINE, stores=2, barriers=512 * 8)
        got = self.measure("histogram")
        self.assert_counts(got, loads=n // LINE, misses=n // LINE)
        self.assertEqual(got.total["atomic"]["lanes"], 2 * 64)
        self.assertEqual(got.total["atomic"]["bypasses"], got.total["atomic"]["transactions"])
        self.assertEqual(got.total["outside_l1"]["local"]["atomic"]["lanes"], n)

    def test_scan(self):
        local, groups = 128, 2
        elements = 2 * local * groups
        for padded in (0, 1):
            got = self.measure("scan", "-D", f"PADDED={padded}")
            nodes = groups * (2 * local - 1)
            self.assert_counts(got, loads=elements // LINE, misses=elements // LINE, stores=elements // LINE + groups,
                               barriers=groups * local * (2 * 8 + 2))
            self.assertEqual(got.local_loads, 2 * nodes + 2 * nodes + groups + elements)
            self.assertEqual(got.local_stores, nodes + 2 * nodes + groups + elements)

    def test_bitonic(self):
        items, rounds = 128, 7 * 8 // 2  # blocks of 2^7 keys
        self.assert_counts(self.measure("bitonic"), loads=2 * items // LINE, misses=2 * items // LINE,
                           stores=2 * items // LINE, local_loads=items * (2 * rounds + 2),
                           local_stores=items * (2 * rounds + 2), barriers=items * (rounds + 1))

    def test_merges(self):
        items, keys = 64, 64 * 7
        self.assert_counts(self.measure("mergesort_block"), loads=keys // LINE, misses=keys // LINE, stores=keys // LINE,
                           barriers=items * (2 * 5 + 3))
        got = self.measure("merge_path")
        a, b = 128 * 7 * 3 // 8, 128 * 7 * 5 // 8
        self.assertEqual((got.cold_of("a"), got.cold_of("b")), (-(-a // LINE), -(-b // LINE)))
        self.assertEqual(got.stores, (a + b) // LINE)
        got = self.measure("multiway_merge")
        keys = 2 * 4 * 64
        self.assertEqual((got.load("lists"), got.load("lists", "misses")), (keys // LINE, keys // LINE))
        self.assertEqual((got.load("base"), got.stores), (keys // LINE, keys // LINE))

    def test_searches(self):
        queries, groups = 128 * 2, 2
        for variant, loads in ((0, 11), (1, 37), (2, 11)):
            got = self.measure("search_shared", "-D", f"VARIANT={variant}")
            # The first key of a search does not depend on the query: it is loaded once per work-item.
            self.assert_counts(got, local_loads=(loads - 1) * queries + 128, local_stores=1024 * groups)
            self.assertEqual((got.load("keys"), got.cold_of("keys")), (groups * 1024 // LINE, 1024 // LINE))
        queries, levels = 256, 12
        got = self.measure("search_sorted")
        self.assertEqual(got.load("key", "lanes"), (levels + 1) * queries)
        self.assertLessEqual(got.load("key"), queries // 32 * (1 + 2 + 4 + 8 + 16 + 8 * 32))
        (query,) = content("search_bst", "query")
        got = self.measure("search_bst")
        self.assertEqual(got.load("tree", "lanes"), levels * queries)
        # The keys are 1, 2, …: at level l the query's first l bits, behind a one, are the node.
        nodes = [[(1 << levels | q) >> levels - level for q in some] for some in warps(query) for level in range(levels)]
        self.assertEqual(got.load("tree"), sum(map(lines, nodes)))
        self.assertTrue(all(lines(some) == 1 for some in nodes if max(some) < 32))

    def test_search_btree(self):
        queries = 64
        got = self.measure("search_btree")
        self.assertEqual([got.load(level) for level in ("root", "inner", "leaf")], [queries] * 3)
        self.assertEqual(got.cold_of("root"), 1)
        self.assertLessEqual(got.cold_of("inner"), 32)
        self.assertLessEqual(got.load("leaf", "misses"), queries)


class Micro(Arithmetic):
    def test_stride(self):
        for words in (1, 2, 3, 4, 7, 32, 40):
            expected = min(words, 32) * 4 * 512 // 32
            self.assert_counts(self.measure("stride", "--arg", f"stride={words}"), loads=expected, misses=expected,
                               cold=expected)

    def test_working_set(self):
        # 128 lines fit; 160 lines are one more than fits in every set.
        for words, misses in ((2048, 64), (4096, 128), (5120, 160 * 4), (8192, 256 * 4)):
            got = self.measure("working_set", "--global", "64", "--arg", f"words={words}")
            self.assert_counts(got, loads=words // LINE * 4, misses=misses, cold=words // LINE)

    def test_chase(self):
        def misses(places, stride=32, cache=("16", "128", "4", "LRU", "WTNA")):
            got = self.measure("chase", "-D", f"PLACES={places}", "-D", f"STRIDE={stride}", "-D", "ROUNDS=4",
                               cache=cache)
            self.assertEqual(got.loads, places * 4)
            return got.misses

        self.assertEqual(misses(128), 128)
        self.assertEqual(misses(129), 129 + 5 * 3)
        self.assertEqual(misses(129, cache=FULLY), 129 * 4)
        self.assertEqual(misses(127, stride=16), 64)  # places 16 to 16 * 127: 64 lines
        self.assertEqual(misses(5, stride=32 * 32), 5 * 4)  # one set of four ways

    def test_probe(self):
        def misses(places, loads, *defines):
            got = self.measure("probe", *(word for one in (f"PLACES={places}", "ROUNDS=4", "WORDS=131072", *defines)
                                          for word in ("-D", one)))
            self.assertEqual(got.loads, 4 * loads)
            return got.misses

        self.assertEqual(misses(129, 129), 129 + 5 * 3)
        self.assertEqual(misses(128, 128, f"MASK={127 << 10}", "STEP=1"), 128 * 4)
        self.assertEqual(misses(128, 128, f"MASK={127 << 5}", "STEP=1"), 128)
        self.assertEqual(misses(320, 320 + 8 * 64, "HOT=64"), 64 + 256 * 4)

    def test_chase_random(self):
        for places, misses in ((128, 128), (256, 256 * 2)):
            self.assert_counts(self.measure("chase_random", "-D", f"PLACES={places}"), loads=places * 2, misses=misses,
                               cold=places)

    def test_stores_and_loads(self):
        lines_of_data = 512 // LINE
        for write, first, hits, misses, invalidated in (
                ("WTNA", 1, 1, 1, 0), ("WTNA", 0, 0, 1, 0), ("WENA", 1, 1, 2, 1), ("WENA", 0, 0, 1, 0),
                ("WBWA", 1, 1, 1, 0), ("WBWA", 0, 0, 0, 0)):
            with self.subTest(write, first=first):
                got = self.measure("store_load", "-D", f"LOAD_FIRST={first}", cache=("16", "128", "4", "LRU", write))
                self.assertEqual(got.store("data", "hits"), hits * lines_of_data)
                self.assertEqual(got.load("data", "misses"), misses * lines_of_data)
                self.assertEqual(got.buffers["data"]["miss_classes"]["invalidated"], invalidated * lines_of_data)
        for write, hits in (("WTNA", 0), ("WENA", 0), ("WBWA", lines_of_data), ("WTWA", lines_of_data)):
            got = self.measure("store_store", cache=("16", "128", "4", "LRU", write))
            self.assertEqual((got.stores, got.store("data", "hits")), (2 * lines_of_data, hits))

    def test_load_pattern(self):
        in_warps, iterations = 4, 4
        # 16-byte loads are coalesced per quarter-warp: four look-ups of one line.
        for pattern, per_request in enumerate((1, 1, 2, 1, 1, 4)):
            got = self.measure("load_pattern", "-D", f"PATTERN={pattern}")
            self.assertEqual(got.total["load"]["requests"], 4 * iterations * in_warps)
            self.assertEqual(got.loads, 4 * iterations * in_warps * per_request)
            if pattern in (1, 2):
                self.assertEqual(got.cold, got.loads)
            if pattern == 4:
                self.assertLess(got.cold, got.loads)

    def test_op_chain(self):
        warps, operations = 2, 8
        for chains in (1, 4):
            loads = self.measure("op_chain", "-D", f"CHAINS={chains}")
            self.assert_counts(loads, loads=warps * operations, misses=warps * operations, stores=warps, cold=warps * operations)
            local = self.measure("op_chain", "-D", "OPERATION=2", "-D", f"CHAINS={chains}")
            self.assertEqual((local.total["local_memory"]["requests"], local.total["local_memory"]["conflicts"]), (warps * (operations + 1), 0))
            self.assertEqual(local.total["outside_l1"]["local"]["load"]["requests"], warps * operations)
        self.assert_counts(self.measure("op_chain", "-D", "OPERATION=0"), loads=0, misses=0, stores=warps)

    def test_streams(self):
        n = 512 * 4
        self.assert_counts(self.measure("copy"), loads=n // LINE, misses=n // LINE, stores=n // LINE, cold=n // LINE)
        vectors = 8 * 256 + 100
        self.assert_counts(self.measure("bandwidth"), loads=-(-vectors // 8), misses=-(-vectors // 8), stores=256 // LINE)


if __name__ == "__main__":
    unittest.main()
