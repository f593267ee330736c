"""The counters of docs/reference/counters.md on streams of a few accesses, computed by hand: 8 lines of 128 bytes, two ways unless said
otherwise, so lines 0, 4, 8, … share set 0 and 1, 5, 9, … set 1. (What bypasses the L1 and what is outside of buffers:
coalescing_sink_test; pending hits and refusals: tests/unit/timed.)
"""
import unittest

from support import ToolTest


class CountersByHand(ToolTest):
    def simulate(self, accesses, *cache, options=()):
        """`accesses`: "R0 W1 R0.32" is a load of line 0, a store to line 1, a load of byte 32 of line 0."""
        words = []
        for one in accesses.split():
            line, _, byte = one[1:].partition(".")
            words.append(f"0x{0x1000 + 128 * int(line) + int(byte or 0):x} {one[0]} 0 0 1")
        (self.folder / "x.txt").write_text("\n".join(["1 1", *words]) + "\n", encoding="ascii")
        return self.result("x.txt", "1", "128", *cache, *options, "--self-check")["total"]

    def assert_counts(self, total, kind=None, **expected):
        counts = total[kind] if kind else total
        self.assertEqual({name: counts[name] for name in expected}, expected)

    def test_loads_stores_evictions_and_write_backs(self):
        # 0 hits once; 8 drives 0 out and 0 then 4 (a conflict: eight lines would have held it); 9 drives out 1, which is dirty.
        total = self.simulate("R0 R0 R4 R8 R0 W1 R5 R9", "2", "LRU", "WBWA")
        self.assert_counts(total, "load", requests=7, transactions=7, hits=1, misses=6, hits_pending=0, sector_misses=0,
                           bypasses=0, reservation_fails=0)
        self.assert_counts(total, "store", requests=1, transactions=1, hits=0, misses=1)
        self.assert_counts(total, "miss_classes", cold=6, conflict=1, capacity=0, invalidated=0, anti_conflict=0)
        self.assert_counts(total, evictions=3, write_backs=1)

    def test_a_capacity_miss(self):
        total = self.simulate("R0 R1 R2 R3 R4 R5 R6 R7 R8 R0", "8", "LRU", "WTNA")
        self.assert_counts(total, "miss_classes", cold=9, capacity=1, conflict=0)
        self.assert_counts(total, evictions=2, write_backs=0)

    def test_a_hit_where_a_fully_associative_cache_misses(self):
        # Eight lines of set 1 push 0 out of a fully associative cache; set 0 still has it.
        total = self.simulate("R0 R1 R5 R9 R13 R17 R21 R25 R29 R0", "2", "LRU", "WTNA")
        self.assert_counts(total, "load", hits=1, misses=9)
        self.assert_counts(total, "miss_classes", cold=9, anti_conflict=1, conflict=0)

    def test_a_store_that_removes_its_line(self):
        total = self.simulate("R0 W0 R0 W4", "2", "LRU", "WENA")
        self.assert_counts(total, "load", hits=0, misses=2)
        self.assert_counts(total, "store", hits=1, misses=1)
        self.assert_counts(total, "miss_classes", cold=1, invalidated=1)
        self.assert_counts(total, evictions=1, write_backs=0)

    def test_a_sector_that_its_line_does_not_have(self):
        total = self.simulate("R0 R0.32 R0 R0.36 R0.96", "2", "LRU", "WTNA", options=("--sector", "32"))
        self.assert_counts(total, "load", hits=2, misses=1, sector_misses=2, transactions=5)
        self.assert_counts(total, "miss_classes", cold=3)


if __name__ == "__main__":
    unittest.main()
