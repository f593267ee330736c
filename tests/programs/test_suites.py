"""The kinds of program that benchmark suites are made of (host_suites.cpp): what they print is the same when traced, what was
recorded is hand arithmetic over their source, and what no GPU can run is skipped by name when it is simulated."""
import json
import unittest

from support import BIN, TEST_BIN, ProgramTest
from support import load_third as load_tests  # noqa: F401

HOST = TEST_BIN / "programs_host"
# Launches, and loads, stores and atomics of global, constant and local memory.
EXPECTED = {
    # 64 levels look at 64 nodes each; the node found reads two offsets, and but for the last one edge and one level.
    "levels": (64, 64 * 64 + 64 * 2 + 63 * 2, 63 * 2, 0),
    "ping_pong_buffers": (12, 12 * 2 * 256, 12 * 256, 0),
    # 64 groups, then one: 64 loads and 64 stores, 63 pairs (two loads, one store), one load and store of the sum.
    "reduction": (2, 65 * (64 + 2 * 63 + 1), 65 * (64 + 63 + 1), 0),
    "diagonals": (63, 3 * 32 * 32, 32 * 32, 0),
    # rows: 256 with 0 to 3 elements; taps: 16 each; count: 8 bins in each of 4 groups.
    "mapped": (3, (256 * 2 + 2 * 384) + 2 * 256 * 16 + (256 + 4 * 8), 256 + 256 + 4 * 8, 256 + 4 * 8),
    "two_programs": (6, 6 * 64, 6 * 64, 0),
    "asked_sizes": (3, 2 * 2 * 8192 + 8192, 2 * 2 * 8192 + 8192, 0),
    "unasked_sizes": (4, 4 * 4096, 4 * 4096, 0),
}


class SimulatedTest(ProgramTest):
    def simulated(self, *words, status=3):
        done = self.plain(BIN / words[0], *words[1:], "--json", "r.json")
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads((self.folder / "r.json").read_text())


class Suites(ProgramTest):
    def test_results_and_counts(self):
        for name, counts in EXPECTED.items():
            with self.subTest(name):
                done = self.assert_same_program(HOST, name)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertNotRegex(done.stderr, "not traced|outside")
                self.check()
                found = self.launches()
                sums = (sum(launch[what] for launch in found) for what in ("loads", "stores", "atomics"))
                self.assertEqual((len(found), *sums), counts)

    def test_a_local_size_left_open_is_the_same_everywhere(self):
        self.traced(HOST, "diagonals")
        for launch in self.launches():  # of at most 32 work-items
            self.assertEqual((launch["local"], launch["open_local"]), ([launch["global"][0], 1, 1], True))
        done = self.traced(HOST, "null_local")
        sizes = [launch["local"] for launch in self.launches()]
        self.assertEqual(sizes, [[64, 1, 1], [100, 1, 1], [256, 1, 1], [16, 16, 1], [17, 5, 1], [8, 8, 4], [250, 1, 1], [13, 1, 1], [31, 1, 3]])
        # The kernel stores its local size: 64 + 100 + 10000 in the first work-item's element.
        self.assertIn("sizes: first 10164,", done.stdout)


class DeviceLike(SimulatedTest):
    def limits(self, *options):
        done = self.traced(HOST, "asked_limits", options=options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_which_device_the_program_sees(self):
        plain = self.plain(HOST, "asked_limits").stdout.splitlines()
        self.assertEqual(self.limits("--device-like", "pocl"), plain)
        common = ["group 1024, items 1024 1024 64, kernel 1024 by 32",
                  "local 49152 of type 1, constant 65536, int vectors 1, units 132"]
        self.assertEqual(self.limits(), common)
        self.assertEqual(self.limits("--device-like", "common"), common)
        self.assertEqual(self.limits("--device-like", "gtx280"),  # CUDA C Programming Guide, compute capability 1.3
                         ["group 512, items 512 512 64, kernel 512 by 32",
                          "local 16384 of type 1, constant 65536, int vectors 1, units 30"])
        # OpenCL has no shared memory beyond 48 KiB: clinfo of an RTX 4090.
        self.assertEqual(self.limits("--device-like", "v100")[1], "local 49152 of type 1, constant 65536, int vectors 1, units 80")
        self.assertEqual(self.limits("--device-like", "mi100"),  # clinfo of AMD's cards with ROCm
                         ["group 256, items 1024 1024 1024, kernel 256 by 64",
                          "local 65536 of type 1, constant 65536, int vectors 1, units 120"])

    def test_sizes_that_the_program_asks_for(self):
        for like, local in (("common", 1024), ("gtx280", 512), ("pocl", None)):
            self.traced(HOST, "asked_sizes", options=["--device-like", like])
            self.check()
            view = json.loads(self.plain(BIN / "trace-view", "--json", "x.wtrace").stdout)
            self.assertEqual(view["file"]["device_like"], like)
            if local is not None:
                self.assertEqual([launch["local"][0] for launch in view["launches"]], [local, 64, local])
                self.assertEqual(self.simulated("cachesim", "x.wtrace", "--preset", "gtx480" if local == 1024 else "gtx280",
                                                status=0)["context"]["device_like"], like)

    def test_bad_values(self):
        done = self.traced(HOST, "one_launch", options=["--device-like", "vega"])
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "^trace-kernel: --device-like vega: expected common, pocl or a GPU")
        (self.folder / "k.cl").write_text("kernel void k(global int* a) { a[0] = 1; }")
        done = self.plain(BIN / "trace-kernel", "k.cl", "--global", "1", "--device-like", "pocl")
        self.assertEqual((done.returncode, "--device-like: only with -- PROGRAM" in done.stderr), (2, True), done.stderr)


class Skipped(SimulatedTest):
    """Launches 0 (4,096 work-items), 2 and 3 (2,048) fit no GPU; launch 1 loads and stores 4,096 times."""

    LINES = ["skipped: kernel 'add', launch 0: 4096 work-items per work-group, gtx480 allows 1024",
             "skipped: kernel 'add', launches 2-3 (2): 2048 work-items per work-group, gtx480 allows 1024"]

    def setUp(self):
        super().setUp()
        self.assertEqual(self.traced(HOST, "unasked_sizes").returncode, 0)

    def assert_skipped(self, skipped, gpu="gtx480"):
        self.assertEqual([(one["kernel"], one["launches"], one["count"], one["needs"], one["limit"], one["gpu"])
                          for one in skipped], [("add", "0", 1, 4096, 1024, gpu), ("add", "2-3", 2, 2048, 1024, gpu)])

    def assert_named(self, done, tool):
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr.splitlines(), [f"{tool}: {line}" for line in self.LINES])

    def test_in_every_tool(self):
        gpu = ("--preset", "gtx480")
        for tool, words in (("cachesim", ("cachesim", "x.wtrace")), ("cachesim timed", ("cachesim", "timed", "x.wtrace"))):
            self.assert_named(self.plain(BIN / words[0], *words[1:], *gpu, "--json", "r.json"), tool)
            result = json.loads((self.folder / "r.json").read_text())
            self.assert_skipped(result["context"]["skipped"])
            self.assertEqual([result["total"][kind]["lanes"] for kind in ("load", "store")], [4096, 4096])
        self.assert_named(self.plain(BIN / "cachesim", "sweep", "x.wtrace", *gpu, "--ways", "4", "--sets", "32", "--json",
                                     "r.json"), "cachesim")
        result = json.loads((self.folder / "r.json").read_text())
        self.assert_skipped(result["context"]["skipped"])
        self.assertEqual(result["traffic"][0]["load"]["lanes"], 4096)
        self.assert_named(self.plain(BIN / "warpsched", "x.wtrace", *gpu, "-o", "x.wsched"), "warpsched")
        self.assert_named(self.plain(BIN / "cachesim", "coalesce", "x.wtrace", *gpu, "-o", "x.wtxn"), "cachesim")
        for stream in ("x.wsched", "x.wtxn"):
            result = self.simulated("cachesim", stream, *gpu)
            self.assert_skipped(result["context"]["skipped"])
            self.assertEqual(result["total"]["load"]["lanes"], 4096)

    def test_in_the_comparison_of_generations(self):
        result = self.simulated("cachesim", "x.wtrace", "--compare-generations", "--generations", "gtx480,v100")
        for one in result["generations"]:
            self.assert_skipped(one["skipped"], one["preset"])
            self.assertEqual(one["load"]["lanes"], 4096)

    def test_in_the_report(self):
        done = self.plain(BIN / "warpscope", "x.wtrace", "--gpu", "gtx480", "--no-plots", "-o", "out")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr.count("skipped"), 2, done.stderr)
        self.assertIn("SKIPPED: kernel add, launches 0: 4096 work-items per work-group, gtx480 allows 1024 (and 1 more)", done.stdout)
        self.assertIn("SKIPPED: kernel add, launches 2-3: 2048 work-items per work-group, gtx480 allows 1024",
                      (self.folder / "out" / "report.txt").read_text(encoding="utf-8"))
        self.assertTrue((self.folder / "out" / "result.json").exists())

    def test_where_nothing_is_left(self):
        self.traced(HOST, "unasked_sizes", options=["--launch", "0,2"])
        for words in (("cachesim", "x.wtrace"), ("cachesim", "timed", "x.wtrace"),
                      ("cachesim", "sweep", "x.wtrace", "--ways", "4", "--sets", "32")):
            done = self.plain(BIN / words[0], *words[1:], "--preset", "v100", "--json", "none.json")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr, r"no launch fits: kernel 'add', launch 0: 4096 .*; kernel 'add', launch 2: 2048 .*"
                                          "--max-workgroups to ignore the limits\n$")
            self.assertFalse((self.folder / "none.json").exists())
        # The limits are those of the preset alone.
        self.assertEqual(self.plain(BIN / "cachesim", "x.wtrace", "--preset", "v100", "--max-workgroups", "1").returncode, 0)

    def test_the_capture_is_kept(self):
        done = self.plain(BIN / "warpscope", "--no-plots", "--launch", "0", "-o", "out", "--", HOST, "unasked_sizes")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.check("out/programs_host.wtrace")


if __name__ == "__main__":
    unittest.main()
