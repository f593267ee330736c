"""Bank conflicts of whole kernels that follow from their accesses: 32 banks of 4 bytes (GTX 480), 16 (GTX 280)."""
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

    def test_multiway_merge_has_no_conflict(self):
        merge = self.simulated("multiway_merge", "--size", "small")["total"]["local_memory"]
        self.assertEqual(merge["max_degree"], 1)

    def test_halves_of_a_warp(self):
        # The unpadded tile's column: 32 lanes in one bank of 32; 16 lanes of each half in one bank of 16.
        capture = self.capture("mt_tiled", "--size", "small")
        # The banks of a GT200, which takes 512 work-items to a group, and not 1,024.
        result = self.result(capture, "--preset", "gtx280", "--max-workgroups", "1")
        (load,) = self.local(result, "load")
        self.assertEqual(load["degrees"], {"16": load["passes"]})
        self.assertEqual(load["passes"], 2 * load["requests"])


if __name__ == "__main__":
    unittest.main()
