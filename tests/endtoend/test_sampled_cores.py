"""trace-kernel --work-groups every-core and waves: parts of a launch that are simulated as in the whole."""
import json
import unittest

from support import OfMachineCode, ToolTest, kernel, sampled, without_instructions
from support import load_third as load_tests  # noqa: F401

# Launches of many work-groups; with local memory, atomics, divergence, irregular loads.
LAUNCHES = {"mm": ("--global", "64,128"), "mt_tiled": ("--global", "256,256"), "reduction": ("--global", "8192"),
            "spmv_csr": ("--global", "4096", "--local", "64"), "histogram": ("--global", "8192"),
            "stencil": ("--global", "128,16,8")}


class Laws(ToolTest):
    """What is counted of some cores and work-groups is what is counted of them in the whole launch."""
    GPUS = ("gtx480", "v100")
    CORES = (15, 80)

    def both(self, name, which, gpu, *words):
        """Results of the whole launch and of the part, simulated in the same way."""
        self.capture(name, *LAUNCHES[name], output="whole.wtrace")
        self.capture(name, *LAUNCHES[name], "--work-groups", which, "--gpu", gpu, output="part.wtrace")
        return [self.result(f"{part}.wtrace", "--gpu", gpu, *words) for part in ("whole", "part")]

    def test_every_sampled_core_counts_what_it_counts_in_the_whole(self):
        for name in LAUNCHES:
            for gpu in self.GPUS:
                with self.subTest(name, gpu=gpu):
                    whole, part = self.both(name, "every-core:4", gpu, "--self-check")
                    cores = whole["context"]["cores"]
                    expected = [core for core in whole["cores"] if core["core"] % 4 == 0]
                    self.assertTrue(expected)
                    self.assertEqual(part["cores"], expected)
                    self.assertEqual(part["context"]["sampled_cores"], 
                                     {"every": 4, "count": -(-cores // 4), "of": cores, "drawn": None, "recorded": True})
                    self.assertIsNone(whole["context"]["sampled_cores"])
                    for kind in ("load", "store", "atomic"):
                        self.assertEqual(part["total"][kind]["misses"], sum(core[kind]["misses"] for core in expected))

    def test_random_replacement_keeps_its_numbers(self):
        whole, part = self.both("mm", "every-core:3", self.GPUS[0], "--set", "l1_replacement=Rand", "--set", "l1_keeps_tags=false")
        self.assertEqual(part["cores"], [core for core in whole["cores"] if core["core"] % 3 == 0])

    def test_the_others_change_nothing(self):
        for name in LAUNCHES:
            for which in (f"every-core:4/{self.CORES[0]}", "3-5,11", "random:30%"):
                with self.subTest(name, which=which):
                    parts = []
                    for words in ((), ("--skip-others",)):
                        self.capture(name, *LAUNCHES[name], "--work-groups", which, *words, output="part.wtrace")
                        result = self.result("part.wtrace", "--gpu", self.GPUS[0])
                        parts.append((result["total"], result["cores"], result["sites"], result["buffers"]))
                    self.assertEqual(*parts)

    def test_a_sample_counts_what_the_whole_counts_on_these_cores(self):
        for name in LAUNCHES:
            with self.subTest(name):
                self.capture(name, *LAUNCHES[name])
                whole = self.result("capture.wtrace", "--gpu", self.GPUS[0])
                part = self.result("capture.wtrace", "--gpu", self.GPUS[0], "--sample-cores", "7", "--self-check")
                drawn = part["context"]["sampled_cores"]
                self.assertEqual((drawn["every"], drawn["count"], drawn["of"], drawn["recorded"]), (None, 7, self.CORES[0], False))
                self.assertEqual(part["cores"], [core for core in whole["cores"] if core["core"] in drawn["drawn"]])
                self.assertNotIn("estimate", whole["total"])

    def test_what_was_recorded_by_a_draw_is_what_is_simulated_by_it(self):
        self.capture("stencil", *LAUNCHES["stencil"], output="whole.wtrace")
        self.capture("stencil", *LAUNCHES["stencil"], "--work-groups", "random-cores:8:5", "--gpu", self.GPUS[1], output="part.wtrace")
        simulated = self.result("whole.wtrace", "--gpu", self.GPUS[1], "--sample-cores", "8", "--seed", "5")
        recorded = self.result("part.wtrace", "--gpu", self.GPUS[1])
        self.assertEqual(recorded["cores"], simulated["cores"])
        self.assertEqual(without_instructions(recorded["total"]), without_instructions(simulated["total"]))
        self.assertEqual(recorded["context"]["sampled_cores"], simulated["context"]["sampled_cores"] | {"recorded": True})
        drawn = ",".join(map(str, recorded["context"]["sampled_cores"]["drawn"]))
        self.assertEqual(recorded["context"]["sampling"], f"drawn-cores:{drawn}/{self.CORES[1]}")

    def test_streams_of_such_a_capture_say_the_same(self):
        self.capture("stencil", *LAUNCHES["stencil"], "--work-groups", "random-cores:8", "--gpu", self.GPUS[1])
        expected = self.result("capture.wtrace", "--gpu", self.GPUS[1])["total"]["estimate"]
        self.run_tool("warpsched", "capture.wtrace", "--policy", "warp", "--gpu", self.GPUS[1], "-o", "x.wsched")
        self.run_tool("cachesim", "coalesce", "x.wsched", "--gpu", self.GPUS[1], "-o", "x.wtxn")
        for stream in ("x.wsched", "x.wtxn"):
            self.assertEqual(self.result(stream, "--gpu", self.GPUS[1])["total"]["estimate"], expected, stream)

    def test_threads_change_nothing(self):
        self.capture("spmv_csr", *LAUNCHES["spmv_csr"])
        one, two = (self.result("capture.wtrace", "--gpu", self.GPUS[1], "--sample-cores", "9", "--threads", threads) for threads in "12")
        self.assertEqual(one, two)


class LawsOfMachineCode(OfMachineCode, Laws):
    ARCHITECTURE = sampled.architecture("sampled cores", (75, 80, 90))
    GPUS, CORES = {75: (("t4", "rtx2080"), (40, 46)), 80: (("orin", "rtx3070"), (16, 46)), 90: (("h20", "h100"), (78, 132))}[ARCHITECTURE]


class SampledCores(ToolTest):
    def test_timed_places_them_on_the_same_cores(self):
        self.capture("mm", "--global", "64,128", "--work-groups", "every-core:4/15")
        self.assert_refused(self.call("cachesim", "timed", "capture.wtrace", "--gpu", "gtx480"),
                            r"launch 0: the work-groups of 4 of 15 cores were recorded \(every-core:4/15\), which 15 cores with "
                            "--assign dynamic do not get; expected 15 cores and --assign round-robin")
        result = self.result("timed", "capture.wtrace", "--gpu", "gtx480", "--assign", "round-robin")
        self.assertEqual([core["core"] for core in result["cores"]], [0, 4, 8, 12])
        self.assertEqual(result["context"]["sampled_cores"], 
                         {"every": 4, "count": 4, "of": 15, "drawn": None, "recorded": True})

    def test_other_cores_are_refused(self):
        self.capture("mm", "--global", "64,128", "--work-groups", "every-core:4/15")
        message = "launch 0: the work-groups of 4 of 15 cores were recorded"
        for words in (("--gpu", "v100"), ("--gpu", "gtx480", "--assign", "random"), ("16", "128", "4", "LRU", "WTNA")):
            self.assert_refused(self.call("cachesim", "capture.wtrace", *words), message)
        self.assert_refused(self.call("warpsched", "capture.wtrace", "--gpu", "v100", "-o", "y"), message)
        self.assertFalse((self.folder / "y").exists())

    def test_repetitions_keep_the_placement(self):
        self.capture("mm", "--global", "64,128", "--work-groups", "every-core:4/15")
        repeat = self.result("capture.wtrace", "--gpu", "gtx480", "--repeat", "2")["repeat"]
        self.assertEqual(repeat["fixed"]["placement"], "the capture holds the work-groups of some cores only")

    def test_the_terminal_says_which_cores(self):
        self.capture("mm", "--global", "64,128", "--work-groups", "every-core:4/15")
        self.assertIn("; ONLY 4 OF 15 CORES WERE RECORDED (every-core:4/15)",
                      self.run_tool("cachesim", "capture.wtrace", "--gpu", "gtx480").decode())

    def test_warpscope_says_the_gpu_once(self):
        text = self.run_tool("warpscope", kernel("mm"), "--global", "64,128", "--gpu", "gtx480", "--work-groups", "every-core:4",
                             "--no-plots", "-o", "report").decode()
        self.assertIn("SAMPLED: only 4 of 15 cores were recorded (every-core:4/15)", text)

    def test_warpscope_draws_one_core_and_gives_the_estimate(self):
        text = self.run_tool("warpscope", kernel("mm"), "--global", "64,128", "--gpu", "gtx480", "--work-groups", "random-cores:6",
                             "-o", "report").decode()
        self.assertIn("SAMPLED: only 6 of 15 cores were recorded (drawn at random)", text)
        self.assertRegex(text, r"of loads on all 15 cores: [0-9.]+ % \([0-9.]+ to [0-9.]+ %, 95 %; sampling alone\)")
        self.assertTrue(any((self.folder / "report").glob("access_pattern*")), list((self.folder / "report").iterdir()))


class SkippedWorkGroups(ToolTest):
    """trace-kernel --skip-others: work-groups that are not recorded are not run."""

    def test_the_others_do_not_run(self):
        # Work-group 2 writes to where nothing is.
        (self.folder / "wild.cl").write_text("__kernel void f(__global int *a) {\n"
                                             "  if (get_group_id(0) == 2) *(volatile __global int *)8 = 1;\n"
                                             "  a[get_global_id(0)] = 1;\n}\n")
        words = ("trace-kernel", "wild.cl", "--global", "256", "--local", "64", "--arg", "a=count=256", "--work-groups", "0,3")
        self.assertEqual(self.call(*words).returncode, 3)
        self.run_tool(*words, "--skip-others")
        self.assertEqual(self.result("wild.wtrace", "--gpu", "gtx480")["total"]["store"]["lanes"], 128)

    def test_what_needs_all_is_refused(self):
        words = ("trace-kernel", kernel("mm"), "--size", "small", "--skip-others")
        self.assert_refused(self.call(*words), "--skip-others: all work-groups are recorded, expected --work-groups WHICH")
        for more in (("--verify",), ("--dump-buffers", "out")):
            self.assert_refused(self.call(*words, "--work-groups", "0", *more), f"--skip-others: leaves buffers incomplete, expected no {more[0]}")
        self.assert_refused(self.call("trace-kernel", "--work-groups", "0", "--skip-others", "--", "true"), "--skip-others")


class AddressesOnly(ToolTest):
    """trace-kernel --addresses-only: kernels whose addresses need no memory compute nothing."""

    def test_nothing_runs_where_no_address_needs_it(self):
        # A wild store is recorded, and not made. The barrier is in a loop.
        (self.folder / "wild.cl").write_text("__kernel void f(__global int *a) {\n"
                                             "  for (int i = 0; i < 3; ++i) {\n    a[get_global_id(0)] += i + 1;\n"
                                             "    barrier(CLK_GLOBAL_MEM_FENCE);\n  }\n"
                                             "  *(volatile __global int *)8 = 1;\n}\n")
        words = ("trace-kernel", "wild.cl", "--global", "256", "--local", "64", "--arg", "a=count=256")
        self.assertEqual(self.call(*words).returncode, 3)
        self.call(*words, "--addresses-only")
        total = self.result("wild.wtrace", "--gpu", "gtx480")["total"]
        self.assertEqual((total["load"]["lanes"], total["store"]["lanes"]), (3 * 256, 3 * 256))  # the wild one is in no buffer

    def test_what_runs_access_by_access_is_the_same(self):
        # An address from memory: nothing can be told before.
        (self.folder / "gather.cl").write_text("__kernel void f(__global int *a, __global const int *at) {\n"
                                               "  a[get_global_id(0)] = a[at[get_global_id(0)] & 255];\n}\n")
        words = ("gather.cl", "--global", "256", "--local", "64", "--arg", "a=count=256", "--arg", "at=count=256")
        results = []
        for more in ((), ("--addresses-only",)):
            self.run_tool("trace-kernel", *words, *more)
            result = self.result("gather.wtrace", "--gpu", "gtx480")
            results.append([result[key] for key in ("total", "cores", "sites", "buffers")])
        self.assertEqual(*results)

    def test_what_needs_results_is_refused(self):
        words = ("trace-kernel", kernel("mm"), "--size", "small", "--addresses-only")
        for more, message in ((("--verify",), "--addresses-only: leaves buffers incomplete, expected no --verify"),
                              (("--dump-buffers", "out"), "--addresses-only: leaves buffers incomplete, expected no --dump-buffers"),
                              (("--no-boxes",), "--addresses-only and --no-boxes: with that every access is made, expected one of them"),
                              (("--record-order",), "--addresses-only and --record-order: with that")):
            self.assert_refused(self.call(*words, *more), message)
        self.assert_refused(self.call("trace-kernel", "--addresses-only", "--", "true"), "--addresses-only")


class DrawnCores(ToolTest):
    """cachesim --sample-cores and trace-kernel --work-groups random-cores: all cores from some."""

    def test_all_cores_as_a_sample_are_the_whole(self):
        self.capture("mm", *LAUNCHES["mm"])
        whole = self.result("capture.wtrace", "--gpu", "gtx480")["total"]
        total = self.result("capture.wtrace", "--gpu", "gtx480", "--sample-cores", "15")["total"]
        estimate = total.pop("estimate")
        self.assertEqual(total, whole)
        load, classes = whole["load"], ("cold", "invalidated", "capacity", "conflict")
        expected = {"load.hit_rate_percent": 100 * load["hits"] / load["transactions"], "load.misses": load["misses"],
                    "load.requests": load["requests"], "store.transactions": whole["store"]["transactions"],
                    "load.transactions_per_request": load["transactions"] / load["requests"],
                    "misses.cold_percent": 100 * whole["miss_classes"]["cold"] / sum(whole["miss_classes"][name] for name in classes)}
        for rate, value in expected.items():
            for key in ("value", "low", "high"):
                self.assertAlmostEqual(estimate[rate][key], value, 6, rate)

    def test_placement_at_random_is_drawn_from_all_cores_alike(self):
        self.capture("stencil", *LAUNCHES["stencil"])
        random = ("capture.wtrace", "--gpu", "v100", "--assign", "random")
        whole = self.result(*random)
        drawn = [self.result(*random, "--sample-cores", "20", "--seed", "1"), self.result(*random, "--sample-cores", "80", "--seed", "1")]
        for part in drawn:
            numbers = part["context"]["sampled_cores"]["drawn"]
            self.assertEqual(part["cores"], [core for core in whole["cores"] if core["core"] in numbers])
        estimate = drawn[1]["total"]["estimate"]["load.misses"]
        self.assertAlmostEqual(estimate["low"], whole["total"]["load"]["misses"] + whole["total"]["load"]["sector_misses"], 6)
        self.assertEqual(estimate["low"], estimate["high"])

    def test_the_terminal_says_the_estimate_first(self):
        self.capture("mm", *LAUNCHES["mm"])
        text = self.run_tool("cachesim", "capture.wtrace", "--gpu", "gtx480", "--sample-cores", "7").decode()
        self.assertIn("; ONLY 7 OF 15 CORES WERE SIMULATED", text)
        self.assertIn("Estimated of all 15 cores, from the 7 that were drawn (95 % interval; all else counts the 7)", text)
        self.assertLess(text.index("load.hit_rate_percent"), text.index("Memory instructions"))

    def test_what_cannot_be_estimated_is_refused(self):
        self.capture("mm", *LAUNCHES["mm"])
        for words, message in ((("--sample-cores", "5"), "expected a whole number from 6"),
                               (("--sample-cores", "16"), "--sample-cores: 16 of 15 cores, expected at most as many as there are"),
                               (("--sample-cores", "7", "--core", "3"), "--sample-cores: --core names one core"),
                               (("--sample-cores", "7", "--repeat", "3"), "--sample-cores and --repeat")):
            self.assert_refused(self.call("cachesim", "capture.wtrace", "--gpu", "gtx480", *words), message)
        self.assert_refused(self.call("cachesim", "capture.wtrace", "--compare-generations", "--sample-cores", "7"), "--sample-cores: ")
        self.capture("mm", *LAUNCHES["mm"], "--work-groups", "every:2")
        self.assert_refused(self.call("cachesim", "capture.wtrace", "--gpu", "gtx480", "--sample-cores", "7"),
                            "of launch 0 only work-groups every:2 were recorded, expected all")
        self.assert_refused(self.call("trace-kernel", kernel("mm"), "--work-groups", "random-cores:5", "--gpu", "gtx480"),
                            "expected random-cores:K or random-cores:K:SEED, with K from 6")


class Waves(ToolTest):
    def recorded(self, *words):
        self.capture("mm", "--global", "128,256", "--local", "16,16", *words)
        launch = json.loads(self.run_tool("trace-view", "--summary", "--json", "capture.wtrace"))["launches"][0]
        return launch["sampling"], launch["work_items"]

    def test_are_the_first_work_groups_that_all_cores_hold_at_once(self):
        # 256 work-items of 25 to 32 registers (in steps of 64 for a warp): 4 work-groups in the 32,768 of a core of the GTX 480, 60 on its 15 cores; the
        # launch has 128.
        self.assertEqual(self.recorded("--work-groups", "waves:1", "--gpu", "gtx480"), ("waves:1/60", 60 * 256))
        self.assertEqual(self.recorded("--work-groups", "waves:1/100"), ("waves:1/100", 100 * 256))
        self.assertEqual(self.recorded("--work-groups", "waves:3", "--preset", "gtx480"), ("all", 128 * 256))

    def test_timed_runs_them_all(self):
        self.recorded("--work-groups", "waves:1/90")
        result = self.result("timed", "capture.wtrace", "--gpu", "gtx480")
        self.assertEqual(sum(core["timing"]["work_groups"] for core in result["cores"]), 90)

    def test_what_is_wrong_is_one_line(self):
        for words, message in ((("every-core:4",), "which GPU's cores"), (("waves:3",), "which GPU's cores"),
                               (("every-core:0", "--gpu", "gtx480"), "every-core:0/15"),
                               (("every-core:16", "--gpu", "gtx480"), "every-core:16/15"),
                               (("waves:x", "--gpu", "gtx480"), "waves:x"),
                               (("every:4", "--gpu", "gtx480"), "--gpu gtx480: only with --work-groups every-core:K, random-cores:K or waves:N"),
                               (("every-core:4", "--gpu", "nothing"), "--gpu nothing: unknown GPU"),
                               (("every-core:4", "--gpu", "v100", "--preset", "a100"), "two names of one option")):
            done = self.call("trace-kernel", kernel("mm"), "--work-groups", *words, environment={"WARPSCOPE_GPU": ""})
            self.assert_refused(done, message)
            self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        done = self.call("trace-kernel", "--work-groups", "waves:3", "--gpu", "v100", "--", "true")
        self.assert_refused(done, "the launches of a program differ")
        done = self.call("trace-kernel", kernel("mm"), "--global", "64,64", "--local", "64,32", "--work-groups", "waves:1", "--gpu",
                         "v100", "-o", "x.wtrace")
        self.assert_refused(done, "a work-group takes 2048 work-items per work-group, v100 allows 1024")


if __name__ == "__main__":
    unittest.main()
