"""GPUPerf: three vectors computed by hand from the paper's equations for a C2050, and the identities between its terms."""
import itertools
import unittest

import support

COMMON = dict(total_warps=13440)
A = dict(insts=1000, memory_insts=100, fp_insts=400, warps_per_core=24, miss_ratio=0.8, transactions_per_request=2, ilp=1.3, mlp=1.2,
         data_bytes=64 << 20)
B = dict(insts=2000, memory_insts=10, sync_insts=4, sfu_insts=400, fp_insts=1200, warps_per_core=8, miss_ratio=0.25, ilp=1.1,
         data_bytes=8 << 20)
C = dict(insts=1000, memory_insts=60, sync_insts=2, sfu_insts=200, fp_insts=300, warps_per_core=16, miss_ratio=0.6,
         transactions_per_request=4, data_bytes=16 << 20)
EXPECTED = {
    "F_sync": (64 * 460 * 100 / 1000, 64 * 440 * 10 / 2000, 64 * 500 * 60 / 1000),
    "ITILP": (18, 8.8, 16), "W_parallel": (960000, 3927272.7, 1080000), "O_sync": (0, 540672, 3686400), "O_SFU": (0, 230400, 115200),
    "DRAM latency": (460, 440, 500), "AMAT": (386, 128, 318), "CWP full": (33.167, 1.3129, 17.96), "CWP": (24, 1.3129, 16),
    "MWP at peak bandwidth": (32.143, 30.745, 34.938), "MWP": (23, 8, 16), "MWP_cp": (23, 1, 15), "ITMLP": (27.6, 1, 15),
    "T_comp": (960000, 4698344.7, 4881600), "T_mem": (1342608.7, 1228800, 1221120), "T_overlap": (960000, 1228800, 1221120),
    "T_exec": (1342608.7, 4698344.7, 4881600), "T_fp": (384000, 2356363.6, 324000), "T_mem_min": (535938.8, 66992.4, 133984.7),
    "B_itilp": (0, 2007272.7, 120000), "B_serial": (0, 771072, 3801600), "B_fp": (576000, -436363.6, 636000)}
B_MEMLP = (0, 0, 0)


def answer(**values):
    return support.answer("gpuperf", "c2050", **{**COMMON, **values})


def digits(expected):
    """Digits behind the point of a value as it is written."""
    return len(repr(expected).partition(".")[2])


class Vectors(unittest.TestCase):
    def test_a_b_and_c(self):
        for number, vector in enumerate((A, B, C)):
            part = answer(**vector).part
            for name, values in EXPECTED.items():
                with self.subTest(vector="ABC"[number], part=name):
                    self.assertEqual(round(part(name), digits(values[number])), values[number])
            self.assertEqual(part("B_memlp"), B_MEMLP[number])


class Identities(unittest.TestCase):
    def many(self):
        for vector, warps, miss in itertools.product((A, B, C), (1, 7, 48), (0, 0.3, 1)):
            yield answer(**{**vector, "warps_per_core": warps, "miss_ratio": miss})

    def test_benefits_and_ideal_make_the_computation(self):
        for part in (one.part for one in self.many()):
            total = part("B_itilp") + part("B_fp") + part("B_serial") + part("T_fp")
            self.assertAlmostEqual(total / part("T_comp"), 1, 12)

    def test_least_memory_time_is_bytes_at_peak_bandwidth(self):
        for vector in (A, B, C):
            for latency in (100, 440, 900):
                cycles = vector["data_bytes"] * 1.15 / 144.0
                self.assertAlmostEqual(answer(**vector, dram_latency=latency).part("T_mem_min") / cycles, 1, 12)

    def test_memory_or_computation_alone_where_all_overlaps(self):
        part = answer(**A).part  # CWP 24 > MWP 23
        self.assertAlmostEqual(part("T_exec") / max(part("T_comp"), part("T_mem")), 1, 12)

    def test_no_gain_from_parallelism_that_is_there(self):
        self.assertEqual(answer(**{**A, "ilp": 0.75}).part("B_itilp"), 0)  # 0.75 · 24 = 18

    def test_amat_at_its_ends(self):
        self.assertEqual(answer(**{**A, "miss_ratio": 0}).part("AMAT"), 18)
        self.assertEqual(answer(**{**A, "miss_ratio": 1}).part("AMAT"), 478)

    def test_special_functions_show_above_their_share_of_units(self):
        for count, visible in ((125, 0), (126, 0.001)):  # 4 of 32 units
            self.assertAlmostEqual(answer(**{**A, "sfu_insts": count}).part("F_SFU"), visible, 12)

    def test_barriers_count_linearly(self):
        one, four = (answer(**{**A, "sync_insts": count}).part("O_sync") for count in (1, 4))
        self.assertEqual(four, 4 * one)

    def test_bank_conflicts_cost_a_pass_of_the_lanes(self):
        self.assertEqual(answer(**A, bank_conflict_passes=5).part("O_bank"), 5 * 13440 / 14)


class Advice(unittest.TestCase):
    def test_is_ranked_by_benefit(self):
        names = [text.split(":")[0] for text, _ in answer(**B).advice]
        self.assertEqual(names, ["B_itilp", "B_serial"])  # B_fp is negative, B_memlp 0

    def test_every_term_is_marked_as_reconstructed(self):
        self.assertTrue(all(part.reconstructed for part in answer(**A).parts))


if __name__ == "__main__":
    unittest.main()
