"""warpscope tune: its rows are single simulations, bad variants are rows, a killed run goes on, a small search finds the best."""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import jsonschema
from support import BIN, SOURCE, ToolTest, kernel
from support import load_third as load_tests  # noqa: F401

sys.path.insert(0, str(SOURCE / "python"))

import warpscope  # noqa: E402

FMM = [kernel("fmm_ulist"), "--size", "small", "--gpu", "gtx480"]
NEAR_FIELD = ["-D", "SHMEM=0,1", "-D", "UJAM=1,2,4", "-D", "VECPACK=0,1"]


class Tune(ToolTest):
    def tune(self, *words):
        return self.run_tool("warpscope", "tune", *words).decode()

    def rows(self, folder):
        with open(self.folder / folder / "results.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def t4(self, path):
        said = json.loads((self.folder / path).read_text(encoding="utf-8"))
        schema = json.loads((SOURCE / "docs" / "schema" / "t4-1.0.0.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(schema).validate(said)
        return said["results"]

    def test_every_row_is_the_single_simulation(self):
        text = self.tune(kernel("mm_tiled"), "-D", "TILE=8,16", "--global", "32,32", "--gpu", "h100", "-o", "out", "--t4", "t4.json")
        rows = self.rows("out")
        for row, measured in zip(rows, self.t4("t4.json"), strict=True):
            self.capture("mm_tiled", "-D", f"TILE={row['TILE']}", "--global", "32,32")
            fixed = self.result("capture.wtrace", "--gpu", "h100")["total"]
            timed = self.result("timed", "capture.wtrace", "--gpu", "h100")
            self.assertEqual(int(row["cycles"]), timed["total"]["timing"]["cycles"])
            self.assertEqual(int(row["transactions"]), sum(fixed[kind]["transactions"] for kind in ("load", "store", "atomic")))
            self.assertEqual(int(row["local_wavefronts"]), fixed["local_memory"]["wavefronts"])
            clock = timed["context"]["preset"]["values"]["core_clock_mhz"]["value"]
            self.assertAlmostEqual(measured["times"]["runtimes"][0], int(row["cycles"]) / (1000 * clock))
        self.assertEqual([row["rank"] for row in rows], ["1", "2"])
        self.assertLess(int(rows[0]["cycles"]), int(rows[1]["cycles"]))
        command = text.splitlines()[-1].removeprefix("The best: ")
        self.assertEqual(command, f"warpscope {kernel('mm_tiled')} --global 32,32 -D TILE={rows[0]['TILE']} --gpu h100")

    def test_work_group_sizes_and_what_ifs(self):
        self.tune(kernel("mt_tiled"), "--size", "small", "--what-if", "pad:tile=none,+1", "--gpu", "h100", "-o", "pads")
        self.capture("mt_tiled", "--size", "small")
        said = json.loads(self.run_tool("warpscope", "what-if", "capture.wtrace", "--pad", "tile=+1", "--gpu", "h100", "--json", "-"))
        by_pad = {row["pad_tile"]: row for row in self.rows("pads")}
        for name, clock in (("none", "before"), ("+1", "after")):
            self.assertEqual(int(by_pad[name]["local_wavefronts"]), said["fixed"][clock]["local_wavefronts"])
            self.assertEqual(int(by_pad[name]["cycles"]), said["timed"][clock]["cycles"])
        self.tune(kernel("mm"), "--local", "8x8,16x16,32x4", "--restrict", "lx < gx/2", "--global", "32,32", "--clock", "fixed", "-o", "sizes")
        self.assertEqual(sorted(row["local"] for row in self.rows("sizes")), ["8x8"])

    def test_a_variant_that_does_not_compile_or_fit_is_a_row(self):
        (self.folder / "k.cl").write_text('#if BAD\n#error "BAD: expected 0"\n#endif\n'
                                          "kernel void k(global float* a) { a[get_global_id(0)] = 1; }\n")
        text = self.tune("k.cl", "-D", "BAD=0,1", "--local", "32x1,2048x1", "--global", "2048", "--gpu", "gtx480", "-o", "out", "--jobs", "2")
        self.assertIn("3 variants are invalid:", text)
        reasons = {(row["BAD"], row["local"]): (row["invalidity"], row["reason"]) for row in self.rows("out")}
        self.assertEqual(reasons["0", "32x1"], ("correct", ""))
        self.assertEqual(reasons["1", "32x1"], ("compile", 'k.cl:2:2: error: "BAD: expected 0"'))
        self.assertEqual(reasons["0", "2048x1"][0], "constraints")
        self.assertRegex(reasons["0", "2048x1"][1], "2048 work-items per work-group, gtx480 allows 1024")
        rows = self.t4("out/results.json")
        self.assertEqual(sorted(row["invalidity"] for row in rows), ["compile", "compile", "constraints", "correct"])
        self.assertEqual(len(list((self.folder / "out" / "variants").iterdir())), 4)

    def test_a_search_finds_the_best_and_any_number_of_jobs_the_same(self):
        """The small form of the study in docs/tools/tune.md."""
        self.tune(*FMM, *NEAR_FIELD, "-o", "all", "--jobs", "2")
        least = int(self.rows("all")[0]["cycles"])
        text = self.tune(*FMM, *NEAR_FIELD, "-o", "all", "--max-simulations", "7", "--jobs", "1")
        self.assertIn("7 of 12 variants simulated, 7 of them earlier (greedy)", text)
        found = self.rows("all")
        self.assertLessEqual(int(found[0]["cycles"]), 1.05 * least)
        result = warpscope.tune(FMM[0], {"SHMEM": (0, 1), "UJAM": (1, 2, 4), "VECPACK": (0, 1)}, gpu="gtx480", max_simulations=7, jobs=2,
                                output=self.folder / "all", arguments=["--size", "small"])
        self.assertEqual((len(result.variants), result.tuning.reused), (7, 7))
        self.assertEqual({name: str(value) for name, value in result.best.items()}, {name: found[0][name] for name in result.best})
        self.assertEqual(list(result.frame()["cycles"]), [int(row["cycles"]) for row in found])

    def test_a_killed_run_leaves_whole_answers_and_goes_on(self):
        words = [kernel("mm"), "--global", "32,32", "-D", "X=1-6", "--gpu", "gtx480", "--jobs", "1"]
        self.tune(*words, "-o", "whole")
        process = subprocess.Popen([BIN / "warpscope", "tune", *map(str, words), "-o", "cut"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   start_new_session=True)
        answers, end = self.folder / "cut" / "variants", time.monotonic() + 100
        while len(list(answers.glob("[!p]*"))) < 2 and time.monotonic() < end:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        left = [path for path in answers.iterdir() if not path.name.startswith("part-")]
        self.assertTrue(2 <= len(left) < 6, left)
        for path in left:
            self.assertTrue(json.loads(path.read_bytes().partition(b"\n")[2])["timed"]["cycles"])
        self.assertFalse((self.folder / "cut" / "results.csv").exists())
        self.assertIn(f"6 of 6 variants simulated, {len(left)} of them earlier", self.tune(*words, "-o", "cut"))
        for name in ("results.csv", "results.json"):
            self.assertEqual(*((self.folder / folder / name).read_bytes() for folder in ("whole", "cut")), name)
        self.assertFalse(list((self.folder / "cut").glob(".work-*")))

    def test_another_kernel_text_is_another_answer(self):
        (self.folder / "k.h").write_text("#define STEP 1\n", encoding="utf-8")
        (self.folder / "k.cl").write_text('#include "k.h"\n__kernel void k(__global float* a) { a[get_global_id(0) * STEP] = W; }\n', encoding="utf-8")
        words = ["k.cl", "-D", "W=1,2", "--global", "64", "--arg", "a=count=gx*32", "--build-options", "-I.", "--gpu", "gtx480", "-o", "out"]
        self.tune(*words)
        before = self.rows("out")[0]["transactions"]
        self.assertIn("2 of them earlier", self.tune(*words))
        (self.folder / "k.h").write_text("#define STEP 32\n", encoding="utf-8")
        self.assertNotIn("earlier", self.tune(*words))
        self.assertEqual((before, self.rows("out")[0]["transactions"]), ("2", "64"))

    def test_kernel_tuners_files(self):
        self.tune(kernel("mm_tiled"), "-D", "TILE=8,16", "--restrict", "TILE < 32", "--global", "32,32", "--gpu", "gtx480", "-o", "out", "--write-t1",
                  "t1.json", "--t4", "t4.json")
        problem = json.loads((self.folder / "t1.json").read_text(encoding="utf-8"))
        schema = json.loads((SOURCE / "docs" / "schema" / "t1-1.0.0.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator(schema).validate(problem)
        for suffix in (".cl", ".launch"):
            (self.folder / f"mm_tiled{suffix}").write_bytes(pathlib.Path(kernel("mm_tiled")).with_suffix(suffix).read_bytes())
        (self.folder / "mm_tiled.launch").unlink()  # T1 says it all
        self.tune("--t1", "t1.json", "--gpu", "gtx480", "-o", "again")
        self.assertEqual([row["cycles"] for row in self.rows("again")], [row["cycles"] for row in self.rows("out")])
        self.assertIn("2 of 2 variants", self.tune(kernel("mm_tiled"), "--list", "t4.json", "--global", "32,32", "--gpu", "gtx480", "-o", "out"))

    def test_what_is_wrong_is_said(self):
        for words, said in (([kernel("mm"), "-D", "X=1,2", "--gpu", "none"], "none: unknown GPU"), ([kernel("mm")], "no parameter given"),
                            ([kernel("mm"), "-D", "X=1,2", "--no-such"], "none of 2 variants is valid; the first: .*--no-such"),
                            ([kernel("mm"), "-D", "X=1,2", "--restrict", "open('x')"], "a call of 'open'"),
                            ([kernel("mm_tiled"), "-D", "TILE=8,16", "--size", "small", "--write-t1", "x.json"],
                             "argument A differs from variant to variant, which T1 cannot say"),
                            ([kernel("mm"), "-D", "X=1,2", "--size", "small", "--clock", "fixed", "--objective", "cycles"],
                             "--objective cycles: no variant has it, expected one of l1_hit_rate")):
            with self.subTest(said):
                self.assert_refused(self.call("warpscope", "tune", *words), said)


if __name__ == "__main__":
    unittest.main()
