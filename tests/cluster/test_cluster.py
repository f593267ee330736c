"""warpscope study under Slurm and Snakemake: workers are killed, a node is lost, a file is cut short; the tables are those of a serial run."""
import os
import pathlib
import random
import subprocess
import sys
import time
import unittest

import slurm

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "endtoend"))
from support import BIN  # noqa: E402
from test_study import KERNEL, StudyTest  # noqa: E402

KILLS = int(os.environ.get("WARPSCOPE_KILLS", "20"))
SEED = int(os.environ.get("WARPSCOPE_SEED", "1"))
SHARDS = 4
STUDY = """
gpus = ["gtx480", "h100"]

[[program]]
kernel = "k.cl"
options = ["--global", "2048", "--arg", "a=count=gx*64"]
parameters = { STEP = "1-60:1" }

[[configuration]]
name = "plain"

[[configuration]]
name = "cycles"
engine = "timed"
"""
TASKS = 60 * 2 * 2  # STEP 3 does not compile: 4 of them are rows without measures


class Cluster(StudyTest):
    def setUp(self):
        super().setUp()
        (self.folder / "k.cl").write_text(KERNEL, encoding="utf-8")
        (self.folder / "s.toml").write_text(STUDY, encoding="utf-8")
        self.environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        self.random = random.Random(SEED)
        self.study("s.toml", "-o", "serial")

    def template(self, engine):
        """The path of a job file."""
        path = self.folder / engine
        path.write_text(self.study(engine, "s.toml", "--shards", SHARDS, "--out", "shared", "-o", "merged"), encoding="utf-8")
        return path

    def kill_workers(self, is_running):
        """Kills a worker at random now and then. All KILLS must hit while the study runs."""
        for number in range(KILLS):
            time.sleep(self.random.uniform(0.1, 0.8))
            while not (workers := slurm.processes("python3", "study worker", str(self.folder / "shared"))):
                self.assertTrue(is_running(), f"the study ended after {number} kills (seed {SEED})")
                time.sleep(0.02)
            slurm.kill([self.random.choice(workers)])

    def assert_complete(self):
        """As the serial run, and nothing done twice."""
        self.assertEqual(self.dump("serial"), self.dump("merged"))
        self.assertEqual(self.rows("merged", "SELECT count(*) FROM results"), [(TASKS,)])
        self.assertEqual(self.rows("merged", "SELECT count(*), count(DISTINCT capture) FROM recordings"), [(60, 60)])
        self.assertEqual(self.rows("merged", "SELECT count(*), count(DISTINCT key) FROM runs WHERE seconds IS NOT NULL"), [(TASKS, TASKS)])
        begun, = self.rows("merged", "SELECT count(*) FROM runs WHERE seconds IS NULL")[0]
        print(f"{begun} simulations were begun and lost with their worker", file=sys.stderr)
        self.assertEqual(list((self.folder / "shared" / "captures").iterdir()), [])

    def submit(self, cluster, path):
        cluster.output("sbatch", "--chdir", str(self.folder), str(path))

    def drained(self, cluster):
        return not cluster.output("squeue", "-h")

    def test_slurm(self):
        path = self.template("slurm")
        with slurm.Slurm(self.folder / "slurm.d", self.environment) as cluster:
            self.submit(cluster, path)
            self.kill_workers(lambda: not self.drained(cluster))
            cluster.wait_for(lambda: self.drained(cluster), 600)
        self.study("merge", "s.toml", "shared", "-o", "merged")
        self.assert_complete()

    def test_a_lost_node_and_a_file_cut_short(self):
        path = self.template("slurm")
        with slurm.Slurm(self.folder / "slurm.d", self.environment) as cluster:
            self.submit(cluster, path)
            cluster.wait_for(lambda: len(list((self.folder / "shared").glob("answers/*/*.jsonl"))) >= 8, 120)
            cluster.lose("n2")
            cluster.wait_for(lambda: self.drained(cluster), 600)
            self.study("merge", "s.toml", "shared", "-o", "merged")
            self.assertEqual(self.dump("serial"), self.dump("merged"))
            one = sorted((self.folder / "shared").glob("answers/*/*.jsonl"))[0]
            lines = one.read_bytes().splitlines(keepends=True)
            one.write_bytes(b"".join(lines)[:-len(lines[-1]) // 2])
            self.study("merge", "s.toml", "shared", "-o", "short", status=3)
            self.submit(cluster, path)
            cluster.wait_for(lambda: self.drained(cluster), 600)
        self.study("merge", "s.toml", "shared", "-o", "short")
        self.assertEqual(self.dump("serial"), self.dump("short"))

    def test_snakemake(self):
        path = self.template("snakemake")
        words = ["/usr/bin/snakemake", "--snakefile", str(path), "--cores", "2", "--nolock"]
        with open(self.folder / "log.txt", "wb") as log:
            process = subprocess.Popen(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            try:
                self.kill_workers(lambda: process.poll() is None)
                self.assertEqual(process.wait(600), 0, (self.folder / "log.txt").read_text(encoding="utf-8")[-3000:])
            finally:
                slurm.kill(slurm.descendants(process.pid) if process.poll() is None else [])
        self.assert_complete()


if __name__ == "__main__":
    unittest.main()
