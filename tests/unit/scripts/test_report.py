"""The report of a result whose numbers are known by hand."""
import copy
import json
import pathlib
import re
import tempfile
import unittest

import support
from warpscope.base.errors import InputError
from warpscope.result import rates, results
from warpscope.show import listing, report


class Rates(unittest.TestCase):
    def test_miss_rate_leaves_out_what_passed_by(self):
        self.assertEqual(rates.miss_rate_percent(support.kind(4, 10, 4, 4, 2)), 50.0)
        self.assertIsNone(rates.miss_rate_percent(support.kind(4, 2, 0, 0, 2)))

    def test_classified_are_loads_and_with_allocation_stores(self):
        result = support.result()
        self.assertEqual(results.classified(result["total"], result), 6)
        result["context"]["cache"]["write_policy"] = "WBWA"
        self.assertEqual(results.classified(result["total"], result), 8)


class Summary(unittest.TestCase):
    def test_a_buffer_has_the_names_of_host_and_kernels(self):
        result = support.result()
        result["buffers"][0]["name"] = "d_a"
        text = "\n".join(report.summary(result))
        self.assertRegex(text, r"d_a \(in\) +6 +1\.50 +3 ")
        self.assertRegex(text, r"\nout +2 ")

    def test_shows_loads_stores_classes_and_buffers(self):
        text = "\n".join(report.summary(support.result()))
        self.assertRegex(text, r"copy, 64 work-items in groups of 32\n")
        self.assertRegex(text, r"loads +4 +6 +1\.50 +3 +3 +0 +50\.00 %")
        self.assertRegex(text, r"stores +2 +2 +1\.00 +0 +2 +0 +100\.00 %")
        self.assertRegex(text, r"cold +3 +100\.00 %")
        self.assertRegex(text, r"in +6 +1\.50 +3 +50\.00 % +100\.00 %")

    def test_has_the_gpu_and_the_cache_in_lines_of_their_own(self):
        result = support.result()
        result["context"]["preset"] = {"name": "x1", "description": "Example X1, L1 of 16 KiB"}
        lines = report.summary(result)
        self.assertIn("Example X1", lines)
        self.assertEqual([line for line in lines if "\n" in line], [])

    def test_shows_the_range_over_repetitions(self):
        result = support.result()
        self.assertNotIn("repetitions", "\n".join(report.summary(result)))
        result["repeat"] = {"count": 4, "first_seed": 1, "varied": ["layout of the buffers"], "fixed": {}}
        result["total"]["spread"] = {"load.hit_rate_percent": {"min": 25.0, "median": 37.5, "max": 50.0, "values": [50, 25, 25, 50]}}
        text = "\n".join(report.summary(result))
        self.assertIn("4 repetitions with other layout of the buffers; all else is the first, as asked for", text)
        self.assertRegex(text, r"load\.hit rate percent +25 +37\.5 +50")

    def test_says_what_local_memory_left_of_the_cache(self):
        result = support.result()
        result["context"]["cache"]["size_kib"] = 249
        result["launches"][0]["l1_kib"] = 249
        self.assertNotIn("local memory", results.cache_text(result))
        result["launches"][0]["l1_kib"] = 241
        self.assertIn("L1 of 249 KiB (241 next to local memory), ", results.cache_text(result))
        result["launches"].append(dict(result["launches"][0], l1_kib=185))
        self.assertIn("L1 of 249 KiB (185 to 241 next to local memory), ", results.cache_text(result))
        for launch, kib in zip(result["launches"], (8, 64)):
            launch["carveout_kib"] = kib
        self.assertIn("L1 of 249 KiB (185 to 241 next to 64 to 8 KiB of local memory), ", results.cache_text(result))

    def test_says_when_the_capture_was_cut_short(self):
        result = support.result()
        result["context"]["partial"] = True
        self.assertIn("PARTIAL", "\n".join(report.summary(result)))

    def test_copes_with_no_access_at_all(self):
        result = support.result()
        for part in (result["total"], *result["launches"], *result["sites"], *result["buffers"]):
            part.update(copy.deepcopy(support.counts()))
        self.assertTrue(report.summary(result))
        self.assertTrue(listing.whole(result))


class Listing(unittest.TestCase):
    def test_names_an_argument_once_for_all_its_buffers(self):
        result = support.result()
        result["sites"][0]["buffers"].append({"buffer": 2, "name": "in", "transactions": 1, "misses": 1})
        self.assertIn("load in, column 12", "\n".join(listing.whole(result)))

    def test_annotates_the_line_and_its_instructions(self):
        lines = listing.whole(support.result())
        line = next(line for line in lines if "4 |" in line)
        self.assertRegex(line, r"^ *8 +1\.33 +5 +62\.50 % +100\.00% +100% +4 \|   out\[i\]")
        loads = [line for line in lines if "load in" in line]
        self.assertRegex(loads[0], r"^ *2 +1\.00 +2 +100\.00 % +40\.00%")
        self.assertRegex(loads[1], r"^ *4 +2\.00 +1 +25\.00 % +20\.00%")

    def test_shows_every_source_line_once(self):
        lines = listing.whole(support.result())
        for number, text in enumerate(support.KERNEL.splitlines(), 1):
            self.assertEqual(sum(line.endswith(f"{number:4d} | {text}") for line in lines), 1)

    def test_names_the_other_lines_of_a_merged_instruction(self):
        result = support.result()
        result["sites"][0]["locations"].append({"file": "copy.cl", "line": 3, "column": 1})
        self.assertTrue(any(line.endswith("[+ line 3]") for line in listing.whole(result)))


    def test_copies_of_an_access_are_one_row(self):
        result = support.result()
        result["sites"].append(dict(result["sites"][0], site=8))
        rows = [line for line in listing.whole(result) if "└ load in, column 12" in line]
        self.assertEqual(len(rows), 1)
        self.assertRegex(rows[0], r"^ *4 +1\.00 +4 .*column 12, 2 copies$")

    def test_excerpts_have_the_worst_lines_first_and_two_around(self):
        result = support.result()
        lines = [f"line {number}" for number in range(1, 40)]
        result["sources"][0]["text"] = "\n".join(lines)
        for site, number in zip(result["sites"], (20, 10, 30)):
            site["locations"][0]["line"] = number
        text = listing.excerpts(result)
        shown = [int(found[1]) for line in text if (found := re.search(r"\| line (\d+)$", line))]
        self.assertEqual(shown, [8, 9, 10, 11, 12, 18, 19, 20, 21, 22, 28, 29, 30, 31, 32])  # 4 + 1, 2 + 2, 2 + 2 transactions and misses
        self.assertIn("2 more lines access memory: report.txt", listing.excerpts(result, worst=1))


class Plots(unittest.TestCase):
    def test_are_the_same_bytes_each_time(self):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            paths = report.plots(support.result(), pathlib.Path(first))
            again = report.plots(support.result(), pathlib.Path(second))
            self.assertEqual([path.name for path in paths], ["miss_classes.png", "miss_classes.svg",
                                                              "reuse_distance.png", "reuse_distance.svg"])
            for one, other in zip(paths, again):
                self.assertEqual(one.read_bytes(), other.read_bytes(), one.name)


class ReuseBins(unittest.TestCase):
    def test_reach_the_capacity_in_powers_of_two(self):
        from warpscope.show.plots import reuse as plot_reuse
        bins = plot_reuse.up_to([{"from": 0, "to": 0, "load": 2, "store": 0}, {"from": 1, "to": 1, "load": 1, "store": 0}],
                                100)
        self.assertEqual([(item["from"], item["to"]) for item in bins],
                         [(0, 0), (1, 1), (2, 3), (4, 7), (8, 15), (16, 31), (32, 63), (64, 99)])
        self.assertEqual(sum(item["load"] + item["store"] for item in bins), 3)
        self.assertEqual([(item["from"], item["to"]) for item in plot_reuse.up_to([], 4)], [(0, 0), (1, 1), (2, 3)])
        self.assertEqual(len(plot_reuse.up_to([{"from": 0, "to": 200, "load": 1, "store": 0}], 100)), 1)


class Load(unittest.TestCase):
    def test_refuses_what_is_no_result(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "result.json"
            for text, message in (("", "not JSON"), ("[]", "no 'schema'"), ("{}", "no 'schema'"),
                                  (json.dumps({"schema": 99, "total": {}}), "schema 99, expected 1")):
                path.write_text(text)
                with self.subTest(text), self.assertRaisesRegex(InputError, message):
                    results.load(path)
            with self.assertRaisesRegex(InputError, "No such file"):
                results.load(path.with_name("other"))


if __name__ == "__main__":
    unittest.main()
