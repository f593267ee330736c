"""The memory chart: its numbers are the result's, the whole is the sum of the launches, and what two small kernels move is known by hand."""
import copy
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "python"), str(pathlib.Path(__file__).resolve().parent)]

from test_sections import BIN, shown  # noqa: E402
from warpscope.result import results  # noqa: E402
from warpscope.show import page  # noqa: E402
from warpscope.show.page import memory  # noqa: E402

SIZE, WARP, SECTOR, FLOAT = 512, 32, 32, 4  # of docs/tutorial/sums.c
# Where a launch of result.json has each number; several: their sum.
PATHS = {
    "load_requests": ("load.requests",), "store_requests": ("store.requests",), "atomic_requests": ("atomic.requests",),
    "l1_load_hits": ("load.hits", "load.hits_pending"), "l1_store_hits": ("store.hits", "store.hits_pending"),
    "l1_load_looked_up": ("load.hits", "load.hits_pending", "load.sector_misses", "load.misses"),
    "shared_load_requests": ("outside_l1.local.load.requests",), "constant_load_requests": ("outside_l1.constant.load.requests",),
    "l2_to_l1_bytes": ("timing.l2_to_core_bytes",), "l1_to_l2_bytes": ("timing.core_to_l2_bytes",),
    "warp_instructions": ("timing.warp_instructions",), "dram_read_bytes": ("timing.memory.dram_read_bytes",),
    "dram_write_bytes": ("timing.memory.dram_write_bytes",), "l2_load_hits": ("timing.memory.l2_load_hits", "timing.memory.l2_load_hits_pending"),
    "l2_load_looked_up": ("timing.memory.l2_load_hits", "timing.memory.l2_load_hits_pending", "timing.memory.l2_load_misses"),
    "l2_store_looked_up": ("timing.memory.l2_store_hits", "timing.memory.l2_store_misses"), "l2_atomics": ("timing.memory.l2_atomics",)}
RATE = "dram_gb_per_s"  # of no sum


def value(part, path):
    for key in path.split("."):
        part = part[key]
    return part


class MemoryChart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.results = {}
        subprocess.run(["cc", SOURCE / "docs" / "tutorial" / "sums.c", "-o", "sums", "-lOpenCL"], cwd=cls.folder, check=True)
        for gpu in ("h100", "gtx480"):
            subprocess.run([BIN / "warpscope", "--gpu", gpu, "--no-plots", "-o", gpu, "--", "./sums"], cwd=cls.folder, check=True, capture_output=True)
            cls.results[gpu] = results.load(cls.folder / gpu / "result.json")

    def test_numbers_are_those_of_the_result(self):
        for gpu, result in self.results.items():
            whole, *launches = memory.shaped(result)
            self.assertEqual([one["name"] for one in launches], ["0: row_sums", "1: column_sums"])
            for chart, part in ((whole, result["timed"]["total"]), *zip(launches, result["timed"]["launches"])):
                self.assertTrue(chart["timed"])
                for name, paths in PATHS.items():
                    self.assertEqual(chart["numbers"][name], sum(value(part, path) for path in paths), (gpu, chart["name"], name))

    def test_the_whole_is_the_sum_of_the_launches(self):
        for result in self.results.values():
            whole, *launches = (one["numbers"] for one in memory.shaped(result))
            self.assertEqual(whole.keys(), launches[0].keys())
            for name in whole.keys() - {RATE}:
                self.assertEqual(whole[name], sum(one[name] for one in launches), name)

    def test_two_kernels_by_hand(self):
        """Every lane reads SIZE floats, of rows that are SIZE floats apart, or next to each other. Each element is used once."""
        _, rows, columns = (one["numbers"] for one in memory.shaped(self.results["h100"]))
        requests = SIZE * SIZE // WARP
        for numbers, sectors in ((rows, WARP), (columns, WARP * FLOAT // SECTOR)):
            self.assertEqual((numbers["load_requests"], numbers["store_requests"]), (requests, SIZE // WARP))
            self.assertEqual((numbers["load_bytes"], numbers["store_bytes"]), (requests * sectors * SECTOR, SIZE * FLOAT))
            self.assertEqual(numbers["l1_to_l2_bytes"], SIZE * FLOAT)
            self.assertGreaterEqual(numbers["l2_to_l1_bytes"], SIZE * SIZE * FLOAT)
            self.assertEqual(numbers["l2_to_l1_bytes"], SECTOR * numbers["l2_load_looked_up"])
            self.assertEqual(numbers["private_load_requests"] + numbers["shared_load_requests"], 0)
        self.assertEqual(columns["l2_to_l1_bytes"], SIZE * SIZE * FLOAT)
        self.assertEqual(rows["dram_read_bytes"], SIZE * SIZE * FLOAT)  # 1 MiB, which the L2 holds

    def test_fixed_order_ends_with_the_l1(self):
        result = copy.deepcopy(self.results["h100"])
        fixed = {name: part for name, part in result.items() if name not in ("timed", "clocks")}
        result["timed"]["context"]["timed"]["waves"] = {"waves": 1, "work_groups": 1, "of": 2}  # of which no number is the launch's
        for one in (fixed, result):
            for chart in memory.shaped(one):
                self.assertFalse(chart["timed"])
                self.assertNotIn("l2_load_hits", chart["numbers"])
                self.assertNotIn("l1_to_l2_bytes", chart["numbers"])
            whole = memory.shaped(one)[0]["numbers"]
            self.assertEqual(whole["l2_to_l1_bytes"], SECTOR * fixed["total"]["l1_to_l2_read_sectors"])

    def test_some_launches_timed(self):
        result = copy.deepcopy(self.results["h100"])
        result["clocks"]["timed_launches"] = 1
        result["timed"]["launches"].pop()
        self.assertEqual([one["timed"] for one in memory.shaped(result)], [False, True, False])

    def test_the_page_has_them(self):
        data = shown(page.make(self.results["gtx480"], self.folder))
        self.assertEqual(data["memory"], memory.shaped(self.results["gtx480"]))


if __name__ == "__main__":
    unittest.main()
