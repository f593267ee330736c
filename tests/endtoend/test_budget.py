"""warpscope --budget: both clocks in a time, from a sample where all would take longer."""
import json
import re
import subprocess
import unittest

from support import BIN, ToolTest, kernel

GPU = ("--gpu", "v100")


class Budget(ToolTest):
    def warpscope(self, *words, output="report"):
        """(result.json, standard output, standard error) of a run that must succeed."""
        done = self.call("warpscope", *words, "--no-plots", "--advice-seconds", "0", "-o", output)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        name = next((self.folder / output).glob("result*.json"))
        return json.loads(name.read_text()), done.stdout.decode(), done.stderr.decode()

    def same(self, found, expected):
        for key in ("total", "launches", "cores", "sites", "buffers"):
            self.assertEqual(found[key], expected[key], key)

    def test_with_time_enough_it_is_the_run_without(self):
        capture = self.capture("mm", "--global", "64,64")
        plain, _, _ = self.warpscope(capture, *GPU)
        within, text, messages = self.warpscope(capture, *GPU, "--budget", "10m", output="within")
        self.same(within, plain)
        self.same(within["timed"], plain["timed"])
        self.assertEqual(messages, "")
        self.assertNotIn("SAMPLED", text)
        self.assertEqual([within["clocks"][key] for key in ("timed_launches", "launches", "why")], [1, 1, None])

    def test_without_time_it_is_the_parts_that_it_names(self):
        capture = self.capture("mm", "--global", "512,512")
        result, text, messages = self.warpscope(capture, *GPU, "--budget", "0.1")
        named = dict(re.findall(r"^(cachesim(?: timed)?): --budget .*; (--(?:sample-cores|waves) [0-9]+), ", messages, re.MULTILINE))
        self.assertEqual(set(named), {"cachesim", "cachesim timed"}, messages)
        fixed = self.result(capture, *GPU, *named["cachesim"].split(), "--reuse-histogram")
        timed = self.result("timed", capture, *GPU, *named["cachesim timed"].split())
        self.same(result, fixed)
        self.same(result["timed"], timed)
        self.assertEqual(result["clocks"]["why"], "--budget 0.1")
        waves = timed["context"]["timed"]["waves"]
        self.assertEqual(result["clocks"]["waves"], {"launch": 0, **waves})
        part = f"first {waves['work_groups']:,} of 1,024 work-groups"
        self.assertIn(f"\nTimed engine: {part} (--budget 0.1); try --clock timed\n", text)
        self.assertNotRegex(text, "[0-9] cycles")  # of a launch of which only a part was simulated
        page = (self.folder / "report" / "report.html").read_text(encoding="utf-8")
        self.assertIn(f"the {part} of launch 0 were simulated; --budget 0.1", page)

    def test_gpus_share_it(self):
        capture = self.capture("mm", "--global", "512,512")
        done = self.call("warpscope", capture, "--gpu", "v100,a100", "--budget", "0.2", "--no-plots", "--advice-seconds", "0", "-o", "report")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertEqual(re.findall(r"(?:cachesim|timed): --budget ([0-9.]+):", done.stderr.decode()), ["0.1"] * 4)
        self.assertRegex(done.stdout.decode(), r"(?m)^v100 +- +- +[0-9.]+ %")  # no cycles: a part of the work-groups

    def test_the_fixed_order_alone_has_all_of_it(self):
        capture = self.capture("mm", "--global", "64,64")
        result, text, _ = self.warpscope(capture, *GPU, "--budget", "10m", "--clock", "fixed")
        self.assertNotIn("timed", result)
        self.assertEqual(result["clocks"]["why"], "--clock fixed")
        self.assertNotIn("SAMPLED", text)

    def test_bad_budgets_are_refused_before_anything_runs(self):
        for words, message in ((("--budget", "soon"), "--budget soon: expected seconds from 0.1"),
                               (("--budget", "0"), "--budget 0: expected seconds from 0.1"),
                               (("--budget", "9s", "--repeat", "3"), "--budget and --repeat: the budget decides"),
                               (("--budget", "soon", "--gpu", "v100,a100"), "--budget soon: expected seconds")):
            done = subprocess.run([BIN / "warpscope", kernel("mm"), *words], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
