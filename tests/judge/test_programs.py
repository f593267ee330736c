"""warpscope judge of programs: what scale.c does wrong is found, and commands get seeds, sizes and a folder."""
import json
import pathlib
import subprocess
import sys
import unittest

import jsonschema

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "endtoend"))

from support import SOURCE, ToolTest  # noqa: E402
from sampled import load_third as load_tests  # noqa: F401,E402

RIGHT, HOST_WORK, WRONG, BEHIND, SHORT, ENDLESS, ABORTS, LINKS, LINKS_FOLDER = range(9)  # HOW of scale.c
ARGUMENTS = ("{seed}", "{size}", "{out}")


class Programs(ToolTest):
    def setUp(self):
        super().setUp()
        self.build(RIGHT)

    def build(self, how):
        name = f"scale{how}"
        subprocess.run(["gcc", "-O1", f"-DHOW={how}", FOLDER / "scale.c", "-o", self.folder / name, "-lOpenCL"], check=True)
        return f"./{name}"

    def judge(self, how, *words, status=4):
        """(report, standard output); its reference is the program that is right."""
        done = self.call("warpscope", "judge", "--reference", "./scale0 {seed} {size} {out}", "--outputs", "y.bin:f4", "--sizes", "100,500", "--json", "v.json", *words,
                         "--", self.build(how), *ARGUMENTS)
        self.assertEqual(done.returncode, status, done.stdout.decode() + done.stderr.decode())
        report = json.loads((self.folder / "v.json").read_text())
        jsonschema.Draft202012Validator(json.loads((SOURCE / "docs" / "schema" / "judge-1.json").read_text())).validate(report)
        return report, done.stdout.decode()

    def test_right(self):
        report, said = self.judge(RIGHT, status=0)
        self.assertEqual([one["name"] for one in report["sizes"]], ["100", "500"])
        self.assertEqual(len(report["compared"]), 6)
        self.assertEqual(len({one["values"] for one in report["compared"]}), 3)
        # 500 numbers: 16 warps of 32, a load and a store each.
        self.assertEqual(report["cost"]["candidate"]["requests"], 32)
        self.assertIn("accepted: scale0, reference scale0", said)
        first = (self.folder / "v.json").read_bytes()
        self.judge(RIGHT, status=0)
        self.assertEqual((self.folder / "v.json").read_bytes(), first)

    def test_what_is_wrong(self):
        for how, code in ((HOST_WORK, "host-work"), (WRONG, "wrong-value"), (BEHIND, "out-of-bounds"), (SHORT, "wrong-value"), (ENDLESS, "no-end"), (ABORTS, "crash")):
            with self.subTest(code=code):
                report, _ = self.judge(how, "--cpu-seconds", "3")
                self.assertEqual(report["reasons"][0]["code"], code)

    def test_what_another_program_left(self):
        """Links to the reference's output, and to its folder."""
        for how in (LINKS, LINKS_FOLDER):
            report, _ = self.judge(how, "--no-cost")
            self.assertEqual(report["reasons"][0]["code"], "not-written")

    def test_the_reference_is_blamed(self):
        done = self.call("warpscope", "judge", "--reference", f"{self.build(ABORTS)} 1 100 {{out}}", "--outputs", "y.bin:f4", "--", "./scale0", "1", "100", "{out}")
        self.assertEqual(done.returncode, 4)
        self.assertIn("reference-crash", done.stdout.decode())

    def test_without_a_seed(self):
        done = self.call("warpscope", "judge", "--reference", "./scale0 1 100 {out}", "--outputs", "y.bin:f4", "--no-cost", "--", "./scale0", "1", "100", "{out}")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.assertIn("can be known before", done.stdout.decode())

    def test_writes_elsewhere(self):
        """Confined, a program writes only its outputs."""
        done = self.call("warpscope", "judge", "--reference", "./scale0 1 100 {out}", "--outputs", "y.bin:f4", "--no-cost", "--", "./scale0", "1", "100", str(self.folder), "{out}")
        self.assertEqual(done.returncode, 4, done.stdout.decode())
        self.assertFalse((self.folder / "y.bin").exists())

    def test_bad_input(self):
        right = ("--reference", "./scale0 1 100 {out}", "--outputs", "y.bin:f4")
        for words, message in ((("--reference", "./scale0 {out}", "--", "./scale0", "{out}"), "--outputs"), (("scale.cl", *right), "--outputs"),
                               ((*right[:2], "--outputs", "y.bin", "--", "./scale0", "{out}"), "NAME:TYPE"), ((*right[:2], "--outputs", "../y:f4", "--", "./scale0", "{out}"), "NAME:TYPE"),
                               ((*right, "--", "./scale0"), "no {out}"), ((*right, "--sizes", "1", "--", "./scale0", "{size}", "{out}"), "no {size}"),
                               ((*right, "--", "./none", "{out}"), "none: No such file"), (("--reference", "", "--outputs", "y.bin:f4", "--", "./scale0", "{out}"), "--reference")):
            with self.subTest(words=words):
                done = self.call("warpscope", "judge", *words)
                self.assert_refused(done, message)


if __name__ == "__main__":
    unittest.main()
