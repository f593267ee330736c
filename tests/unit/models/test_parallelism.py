"""Parallelism within a warp, of blocks as trace-view shows them: by hand."""
import unittest

import support  # noqa: F401  (the package's path)

from warpscope.result import facts, parallelism


def block(executions, mix, path, loads=(0, 0, 0)):
    recorded = {"path": path, **dict(zip(("loads", "load_steps", "load_groups"), loads))}
    return {"executions": executions, "mix": mix, "parallelism": recorded}


class Blocks(unittest.TestCase):
    def test_quotients_of_sums(self):
        # 4 instructions in 2 steps, once; 6 (a phi is none) in 5 steps, ten times; loads 3 in 1 or 3, and 2 in 1 or 2
        found = parallelism.of_blocks([block(1, {"load_global": 3, "branch": 1}, {"load_global": 1, "branch": 1}, (3, 1, 3)),
                                       block(10, {"phi": 2, "int_alu": 4, "load_global": 2}, {"int_alu": 4, "load_global": 1}, (2, 1, 2))])
        self.assertAlmostEqual(found.ilp, (4 + 60) / (2 + 50), 12)
        self.assertAlmostEqual(found.mlp, (3 + 20) / (1 + 10), 12)
        self.assertAlmostEqual(found.mlp_in_order, (3 + 20) / (3 + 20), 12)

    def test_without_loads(self):
        found = parallelism.of_blocks([block(5, {"int_alu": 6}, {"int_alu": 2})])
        self.assertEqual((found.ilp, found.mlp, found.mlp_in_order), (3, None, None))

    def test_not_recorded(self):
        old = {"executions": 1, "mix": {"branch": 1}}
        self.assertIsNone(parallelism.of_blocks([old]))
        # what was never executed does not matter
        self.assertEqual(parallelism.of_blocks([{**old, "executions": 0}, block(1, {"int_alu": 2}, {"int_alu": 1})]).ilp, 2)
        self.assertIsNone(parallelism.of_blocks([]))

    def test_words_of_a_load_are_the_mean_of_the_lanes(self):
        def site(space, lanes, width):
            return {"space": space, "load": {"lanes": lanes}, "width": width}

        def words(sites):
            return facts.Facts("f", 1, 1, 1, 1, 32, 1, sites).words_per_load()

        # 32 loads of 16 bytes and 96 of 4: (32 · 4 + 96 · 1) / 128
        self.assertEqual(words([site("global", 32, 16), site("global", 96, 4), site("local", 500, 8)]), 1.75)
        self.assertEqual((words([site("global", 0, 16)]), words(None)), (1, 1))


if __name__ == "__main__":
    unittest.main()
