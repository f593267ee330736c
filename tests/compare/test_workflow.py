"""docs/examples/github-workflow.yml: its commands run as they are written; actionlint accepts it, where that is installed."""
import os
import re
import shutil
import subprocess
import unittest

import support

WORKFLOW = support.SOURCE / "docs" / "examples" / "github-workflow.yml"


def step(name):
    """The command of a step, its lines folded as YAML folds them."""
    text = WORKFLOW.read_text(encoding="utf-8").partition(f"- name: {name}\n")[2].split("\n      - ")[0]
    return " ".join(re.sub(r"\A.*?run: >?\s*", "", text, flags=re.S).split())


class Workflow(support.ToolTest):
    def run_step(self, name):
        environment = {**os.environ, "PATH": f"{support.BIN}:{os.environ['PATH']}"}
        done = subprocess.run(["/bin/bash", "-c", step(name)], cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr.splitlines()

    def test_its_commands(self):
        """A multiplication with its baseline passes; one that reads B by columns is worse, and the difference is a page."""
        for name in ("kernels", "ci"):
            (self.folder / name).mkdir()
        for suffix in (".cl", ".launch"):
            shutil.copy(support.kernel("mm").with_suffix(suffix), self.folder / "kernels")
        self.run_tool("warpscope", "kernels/mm.cl", "--gpu", "h100", "--clock", "both", "--no-plots", "-o", "first")
        shutil.copy(self.folder / "first" / "result.json", self.folder / "ci" / "mm-h100.json")
        status, lines = self.run_step("Simulate, and compare with the baseline")
        self.assertEqual((status, [line for line in lines if line.startswith("warpscope:")]), (0, []))
        source = self.folder / "kernels" / "mm.cl"
        changed = source.read_text().replace("B[k * width + x]", "B[x * width + k]")
        self.assertNotEqual(changed, source.read_text())
        source.write_text(changed)
        status, lines = self.run_step("Simulate, and compare with the baseline")
        self.assertEqual(status, 4, lines)
        self.assertTrue(any("timed.total.timing.cycles > +2%" in line for line in lines))
        self.assertEqual(self.run_step("What changed")[0], 0)
        self.assertIn("B[x * width + k]", (self.folder / "report" / "diff.html").read_text())

    def test_actionlint(self):
        if actionlint := shutil.which("actionlint"):
            done = subprocess.run([actionlint, "-shellcheck=", WORKFLOW], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
