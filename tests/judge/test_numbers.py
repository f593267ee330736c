"""When judge calls two numbers the same: sums in any order are, other precisions and other sums are not."""
import pathlib
import sys
import unittest

import numpy

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))
from warpscope.explore.judge import compare, contents, costs, problem  # noqa: E402
from warpscope.explore.judge.compare import Rule  # noqa: E402


def argument(kind="floating", size=4, lanes=1, count=1024, numbers=(1,), fill="random"):
    return {"kind": "buffer", "name": "a", "bytes": count * size * lanes, "element": {"kind": kind, "bytes": size * lanes, "lanes": lanes},
            "fill": {"kind": fill, "numbers": list(numbers)}}


def one_by_one(terms, order, kind):
    """The sums of rows, in `kind`, one term after the other."""
    total = numpy.zeros(len(terms), kind)
    for column in order:
        total = (total + terms[:, column].astype(kind)).astype(kind)
    return total


class Numbers(unittest.TestCase):
    def sums(self, terms, values):
        """(terms by row, sums in order, sums from nudged terms) of a set of contents."""
        draw = contents.generator("sums", terms, values)
        rows = contents.drawn(argument(count=64 * terms), values, draw).reshape(64, terms)
        nudged = contents.nudged(rows, draw)
        return rows, one_by_one(rows, range(terms), "f4"), one_by_one(nudged, range(terms), "f4")

    def test_sums_in_another_order(self):
        for values in contents.SETS:
            for terms in (2, 30, 1000, 5000):
                rows, expected, nudged = self.sums(terms, values)
                rule = Rule(terms=terms)
                backwards = one_by_one(rows, range(terms - 1, -1, -1), "f4")
                pairs = rows.astype("f4")
                while pairs.shape[1] > 1:  # a tree, as a work-group has
                    half = pairs.shape[1] // 2
                    left, right = pairs[:, :half], pairs[:, half:2 * half]
                    pairs = numpy.concatenate([left + right, pairs[:, 2 * half:]], axis=1)
                for other in (backwards, pairs[:, 0], rows.astype("f8").sum(axis=1).astype("f4")):
                    with self.subTest(values=values, terms=terms):
                        self.assertIsNone(compare.difference(other, expected, None, [nudged], rule))

    def test_half_precision_is_found(self):
        for terms in (30, 1000, 5000):
            rows, expected, nudged = self.sums(terms, "random")
            with numpy.errstate(over="ignore"):
                by_half = one_by_one(rows, range(terms), "f2").astype("f4")
            with self.subTest(terms=terms):
                self.assertIsNotNone(compare.difference(by_half, expected, None, [nudged], Rule(terms=terms)))

    def test_inputs_in_half_precision_are_found(self):
        """A long sum of them is as exact as one in single precision, but large numbers have no half."""
        rows, expected, nudged = self.sums(5000, "extreme")
        with numpy.errstate(over="ignore", invalid="ignore"):
            rounded = rows.astype("f2").astype("f4")
            self.assertIsNotNone(compare.difference(one_by_one(rounded, range(5000), "f4"), expected, None, [nudged], Rule(terms=5000)))

    def test_a_term_too_few_is_found(self):
        for values in ("random", "structured"):
            rows, expected, nudged = self.sums(1000, values)
            found = compare.difference(one_by_one(rows, range(999), "f4"), expected, None, [nudged], Rule(terms=1000))
            self.assertIsNotNone(found, values)
            self.assertEqual(found.of, 64)

    def test_cancellation(self):
        """Differences of large numbers: the last bits of the inputs decide all of the result."""
        draw = contents.generator("cancel")
        left = (1000 + draw.random(256)).astype("f4")
        right = (1000 + draw.random(256)).astype("f4")
        squares = left * left - right * right
        product = (left - right) * (left + right)
        a, b = contents.nudged(left, draw), contents.nudged(right, draw)
        self.assertIsNone(compare.difference(product, squares, None, [a * a - b * b], Rule(terms=2)))
        self.assertIsNotNone(compare.difference(product, squares, None, [squares], Rule(terms=2)))

    def test_what_is_no_number(self):
        expected = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.0, 1e-40], "f4")
        rule = Rule()
        self.assertIsNone(compare.difference(numpy.array([-numpy.nan, numpy.inf, -numpy.inf, -0.0, 0.0], "f4"), expected, None, [], rule))
        for index, other in ((0, 1.0), (1, -numpy.inf), (2, numpy.nan), (3, numpy.nan), (4, 1.0)):
            got = expected.copy()
            got[index] = other
            found = compare.difference(got, expected, None, [], rule)
            self.assertEqual((found.index, found.count), (index, 1))

    def test_exact_and_relative(self):
        expected = numpy.array([1.0, 100.0], "f4")
        near = numpy.nextafter(expected, numpy.float32(1000))
        self.assertEqual(compare.difference(near, expected, None, [], Rule(exact=True)).ulps, 1)
        self.assertIsNone(compare.difference(near, expected, None, [], Rule()))
        mean = numpy.sqrt((1 + 10000) / 2)
        self.assertIsNone(compare.difference(numpy.array([1 + 0.009 * mean, 100], "f4"), expected, None, [], Rule(relative=0.01)))
        self.assertEqual(compare.difference(numpy.array([1 + 0.011 * mean, 100], "f4"), expected, None, [], Rule(relative=0.01)).index, 0)

    def test_ulps_across_zero(self):
        smallest = numpy.array([1e-45], "f4")
        self.assertEqual(compare.difference(-smallest, smallest, None, [], Rule(exact=True)).ulps, 2)

    def test_integers(self):
        expected = numpy.arange(8, dtype="i4")
        got = expected.copy()
        got[3] += 1
        self.assertEqual(compare.difference(got, expected, None, [], Rule()).index, 3)
        undecided = expected.copy()
        undecided[3] += 5  # the last bit of an input decides it
        self.assertIsNone(compare.difference(got, expected, None, [undecided], Rule()))

    def test_unwritten(self):
        before = numpy.frombuffer(contents.poison(argument(count=4), contents.generator("p")), "f4")
        expected = numpy.array([1, 2, 3, 4], "f4")
        self.assertTrue(compare.difference(before, expected, before, [], Rule()).unwritten)
        partly = numpy.array([9, *before[1:]], "f4")
        self.assertFalse(compare.difference(partly, expected, before, [], Rule()).unwritten)


class Contents(unittest.TestCase):
    def test_the_seed_decides(self):
        for values in contents.SETS:
            one, again, other = (contents.drawn(argument(), values, contents.generator(seed, values)) for seed in ("s", "s", "t"))
            self.assertEqual(one.tobytes(), again.tobytes())
            self.assertEqual(one.tobytes() == other.tobytes(), values == "structured")

    def test_ranges(self):
        for kind, size, low, end in (("floating", 2, 0.5, 2), ("floating", 4, -3, -1), ("floating", 8, 1e-300, 1), ("signed", 4, -5, 7), ("unsigned", 1, 0, 3),
                                     ("unsigned", 8, 10, 11)):
            for values in contents.SETS:
                found = contents.drawn(argument(kind, size, numbers=(1, low, end)), values, contents.generator(values))
                with self.subTest(kind=kind, size=size, values=values):
                    self.assertEqual((found.dtype.itemsize, found.size), (size, 1024))
                    self.assertTrue((found >= numpy.array(low, found.dtype)).all() and (found < end).all(), (found.min(), found.max()))

    def test_vectors_and_structures(self):
        self.assertEqual(contents.number_type({"kind": "floating", "bytes": 16, "lanes": 3}), "f4")   # OpenCL's float3 has room for four
        self.assertEqual(contents.number_type({"kind": "floating", "bytes": 12, "lanes": 3}), "f4")   # CUDA's has not
        self.assertEqual(contents.number_type({"kind": "unsigned", "bytes": 8, "lanes": 4}), "u2")
        self.assertIsNone(contents.number_type({"kind": "opaque", "bytes": 24, "lanes": 1}))

    def test_fills_of_the_launch_file(self):
        """As trace-kernel fills buffers (benchmarks/kernels/buffer_content.py)."""
        sys.path.insert(0, str(SOURCE / "benchmarks" / "kernels"))
        import buffer_content
        for fill, numbers in (("zero", ()), ("iota", ()), ("constant", (7,)), ("range", (3, 4, 30))):
            for element, kind in (("float", "floating"), ("int", "signed")):
                found = contents.initial(argument(kind, count=50, fill=fill, numbers=numbers))
                self.assertEqual(found.tolist(), buffer_content.content((fill, list(numbers)), element, 50), (fill, element))

    def test_outputs_before_the_launch(self):
        for kind, size in (("floating", 2), ("floating", 4), ("floating", 8), ("signed", 4), ("unsigned", 1)):
            one, again, other = (contents.poison(argument(kind, size), contents.generator(seed)) for seed in ("s", "s", "t"))
            self.assertEqual((len(one), one == again, one == other), (1024 * size, True, False))
            if kind == "floating":
                self.assertTrue(numpy.isnan(numpy.frombuffer(one, f"f{size}")).all())

    def test_nudged_numbers_are_neighbours(self):
        array = contents.drawn(argument(), "random", contents.generator("n"))
        moved = contents.nudged(array, contents.generator("m"))
        self.assertEqual(set(abs(compare._ordered(moved) - compare._ordered(array)).tolist()), {0, 1})


class Terms(unittest.TestCase):
    def terms(self, loads, local_loads=0, items=4096, of_group=64):
        lanes = {kind: {"lanes": 0} for kind in ("load", "store", "atomic")}
        counters = {"total": {**lanes, "load": {"lanes": loads}, "outside_l1": {"local": {**lanes, "load": {"lanes": local_loads}}}},
                    "buffers": [{"name": "a", "store": {"lanes": 1024}, "atomic": {"lanes": 0}}]}
        written = problem.Buffer(argument(), is_output=True, is_pure=True)
        return problem.terms_of(counters, [written], {"global": [items, 1, 1], "local": [of_group, 1, 1]})

    def test_numbers_of_which_one_is_made(self):
        self.assertEqual(self.terms(8 * 1024), 8)  # of each output
        self.assertEqual(self.terms(8 * 1024, items=16), 512)  # of a work-item, which writes 64 outputs
        self.assertEqual(self.terms(8 * 1024 - 64, local_loads=64, of_group=256), 512)  # of a work-group that shares
        self.assertEqual(self.terms(1 << 20, items=2), problem.MOST_IN_ONE)
        self.assertEqual(self.terms(1 << 24), 1 << 14)


class Costs(unittest.TestCase):
    def test_what_is_not_simulated(self):
        """Nothing is said of what has time that is not simulated, however large the difference."""
        slow, fast = ({"cycles": cycles, "unmeasured": None} for cycles in (10_000_000, 10_000))
        self.assertEqual(costs.speedup(slow, fast)["says"], "faster")
        for one, other in (({**slow, "unmeasured": "spills"}, fast), (slow, {**fast, "unmeasured": "spills"})):
            found = costs.speedup(one, other)
            self.assertEqual((found["says"], found["why"][-6:]), (costs.CANNOT, "spills"))

    def test_registers_and_constants(self):
        def of(registers=254, source="live values", conflicts=0):
            return costs.unmeasured({"total": {"outside_l1": {"constant": {"load": {"conflicts": conflicts}}}},
                                     "context": {"schedule": {"residency": [{"registers": registers, "registers_from": source}]}}}, "h100")
        self.assertIsNone(of())
        self.assertIsNone(of(255, "machine code"))  # has its spills
        self.assertIn("255 registers", of(255))
        self.assertIn("constants", of(conflicts=1))


if __name__ == "__main__":
    unittest.main()
