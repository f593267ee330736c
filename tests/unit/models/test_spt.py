"""SPT: the case studies of Karsin 2018 on its three GPUs."""
import math
import unittest

import support
from warpscope.base.errors import InputError

GEMM = dict(algorithm="gemm", rows=10000, columns=10000, depth=10000)


def answer(gpu="m4000", **values):
    return support.answer("spt", gpu, **values)


def best(gpu, name, values, **rest):
    return min(values, key=lambda value: answer(gpu, **rest, **{name: value}).seconds)


class Machines(unittest.TestCase):
    def test_latency_times_throughput_saturates(self):
        for gpu, products in (("m4000", (8.11, 20.0, 6, 11.54)), ("gtx770", (7.47, 16.0, 10, 11.07)), ("k40", (8.01, 14.66, 10, 11.39))):
            values = support.inputs("spt", gpu, **GEMM)
            for kind, product in zip(("global", "local", "register", "barrier"), products):
                self.assertEqual(round(values[f"latency_{kind}"].value * values[f"throughput_{kind}"].value, 2), product, (gpu, kind))


class Gemm(unittest.TestCase):
    def test_published_sizes(self):
        for depth, times in ((1000, ("0.1467", "0.1562", "0.1174")), (10000, ("1.444", "1.542", "1.159"))):
            for gpu, expected in zip(("m4000", "gtx770", "k40"), times):
                seconds = answer(gpu, **{**GEMM, "depth": depth}).seconds
                self.assertEqual(f"{seconds:.{len(expected) - 2}f}", expected, (gpu, depth))

    def test_tile_128_on_the_m4000(self):
        self.assertEqual(f"{answer(**GEMM, tile=128).seconds:.3f}", "1.277")

    def test_best_tiles(self):
        tiles = range(32, 289, 16)
        self.assertEqual([best(gpu, "tile", tiles, **GEMM) for gpu in ("m4000", "gtx770", "k40")], [128, 80, 80])

    def test_shares_and_multiplicity(self):
        part = answer(**GEMM).part
        self.assertEqual([f"{part(f'share_{kind}'):.2f}" for kind in "gsr"], ["0.37", "0.10", "0.53"])
        self.assertEqual((f"{part('M_o'):.2f}", part("M_g"), part("registers per work-item")), ("10.67", 128, 48))
        self.assertEqual(f"{answer(**GEMM, tile=64).part('M_o'):.2f}", "21.33")

    def test_registers_spill_between_224_and_256(self):
        self.assertEqual([answer(**GEMM, tile=tile).part("registers per work-item") for tile in (224, 256)], [224, 288])
        self.assertEqual(answer(**GEMM, tile=224).part("spilled operations"), 0)
        spilled = answer(**GEMM, tile=256)
        self.assertAlmostEqual(spilled.part("spilled operations") / (1e12 / 1664 * 33 / 288), 1, 12)

    def test_counts_by_hand(self):
        # n = m = k = 192 in 4 tiles: 2 · 192³ / 96 + 192² words to and from global memory
        part = answer(algorithm="gemm", rows=192, columns=192, depth=192).part
        self.assertAlmostEqual(part("A_g") * 1664, 2 * 192**3 / 96 + 192**2)
        self.assertAlmostEqual(part("A_y") * 1664, 4 * 12 * 2)  # 4 groups, 12 batches, 2 barriers


class MatrixUnit(unittest.TestCase):
    """Operations of a matrix unit follow the same law, T = Σ A · max(1/B, L/M); the machine file has its L and B."""

    UNIT = {"latency_matrix": 20, "throughput_matrix": 0.5}

    def test_by_hand(self):
        counts = {"algorithm": "counts", "A_m[k]": 100, "A_r[k]": 10}
        part = answer("k40", **counts, **self.UNIT).part
        self.assertEqual((part("t_m"), part("T_m"), part("limit_m")), (2, 200, "throughput"))  # no multiplicity: 1 / 0.5
        self.assertEqual((part("T_r"), part("cycles")), (10, 200 + 10 + 8640))
        slow = answer("k40", **counts, **{"M_m[k]": 4}, **self.UNIT)  # 20 / 4 cycles are above 1 / 0.5
        self.assertEqual((slow.part("t_m"), slow.part("T_m"), slow.part("limit_m")), (5, 500, "latency"))
        self.assertEqual([row["matrix"] for row in slow.rows.values()], [500 / 745e6])

    def test_a_machine_without_one(self):
        with self.assertRaisesRegex(InputError, "A_m: the machine has no matrix unit, expected latency_matrix and throughput_matrix"):
            answer("k40", **{"algorithm": "counts", "A_m[k]": 100})
        names = [part.name for part in answer("k40", **{"algorithm": "counts", "A_r[k]": 100}).parts]
        self.assertNotIn("T_m", names)


class Sorts(unittest.TestCase):
    def test_mms_best_ways(self):
        ways = (2, 4, 8, 16, 32, 64)
        self.assertEqual([best(gpu, "ways", ways, algorithm="mms-sort", keys=2**28) for gpu in ("m4000", "gtx770", "k40")], [8, 8, 8])

    def test_mms_rates(self):
        for gpu, ways, rate in (("m4000", 8, 786), ("m4000", 16, 760), ("gtx770", 8, 745), ("k40", 8, 971)):
            part = answer(gpu, algorithm="mms-sort", keys=2**28, ways=ways).part
            self.assertEqual(round(part("rate") / 1e6), rate, (gpu, ways))

    def test_koike_sadakane_waits_for_local_memory_from_3_ways_on(self):
        limits = [answer(algorithm="ks-sort", keys=2**29, ways=ways).part("limit_s") for ways in (2, 3, 4, 32)]
        self.assertEqual(limits, ["throughput", "latency", "latency", "latency"])
        limits = [answer(algorithm="ks-sort", keys=2**29, ways=ways).part("limit_g") for ways in (6, 7)]
        self.assertEqual(limits, ["throughput", "latency"])  # 6 in print

    def test_koike_sadakane_rates_and_share(self):
        three, many = (answer(algorithm="ks-sort", keys=2**29, ways=ways).part for ways in (3, 32))
        self.assertEqual((round(three("rate") / 1e6), f"{many('share_s'):.2f}"), (303, "0.94"))

    def test_mgpu_published_optimum_needs_local_operations_bound_by_throughput(self):
        odd = range(5, 64, 2)
        common = dict(algorithm="mgpu-sort", keys=1e8)
        self.assertIn(best("m4000", "elements", odd, **common, local_limit="throughput"), (29, 31))
        self.assertEqual(best("m4000", "elements", odd, **common), 9)

    def test_mgpu_rates_without_barriers(self):
        for elements, rate in ((15, 776), (31, 830)):
            part = answer(algorithm="mgpu-sort", keys=1e8, elements=elements, local_limit="throughput").part
            seconds = (part("cycles") - part("T_y")) / 780e6
            self.assertEqual(round(1e8 / seconds / 1e6), rate)

    def test_mgpu_kernels(self):
        # 1e8 / (128 · 15) = 52,083 blocks: 16 rounds of merging and the base
        self.assertEqual(answer(algorithm="mgpu-sort", keys=1e8, elements=15).part("kernels"), 17)


class Searches(unittest.TestCase):
    def test_times_on_the_m4000(self):
        for algorithm, time in (("sorted", 1319), ("bst", 773), ("btree", 171)):
            seconds = answer(algorithm=f"search-{algorithm}", keys=2**28, queries=2**26).seconds
            self.assertEqual(round(seconds * 1e3), time)

    def test_conflict_free_steps(self):
        for keys, steps in ((1024, 37), (2048, 38), (4096, 39), (8192, 40)):
            part = answer(algorithm="pbs-cf", keys=keys, queries=1664, group_size=128).part
            self.assertEqual(part("A_s"), steps)

    def test_plain_search_pays_its_conflicts(self):
        part = answer(algorithm="pbs", keys=1024, queries=1664, group_size=128, beta=8.40).part
        self.assertAlmostEqual(part("A_s"), 84)


    def test_worst_case_of_the_plain_search(self):
        # 1 + 2 + 4 + 8 + 16 passes until each lane has a node of its own, then 32 in each step; the thesis' bound is 32 · log₂(N/32)
        for keys, steps in ((1024, 31 + 5 * 32), (8192, 31 + 8 * 32)):
            part = answer(algorithm="pbs-worst", keys=keys, queries=1664, group_size=128).part
            self.assertEqual(part("A_s"), steps)
            self.assertGreaterEqual(part("A_s"), 32 * math.log2(keys / 32))
        part = answer(algorithm="pbs-worst", keys=3000, queries=1664, group_size=128).part
        self.assertAlmostEqual(part("A_s"), 32 * math.log2(3000 / 1024))


class Scan(unittest.TestCase):
    def test_a_work_group_of_32_by_hand(self):
        # 64 words in and out, 4 wavefronts; levels of 32, 16, 8, 4, 2, 1 work-items that are 2, 4, … 64 words apart have degrees
        # 2, 2, 2, 2, 2, 1: the lanes that stay share ever fewer banks
        wavefronts = 4 + 7 * (2 + 2 + 2 + 2 + 2 + 1) + 2
        part = answer(algorithm="scan", keys=64 * 1664, group_size=32).part
        self.assertAlmostEqual(part("A_s"), 32 * wavefronts)
        self.assertAlmostEqual(part("A_g"), 128 + 32)
        self.assertAlmostEqual(part("A_y"), 2 * 6 + 2)

    def test_other_sizes_are_refused(self):
        with self.assertRaisesRegex(Exception, "group_size is 48, expected a power of two"):
            answer(algorithm="scan", keys=96, group_size=48)


class Counts(unittest.TestCase):
    def test_given_counts_equal_the_formula(self):
        formula = answer(**GEMM)
        given = {f"{name}_{kind}[gemm]": formula.part(f"{name}_{kind}") for kind in "gsry" for name in "AM"}
        self.assertAlmostEqual(answer(algorithm="counts", **given).seconds / formula.seconds, 1, 12)

    def test_rows_add_up(self):
        counts = {"A_g[a]": 10.0, "A_s[a]": 5.0, "A_g[b]": 3.0, "launches[a]": 4, "launches[b]": 1}
        result = answer(algorithm="counts", **counts)
        self.assertEqual(sorted(result.rows), ["a", "b"])
        cycles = (4 * 10 + 3) / 0.0301 + 4 * 5 / 0.233 + 5 * 7800
        self.assertAlmostEqual(result.part("cycles"), cycles, 6)
        self.assertAlmostEqual(sum(sum(row.values()) for row in result.rows.values()) + 5 * 7800 / 780e6, result.seconds, 12)


if __name__ == "__main__":
    unittest.main()
