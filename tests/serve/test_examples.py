"""The examples of docs for CI and for programs that write kernels: they run as they are written."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "endtoend"))

from support import BIN, SOURCE, ToolTest, kernel  # noqa: E402

EXAMPLES = SOURCE / "docs" / "examples"
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "WARPSCOPE_BIN": str(BIN), "WARPSCOPE_CACHE": "", "PYTHONPATH": str(SOURCE / "python"),
               "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c"}


def small(name):
    """A kernel's launch file, for 64 × 64 work-items."""
    text = kernel(name).with_suffix(".launch").read_text()
    assert "[256, 256]" in text
    return text.replace("[256, 256]", "[64, 64]")


class Examples(ToolTest):
    def test_the_loop_keeps_what_is_right(self):
        shutil.copy(kernel("mm_tiled"), self.folder)
        (self.folder / "mm_tiled.launch").write_text(small("mm_tiled"))
        done = subprocess.run(["/usr/bin/python3", EXAMPLES / "kernel_loop.py", "mm_tiled.cl"], cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 5)
        self.assertTrue(all(" cycles, " in line for line in lines[:2]), lines)
        self.assertIn("refused: wrong-value", lines[2])
        self.assertIn("refused: race-", lines[3])
        self.assertIn(lines[4], ("best: candidate0.cl", "best: candidate1.cl"))

    def test_every_workflow_is_yaml(self):
        for path in EXAMPLES.glob("*.yml"):
            with self.subTest(path=path.name):
                workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
                self.assertIn("pull_request", workflow[True])  # YAML 1.1 takes the key "on" for a truth value
                for job in workflow["jobs"].values():
                    self.assertIn("runs-on", job)
                    self.assertTrue(all(("uses" in step) != ("run" in step) for step in job["steps"]))


class Workflow(ToolTest):
    def setUp(self):
        super().setUp()
        self.steps = {step.get("name"): step for step in yaml.safe_load((EXAMPLES / "github-judge.yml").read_text())["jobs"]["judge"]["steps"]}
        for folder in ("kernels", "kernels/reference"):
            (self.folder / folder).mkdir()
            shutil.copy(kernel("mm"), self.folder / folder)
            (self.folder / folder / "mm.launch").write_text(small("mm"))

    def run_step(self, name, **environment):
        done = subprocess.run(["/bin/bash", "-e", "-c", self.steps[name]["run"]], cwd=self.folder, env={**ENVIRONMENT, **environment}, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_its_steps(self):
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "base"]):
            subprocess.run(["git", *words], cwd=self.folder, env=ENVIRONMENT, check=True)
        base = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout.strip()
        changed = self.folder / "kernels" / "mm.cl"
        changed.write_text(changed.read_text().replace("k < width", "k < width - 1"))
        status, said = self.run_step("Check")
        self.assertEqual(status, 0, said)
        self.assertTrue((self.folder / "faults.sarif").exists())
        status, said = self.run_step("Judge before and after", BASE=base)
        self.assertEqual(status, 4, said)
        comment = (self.folder / "comment.md").read_text()
        self.assertIn("\n-accepted: ", comment)
        self.assertIn("\n+refused: ", comment)
        self.assertIn("wrong-value", comment)
        self.assertTrue((self.folder / "before.json").exists() and (self.folder / "after.json").exists())

    def test_the_archive_is_unpacked(self):
        (self.folder / "archive" / "warpscope-1" / "bin").mkdir(parents=True)
        (self.folder / "archive" / "warpscope-1" / "bin" / "warpscope").touch()
        subprocess.run(["tar", "--zstd", "-cf", "a.tar.zst", "-C", "archive", "warpscope-1"], cwd=self.folder, check=True)
        status, said = self.run_step("Install Warpscope", ARCHIVE=f"file://{self.folder}/a.tar.zst", RUNNER_TEMP=str(self.folder), GITHUB_PATH=str(self.folder / "path"))
        self.assertEqual(status, 0, said)
        self.assertTrue((self.folder / "warpscope" / "bin" / "warpscope").exists())
        self.assertEqual((self.folder / "path").read_text().strip(), str(self.folder / "warpscope" / "bin"))


if __name__ == "__main__":
    unittest.main()
