"""Blocking of a multiplication: the numbers of Zhang et al. 2017 for a Tesla K20m."""
import unittest

import support

K20 = dict(cores=13, peak=3520, bandwidth=208, local_bandwidth=2349)
LARGE = dict(rows=12288, columns=12288, depth=12288)


class Blocking(support.CommandTest):
    def part(self, **values):
        return support.answer("sgemm", **K20, **{**LARGE, **values}).part

    def test_blocks_of_the_paper(self):
        part = self.part()
        self.assertEqual((part("work-items"), part("words from global memory"), part("words from local memory")), (256, 6, 96))
        self.assertEqual((part("intensity of local memory"), part("registers"), part("places for loads")), (6, 192, 96))
        small = self.part(block_rows=128, block_columns=128, block_depth=8, item_rows=8, item_columns=8)
        self.assertEqual((small("intensity of local memory"), small("work-items")), (4, 256))
        self.assertAlmostEqual(small("least global bandwidth"), 3520 / 32)
        self.assertAlmostEqual(small("least local bandwidth"), 3520 / 2)

    def test_least_bandwidths(self):
        part = self.part()
        self.assertEqual([round(part(f"least {what}"), 1) for what in ("global bandwidth", "local bandwidth", "local bandwidth of a core")],
                         [73.3, 1173.3, 90.3])

    def test_bound_of_the_loop(self):
        """Section 5.2.3: 97.67 % of the rate by multiply-adds in pairs, less two loads of 10 cycles in a loop of 384."""
        part = self.part()
        self.assertEqual(part("multiply-adds alone"), 97.67)
        self.assertAlmostEqual(part("loss by loads from global memory"), 100 * 2 * 10 / 384)
        self.assertEqual(round(part("loss by loads from global memory"), 1), 5.2)
        self.assertAlmostEqual(part("bound of the loop"), 97.67 - 100 * 20 / 384)
        self.assertAlmostEqual(part("bound"), 3520 * (0.9767 - 20 / 384))
        # 8 x 8, 8 deep, from blocks of 128: 4 words of A and 4 of B, so also two loads, in 4 * 512 / 6 cycles
        small = self.part(block_rows=128, block_columns=128, block_depth=8, item_rows=8, item_columns=8)
        self.assertAlmostEqual(small("loss by loads from global memory"), 100 * 2 * 10 / (4 * 512 / 6))
        self.assertEqual(self.part(load_penalty=0)("bound of the loop"), 97.67)
        self.assertEqual(self.part(load_penalty=1000)("bound of the loop"), 0)

    def test_distances(self):
        self.assertEqual((self.part()("distance to hide global memory"), self.part()("distance to hide local memory")), (210, 49))

    def test_distances_of_table_5(self):
        # the load of A behind multiply-add 77 of step 3, its store behind 65 of step 2, the first read behind 11 of step 3
        places = dict(load_step=3, load_slot=77, store_step=2, store_slot=65, read_step=3, read_slot=11)
        part = self.part(**places)
        self.assertEqual(part("distance, global load to store"), 143 - 77 + 144 * 2 + 65)  # 419 in print
        self.assertEqual(part("distance, store to local load"), 143 - 65 + 11)
        self.assertEqual(self.part(**{**places, "store_step": 3, "store_slot": 77})("distance, global load to store"), 4 * 144 - 1)

    def test_a_load_too_late_is_said(self):
        late = support.answer("sgemm", **K20, **LARGE, load_step=0, load_slot=0, store_step=1, store_slot=66)  # 144 + 66 - 1
        self.assertEqual(late.part("distance, global load to store"), 209)
        self.assertIn("209 multiply-adds are between, 210 instructions", late.advice[0][0])
        enough = support.answer("sgemm", **K20, **LARGE, load_step=0, load_slot=0, store_step=1, store_slot=67)
        self.assertFalse(any("longer way" in text for text, _ in enough.advice))

    def test_load_balance(self):
        found = support.answer("sgemm", **K20, rows=384, columns=384, depth=384)
        self.assertEqual((found.part("work-groups"), round(found.part("load balance"), 2)), (4, 0.31))
        self.assertIn("31% of the cores' turns have work", found.advice[0][0])
        self.assertAlmostEqual(found.seconds, 13 / 4 * 2 * 384**3 / 3520e9)

    def test_registers_of_an_item(self):
        # r² + 4r < 256: 13 fits with 221, 14 with 252, 15 does not with 285
        for edge, needed in ((13, 221), (14, 252), (15, 285)):
            found = support.answer("sgemm", **K20, **LARGE, item_rows=edge, item_columns=edge, block_rows=16 * edge, block_columns=16 * edge)
            self.assertEqual(found.part("registers"), needed)
            self.assertEqual(any("spills" in text for text, _ in found.advice), needed > 255)

    def test_command(self):
        words = ["--model", "sgemm", "--gpu", "k20", *(word for name in LARGE for word in ("--set", f"{name}=12288"))]
        self.assertIn("bottleneck: computation", self.run_model(*words))
        self.assert_refused("takes sizes with --set, expected no capture", *words, "x.wtrace")
        places = [word for name, value in dict(load_step=3, load_slot=144, store_step=2, store_slot=65).items() for word in ("--set", f"{name}={value}")]
        self.assert_refused("load_step 3 and load_slot 144: an iteration has 4 steps of 144", *words, *places)


if __name__ == "__main__":
    unittest.main()
