"""cachesim timed --timeline: what it records of core 0 adds up to that core's counters, which are counted elsewhere."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "python"))
BIN = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin"))

from warpscope.show.page import timeline  # noqa: E402

WHOLE = 100_000  # cycles: more than these launches take


def run(tool, *words, folder, status=0):
    done = subprocess.run([str(BIN / tool), *map(str, words)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise AssertionError(f"{tool} {words}: {done.returncode}: {done.stderr}")
    return done.stderr


class TimelineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for kernel in ("mm", "mt_tiled"):
            path = SOURCE / "benchmarks" / "kernels" / kernel / f"{kernel}.cl"
            run("trace-kernel", path, "--size", "small", "-o", f"{kernel}.wtrace", folder=cls.folder)

    def result(self, kernel, gpu, cycles):
        run("cachesim", "timed", f"{kernel}.wtrace", "--gpu", gpu, "--timeline", cycles, "--json", "timed.json", folder=self.folder)
        return json.loads((self.folder / "timed.json").read_text(encoding="utf-8"))

    def test_the_whole_of_a_launch_has_the_counters_of_its_core(self):
        for kernel in ("mm", "mt_tiled"):
            for gpu in ("gtx480", "h100"):
                result = self.result(kernel, gpu, WHOLE)
                core, shown = result["cores"][0], timeline.shaped(result["timeline"], WHOLE)
                self.assertEqual(shown["cycles"], result["launches"][0]["timing"]["cycles"])
                self.assertEqual(sum(to - begin for _, _, begin, to, _ in shown["stretches"]), core["timing"]["resident_warp_cycles"])
                self.assertLessEqual(len(shown["issues"]), core["timing"]["warp_instructions"])
                self.assertGreater(len(shown["issues"]), core["timing"]["warp_instructions"] / 2)  # an access may be several instructions
                hits, transactions = (sum(core[kind][name] for kind in ("load", "store", "atomic")) for name in ("hits", "transactions"))
                self.assertEqual(sum(hits for _, hits, _ in shown["look_ups"]), hits, (kernel, gpu))
                looked_up = sum(hits + others for _, hits, others in shown["look_ups"])
                self.assertLessEqual(looked_up, transactions)
                self.assertGreaterEqual(looked_up, core["load"]["transactions"])  # stores may still be in the queue when the last warp ends

    def test_a_warp_is_in_one_state_at_a_time_and_issues_nothing_while_it_waits(self):
        shown = timeline.shaped(self.result("mt_tiled", "h100", WHOLE)["timeline"], WHOLE)
        waits, last = {}, {}
        for warp, _, begin, to, state in sorted(shown["stretches"], key=lambda one: one[2]):
            self.assertLess(begin, to)
            self.assertGreaterEqual(begin, last.get(warp, 0))
            last[warp] = to
            if shown["states"][state] != "ready":
                waits.setdefault(warp, set()).update(range(begin + 1, to))
        self.assertGreater(len(shown["issues"]), 100)
        for at, warp, _ in shown["issues"]:
            self.assertNotIn(at, waits[warp])

    def test_a_window_is_the_beginning_of_the_whole(self):
        whole, part = (timeline.shaped(self.result("mm", "h100", cycles)["timeline"], cycles) for cycles in (WHOLE, 500))
        self.assertEqual(part["cycles"], 500)
        self.assertEqual(part["issues"], [one for one in whole["issues"] if one[0] < 500])
        self.assertEqual(timeline.shaped({**self.result("mm", "h100", WHOLE)["timeline"]}, 500)["stretches"],
                         sorted(part["stretches"]))

    def test_off_unless_asked_for(self):
        run("cachesim", "timed", "mm.wtrace", "--gpu", "h100", "--json", "timed.json", folder=self.folder)
        self.assertNotIn("timeline", json.loads((self.folder / "timed.json").read_text(encoding="utf-8")))
        self.assertIn("--timeline", run("cachesim", "timed", "mm.wtrace", "--gpu", "h100", "--timeline", 0, folder=self.folder, status=2))


if __name__ == "__main__":
    unittest.main()
