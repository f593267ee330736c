"""Races in shared memory of CUDA programs: which are found, where, and which are none."""
import json
import unittest

from support import BIN, RuntimeProgramTest, SOURCE
from support import load_third as load_tests  # noqa: F401

# By the rules of CUDA: kernel -> the scopes of its races, and the mark of the lines that take part. A tile of 16 × 16 threads has two rows
# in a warp: what one iteration stores early, the other row and other warps still read.
RACES = {"bare": ({"warp"}, "BARE"), "bare_loop": ({"warp"}, "LOOP"), "in_step": ({"in-step"}, ""), "wrong_masks": ({"warp"}, "MASKS"),
         "histogram_early": ({"warp", "work-group"}, "EARLY"), "tiles_early": ({"warp", "work-group"}, "TILES")}
RIGHT = ("in_step", "with_syncwarp", "with_masks", "shuffles", "ordered_by_shuffle", "histogram", "flag", "guarded")


class Races(RuntimeProgramTest):
    PROGRAMS = SOURCE / "tests/programs/cuda/races"

    def races(self, *options, status=4):
        done = self.plain(BIN / "trace-view", "--races", "--json", *options, "x.wtrace")
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def lines(self, mark):
        text = (self.PROGRAMS / "races.cu").read_text().splitlines()
        return {number for number, line in enumerate(text, 1) if f"// {mark}" in line}

    def test_what_is_found(self):
        done = self.traced(self.build("races"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in RIGHT:
            self.assertIn(f"{name} right\n", done.stdout)
        found = self.races()
        scopes = {}
        for race in found["races"]:
            scopes.setdefault(race["kernel"], set()).add(race["scope"])
            self.assertEqual(race["remedy"], "__syncthreads()" if race["scope"] == "work-group" else "__syncwarp()")
            first, second = (access["work_item"][0] + kTile * access["work_item"][1] if "tiles" in race["kernel"] else
                             access["work_item"][0] for access in race["accesses"])
            self.assertNotEqual(first, second)
            self.assertEqual(first // 32 == second // 32, race["scope"] != "work-group")
            if mark := RACES[race["kernel"]][1]:
                self.assertLessEqual({access["line"] for access in race["accesses"]}, self.lines(mark), race)
        self.assertEqual(scopes, {kernel: expected for kernel, (expected, _) in RACES.items()})
        self.assertEqual(found["count"], sum(race["scope"] != "in-step" for race in found["races"]))
        self.assertEqual([(store["kernel"], store["accesses"][0]["line"]) for store in found["common_stores"]],
                         [("flag", line) for line in self.lines("FLAG")])
        lock, = self.lines("LOCK")
        self.assertEqual(found["not_checked"],
                         [{"kernel": "guarded", "why": f"its work-items wait for each other in a loop, races.cu:{lock}"}])
        self.assert_bounds(found)

    def assert_bounds(self, found):
        """4 of 6 and of 16 blocks by default, all on request, and the same races there."""
        launches = found["launches"]
        self.assertEqual((found["checked"], found["in_part"]), ({"launches": launches, "work_groups": 4 * launches}, True))
        everything = self.races("--race-groups", "all")
        self.assertEqual(everything["checked"], {"launches": launches, "work_groups": 6 * (launches - 2) + 2 * 16})
        self.assertFalse(everything["in_part"])
        self.assertEqual([(race["kernel"], race["scope"], race["accesses"]) for race in everything["races"]],
                         [(race["kernel"], race["scope"], race["accesses"]) for race in found["races"]])
        self.assertEqual(self.races("--kernel", "tiles", status=0)["races"], [])
        self.assertEqual(self.plain(BIN / "trace-view", "--races", "--race-groups", "0", "x.wtrace").returncode, 2)

    def sites(self, output):
        """Kernel -> what its sites are."""
        done = self.plain(BIN / "trace-view", "--sites", "--json", output)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {launch["kernel"]: [(site["kind"], site["space"], site.get("volatile", False), site["locations"]) for site in launch["sites"]]
                for launch in json.loads(done.stdout)["launches"]}

    def test_threads_in_step(self):
        """Kernels from before Volta are right where they are compiled for it, or on request; others stay as they are."""
        self.assertEqual(self.traced(self.build("races"), output="plain.wtrace").returncode, 0)
        before = self.sites("plain.wtrace")
        self.build("races", "-arch=sm_60")
        done = self.traced("./races", options=("--kernel", ",".join([*RACES, *RIGHT, "tiles"])))
        for name in (*RIGHT, "bare", "bare_loop"):
            self.assertIn(f"{name} right\n", done.stdout)
        scopes = {(race["kernel"], race["scope"]) for race in self.races()["races"]}
        self.assertEqual({scope for kernel, scope in scopes if kernel in ("bare", "bare_loop", "in_step")}, {"in-step"})
        after = self.sites("x.wtrace")
        for kernel in ("with_syncwarp", "with_masks", "shuffles", "histogram", "histogram_early", "flag", "tiles"):
            self.assertEqual(after[kernel], before[kernel], kernel)
            self.assertFalse(any(is_volatile for _, _, is_volatile, _ in after[kernel]))

    def test_what_asks_for_steps(self):
        for asked, options, right in (("1", (), True), ("0", ("-arch=sm_60",), False)):
            self.environment["WARPSCOPE_LOCKSTEP"] = asked
            done = self.plain(self.build("races", *options), "bare_loop")
            self.assertEqual(done.stdout, f"bare_loop {'right' if right else 'wrong'}\n", done.stderr)
        self.environment["WARPSCOPE_LOCKSTEP"] = "yes"
        done = self.plain(BIN / "warpscope-nvcc", self.PROGRAMS / "races.cu")
        self.assertEqual((done.returncode, done.stderr), (1, "nvcc fatal   : WARPSCOPE_LOCKSTEP is 'yes', expected 1 (all shared memory), 0 (what is "
                                                          "volatile), or nothing (by -arch)\n"))

    def test_the_summary_names_them(self):
        done = self.plain(BIN / "warpscope", "--no-plots", "--clock", "fixed", "--advice-budget", "0", "--kernel", "^bare_loop$", "-o", "report",
                          "--", self.build("races"))
        self.assertEqual(done.returncode, 0, done.stderr)
        line, = self.lines("LOOP")
        told = [text for text in done.stdout.splitlines() if "RACE" in text]
        self.assertEqual(len(told), 1, done.stdout)
        self.assertRegex(told[0], rf"^RACE in bare_loop: store and load races.cu:{line} of sums: add __syncwarp\(\); threads \d+, \d+ of one warp$")
        self.assertEqual(json.loads((self.folder / "report/result.json").read_text())["races"]["count"], 1)
        self.assertIn("RACE in bare_loop: store and load races.cu", (self.folder / "report/report.html").read_text(encoding="utf-8"))


kTile = 16

if __name__ == "__main__":
    unittest.main()
