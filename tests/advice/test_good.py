"""Kernels without a problem get no advice, on an H100 and a GTX 480. Three of twenty; all of them with WARPSCOPE_ADVICE_ALL=1."""
import os
import tempfile
import unittest

import planted

QUICK = ("transpose_padded", "rows_difference", "group_sum")
ALL = "WARPSCOPE_ADVICE_ALL" in os.environ


class Good(unittest.TestCase):
    def test_there_are_twenty(self):
        self.assertGreaterEqual(len(planted.table("good")), 20)

    def test_no_advice(self):
        for row in planted.table("good"):
            if not ALL and row["name"] not in QUICK:
                continue
            with tempfile.TemporaryDirectory() as folder:
                capture = planted.capture(row, folder, "good")
                for gpu in ("h100", "gtx480"):
                    with self.subTest(row["name"], gpu=gpu):
                        result, text = planted.simulate(capture, gpu, folder)
                        self.assertEqual(result["advice"]["given"], [], text)
                        self.assertEqual(result["advice"]["not_tried"], [])


if __name__ == "__main__":
    unittest.main()
