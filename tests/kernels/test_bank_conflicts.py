"""Conflict degrees of local memory that the READMEs expect, computed here from single work-items' accesses.

32 banks of 4-byte words; the degree of a request is the largest number of different words in one bank (lanes that read the
same word share it). Independent of the simulator: a warp's requests are put together by hand from what trace-view shows of
its 32 work-items, for kernels whose lanes make the same accesses in the same order.
"""
import collections
import re
import unittest

import launches  # noqa: F401  (finds support)
from support import ToolTest

ROW = re.compile(r"^\s*\d+\s+\d+\s+(\d+) (load|store)\s+local\s+0x([0-9A-Fa-f]+)", re.M)


def degree(words):
    """Of a request: its words, one per lane."""
    banks = collections.Counter(word % 32 for word in set(words))
    return max(banks.values())


class BankConflicts(ToolTest):
    def requests(self, name, *options, warp=0, kind="load"):
        """[(site, words)] of a warp of work-group 0 in program order: the k-th access of a site in all lanes that have one."""
        self.capture(name, "--size", "small", *options, output="x.wtrace")
        return self.requests_of(warp, kind)

    def requests_of(self, warp, kind):
        words = {}
        for lane in range(32):
            text = self.run_tool("trace-view", "x.wtrace", "--work-item", f"0:{32 * warp + lane}").decode()
            seen = collections.Counter()
            for site, what, address in ROW.findall(text):
                if what == kind:
                    words.setdefault((int(site), seen[site]), []).append(int(address, 16) // 4)
                    seen[site] += 1
        return [(site, lanes) for (site, _), lanes in words.items()]

    def degrees(self, name, *options, **more):
        return [degree(words) for _, words in self.requests(name, *options, **more)]

    def test_the_degree_of_a_request(self):
        self.assertEqual(degree(range(32)), 1)
        self.assertEqual(degree([7] * 32), 1)
        self.assertEqual(degree(range(0, 64, 2)), 2)
        self.assertEqual(degree(range(0, 32 * 32, 32)), 32)

    def test_transpositions(self):
        for name, expected in (("mt_tiled", 32), ("mt_padded", 1), ("mt_diagonal", 1)):
            self.assertEqual(self.degrees(name), [expected], name)
            self.assertEqual(self.degrees(name, kind="store"), [1], name)

    def test_scan(self):
        # Up the tree with a full warp: distances 1, 2, 4.
        for padded, expected in ((0, [2, 4, 8]), (1, [1, 1, 1])):
            self.requests("scan", "-D", f"PADDED={padded}")
            by_site = collections.defaultdict(list)
            for site, words in self.requests_of(0, "load"):
                if len(words) == 32:
                    by_site[site].append(degree(words))
            self.assertIn(expected, [found[:3] for found in by_site.values()])

    def test_bitonic(self):
        expected = []
        for length in range(1, 8):
            for distance in reversed(range(length)):
                expected += 2 * [1 if 2**distance >= 32 else 2]
        degrees = self.degrees("bitonic")
        self.assertEqual(sorted(degrees), sorted(expected + [1, 1]))

    def test_mergesort_block(self):
        # The first loads are those of a work-item's own keys, PER_ITEM words apart from lane to lane.
        for per_item, expected in ((7, 1), (8, 8), (16, 16)):
            found = self.degrees("mergesort_block", "-D", f"PER_ITEM={per_item}")[:4]
            wide = per_item % 4 == 0  # four neighbours merge into one access of 16 bytes: one word of four is shown
            self.assertEqual(found[0], expected, per_item)
            self.assertTrue(wide or set(found) == {1})

    def test_multiway_merge_has_no_conflict(self):
        for kind in ("load", "store"):
            self.assertEqual(set(self.degrees("multiway_merge", kind=kind)), {1})

    def test_searches(self):
        options = ("--arg", "per_item=16")
        self.assertEqual(set(self.degrees("search_shared", "-D", "VARIANT=1", *options)), {1})
        self.capture("search_shared", "--size", "small", *options, output="x.wtrace")
        # A step of the plain search looks at m = 1, 2, 4 … words of bank 0, m (1 - (1 - 1/m)^32) of them in a request.
        steps = collections.defaultdict(list)
        for warp in (0, 1):
            for number, (_, words) in enumerate(self.in_order(warp)):
                steps[0 if number == 0 else 1 + (number - 1) % 10].append(degree(words))
        for step in range(5):
            m = 2**step
            expected = m * (1 - (1 - 1 / m)**32)
            self.assertAlmostEqual(sum(steps[step]) / len(steps[step]), expected, delta=0.06 * expected, msg=step)

    def in_order(self, warp):
        """The k-th local load of all lanes, whatever its site."""
        lanes = []
        for lane in range(32):
            text = self.run_tool("trace-view", "x.wtrace", "--work-item", f"0:{32 * warp + lane}").decode()
            lanes.append([int(address, 16) // 4 for _, what, address in ROW.findall(text) if what == "load"])
        self.assertEqual({len(loads) for loads in lanes}, {1 + 10 * 16})
        return [(None, words) for words in zip(*lanes)]


if __name__ == "__main__":
    unittest.main()
