"""warpscope --budget: both clocks simulate as much as was allowed, a sample where all is more."""
import json
import re
import subprocess
import unittest

from support import BIN, ToolTest, kernel
from support import load_third as load_tests  # noqa: F401

GPU = ("--gpu", "v100")


class Budget(ToolTest):
    def warpscope(self, *words, output="report"):
        """(result.json, standard output, standard error) of a run that must succeed."""
        done = self.call("warpscope", *words, "--no-plots", "--advice-budget", "0", "-o", output)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        name = next((self.folder / output).glob("result*.json"))
        return json.loads(name.read_text()), done.stdout.decode(), done.stderr.decode()

    def same(self, found, expected):
        for key in ("total", "launches", "cores", "sites", "buffers"):
            self.assertEqual(found[key], expected[key], key)

    def test_where_it_is_enough_it_is_the_run_without(self):
        capture = self.capture("mm", "--global", "64,64")
        plain, _, _ = self.warpscope(capture, *GPU)
        within, text, messages = self.warpscope(capture, *GPU, "--budget", "1G", output="within")
        self.same(within, plain)
        self.same(within["timed"], plain["timed"])
        self.assertEqual(messages, "")
        self.assertNotIn("SAMPLED", text)
        self.assertEqual([within["clocks"][key] for key in ("timed_launches", "launches", "why")], [1, 1, None])

    def test_else_it_is_the_parts_that_it_names(self):
        capture = self.capture("mm", "--global", "512,512")
        result, text, messages = self.warpscope(capture, *GPU, "--budget", "2M")
        named = dict(re.findall(r"^(cachesim(?: timed)?): --budget .*; (--(?:sample-cores|waves) [0-9]+), ", messages, re.MULTILINE))
        self.assertEqual(set(named), {"cachesim", "cachesim timed"}, messages)
        fixed = self.result(capture, *GPU, *named["cachesim"].split(), "--reuse-histogram")
        timed = self.result("timed", capture, *GPU, *named["cachesim timed"].split())
        self.same(result, fixed)
        self.same(result["timed"], timed)
        self.assertEqual(result["clocks"]["why"], "--budget 2M")
        waves = timed["context"]["timed"]["waves"]
        self.assertEqual(result["clocks"]["waves"], {"launch": 0, **waves})
        part = f"first {waves['work_groups']:,} of 1,024 work-groups"
        self.assertIn(f"\nTimed engine: {part} (--budget 2M); try --clock timed\n", text)
        self.assertNotRegex(text, "[0-9] cycles")  # of a launch of which only a part was simulated
        page = (self.folder / "report" / "report.html").read_text(encoding="utf-8")
        self.assertIn(f"the {part} of launch 0 were simulated; --budget 2M", page)
        shown = json.loads(re.search('id="result">(.*?)</script>', page, re.DOTALL)[1])
        self.assertEqual([shown["timed"]["cycles"], *(row["cycles"] for row in shown["launches"]["rows"])], [None, None])

    def test_each_gpu_has_it(self):
        capture = self.capture("mm", "--global", "512,512")
        done = self.call("warpscope", capture, "--gpu", "v100,a100", "--budget", "2M", "--no-plots", "--advice-budget", "0", "-o", "report")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(re.findall(r"(?:cachesim|timed): --budget ([0-9]+):", done.stderr.decode()), ["2000000"] * 4)
        self.assertRegex(done.stdout.decode(), r"(?m)^v100 +- +- +[0-9.]+ %")  # no cycles: a part of the work-groups

    def test_the_fixed_order_alone_has_all_of_it(self):
        capture = self.capture("mm", "--global", "64,64")
        result, text, _ = self.warpscope(capture, *GPU, "--budget", "1G", "--clock", "fixed")
        self.assertNotIn("timed", result)
        self.assertEqual(result["clocks"]["why"], "--clock fixed")
        self.assertNotIn("SAMPLED", text)

    def test_bad_budgets_are_refused_before_anything_runs(self):
        for words, message in ((("--budget", "soon"), "--budget soon: expected a number of look-ups"),
                               (("--budget", "30s"), "--budget 30s: expected a number of look-ups and memory instructions, such as 500K, 50M or 2G; a budget counts"),
                               (("--budget", "9M", "--repeat", "3"), "--budget and --repeat: the budget decides"),
                               (("--budget", "soon", "--gpu", "v100,a100"), "--budget soon: expected a number")):
            done = subprocess.run([BIN / "warpscope", kernel("mm"), *words], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
