"""validation/truth/estimates, estimates.py and intervals.py: counts, errors and intervals against arithmetic by hand."""
import pathlib
import tempfile
import unittest

from support import VALIDATION

from truth import tables  # noqa: E402
from truth.estimates import estimates, intervals  # noqa: E402
from warpscope.base.errors import InputError  # noqa: E402

INTEGER = "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"


def launch(name, family, registers=None, **measured):
    one = tables.Launch(name, "a100", "a100", "8.0", "ncu", family, name.rsplit("/", 1)[0], "no", (10, 1, 1), (32, 1, 1),
                        {"registers": str(registers)} if registers else {}, fold_family=family)
    one.measured = dict(measured)
    return one


class Operations(unittest.TestCase):
    def test_instructions_times_the_work_items_that_entered(self):
        blocks = [{"mix": {"int_alu": 3, "branch": 1}, "successors": [1, 2]},
                  {"mix": {"int_div": 1, "fp32_fma": 4, "load_global": 2, "phi": 5, "branch": 1}, "successors": [2]}, {"successors": []}]
        counts = [{"warps": 4, "work_items": 128}, {"warps": 2, "work_items": 10}, {"warps": 1, "work_items": 1}]
        # 3 * 128, and a division is 18 instructions: + 180. Block 1 only goes on to block 2.
        self.assertEqual(estimates.of_classes(blocks, counts, estimates.instruction_classes()),
                         {"integer": 564, "control": 138, "fp32": 40, "accesses": 20, "jumps": 10})

    def test_classes_are_those_of_the_timed_engine(self):
        classes = estimates.instruction_classes()
        self.assertEqual((classes["int_div"], classes["barrier"], classes["phi"], classes["atomic"]),
                         (("integer", 18), ("control", 1), (None, 0), ("accesses", 1)))


class Predictors(unittest.TestCase):
    def test_elsewhere_is_the_median_of_the_other_families(self):
        ones = [launch("g/a/1", "a", 10), launch("g/b/1", "b", 20), launch("g/b/2", "b", 30), launch("g/c/1", "c", 70)]
        self.assertEqual(estimates.elsewhere(ones, {}, "registers"), {"a": 30, "b": 40, "c": 20})
        ones = [launch("g/a/1", "a", **{INTEGER: 100}), launch("g/b/1", "b", **{INTEGER: 60})]
        found = {"g/a/1": {"accesses": 50}, "g/b/1": {"accesses": 20}}
        self.assertEqual(estimates.elsewhere(ones, found, "integer"), {"a": 3, "b": 2})

    def test_errors_are_fractions_and_registers(self):
        ones = [launch("g/a/1", "a", 40, **{INTEGER: 100}), launch("g/b/1", "b", 20, **{INTEGER: 60})]
        found = {"g/a/1": {"live": 30, "ptxas": 44, "integer": 150, "accesses": 50}, "g/b/1": {"live": 26, "ptxas": None, "integer": 30, "accesses": 20}}
        self.assertEqual(estimates.errors(ones, found, "registers"),
                         {"a100/a": {"live values": [-10], "ptxas": [4], "32": [-8], "other families": [-20]},
                          "a100/b": {"live values": [6], "32": [12], "other families": [20]}})
        integer = estimates.errors(ones, found, "integer")["a100/a"]
        self.assertEqual((integer["ours"], integer["one per access"]), ([0.5], [-0.5]))
        self.assertAlmostEqual(integer["other families"][0], 0.5)

    def test_a_cell_has_median_and_nine_tenths(self):
        self.assertEqual(estimates.cell([-1, 2, 3, -4, 10], "registers"), "3, 8 (80 %)")
        self.assertEqual(estimates.cell([-0.1, -0.3, 0.2], "integer"), "20 %, 28 % (-10 %)")


class Lines(unittest.TestCase):
    def test_a_family_that_is_captured_again_leaves_the_others_alone(self):
        ones = [launch("g/a/1", "a", 10), launch("g/b/1", "b", 20)]
        self.assertEqual([one.name for one in estimates.chosen(ones, ["b"])], ["g/b/1"])
        with self.assertRaises(InputError):
            estimates.chosen(ones, ["c"])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "estimates.csv"
            old = {"g/a/1": {"commit": "old", "live": 8, "ptxas": None}}
            estimates.write({**old, "g/b/1": {"commit": "new", "live": 9, "ptxas": 7, "integer": 5}}, ["g/b/1", "g/a/1", "g/c/1"], path)
            self.assertEqual(path.read_text(encoding="utf-8"), "launch,commit,live,ptxas,integer,control,jumps,fp32,accesses\n"
                                                               "g/b/1,new,9,7,5,,,,\ng/a/1,old,8,,,,,,\n")
            self.assertEqual(estimates.read(path)["g/a/1"]["live"], 8)


class Intervals(unittest.TestCase):
    def test_distance_of_two_intervals(self):
        self.assertEqual(intervals.distance(89.0, 0.5, 76.0, 78.0), 10.5)
        self.assertEqual(intervals.distance(50.0, 0.5, 60.0, 70.0), 9.5)
        self.assertEqual(intervals.distance(50.0, 0.5, 50.4, 70.0), 0)
        self.assertEqual(intervals.distance(50.0, 0.5, 40.0, 70.0), 0)

    def test_in_block_misses_every_line_once(self):
        total = {"load": {"transactions": 110, "bypasses": 10}, "miss_classes": {"cold": 25}}
        self.assertEqual(intervals.in_block(total), 75)


if __name__ == "__main__":
    unittest.main()
