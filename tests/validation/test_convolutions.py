"""Convolutions as machine code (validation/convolution-study --machine): what is measured, what is kept, which order is printed."""
import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

from support import kind  # noqa: F401

from collect import convolutions, machine_convolutions  # noqa: E402
from warpscope.base.errors import InputError  # noqa: E402

H100 = pathlib.Path(__file__).resolve().parents[2] / "validation" / "hardware" / "nvidia-h100-80gb-hbm3" / "2026-11-26-convolution.csv"
NAMES = [f"rtx2080ti/convolution/{x}x4-t1x1-p0-ro0" for x in (8, 16, 32, 64)]


def line(name, cycles, instructions=1, transactions=1):
    return {"launch": name, "cycles": cycles, "instructions": instructions, "transactions": transactions, "hit_rate_percent": "0.000"}


class MachineConvolutions(unittest.TestCase):
    def test_measured_variants_have_names_of_the_draw(self):
        everything = convolutions.variants()
        cycles, times = machine_convolutions.measured("h100", [H100]), machine_convolutions.measured("rtx3090", None)
        self.assertEqual((len(cycles), len(times)), (179, 64))
        self.assertLessEqual({*cycles, *times}, everything.keys())
        self.assertEqual(cycles["rtx2080ti/convolution/48x4-t6x4-p1-ro0"], 1366982)   # both as the files have them
        self.assertEqual(times["rtx2080ti/convolution/48x16-t3x2-p0-ro0"], 1865984)

    def test_nothing_to_compare_is_one_line(self):
        with self.assertRaisesRegex(InputError, "--gpu v100: no measured convolutions, expected .*rtx2080ti, rtx3090"):
            machine_convolutions.measured("v100", None)
        with self.assertRaisesRegex(InputError, "2026-11-26-medium.csv: no measured convolutions"):
            machine_convolutions.measured("h100", [H100.with_name("2026-11-26-medium.csv")])
        with self.assertRaisesRegex(InputError, "^1 variants were simulated and measured, expected two or more"):
            machine_convolutions.report({NAMES[0]: line(NAMES[0], 1)}, dict.fromkeys(NAMES, 1), False)

    def test_what_is_known_is_not_simulated_again(self):
        everything, asked = convolutions.variants(), []

        def simulated(name, *_):
            asked.append(name)
            return None if name == NAMES[1] else line(name, f"{len(asked)}")

        with tempfile.TemporaryDirectory() as folder, mock.patch.object(machine_convolutions, "_simulated", simulated), contextlib.redirect_stderr(io.StringIO()):
            path, chosen = pathlib.Path(folder) / "deep" / "m.csv", {name: everything[name] for name in NAMES}
            first = machine_convolutions.simulate(dict(list(chosen.items())[:2]), "h100", 3, path)
            both = machine_convolutions.simulate(chosen, "h100", 3, path)
            again = machine_convolutions.simulate(chosen, "h100", 3, path)
        self.assertEqual(asked, NAMES)
        self.assertEqual([*first], NAMES[:1])
        self.assertEqual([*both], [NAMES[0], *NAMES[2:]])  # the second cannot run
        self.assertEqual([one["cycles"] for one in both.values()], ["1", "3", "4"])
        self.assertEqual([(one["launch"], one["cycles"]) for one in both.values()], [(one["launch"], one["cycles"]) for one in again.values()])

    def test_order_and_errors_by_hand(self):
        """Of four variants one pair of six is in the wrong order; the one that is said to be the fastest is the second, of 100 and 125."""
        found = {name: line(name, cycles, 10 - cycles, 2 * cycles) for name, cycles in zip(NAMES, (2, 1, 3, 4))}
        took = dict(zip(NAMES, (100, 125, 300, 400)))
        with contextlib.redirect_stdout(io.StringIO()) as said:
            machine_convolutions.report(found, took, False)
        self.assertIn("cycles: Kendall τ 0.67; slower than the best: best of the first 1 25 %, best of the first 5 0 %", said.getvalue())
        self.assertIn("instructions: Kendall τ -0.67; slower than the best: best of the first 1 300 %", said.getvalue())
        self.assertNotIn("ln", said.getvalue())
        with contextlib.redirect_stdout(io.StringIO()) as said:
            machine_convolutions.report(found, dict(zip(NAMES, (2, 2, 2, 3))), True)
        self.assertIn("mean |ln(simulated / measured)| 0.347;", said.getvalue())  # (0 + 0.693 + 0.405 + 0.288) / 4


if __name__ == "__main__":
    unittest.main()
