"""warpscope model -- PROGRAM: the answer is the one for the program's capture."""
import json
import unittest

from support import BIN, TEST_BIN, ProgramTest

HOST = TEST_BIN / "programs_host"


class Model(ProgramTest):
    def model(self, *words):
        return self.plain(BIN / "warpscope", "model", *words)

    def test_a_program_is_its_capture(self):
        self.traced(HOST, "rows_and_columns")
        for model, gpu in (("roofline", "k40"), ("gpuperf", "c2050")):
            for launch in ("0", "1"):
                words = ("--model", model, "--gpu", gpu, "--launch", launch, "--json")
                of_capture, of_program = self.model(*words, "c.json", "x.wtrace"), self.model(*words, "p.json", "--", HOST, "rows_and_columns")
                self.assertEqual((of_capture.returncode, of_program.returncode), (0, 0), of_program.stderr)
                answers = [json.loads((self.folder / name).read_text(encoding="utf-8")) for name in ("c.json", "p.json")]
                self.assertEqual(*answers)
        self.assertTrue(of_program.stdout.startswith(self.plain(HOST, "rows_and_columns").stdout), of_program.stdout)

    def test_what_cannot_be_answered(self):
        words = ("--model", "roofline", "--gpu", "k40")
        for command, message in ((words, "programs_host: has 2 kinds of launches, expected --launch N with the number of one (0, 1)"),
                                 (words[:2], "--: a program is recorded and simulated, expected --gpu"),
                                 ((*words, "--json", "-"), "--json -: the program writes to standard output, expected a file"),
                                 ((*words, "x.wtrace"), "x.wtrace: the program behind -- is recorded, expected no capture and no result")):
            done = self.model(*command, "--", HOST, "rows_and_columns")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"warpscope: {message}", done.stderr)
        self.assertIn("--: expected a program behind it", self.model(*words, "--").stderr)


if __name__ == "__main__":
    unittest.main()
