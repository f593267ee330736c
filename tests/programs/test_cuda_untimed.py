"""What the timed engine does not model, products of a warp's matrices and asynchronous copies, is named, and no cycles are given of it."""
import json
import os
import unittest

from support import BIN, SOURCE, ProgramTest
from support import load_third as load_tests  # noqa: F401

FORMS = SOURCE / "tests/programs/cuda/untimed/forms.cu"
USES = {"fragments": ["wmma"], "pipeline": ["cp.async"], "both": ["wmma", "cp.async"], "inlined": ["cp.async"], "product": ["mma"],
        "of_group": ["cp.async"], "with_barrier": ["cp.async"], "plain": []}
NAMES = ("wmma", "mma", "cp.async")


class Untimed(ProgramTest):
    def warpscope(self, *words):
        done = self.plain(BIN / "warpscope", *words)
        return done, done.stdout.splitlines()

    def capture(self, kernel, items, **sizes):
        arguments = [word for name, count in sizes.items() for word in ("--arg", f"{name}=count={count}")]
        done = self.plain(BIN / "trace-kernel", FORMS, "--kernel", kernel, "--grid", "1", "--block", items, *arguments, "-o", f"{kernel}.wtrace")
        self.assertEqual(done.returncode, 0, done.stderr)
        return f"{kernel}.wtrace"

    def test_every_form_is_found(self):
        for arch in ("70", "80"):
            done = self.plain(BIN / "compile-kernel", FORMS, "--cuda-arch", arch, "-o", ".")
            self.assertEqual(done.returncode, 0, done.stderr)
            kernels = json.loads((self.folder / "kernels.json").read_text())
            found = {kernel["name"]: [name for name in NAMES if kernel["blocks"][0]["mix"].get(name)] for kernel in kernels}
            self.assertEqual(found, USES, arch)

    def test_a_kernel_has_no_cycles(self):
        capture = self.capture("both", 32, a=256, b=256, c=512)
        done = self.plain(BIN / "cachesim", "timed", capture, "--gpu", "h100")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("not timed: wmma, cp.async (kernel 'both')", done.stderr)
        for clock in ("auto", "both"):
            done, lines = self.warpscope(capture, "--gpu", "h100", "--clock", clock, "--no-plots", "-o", "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("not timed: wmma, cp.async (kernel both)", lines[0])
            self.assertNotIn("cycles (", done.stdout)
            result = json.loads((self.folder / "out/result.json").read_text())
            self.assertNotIn("timed", result)
            self.assertEqual(result["context"]["not_timed"], [{"kernel": "both", "uses": "wmma, cp.async", "launches": "0", "count": 1}])
            self.assertIn("not timed: wmma, cp.async (kernel both)", (self.folder / "out/report.html").read_text())
        done, lines = self.warpscope("what-if", capture, "--set", "l1_size_kib=128", "--gpu", "h100")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not timed: wmma, cp.async not modelled", lines)

    def test_nothing_is_ranked_by_such_cycles(self):
        words = ("--kernel", "pipeline", "--arg", "in=count=64", "--arg", "out=count=64", "--global", "64", "--local", "64", "--gpu", "h100")
        done, _ = self.warpscope("tune", FORMS, "-D", "UNUSED=1,2", *words, "-o", "tuned")
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("not timed: cp.async", done.stdout + done.stderr)

    def test_other_launches_of_a_program_are_timed(self):
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        done = self.plain(BIN / "warpscope-nvcc", "-arch=sm_80", "-DPROGRAM", FORMS, "-o", "forms")
        self.assertEqual(done.returncode, 0, done.stderr)
        done, lines = self.warpscope("--gpu", "a100", "--no-plots", "-o", "out", "--", "./forms")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(lines[0].startswith("not timed: wmma, cp.async (kernel fragments and 1 more)"), lines)
        result = json.loads((self.folder / "out/result.json").read_text())
        self.assertEqual([group["kernel"] for group in result["timed"]["launch_groups"]], ["plain"])
        self.assertEqual((result["clocks"]["timed_launches"], result["clocks"]["launches"]), (1, 3))
        self.assertIn("Timed engine: 1 of 3 launches (wmma, cp.async not modelled)", lines)

    def test_kernels_without_have_cycles(self):
        capture = self.capture("plain", 64, **{"in": 64, "out": 64})
        done, _ = self.warpscope(capture, "--gpu", "h100", "--no-plots", "-o", "out")
        self.assertNotIn("not timed", done.stdout)
        self.assertGreater(json.loads((self.folder / "out/result.json").read_text())["timed"]["total"]["timing"]["cycles"], 0)


if __name__ == "__main__":
    unittest.main()
