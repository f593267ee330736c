"""Registers that are an estimate: `resident` of result.json and its line in the summary, against runs of the timed engine with as many work-groups as are said."""
import json
import unittest

from laws import LawTest
from support import SOURCE

KERNEL = SOURCE / "benchmarks" / "kernels" / "mm" / "mm.cl"


class Resident(LawTest):
    def report(self, capture, gpu, *options):
        """(`resident`, the lines of the summary, the whole result)."""
        text = self.run_tool("warpscope", capture, "--gpu", gpu, "--no-plots", "-o", "out", *options).decode()
        result = json.loads((self.folder / "out" / "result.json").read_text())
        return result["resident"], text.split("\n"), result

    def test_one_work_group_more_and_less(self):
        self.run_tool("trace-kernel", KERNEL, "--kernel", "mm", "--global", "160,160", "--local", "32,5", "-o", "mm.wtrace")
        resident, lines, result = self.report("mm.wtrace", "gtx480")
        listed, = result["context"]["schedule"]["residency"]
        self.assertEqual((listed["limited_by"], resident["why_not"]), ("registers", ""))
        own = listed["work_groups"]
        self.assertEqual([run["work_groups"] for run in resident["runs"]], [own - 1, own, own + 1])
        for run in resident["runs"]:  # so many, whatever the GPU's limits
            total = json.loads(self.run_tool("cachesim", "timed", "mm.wtrace", "--gpu", "gtx480", "--max-workgroups", run["work_groups"], "--json", "-"))["total"]
            self.assertEqual(run["cycles"], total["timing"]["cycles"])
            self.assertAlmostEqual(run["hit_rate_percent"], 100 - 100 * total["load"]["misses"] / total["load"]["transactions"])
        rates = [run["hit_rate_percent"] for run in resident["runs"]]
        self.assertGreater(max(rates) - min(rates), 2)
        parts = "; ".join(f"{run['hit_rate_percent']:.1f} %, {run['cycles']:,} cycles" for run in resident["runs"])
        self.assertIn(f"  with {own - 1}, {own}, {own + 1} groups on a core (registers are an estimate): {parts}".split(";")[0], " ".join(lines))

    def test_nothing_is_run_where_it_cannot_matter(self):
        self.run_tool("trace-kernel", KERNEL, "--kernel", "mm", "--global", "64,64", "--local", "16,16", "-o", "mm.wtrace")
        for gpu, options, why in (("v100", (), "work-groups are limited by"), ("gtx480", ("--clock", "fixed"), "not all launches were simulated cycle by cycle"),
                                  ("gtx480", ("--advice-budget", "0"), "limit 0")):
            with self.subTest(gpu=gpu, options=options):
                resident, lines, _ = self.report("mm.wtrace", gpu, *options)
                self.assertEqual(resident["runs"], [])
                self.assertIn(why, resident["why_not"])
                self.assertNotIn("groups on a core (registers", "\n".join(lines))


if __name__ == "__main__":
    unittest.main()
