"""Private arrays that stay in memory: kept in the L1 and written back when their lines leave, by hand arithmetic."""
import csv
import io
import unittest

from support import ToolTest

# One warp. A word of every lane's array is a line of 128 bytes of its own: 256 stores of a line each, then 256 loads in the
# same order. The compiler does not know that k * n & 255 is k.
SPILL = """
__kernel void spill(__global int* b, int n, int length) {
  int p[256];
  const int i = get_global_id(0);
  for (int k = 0; k < length; ++k) p[k * n & 255] = i ^ k;
  int sum = 0;
  for (int k = 0; k < length; ++k) sum += p[k * n & 255];
  b[i] = sum;
}
"""


# Through a generic pointer: in every other turn a word of the private array, a line of its own, or a line of b.
EITHER = """
__kernel void either(__global int* b, int n, int length) {
  int p[256];
  const int i = get_global_id(0);
  for (int k = 0; k < length; ++k) p[k * n & 255] = i ^ k;
  int sum = 0;
  for (int k = 0; k < length; ++k) {
    const int* where = (k & n) != 0 ? (const int*)&p[k * n & 255] : (const int*)&b[k * 32 + i];
    sum += *where;
  }
  b[i] = sum;
}
"""


class PrivateMemory(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "spill.cl").write_text(SPILL)
        self.run_tool("trace-kernel", "spill.cl", "--global", "32", "--local", "32", "--arg", "b=count=32", "--arg", "n=1",
                      "--arg", "length=256", "-o", "spill.wtrace")

    def counts(self, result):
        """Of private memory, and what left the L1."""
        sites = [site for site in result["sites"] if site["space"] == "private"]
        private = {f"{kind}.{field}": sum(site[kind][field] for site in sites) for kind in ("load", "store")
                   for field in ("transactions", "hits", "misses", "sector_misses", "bypasses")}
        return {**private, **{name: result["total"][name] for name in ("write_backs", "write_back_sectors", "evictions")}}

    def assert_counts(self, words, expected):
        result = self.result("spill.wtrace", "--self-check", *words)
        self.assert_conserved(result)
        counts = self.counts(result)
        self.assertEqual({name: counts[name] for name in expected}, expected, words)
        return result

    def cells(self, *words):
        """KiB, misses of loads and stores, and write-backs of each cell of a sweep."""
        table = self.run_tool("cachesim", "sweep", "spill.wtrace", "--csv", "-", *words).decode()
        return [tuple(row[name] for name in ("size_kib", "load_misses", "store_misses", "write_backs"))
                for row in csv.DictReader(io.StringIO(table))]

    def test_lines_that_leave_are_written_back_and_what_fits_is_hit(self):
        # 128 lines of 16 KiB: the stores push out 128 dirty lines; the loads, in the same order, find none of what they want, and
        # push out the other 128 dirty ones, then 128 that were loaded. Consecutive lines meet every set equally.
        fermi = {"store.transactions": 256, "store.misses": 256, "load.transactions": 256, "load.misses": 256,
                 "evictions": 128 + 256, "write_backs": 256, "write_back_sectors": 256}
        result = self.assert_counts(["--preset", "gtx480"], fermi)
        classes = result["total"]["miss_classes"]
        self.assertEqual((classes["cold"], classes["capacity"], classes["conflict"]), (256, 256, 0))
        self.assertEqual(result["context"]["cache"]["private_write_policy"], "WBWA")
        # The same of one warp, cycle by cycle.
        timed = self.counts(self.result("timed", "spill.wtrace", "--preset", "gtx480", "--set", "ideal=issue"))
        self.assertEqual({name: timed[name] for name in fermi}, fermi)
        # 48 KiB hold all of them.
        self.assert_counts(["--preset", "gtx480", "--set", "l1_size_kib=48", "--set", "l1_sets=96", "--set", "l1_set_index=linear"],
                           {"store.misses": 256, "load.hits": 256, "evictions": 0, "write_backs": 0})

    def test_sectors_are_written_back_as_lines_leave(self):
        # A warp's word is four sectors of a line.
        self.assert_counts(["--preset", "h100"], {"store.misses": 256, "store.sector_misses": 768, "load.hits": 1024, "evictions": 0})
        through = ["--preset", "v100", "--set", "l1_size_kib=16"]  # whose L1 is least recently used
        small = [*through, "--set", "l1_private_write_policy=WBWA"]
        expected = {"store.misses": 256, "store.sector_misses": 768, "load.misses": 256, "load.sector_misses": 768,
                    "write_backs": 256, "write_back_sectors": 1024, "evictions": 384 + 1}  # the result's line takes a place, too
        self.assert_counts(small, expected)
        timed = self.counts(self.result("timed", "spill.wtrace", *small))
        self.assertEqual({name: timed[name] for name in expected}, expected)
        self.assert_counts(through, {**expected, "write_backs": 0, "write_back_sectors": 0})

    def test_another_policy_can_be_asked_for(self):
        through = {"store.misses": 256, "load.misses": 256, "evictions": 128, "write_backs": 0}
        self.assert_counts(["--preset", "gtx480", "--private-write", "WENA"], through)
        self.assert_counts(["--preset", "gtx480", "--set", "l1_private_write_policy=WTNA"], through)
        # Without a preset one policy holds for all stores, unless told otherwise.
        self.assert_counts(["16", "128", "4", "LRU", "WTNA"], through)
        self.assert_counts(["16", "128", "4", "LRU", "WTNA", "--private-write", "WBWA"], {"write_backs": 256})
        for engine in ([], ["timed"]):
            done = self.call("cachesim", *engine, "spill.wtrace", "--preset", "gtx480", "--set", "l1_private_write_policy=WXYZ")
            self.assert_refused(done, "^cachesim: write policy of private memory: 'WXYZ' is not known, expected one of WTNA, ")

    def test_maxwell_takes_private_memory_from_the_l2(self):
        result = self.assert_counts(["--preset", "gtx980"], {"store.bypasses": 4 * 256, "load.bypasses": 4 * 256})
        self.assertTrue(all(site["bypasses_l1"] for site in result["sites"] if site["space"] == "private"))
        self.assert_counts(["--preset", "gtx980", "--set", "l1_caches_private_memory=true"], {"store.bypasses": 0, "load.bypasses": 0})
        timed = self.counts(self.result("timed", "spill.wtrace", "--preset", "gtx980"))
        self.assertEqual((timed["store.bypasses"], timed["load.bypasses"]), (1024, 1024))

    def test_through_a_generic_pointer_the_object_decides(self):
        (self.folder / "either.cl").write_text(EITHER)
        self.run_tool("trace-kernel", "either.cl", "--global", "32", "--local", "32", "--arg", "b=count=8192", "--arg", "n=1",
                      "--arg", "length=256", "--build-options", "-cl-std=CL2.0", "-o", "either.wtrace")
        # Kepler's L1 takes private memory only. 48 KiB hold the 256 lines of the array.
        shape = ("--preset", "k20", "--set", "l1_size_kib=48", "--set", "l1_sets=96", "--set", "l1_set_index=linear")
        for engine in ([], ["timed"]):
            site, = (site for site in self.result(*engine, "either.wtrace", *shape)["sites"] if site["space"] == "generic")
            self.assertEqual((site["load"]["hits"], site["load"]["bypasses"], site["bypasses_l1"]), (128, 128, False), engine)
            self.assertEqual({buffer["name"]: buffer["transactions"] for buffer in site["buffers"]}, {"b": 128, "p": 128})

    def test_a_site_says_whether_it_passes_by_the_l1(self):
        global_only = ("--preset", "gtx980", "--set", "l1_caches_global_loads=true")
        for words, spaces in ((("--preset", "gtx480"), set()), (("--preset", "k40"), {"global"}), (global_only, {"private"}),
                              (("--preset", "gtx980"), {"global", "private"})):
            for site in self.result("spill.wtrace", *words)["sites"]:
                counts = site["load" if site["kind"] == "load" else "store"]
                passes = site["space"] in spaces
                self.assertEqual((site["bypasses_l1"], counts["bypasses"]), (passes, counts["transactions"] if passes else 0), words)

    def test_a_sweep_has_what_the_generation_takes_and_the_policy_that_is_asked_for(self):
        # The global store is a line (four sectors on Maxwell), the private ones and the loads 256.
        maxwell = ("--preset", "gtx980", "--ways", "48", "--sets", "4")
        self.assertEqual(self.cells("--preset", "k40", "--ways", "4"), [("16", "256", "256", "256")])
        self.assertEqual(self.cells(*maxwell), [("24", "0", "0", "0")])
        self.assertEqual(self.cells(*maxwell, "--set", "l1_caches_global_loads=true"), [("24", "0", "4", "0")])
        # The preset's own cell is among those that are asked for, under the same policy.
        self.assertEqual(self.cells("--preset", "gtx480", "--ways", "4,8", "--private-write", "WTNA"),
                         [("16", "256", "257", "0"), ("32", "256", "257", "0")])

    def test_a_sweep_and_a_transaction_stream_do_the_same(self):
        self.run_tool("cachesim", "coalesce", "spill.wtrace", "--preset", "gtx480", "-o", "spill.wtx")
        direct, stored = (self.result(name, "--preset", "gtx480") for name in ("spill.wtrace", "spill.wtx"))
        self.assertEqual(self.counts(direct), self.counts(stored))
        self.assertEqual(self.cells("--preset", "gtx480", "--ways", "4,8"), [("16", "256", "257", "256"), ("32", "0", "257", "0")])
        done = self.call("cachesim", "sweep", "spill.wtrace", "--ways", "4", "--sets", "32", "--private-write", "WXYZ")
        self.assert_refused(done, "^cachesim: write policy of private memory: 'WXYZ' is not known, expected one of WTNA, ")


if __name__ == "__main__":
    unittest.main()
