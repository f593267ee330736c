"""cachesim --sample-launches: all launches of a program from some, in fixed order and cycle by cycle."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from support import BIN, SOURCE, ToolTest
from support import load_third as load_tests  # noqa: F401

GPU = ("--gpu", "gtx480")
PROGRAM = SOURCE / "validation" / "collect" / "launch_programs.py"


class SampledLaunches(ToolTest):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.program = folder / "multigrid.wtrace"
        subprocess.run([BIN / "trace-kernel", "-o", cls.program, "--", "/usr/bin/python3", PROGRAM, "multigrid", "6"], check=True,
                       capture_output=True, env=os.environ)

    def both(self, *words, timed=()):
        whole = self.result(*timed, self.program, *GPU)
        return whole, self.result(*timed, self.program, *GPU, "--sample-launches", *words)

    def values(self, estimate):
        return {name: entry["value"] for name, entry in estimate.items()}

    def test_a_drawn_launch_counts_what_it_counts_in_the_whole(self):
        whole, part = self.both("30")
        sample = part["context"]["sampled_launches"]
        drawn = sorted(number for stratum in sample["strata"] for number in stratum["drawn"])
        self.assertEqual((sample["count"], sample["of"], len(drawn)), (30, len(whole["launches"]), 30))
        self.assertEqual(part["launches"], [launch for launch in whole["launches"] if launch["launch"] in drawn])
        self.assertNotIn("sampled_launches", whole["context"])
        self.assertNotIn("estimate", whole["total"])

    def test_all_launches_as_a_sample_are_the_whole(self):
        for timed in ((), ("timed",)):
            whole, part = self.both("100%", timed=timed)
            estimate = part["total"].pop("estimate")
            for key in ("total", "launches", "cores", "sites", "buffers"):
                self.assertEqual(part[key], whole[key], key)
            load = whole["total"]["load"]
            expected = {"load.hit_rate_percent": 100 * (load["hits"] + load["hits_pending"]) / load["transactions"],
                        "load.misses": load["misses"] + load["sector_misses"], "store.requests": whole["total"]["store"]["requests"]}
            if timed:
                expected["cycles"] = whole["total"]["timing"]["cycles"]
            for name, value in expected.items():
                for key in ("value", "low", "high"):
                    self.assertAlmostEqual(estimate[name][key] / value, 1, 9, name)

    def test_strata_hold_every_launch_once(self):
        _, part = self.both("40")
        numbers = []
        for stratum in part["context"]["sampled_launches"]["strata"]:
            own = [n for piece in stratum["launches"].split(",") for n in range(int(piece.split("-")[0]), int(piece.split("-")[-1]) + 1)]
            self.assertEqual(len(own), stratum["count"])
            self.assertLessEqual(set(stratum["drawn"]), set(own))
            self.assertGreaterEqual(len(stratum["drawn"]), min(3, len(own)))
            numbers += own
        self.assertEqual(sorted(numbers), list(range(len(numbers))))

    def test_the_estimate_is_the_combined_ratio(self):
        _, part = self.both("40")
        counts = {launch["launch"]: launch for launch in part["launches"]}
        part_sum = whole_sum = misses = sizes = all_sizes = 0
        for stratum in part["context"]["sampled_launches"]["strata"]:
            weight = stratum["count"] / len(stratum["drawn"])
            all_sizes += stratum["size"]
            for number, size in zip(stratum["drawn"], stratum["drawn_sizes"]):
                load = counts[number]["load"]
                part_sum += weight * (load["hits"] + load["hits_pending"])
                whole_sum += weight * (load["transactions"] - load["bypasses"])
                misses += weight * (load["misses"] + load["sector_misses"])
                sizes += weight * size
        estimate = part["total"]["estimate"]
        self.assertAlmostEqual(estimate["load.hit_rate_percent"]["value"], 100 * part_sum / whole_sum, 9)
        self.assertAlmostEqual(estimate["load.misses"]["value"] / (misses / sizes * all_sizes), 1, 9)

    def test_cycles_are_those_of_the_strata(self):
        whole, part = self.both("40", timed=("timed",))
        counts = {launch["launch"]: launch["timing"]["cycles"] for launch in part["launches"]}
        expected = sum(stratum["count"] / len(stratum["drawn"]) * sum(counts[number] for number in stratum["drawn"])
                       for stratum in part["context"]["sampled_launches"]["strata"])
        found = part["total"]["estimate"]["cycles"]
        self.assertAlmostEqual(found["value"] / expected, 1, 9)
        self.assertLess(abs(found["value"] / whole["total"]["timing"]["cycles"] - 1), 0.15)

    def test_a_cold_l2_makes_timed_launches_independent(self):
        whole = self.result("timed", self.program, *GPU, "--set", "l2_keeps_content=false")
        part = self.result("timed", self.program, *GPU, "--set", "l2_keeps_content=false", "--sample-launches", "20")
        drawn = {launch["launch"] for launch in part["launches"]}
        self.assertEqual(part["launches"], [launch for launch in whole["launches"] if launch["launch"] in drawn])

    def test_threads_change_nothing_and_seeds_do(self):
        for timed in ((), ("timed",)):
            one, two, other = (self.result(*timed, self.program, *GPU, "--sample-launches", "25", *words)
                               for words in (("--threads", "1"), ("--threads", "2"), ("--seed", "2")))
            self.assertEqual(one, two)
            self.assertNotEqual(one["context"]["sampled_launches"], other["context"]["sampled_launches"])

    def test_other_kernels_are_no_part_of_it(self):
        part = self.result(self.program, *GPU, "--kernel", "jacobi", "--sample-launches", "10%")
        whole = self.result(self.program, *GPU, "--kernel", "jacobi")
        self.assertEqual(part["context"]["sampled_launches"]["of"], len(whole["launches"]))
        self.assertEqual({launch["kernel"] for launch in part["launches"]}, {"jacobi"})

    def test_the_terminal_says_the_estimate_and_the_strata(self):
        text = self.run_tool("cachesim", self.program, *GPU, "--sample-launches", "25").decode()
        self.assertRegex(text, r"; ONLY 25 OF \d+ LAUNCHES WERE SIMULATED")
        self.assertRegex(text, r"Estimated of all \d+ launches, from the 25 that were drawn \(95 % interval; all else counts the 25\)")
        self.assertRegex(text, r"jacobi +8x8 +[0-9,]+ +[0-9,]+ +[0-9]+")

    def test_what_cannot_be_estimated_is_refused(self):
        for words, message in ((("0",), "--sample-launches 0: expected a whole number from 6, or a part"),
                               (("5",), "--sample-launches 5: expected a whole number from 6"),
                               (("0%",), "--sample-launches 0%: expected"), (("101%",), "--sample-launches 101%: expected"),
                               (("nan%",), "--sample-launches nan%: expected"),
                               (("100000",), r"--sample-launches 100000: there are \d+ launches to draw from, expected at most as many"),
                               (("20", "--sample-cores", "7"), "--sample-launches and --sample-cores: one interval cannot hold both"),
                               (("20", "--keep-l1"), "--sample-launches and --keep-l1: a launch begins with what"),
                               (("20", "--repeat", "3"), "--sample-launches and --repeat")):
            self.assert_refused(self.call("cachesim", self.program, *GPU, "--sample-launches", *words), message)
        for words in (("--repeat", "3"), ("--waves", "2"), ("--write-assignment", "x")):
            self.assert_refused(self.call("cachesim", "timed", self.program, *GPU, "--sample-launches", "20", *words),
                                f"--sample-launches and {words[0]}")
        self.capture("mm", "--global", "64,128")
        self.assert_refused(self.call("cachesim", "capture.wtrace", *GPU, "--sample-launches", "6"), "there is 1 launch to draw from")
        self.capture("mm", "--global", "64,128", "--work-groups", "random-cores:6", *GPU, output="cores.wtrace")
        self.assert_refused(self.call("cachesim", "cores.wtrace", *GPU, "--sample-launches", "10%"), "only cores that were drawn at random")
        self.run_tool("warpsched", "capture.wtrace", *GPU, "-o", "stream")
        self.assert_refused(self.call("cachesim", "stream", *GPU, "--sample-launches", "10%"), "has its order already, expected a capture")

    def test_one_launch_is_its_own_sample(self):
        self.capture("mm", "--global", "64,128")
        estimate = self.result("capture.wtrace", *GPU, "--sample-launches", "10%")["total"]["estimate"]["load.misses"]
        self.assertEqual(estimate["low"], estimate["high"])

    def test_damage_in_a_launch_that_is_looked_at_is_one_line(self):
        data = bytearray(self.program.read_bytes())
        data[len(data) // 2] ^= 0xff
        (self.folder / "damaged.wtrace").write_bytes(data)
        (self.folder / "short.wtrace").write_bytes(data[:len(data) // 2])
        for words in (("damaged.wtrace", "--sample-launches", "100%"), ("short.wtrace", "--budget", "2M"), ("timed", "short.wtrace", "--budget", "2M")):
            done = self.call("cachesim", *words, *GPU)
            self.assertEqual(done.returncode, 2)
            self.assertEqual((done.stderr.count(b"\n"), done.stderr.count(b"cachesim")), (1, 1), done.stderr)

    def test_a_budget_names_the_options_that_repeat_it(self):
        for timed in ((), ("timed",)):
            done = self.call("cachesim", *timed, self.program, *GPU, "--budget", "100K", "--json", "-")
            line = done.stderr.decode().splitlines()[0]
            self.assertRegex(line, r"--budget 100000: all would be [0-9.]+ [KM] look-ups and memory instructions; --sample-launches \d+, of \d+, [0-9.]+ [KM]$")
            options = line.split("; ")[1].split(",")[0].split()
            result, again = json.loads(done.stdout), self.result(*timed, self.program, *GPU, *options)
            said = result["context"].pop("budget")
            self.assertEqual(result, again)
            self.assertEqual(said["work"], 100000)
            self.assertLessEqual(said["used"], 100000)
            self.assertGreater(said["all"], 100000)

    def test_a_large_budget_takes_everything(self):
        done = self.call("cachesim", self.program, *GPU, "--budget", "50G", "--json", "-")
        self.assertRegex(done.stderr.decode().splitlines()[0], r"^cachesim: --budget 50000000000: all would be [0-9.]+ [KM] look-ups and memory instructions$")
        result = json.loads(done.stdout)
        said = result["context"].pop("budget")
        self.assertEqual(result, self.result(self.program, *GPU))
        self.assertEqual(said["used"], said["all"])

    def test_budgets_that_are_none_are_refused(self):
        for words, message in ((("0",), "--budget 0: expected a number"), (("soon",), "--budget soon: expected a number"),
                               (("30s",), "--budget 30s: expected a number of look-ups and memory instructions"), (("5m",), "--budget 5m: expected"),
                               (("5M", "--sample-launches", "10%"), "--budget and --sample-launches: the budget decides")):
            for timed in ((), ("timed",)):
                self.assert_refused(self.call("cachesim", *timed, self.program, *GPU, "--budget", *words), message)
        self.capture("mm", "--global", "64,128")
        self.run_tool("warpsched", "capture.wtrace", *GPU, "-o", "stream")
        self.assert_refused(self.call("cachesim", "stream", *GPU, "--budget", "5M"), "has its order already, expected a capture")


if __name__ == "__main__":
    unittest.main()
