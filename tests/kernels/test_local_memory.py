"""Bank conflicts of whole kernels: the means that Karsin's thesis (2018) publishes, and what follows from the kernels.

32 banks of 4 bytes (GTX 480). Beta, the mean degree, is cycles per request.
"""
import unittest

import launches  # noqa: F401  (finds support)
from support import ToolTest


class LocalMemory(ToolTest):
    def simulated(self, name, *options, preset="gtx480"):
        return self.result(self.capture(name, *options), "--preset", preset, "--no-classes")

    @staticmethod
    def local(result, kind):
        """Local memory of the executed memory instructions of a kind, in program order."""
        return [site["local_memory"] for site in result["sites"] if site["kind"] == kind and site["local_memory"]]

    def test_transpositions(self):
        for name, worst in (("mt_tiled", 32), ("mt_padded", 1), ("mt_diagonal", 1)):
            result = self.simulated(name, "--size", "small")
            (load,) = self.local(result, "load")
            self.assertEqual(load["degrees"], {str(worst): load["passes"]}, name)
            (store,) = self.local(result, "store")
            self.assertEqual(store["conflicts"], 0, name)

    def test_plain_search(self):
        # Published: the mean over the log2(N) steps. The first step reads the same word for every query; the compiler makes
        # that load once per work-item, and one more load follows the last step.
        queries = 16
        for keys, published in ((1024, 8.40), (2048, 10.20), (4096, 11.85), (8192, 13.32)):
            result = self.simulated("search_shared", "--global", "512", "--local", "256", "--arg", f"per_item={queries}", "-D",
                                    f"KEYS={keys}")
            steps = keys.bit_length() - 1
            loads = self.local(result, "load")
            requests = [load["requests"] for load in loads]
            self.assertEqual(requests, [512 // 32] + steps * [512 // 32 * queries], keys)
            self.assertEqual(loads[0]["beta"], 1)
            beta = sum(load["beta"] for load in loads[:steps]) / steps
            self.assertAlmostEqual(beta, published, delta=0.02 * published, msg=keys)

    def test_conflict_free_and_conflict_low_search(self):
        free = self.simulated("search_shared", "--size", "small", "-D", "VARIANT=1")["total"]["local_memory"]
        self.assertEqual((free["beta"], free["max_degree"]), (1, 1))
        # Published for random queries: 1.67 (N = 1024) down to 1.54.
        low = self.simulated("search_shared", "--global", "512", "--local", "256", "--arg", "per_item=16", "-D", "VARIANT=2")
        self.assertGreater(low["total"]["local_memory"]["beta"], 1.3)
        self.assertLess(low["total"]["local_memory"]["beta"], 1.8)

    def test_mergesort(self):
        # Published for serial merges of random keys: 2.2 over reads and writes. Writes of 15 keys per work-item have degree
        # gcd(15, 32) = 1. Our mean is over all rounds, the early ones of short runs included.
        result = self.simulated("mergesort_block", "--global", "512", "--local", "128", "-D", "PER_ITEM=15")
        by_line = {}
        for site in result["sites"]:
            if site["local_memory"]:
                by_line.setdefault((site["kind"], site["locations"][0]["line"]), []).append(site["local_memory"])

        def beta(*key):
            return sum(one["wavefronts"] for one in by_line[key]) / sum(one["requests"] for one in by_line[key])
        self.assertEqual(beta("store", 21), 1)
        self.assertAlmostEqual((beta("load", 41) + beta("store", 21)) / 2, 2.22, delta=0.05 * 2.22)
        # Published for the partition: 2.70 in the last round; earlier rounds search shorter runs.
        self.assertGreater(beta("load", 31), 2.2)
        self.assertLess(beta("load", 31), 2.75)

    def test_multiway_merge_has_no_conflict(self):
        merge = self.simulated("multiway_merge", "--size", "small")["total"]["local_memory"]
        self.assertEqual(merge["max_degree"], 1)

    def test_halves_of_a_warp(self):
        # The unpadded tile's column: 32 lanes in one bank of 32; 16 lanes of each half in one bank of 16.
        result = self.simulated("mt_tiled", "--size", "small", preset="gtx280")
        (load,) = self.local(result, "load")
        self.assertEqual(load["degrees"], {"16": load["passes"]})
        self.assertEqual(load["passes"], 2 * load["requests"])


if __name__ == "__main__":
    unittest.main()
