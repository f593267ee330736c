"""cachesim --repeat: every value is that of the single run with that layout, placement and seed."""
import unittest

from support import ToolTest

CACHE = ("4", "128", "4", "Rand", "WTNA")
CORES = ("--cores", 3)


class Repeat(ToolTest):
    def setUp(self):
        super().setUp()
        self.capture("mm", "--global", "64,64", "--local", "16,16")

    def values(self, result, name="load.hit_rate_percent"):
        return result["total"]["spread"][name]["values"]

    def hit_rate(self, counts):
        load = counts["load"]
        return 100 * (load["hits"] + load["hits_pending"]) / (load["transactions"] - load["bypasses"])

    def test_a_capture_varies_in_layout_placement_and_replacement(self):
        repeated = self.result("capture.wtrace", *CACHE, *CORES, "--seed", 5, "--repeat", 4)
        self.assertEqual(len(repeated["repeat"]["varied"]), 3)
        singles = [self.result("capture.wtrace", *CACHE, *CORES, "--seed", 5)]
        singles += [self.result("capture.wtrace", *CACHE, *CORES, "--seed", 5 + number, "--layout-seed", number,
                                "--assign", "random") for number in (1, 2, 3)]
        self.assertEqual(self.values(repeated), [self.hit_rate(single["total"]) for single in singles])
        self.assertGreater(len(set(self.values(repeated))), 1)
        for number, site in enumerate(repeated["sites"]):
            if site["kind"] == "load" and site["load"]["transactions"] != 0:
                self.assertEqual(site["spread"]["load.hit_rate_percent"]["values"],
                                 [self.hit_rate(single["sites"][number]) for single in singles])
        spread = repeated["total"]["spread"]["load.hit_rate_percent"]
        self.assertEqual((spread["min"], spread["max"]), (min(spread["values"]), max(spread["values"])))
        # Everything else is the run as asked for.
        self.assertEqual(repeated["total"]["load"], singles[0]["total"]["load"])
        self.assertEqual(repeated["sets"], singles[0]["sets"])

    def test_a_stream_varies_in_its_layout(self):
        lru = ("4", "128", "4", "LRU", "WTNA")
        self.run_tool("warpsched", "capture.wtrace", *CORES, "-o", "mm.wsched")
        repeated = self.result("mm.wsched", *lru, "--repeat", 3)
        self.assertEqual(repeated["repeat"]["varied"], ["layout of the buffers"])
        self.assertIn("placement", repeated["repeat"]["fixed"])
        singles = [self.result("capture.wtrace", *lru, *CORES, "--layout-seed", number) for number in range(3)]
        self.assertEqual(self.values(repeated), [self.hit_rate(single["total"]) for single in singles])

    def test_the_same_bytes_whatever_the_threads(self):
        words = ("capture.wtrace", *CACHE, *CORES, "--repeat", 3, "--json", "-")
        self.assertEqual(self.run_tool("cachesim", *words, "--threads", 1),
                         self.run_tool("cachesim", *words, "--threads", 3))

    def test_the_tables_say_what_was_varied(self):
        text = self.run_tool("cachesim", "capture.wtrace", *CACHE, *CORES, "--repeat", 3).decode()
        self.assertIn("3 repetitions with other layout of the buffers, placement of the work-groups on cores, "
                      "seed of Rand", text)
        self.assertIn("load.hit_rate_percent", text)

    def test_what_dlcm_cg_does(self):
        """Global memory bypasses the L1 of any GPU when the preset says so; store misses allocate when it does."""
        for preset in ("gtx480", "v100"):
            with self.subTest(preset):
                result = self.result("capture.wtrace", "--preset", preset, "--set", "l1_caches_global_loads=false")
                for kind in ("load", "store"):
                    counts = result["total"][kind]
                    self.assertGreater(counts["transactions"], 0)
                    self.assertEqual(counts["bypasses"], counts["transactions"])
        for allocates, policy in (("false", "WTNA"), ("true", "WTWL")):
            result = self.result("capture.wtrace", "--preset", "v100", "--set", f"l1_store_miss_allocates={allocates}")
            self.assertEqual(result["context"]["cache"]["write_policy"], policy)

    def test_refusals(self):
        self.run_tool("cachesim", "coalesce", "capture.wtrace", "-o", "mm.wtxn")
        for words, message in ((("mm.wtxn", "4", "128", "4", "LRU", "WTNA", "--repeat", 3), "nothing differs"),
                               (("capture.wtrace", *CACHE, "--repeat", 1), "from 2 to 10000"),
                               (("capture.wtrace", *CACHE, "--repeat", 3, "--runs", 2), "one of them")):
            with self.subTest(message):
                self.assert_refused(self.call("cachesim", *words), message)
        stream = self.run_tool("warpsched", "capture.wtrace", "-o", "-")
        self.assert_refused(self.call("cachesim", "-", *CACHE, "--repeat", 3, input=stream), "expected a file")


if __name__ == "__main__":
    unittest.main()
