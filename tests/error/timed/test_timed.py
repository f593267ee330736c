"""`cachesim timed` as a program: one line and exit status 2 for bad input, and nothing under the result's name."""
import json
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "tests" / "endtoend"))
from support import ToolTest  # noqa: E402


class Timed(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "scale.cl").write_text(
            "__kernel void scale(__global float* a, float by) {\n  a[get_global_id(0)] *= by;\n}\n", encoding="utf-8")
        self.call("trace-kernel", "scale.cl", "--global", "256", "--local", "64", "--arg", "a=count=256", "--arg", "by=2", "-o",
                  "good.wtrace")

    def timed(self, *words):
        return self.call("cachesim", "timed", *words, "--json", "result.json")

    def refuse(self, *words, expected):
        with self.subTest(words):
            self.assert_refused(self.timed(*words), expected)

    def assert_refused(self, done, *expected):
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 2, text)
        for words in expected:
            self.assertIn(words, text)
        self.assertEqual(len(text.splitlines()), 1, text)
        self.assertTrue(text.startswith("cachesim: "), text)
        self.assertFalse(done.stdout)
        self.assertEqual(list(self.folder.glob("result.json*")), [])

    def test_the_good_capture_is_simulated(self):
        done = self.timed("good.wtrace", "--preset", "v100")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads((self.folder / "result.json").read_text())
        # 8 warps load and store 128 bytes each: 4 sectors.
        self.assertEqual((result["total"]["load"]["transactions"], result["total"]["store"]["transactions"]), (32, 32))
        self.assertEqual(result["total"]["timing"]["l1_cycles"], 16)  # a wavefront each
        self.assertEqual(result["context"]["timed"]["l1_stages"], "wavefronts")
        self.timed("good.wtrace", "--preset", "v100", "--set", "l1_bytes_per_cycle=32", "--set", "l1_stages=in-order")
        result = json.loads((self.folder / "result.json").read_text())
        self.assertEqual(result["total"]["timing"]["l1_cycles"], 64)  # 128 bytes take 4 cycles
        self.assertEqual(result["context"]["timed"]["l1_stages"], "in-order")

    def test_inputs(self):
        self.refuse(expected="no capture given, expected: cachesim timed CAPTURE --gpu GPU")
        self.refuse("none.wtrace", "--preset", "v100", expected="none.wtrace: cannot read: No such file or directory")
        (self.folder / "empty").write_bytes(b"")
        self.refuse("empty", "--preset", "v100", expected="empty: not a capture, expected one of trace-kernel")
        self.call("warpsched", "good.wtrace", "-o", "good.wsched")
        self.refuse("good.wsched", "--preset", "v100", expected="good.wsched: not a capture")

    def test_damaged_captures(self):
        good = (self.folder / "good.wtrace").read_bytes()
        (self.folder / "cut.wtrace").write_bytes(good[:len(good) * 2 // 3])
        self.refuse("cut.wtrace", "--preset", "v100", expected="cut.wtrace")
        flipped = bytearray(good)
        flipped[len(good) // 2] ^= 16
        (self.folder / "flipped.wtrace").write_bytes(flipped)
        self.refuse("flipped.wtrace", "--preset", "v100", expected="flipped.wtrace")

    def test_machines(self):
        self.refuse("good.wtrace", expected="no GPU given, expected --gpu GPU")
        for words, expected in (
                (("--preset", "voodoo"), "--preset voodoo: unknown GPU, expected one of 8800gtx, a10, a100, a10g, a30,"),
                (("--preset", "v100", "--set", "no_key=1"), "--set no_key: unknown key, expected one that cachesim --show-preset GPU lists"),
                (("--preset", "v100", "--set", "l1_mshr_entries=0"), "--set l1_mshr_entries=0: expected a whole number from 1"),
                (("--preset", "v100", "--cores", "0"), "--cores 0: expected a number from 1"),
                (("--preset", "v100", "--warp-size", "65"), "--warp-size 65: expected a number from 1 to 64")):
            self.refuse("good.wtrace", *words, expected=expected)

    def test_options(self):
        for words, expected in (
                (("--waves", "0"), "--waves: '0', expected a whole number from 1 to 1000000"),
                (("--waves", "3", "--assign", "round-robin"), "--waves: with --assign round-robin no one knows the first work-groups"),
                (("--waves", "3", "--write-assignment", "cores.txt"), "--waves: --write-assignment names the core of every work-group"),
                (("--warp-scheduler", "best"), "'best' is not a warp scheduler, expected one of lrr, gto, gty, oldest, oldest-group, two-level"),
                (("--active-warps", "0"), "--active-warps: '0', expected a whole number from 1 to 64"),
                (("--warp-limit", "0"), "--warp-limit: '0', expected a whole number from 1 to 64"),
                (("--warp-scheduler", "swl", "--warp-limit", "65"), "--warp-limit: '65', expected a whole number from 1 to 64"),
                (("--ccws-throttle", "8.5"), "--ccws-throttle: '8.5', expected a whole number from 0 to 10000"),
                (("--ccws-base-score", "0"), "--ccws-base-score: '0', expected a whole number from 1 to 10000"),
                (("--ccws-victim-sets", "65"), "--ccws-victim-sets: '65', expected a whole number from 1 to 64"),
                (("--set", "ideal=fixed-order", "--warp-limit", "4"), "--warp-limit: fixed order has its own"),
                (("--set", "unrolled_iterations=65"), "unrolled_iterations is 65, expected 1 to 64"),
                (("--set", "predicated_instructions=101"), "--set predicated_instructions=101: expected a whole number from 0 to 100"),
                (("--set", "l2_partitions=5"), "l2_partitions is 5, expected a divisor of the number of L2 slices"),
                (("--set", "l2_store_cost=1e30"), "l2_store_cost=1e30: expected a number from 0.001 to 1000"),
                (("--set", "l2_far_latency_cycles=1e12"), "l2_far_latency_cycles=1e12: expected a number from 0.001 to 100000"),
                (("--set", "l2_hit_latency_p10_cycles=1"), "l2_hit_latency_p10_cycles is 1, expected more than a fifth of the median"),
                (("--set", "l2_hit_latency_p90_cycles=1e12"), "l2_hit_latency_p90_cycles=1e12: expected a number from 0.001 to 100000"),
                (("--set", "dram_access_bytes=48"), "dram_access_bytes is 48, expected a power of two up to the line size"),
                (("--set", "work_group_starts_per_cycle=1e-9"), "work_group_starts_per_cycle=1e-9: expected a number from 1e-06 to 1000000"),
                (("--set", "dependence_distance=many"), "--set dependence_distance=many: expected a whole number from 1 to 1000"),
                (("--set", "dependence_distance=0"), "--set dependence_distance=0: expected a whole number from 1 to 1000"),
                (("--top", "-1"), "--top: '-1', expected a whole number"),
                (("--set", "l2_keeps_content=warm"), "--set l2_keeps_content=warm: expected true or false"),
                (("--set", "l2_writes_through=1"), "--set l2_writes_through=1: expected true or false"),
                (("--set", "memory_queues=5"), "--set memory_queues=5: expected core or published"),
                (("--set", "constant_caches=1,2"), "--set constant_caches=1,2: expected perfect or published or L0"),
                (("--set", "instruction_caches=32"), "--set instruction_caches=32: expected perfect or published or L0,L1"),
                (("--set", "instruction_caches=32,4096"), "--set instruction_caches=32,4096: expected perfect or published or L0,L1"),
                (("--set", "ideal=no"), "--set ideal=no: expected issue or fixed-order"),
                (("--set", "ideal=issue|fixed-order"), "expected issue or fixed-order"),
                (("--set", "ideal=fixed-order", "--set", "l1_allocates_on_fill=true"), "--set l1_allocates_on_fill=true: fixed order allocates at once"),
                (("--set", "l1_stages=all"), "--set l1_stages=all: expected wavefronts or in-order"),
                (("--set", "l1_tags_per_cycle=3"), "l1_tags_per_cycle is 3, expected a power of two up to 64"),
                (("--launch", "3"), "--launch 3: no such launch, the capture holds 1 (number 0)"),
                (("--assign", "xyz"), "--assign xyz: cannot read: No such file or directory; expected dynamic, shuffled, "
                 "round-robin, random, or a file with one core number per line"),
                (("--assign", "."), "--assign .: cannot read: Is a directory; expected dynamic, shuffled, round-robin, random,"),
                (("--repeat", "1"), "--repeat: '1', expected a whole number from 2 to 10000"),
                (("--set", "l2_set_index=hash"), "l2_set_index hash: unknown function, expected one of spread, linear, fermi-xor"),
                (("--set", "l2_slice_index=ipoly", "--set", "l2_slices=24"),
                 "l2_slice_index ipoly: the L2 has 24 slices, expected a power of two of sets up to 4096"),
                (("--set", "l2_set_index=fermi-xor", "--set", "l2_slices=8"),
                 "l2_set_index fermi-xor: the L2 has 256 sets per slice, expected 32 or 64 sets of 128-byte lines"),
                (("--policy", "warp"), "unrecognised option '--policy', expected: cachesim timed CAPTURE"),
                (("--write-assignment", "none/a"), "none/a: cannot write: No such file or directory")):
            self.refuse("good.wtrace", "--preset", "v100", *words, expected=expected)
        (self.folder / "short").write_text("0\n1\n")
        self.refuse("good.wtrace", "--preset", "v100", "--assign", "short", expected="short:3: the file ends, expected 4 lines")
        (self.folder / "high").write_text("0\n80\n0\n0\n")
        self.refuse("good.wtrace", "--preset", "v100", "--assign", "high", expected="high:2")

    def test_the_index_of_the_l2_is_chosen(self):
        for words, expected in (((), ("spread", "spread")),
                                (("--set", "l2_set_index=linear"), ("spread", "linear")),
                                (("--set", "l2_slice_index=ipoly", "--set", "l2_set_index=xor-fold", "--set", "l2_slices=64", "--set",
                                  "l2_ways=24"), ("ipoly", "xor-fold"))):
            done = self.timed("good.wtrace", "--preset", "v100", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            timed = json.loads((self.folder / "result.json").read_text())["context"]["timed"]
            self.assertEqual((timed["l2_slice_index"], timed["l2_set_index"]), expected)

    def results(self, *words):
        done = self.timed("good.wtrace", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / "result.json").read_text()), done.stdout.decode()

    def test_repetitions_are_single_runs_with_other_layouts_placements_and_seeds(self):
        machine = ("--preset", "v100", "--cores", "2", "--set", "l1_replacement=Rand")
        result, report = self.results(*machine, "--seed", "5", "--repeat", "3")
        singles = [self.results(*machine, "--seed", "5")[0]]
        singles += [self.results(*machine, "--seed", str(5 + r), "--layout-seed", str(r), "--assign", "shuffled")[0] for r in (1, 2)]
        spread = result["total"]["spread"]
        self.assertEqual(spread["timing.cycles"]["values"], [single["total"]["timing"]["cycles"] for single in singles])
        self.assertEqual(spread["timing.cycles"]["max"], max(spread["timing.cycles"]["values"]))
        self.assertEqual(spread["load.misses"]["values"],
                         [single["total"]["load"]["misses"] + single["total"]["load"]["sector_misses"] for single in singles])
        self.assertEqual(result["repeat"]["varied"],
                         ["layout of the buffers", "placement of the work-groups on cores", "seed of Rand"])
        self.assertEqual((result["repeat"]["count"], result["repeat"]["first_seed"], result["repeat"]["fixed"]), (3, 5, {}))
        for key in ("total", "context"):
            result[key].pop("spread", None)
        self.assertEqual(result["total"], singles[0]["total"])
        self.assertIn("3 repetitions with other layout of the buffers", report)
        self.assertIn("timing.cycles", report)

    def test_a_recorded_placement_stays_in_every_repetition(self):
        (self.folder / "placed").write_text("0\n1\n1\n1\n")
        result, _ = self.results("--preset", "v100", "--cores", "2", "--assign", "placed", "--repeat", "2")
        self.assertEqual(result["repeat"]["fixed"], {"placement": "--assign names the core of every work-group",
                                                     "replacement": "LRU draws no random numbers"})
        result, _ = self.results("--preset", "v100", "--cores", "1", "--repeat", "2")
        self.assertEqual(result["repeat"]["fixed"]["placement"], "one core has all work-groups")

    def test_outputs(self):
        for path, expected in (("none/x.json", "none/x.json: cannot write: No such file or directory"),
                               ("/dev/full", "/dev/full: cannot write: No space left on device")):
            with self.subTest(path):
                self.assert_refused(self.call("cachesim", "timed", "good.wtrace", "--preset", "v100", "--json", path), expected)


if __name__ == "__main__":
    unittest.main()
