"""Rooflines: document 004's intensities and bandwidths of SGEMM on a Tesla K20m, and the sides of the ridge."""
import unittest

import support

K20 = dict(peak=3520, bandwidth=208)


def sgemm(edge, per_item, depth):
    """One pass over `depth` of a tile of edge², edge / per_item items a side: operations, global bytes, local bytes."""
    items = (edge // per_item) ** 2
    return dict(flops=2 * edge * edge * depth, global_bytes=4 * 2 * edge * depth, local_bytes=4 * items * 2 * per_item * depth)


class Sgemm(unittest.TestCase):
    def test_intensities_of_the_tiles(self):
        for edge, per_item, depth, of_global, of_local in ((192, 12, 4, 48, 3), (128, 8, 8, 32, 2)):
            part = support.answer("roofline", **K20, local_bandwidth=2349, **sgemm(edge, per_item, depth)).part
            self.assertEqual((part("intensity"), part("intensity of local memory")), (of_global, of_local))

    def test_least_bandwidths(self):
        # computation and memory take equally long at 3520 / 48 = 73.3 and 3520 / 3 = 1173.3 GB/s
        part = support.answer("roofline", peak=3520, bandwidth=3520 / 48, local_bandwidth=3520 / 3, **sgemm(192, 12, 4)).part
        self.assertAlmostEqual(part("time of computation") / part("time of global memory"), 1)
        self.assertAlmostEqual(part("time of computation") / part("time of local memory"), 1)

    def test_k20_of_the_presets(self):
        values = support.inputs("roofline", "k20", flops=1, global_bytes=1)
        self.assertEqual(round(values["peak"].value), 3524)  # 13 · 192 · 2 · 0.706; 3520 in print
        self.assertEqual(round(values["local_bandwidth"].value, 1), 2349.6)  # 13 cores, 32 banks of 8 bytes


class Ridge(unittest.TestCase):
    def test_both_sides(self):
        for intensity, bound, rate in ((4, "global memory", 400), (100, "computation", 1000)):
            answer = support.answer("roofline", peak=1000, bandwidth=100, flops=intensity * 1e9, global_bytes=1e9)
            self.assertEqual((answer.bottleneck.split(":")[0], answer.part("attainable rate")), (bound, rate))
            self.assertAlmostEqual(answer.seconds, intensity / rate)

    def test_saving_ends_at_the_next_roof(self):
        answer = support.answer("roofline", peak=1000, bandwidth=100, flops=4e9, global_bytes=1e9)
        self.assertAlmostEqual(answer.advice[0][1], 0.010 - 0.004)


if __name__ == "__main__":
    unittest.main()
