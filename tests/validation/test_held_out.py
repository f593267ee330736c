"""Which kernels are held out, and how cycles and rates are scored: by hand."""
import csv
import math
import pathlib
import subprocess
import tempfile
import unittest
import unittest.mock

import support  # noqa: F401  (paths)

from collect import sections  # noqa: E402
from held_out import folds, rates, simulating, tables  # noqa: E402
from truth import errors  # noqa: E402

CYCLES = """launch,gpu,family,cores,measured,simulated,front_end,issue,l1,l2,dram
h100/mm/large,h100,mm,2,100000,200000,clang,50000,20000,1,1
h100/mm/medium,h100,mm,2,50000,50000,clang,25000,1,1,1
h100/copy/large,h100,copy,2,120000,120000,clang,1,1,1,60000
h100/copy/small,h100,copy,2,1000,5000,clang,1,1,1,600
h100/copy/large,h100,copy,2,120000,60000,machine,,,,
"""
RATES = """launch,gpu,measured,fixed,timed,full_lru,unlimited,front_end
h100/mm/large,h100,50,60,52,70,80,clang
h100/copy/large,h100,80,1,1,1,80,clang
"""
SIMULATED = """launch,gpu,front_end,quantity,measured,timed,fixed,full_lru,unlimited
h100/mm/large,h100,machine,hit_rate,50,53,58,50,90
h100/mm/large,h100,machine,l2_reads,1000,1100,500,1500,800
h100/mm/medium,h100,machine,l2_reads,1000,1300,1100,1000,100
h100/copy/large,h100,machine,l2_reads,1000,1,1,1,900
"""


class Folds(unittest.TestCase):
    def test_are_those_of_sha256sum(self):
        for kernel in ("mm", "convolution", "softmax_online"):
            digest = subprocess.run(["sha256sum"], input=kernel.encode(), capture_output=True, check=True).stdout
            self.assertEqual(folds.fold_of(kernel), int(chr(digest[0]), 16) % 4, kernel)

    def test_the_list_has_every_kernel_with_its_fold(self):
        kernels = {folds.kernel_of(row["launch"]) for path in (folds.CYCLES, folds.RATES) for row in folds.rows(path)}
        listed = folds.rows(folds.LIST)
        self.assertEqual([row["kernel"] for row in listed], sorted(row["kernel"] for row in listed))
        self.assertTrue(all(int(row["fold"]) == folds.fold_of(row["kernel"]) and row["seen"] == "yes" for row in listed))
        self.assertLessEqual({row["kernel"] for row in listed}, kernels)

    def test_kernels_have_no_sizes(self):
        for launch, kernel in (("h100/mm/large", "mm"), ("h100/fmm_ulist/medium:TRANS=1", "fmm_ulist"), ("gtx480/stencil/8x8", "stencil"),
                               ("h100/softmax/online-n4096-d1024", "softmax_online"), ("h100/matmul_tiled/sgemm_block1d-n4096", "sgemm_block1d"),
                               ("h100/convolution/1x32-t7x1-p1-ro0", "convolution")):
            self.assertEqual(folds.kernel_of(launch), kernel)

    def test_launches_have_the_names_of_the_tables(self):
        self.assertEqual(simulating.name_of("h100", "fmm_ulist/fmm_ulist.launch:medium:TRANS=1"), "h100/fmm_ulist/medium:TRANS=1")
        self.assertEqual(simulating.name_of("h100", "softmax/online-n4096-d1024"), "h100/softmax/online-n4096-d1024")


class Tables(unittest.TestCase):
    def scored(self, seen=(), rates=RATES):
        with tempfile.TemporaryDirectory() as folder:
            paths = {name: pathlib.Path(folder) / f"{name}.csv" for name in ("CYCLES", "RATES", "SIMULATED_RATES")}
            paths["SIMULATED_RATES"].write_text(SIMULATED)
            paths["CYCLES"].write_text(CYCLES)
            paths["RATES"].write_text(rates)
            with unittest.mock.patch.multiple(folds, **paths), unittest.mock.patch.object(folds, "seen", lambda: set(seen)), \
                    unittest.mock.patch.object(folds, "fold_of", lambda kernel: 0 if kernel == "mm" else 1):
                return tables.all_of()

    def test_cycles(self):
        lines = self.scored()
        # mm: ln 2 and 0, so 0.347; half is within 30 %; 100 % and 0 % off. Bounds are half of what was measured, so a factor of 2 is exact. copy/small is too short.
        self.assertIn(f"| held out, not seen | clang | 2 | 1 | {math.log(2) / 2:.3f} | 0.000 (2) | 50 | 50.0 |  |", lines)
        self.assertIn("| others | clang | 1 | 1 | 0.000 | 0.000 (1) | 100 | 0.0 |  |", lines)
        self.assertIn(f"| others | machine | 1 | 1 | {math.log(2):.3f} |  | 0 | 50.0 |  |", lines)
        self.assertTrue(any(line.startswith("| held out by its name, seen | clang | 2") for line in self.scored(seen=["mm"])))

    def test_pairs_are_of_different_kernels_within_a_factor_of_two(self):
        rows = [("a", 100, 90, []), ("a", 110, 80, []), ("b", 120, 100, []), ("c", 150, 95, []), ("d", 1000, 1, [])]
        # a and b twice right, a and c twice right, b and c wrong; a and a, and d with any, do not count.
        self.assertEqual(tables.signs(rows), (4, 5))

    def test_rates_that_do_not_test_the_cache_are_left_out(self):
        lines = self.scored()
        part = lines[lines.index("") + 3:]
        self.assertEqual(part[:part.index("")], ["| held out, not seen | clang | 1 | 1 | 2.0 (2.0) | 10.0 (10.0) | 20.0 (20.0) | 30.0 (30.0) |",
                                                 "| held out, not seen | machine | 1 | 1 | 3.0 (3.0) | 8.0 (8.0) | 0.0 (0.0) | 40.0 (40.0) |"])

    def test_reads_of_the_second_cache(self):
        """10 and 30 % off, so 20; copy reads 1.11 times what an unlimited cache would, which tests nothing."""
        self.assertEqual(self.scored()[-1], "| held out, not seen | machine | 2 | 1 | 20.0 | 30.0 | 25.0 | 55.0 |")

    def test_order_of_variants(self):
        """Eight launches: one pair of 28 is in the wrong order, so 26 / 28. The one said to be the fastest takes 20 where 10 is the best."""
        cycles = "".join(f"h100/mm/v{i},h100,mm,2,{10 * i},{simulated},machine,1,1,1,{9 - i}\n" for i, simulated in enumerate((2, 1, 3, 4, 5, 6, 7, 8), 1))
        reads = "".join(f"h100/mm/v{i},h100,machine,l2_reads,{100 * i},{110 * i},{100 * i},{50 * (9 - i)},7\n" for i in range(1, 9))
        with unittest.mock.patch.object(folds, "rows", lambda path: list(csv.DictReader((CYCLES.splitlines()[0] + "\n" + cycles).splitlines()))), \
                unittest.mock.patch.object(rates, "read", lambda: list(csv.DictReader((SIMULATED.splitlines()[0] + "\n" + reads).splitlines()))):
            self.assertEqual(tables.variants().splitlines()[2:], [f"| h100 | mm | machine | 8 | {26 / 28:.2f} | 100 | -1.00 | 1.00 (10.0) | 1.00 (0.0) | -1.00 (75.0) | – (98.4) |"])

    def test_rates_of_a_launch(self):
        """40 loads of a sector: 10 miss for the first time, 6 for want of room; 40 hits and 24 misses more are of stores. In time 2 more miss."""
        def result(missed):
            load = {"requests": 10, "transactions": 40, "bypasses": 0, "hits": 40 - missed, "hits_pending": 0, "misses": missed, "misses_pending": 0, "lanes": 40}
            nothing = dict.fromkeys(load, 0)
            total = {"load": load, "store": {**nothing, "transactions": 60, "hits": 30, "misses": 30}, "atomic": nothing, "classified": 40,
                     "miss_classes": {"cold": 10, "invalidated": 0, "capacity": 6, "anti_conflict": 0, "conflict": missed - 16},
                     "profiler": {"ncu": {"l1tex__t_sector_hit_rate.pct": 70 - missed}}}
            site = {"kind": "load", "space": "global", "load": load}
            return {"total": total, "sites": [site], "launches": [total], "cores": [], "context": {"cache": {"line_bytes": 128, "sector_bytes": 32, "write_policy": "WTNA"}}}
        counted = {"l1.hit_rate_percent": (53.5, 53, 54), "l1.read_sectors_from_l2": (17, 17, 17)}
        measured = unittest.mock.Mock(median=lambda name: counted[name][0])
        rows = rates.rows_of(("h100/mm/large", "h100", "machine"), measured, result(16), result(18))
        self.assertEqual([list(row.values())[3:] for row in rows],
                         [["hit_rate", "53.5", "52", "54", "54", "60"], ["l2_reads", "17", "18", "16", "16", "10"]])

    def test_rates_of_launches_that_others_measured(self):
        """Those of a fold have the values that it did not choose; what was not simulated, or not measured, is left out. A table keeps the rest."""
        def row(name, measured, rates_of_row, fold="", own=None):
            scored = {} if own is None else {"family": unittest.mock.Mock(rates=own)}
            launch = unittest.mock.Mock(gpu=name.split("/")[0], fold_family=fold)
            launch.name = name
            return unittest.mock.Mock(launch=launch, hit_rate=measured, rates=rates_of_row, scored=scored)
        full = {"timed": 51.255, "fixed": 52, "full_lru": 60, "unlimited": 90, "jitter": 1}
        found = rates.rows_of_truth([row("a6000/softmax_naive/n1", 50, full), row("a6000/softmax_naive/n2", None, full), row("a100/mm/n1", 50, {"fixed": 1}),
                                     row("a100/mm/n2", 50, full, "matmul", {**full, "timed": 40}), row("a100/mm/n3", 50, full, "matmul")])
        self.assertEqual([list(one.values()) for one in found], [["a6000/softmax_naive/n1", "a6000", "machine", "hit_rate", "50", "51.26", "52", "60", "90"],
                                                                 ["a100/mm/n2", "a100", "machine", "hit_rate", "50", "40", "52", "60", "90"]])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rates.csv"
            path.write_text(SIMULATED + "a100/mm/n2,a100,machine,hit_rate,50,41,52,60,90\n")
            rates.put(path, found)
            self.assertEqual([(one["launch"], one["timed"]) for one in rates.read(path)],
                             [("a100/mm/n2", "40"), ("a6000/softmax_naive/n1", "51.26"), ("h100/copy/large", "1"), ("h100/mm/large", "1100"), ("h100/mm/large", "53"), ("h100/mm/medium", "1300")])

    def test_rates_are_averaged_over_kernels_of_a_gpu(self):
        """Three launches of a kernel on one GPU, one on another: 2, 2, 8 and 10 points are (4 + 10) / 2, the median 5. What was not timed has its own line."""
        errors = "".join(f"{gpu}/mm/{size},{gpu},50,{50 + error},{50 + error},50,90,clang\n" for gpu, size, error in
                         (("h100", "a", 2), ("h100", "b", 2), ("h100", "c", 8), ("v100", "a", 10))) + "k40/mm/a,k40,50,53,,50,90,clang\n"
        rows = self.scored(rates=RATES.splitlines()[0] + "\n" + errors)
        self.assertIn("| held out, not seen | clang | 4 | 2 | 7.0 (5.0) | 7.0 (5.0) | 0.0 (0.0) | 40.0 (40.0) |", rows)
        self.assertIn("| held out, not seen | clang | 1 | 1 | – | 3.0 (3.0) | 0.0 (0.0) | 40.0 (40.0) |", rows)

    def test_the_accuracy_page_has_them(self):
        text = errors.PAGE.read_text(encoding="utf-8")
        self.assertIn("\n".join(tables.section()), text, "validation/held_out/score --doc")

    def test_a_section_is_replaced_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.md"
            path.write_text("# A\n\n## B\n\nold\n\n## C\n\ntext\n")
            sections.replace(path, ["## B", "", "new", ""])
            self.assertEqual(path.read_text(), "# A\n\n## B\n\nnew\n\n## C\n\ntext\n")
            with self.assertRaisesRegex(ValueError, "no section '## D'"):
                sections.replace(path, ["## D", ""])


if __name__ == "__main__":
    unittest.main()
