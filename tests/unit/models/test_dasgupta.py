"""Tables 8 to 10 and 12 to 16 of Dasgupta 2011."""
import unittest

import support

MICRO = dict(requests=400, insts=7942, warps_per_core=32, groups_per_core=4, work_groups=120)
# name: (instructions and requests per warp, printed MWP, printed CWP, printed ms, N)
FMM = {"baseline": (235880, 47013, 9.722, 16, 66.33431, 16), "shmem": (262520, 8854, 9.070, 4.425, 35.99694, 16),
       "ujam": (215413, 36426.86, 10.08268, 12, 49.356, 12), "vecpack": (165275, 11893, 3.969, 8.486, 45.608, 16),
       "rsqrt": (224177, 47013, 9.722, 16, 66.33422, 16), "prefetch": (331252.1, 47253.99, 9.722, 15.317, 64.672, 16)}


def micro(**values):
    return support.answer("dasgupta", "c1060", **MICRO, **values)


def fmm(name, delay, computation_of_cwp=False):
    """A row: the transactions follow from the printed MWP, L = MWP (450 − d) / (MWP − 1) and n = L / (MWP · d)."""
    insts, requests, mwp, cwp, _, warps = FMM[name]
    latency = mwp * (450 - delay) / (mwp - 1)
    extra = requests * latency / (cwp - 1) - 4 * insts if computation_of_cwp else 0
    return support.answer("dasgupta", "c1060", requests=requests, insts=insts, transactions_32b=requests * latency / (mwp * delay),
                          departure_32b=delay, bank_conflict_cycles=extra, warps_per_core=warps, groups_per_core=warps / 2,
                          work_groups=585)


class Microbenchmark(unittest.TestCase):
    def test_table_8(self):
        answer = micro(transactions_32b=800)
        self.assertEqual(f"{answer.seconds * 1e3:.5f}", "0.72229")  # 0.7222 in print
        part = answer.part
        self.assertEqual((part("memory latency"), f"{part('MWP without bandwidth limit'):.4f}"), (487, "6.5811"))
        self.assertEqual((f"{part('MWP at peak bandwidth'):.3f}", f"{part('CWP full'):.3f}"), ("19.797", "7.132"))
        self.assertEqual((part("repetitions"), part("case")), (1, "B"))

    def test_table_9(self):
        answer = micro(transactions_64b=800)
        self.assertEqual(f"{answer.seconds * 1e3:.5f}", "0.72229")
        self.assertEqual(f"{answer.part('MWP at peak bandwidth'):.3f}", "9.898")

    def test_table_10(self):
        answer = micro(transactions_128b=800)
        self.assertEqual(f"{answer.seconds * 1e3:.5f}", "1.13191")  # 1.131 in print
        part = answer.part
        self.assertEqual((part("memory latency"), f"{part('MWP without bandwidth limit'):.4f}"), (508, "4.3793"))
        self.assertEqual((f"{part('MWP at peak bandwidth'):.4f}", f"{part('CWP'):.3f}"), ("5.1626", "7.396"))

    def test_table_11_is_5_percent_above_the_measured_time(self):
        answer = support.answer("dasgupta", "c1060", **{**MICRO, "insts": 7934}, transactions_vector=800)
        self.assertEqual(f"{answer.seconds * 1e3:.4f}", "1.1124")

    def test_base_latency_cancels_when_departures_limit(self):
        # transactions · delay · warps = 800 · 37 · 32 cycles, and a little computation
        for latency in (400, 450, 600):
            cycles = micro(transactions_32b=800, base_latency=latency).part("cycles")
            self.assertLess(abs(cycles / (800 * 37 * 32) - 1), 0.001)


class Fmm(unittest.TestCase):
    def test_baseline_and_ujam_are_those_of_delay_36(self):
        self.assertEqual(f"{fmm('baseline', 36).seconds * 1e3:.3f}", "66.334")
        self.assertEqual(f"{fmm('ujam', 36).seconds * 1e3:.3f}", "49.356")
        self.assertEqual(f"{fmm('rsqrt', 36).seconds * 1e3:.3f}", "66.334")

    def test_delay_37_of_table_8_is_close(self):
        self.assertEqual(f"{fmm('baseline', 37).seconds * 1e3:.2f}", "66.17")
        self.assertEqual(f"{fmm('ujam', 37).seconds * 1e3:.2f}", "49.24")

    def test_rows_with_the_computation_that_their_cwp_implies(self):
        self.assertEqual(f"{fmm('vecpack', 57, True).seconds * 1e3:.2f}", "46.80")
        self.assertAlmostEqual(fmm("vecpack", 67, True).seconds * 1e3, 45.608, delta=0.005)  # in print
        self.assertEqual(f"{fmm('shmem', 36, True).seconds * 1e3:.2f}", "35.76")
        self.assertEqual(f"{fmm('prefetch', 36, True).seconds * 1e3:.2f}", "66.67")

    def test_mwp_against_cwp_has_the_printed_sign(self):
        for name, (_, _, mwp, cwp, _, _) in FMM.items():
            part = fmm(name, 57 if name == "vecpack" else 36, name in ("shmem", "vecpack", "prefetch")).part
            self.assertEqual(part("MWP") > part("CWP"), mwp > cwp, name)
            self.assertAlmostEqual(part("MWP"), mwp, 6)

    def test_repetitions_and_warps_make_39(self):
        for name, row in FMM.items():
            self.assertAlmostEqual(fmm(name, 36).part("repetitions") * row[-1], 39)


class Extensions(unittest.TestCase):
    def test_duplicate_loads_merge_and_take_warps(self):
        answer = micro(transactions_32b=800, duplicate_loads=2)
        self.assertEqual((answer.part("transactions"), answer.part("warps for MWP")), (400, 16))

    def test_vector_loads_do_not_merge(self):
        self.assertEqual(micro(transactions_vector=800, duplicate_loads=2).part("transactions"), 800)

    def test_independent_loads_count_as_warps(self):
        self.assertEqual(micro(transactions_32b=800, independent_loads=4).part("warps for MWP"), 128)

    def test_slow_instructions(self):
        computation = micro(transactions_32b=800, sqrt_insts=10, division_insts=100, rsqrt_insts=1000).part("computation cycles")
        self.assertEqual(computation, 4 * 7942 + 320 + 3600 + 16000)


if __name__ == "__main__":
    unittest.main()
