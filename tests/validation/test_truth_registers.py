"""validation/truth/estimates/registers.py: the rule, the fit and the work-groups by hand, and that code and page have what the table gives."""
import re
import unittest

from support import SOURCE

from truth.estimates import registers  # noqa: E402


def kernel(**changes):
    """A loop of one block that loads, as kernels.json has it: 13 instructions and a phi."""
    block = {"successors": [2, 1], "instructions": 14, "mix": {"phi": 1}, "sites": [0], **changes}
    return {"loops": [{"header": 1, **({"counted": False} if changes.get("uncounted") else {})}], "sites": [{"kind": "load"}, {"kind": "barrier"}, {"kind": "store"}],
            "blocks": [{"successors": [1], "instructions": 1, "mix": {}}, block]}


def line(name, live, loop, sm_75, work_items=256, static_local=0):
    return registers.Kernel(name, work_items, static_local, live, loop, {"sm_75": sm_75, "sm_80": min(sm_75, 32)})


class Registers(unittest.TestCase):
    def test_which_loops_are_unrolled(self):
        self.assertTrue(registers.unrolled(kernel()))
        self.assertTrue(registers.unrolled(kernel(instructions=51)))
        for changes in ({"instructions": 52}, {"successors": [2]}, {"sites": [2]}, {"sites": [0, 1]}, {"uncounted": True}):
            self.assertFalse(registers.unrolled(kernel(**changes)), changes)

    def test_a_plane_is_fitted_exactly(self):
        """5 + 2 × live + 7 for a loop."""
        kernels = [line("a", 1, 0, 7), line("b", 3, 0, 11), line("c", 2, 1, 16), line("d", 10, 1, 32)]
        for found, expected in zip(registers.fit(kernels), (5, 2, 7)):
            self.assertAlmostEqual(found, expected)

    def test_the_family_is_left_out(self):
        """mm and syrk are of one family: both are judged by b to d alone."""
        kernels = [line("mm", 1, 0, 99), line("syrk", 2, 0, 99), line("b", 3, 0, 11), line("c", 2, 1, 16), line("d", 10, 1, 32)]
        self.assertEqual(*(registers.left_out(kernels)[name] for name in ("mm", "syrk")))
        for found, expected in zip(registers.left_out(kernels)["mm"], (5, 2, 7)):
            self.assertAlmostEqual(found, expected)

    def test_work_groups_of_a_core(self):
        """GTX 480: 256 work-items with 32 registers are 8 warps of 1,024, so 32,768 / 1,024 / 8 = 4, with 7 registers 48 warps / 8. H100: 64 warps / 8 with 32,
        with 40 16,384 / 1,280 = 12 of each quarter, 48 / 8; 48 KiB and 1 KiB of the driver's are 228 / 49 = 4."""
        for gpu, count, local, expected in (("gtx480", 32, 0, 4), ("gtx480", 7, 0, 6), ("h100", 32, 0, 8), ("h100", 40, 0, 6), ("h100", 32, 48 * 1024, 4)):
            self.assertEqual(registers.resident(gpu, line("x", 1, 0, 1, static_local=local), count), expected, (gpu, count))

    def test_the_code_has_the_fit_of_the_table(self):
        code = (SOURCE / "gpus" / "registers.cpp").read_text(encoding="utf-8")
        shipped = re.search(r"kLeast = ([\d.]+), kPerValue = ([\d.]+), kUnrolled = ([\d.]+);", code).groups()
        least, each, loop = registers.fit(registers.read())
        self.assertEqual(shipped, (f"{least:.1f}", f"{each:.2f}", f"{loop:.1f}"))
        self.assertEqual(int(re.search(r"kLargestBody = (\d+);", code)[1]), registers.BODY)

    def test_the_page_is_that_of_the_table(self):
        self.assertEqual(registers.PAGE.read_text(encoding="utf-8"), registers.page(registers.read()))

    def test_work_groups_are_equal_in_80_percent(self):
        """On the architectures that nvcc knows, families left out; what the trivial predictors reach is on the page."""
        kernels = registers.read()
        known = [(gpu, f"sm_{version}") for version, gpu in registers.GPUS.items()]
        same = int(registers._cells(known, kernels, registers.predictors(kernels)["fitted, family left out"])[0])
        self.assertGreaterEqual(same, 80)


if __name__ == "__main__":
    unittest.main()
