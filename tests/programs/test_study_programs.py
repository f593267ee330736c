"""warpscope study over whole programs: the command's places are parameters, and what a program does is what its rows say."""
import contextlib
import json
import sqlite3
import unittest

from support import BIN, TEST_BIN, ProgramTest

STUDY = f"""
gpus = ["gtx480"]

[[program]]
name = "host"
command = ["{TEST_BIN / "programs_host"}", "{{WHAT}}"]
parameters = {{ WHAT = ["one_launch", "threads", "untraceable", "no_such_part"] }}
"""


class StudyOfPrograms(ProgramTest):
    def test_a_row_is_the_whole_program(self):
        (self.folder / "s.toml").write_text(STUDY, encoding="utf-8")
        done = self.plain(BIN / "warpscope", "study", "s.toml", "-o", "out", "--keep-captures")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split("untraceable")[0], "s.toml: 4 of 4 tasks done; 4 captures; out/study.sqlite\n"
                                                              "  2 tasks without a whole result; the first: host WHAT=")
        with contextlib.closing(sqlite3.connect(self.folder / "out" / "study.sqlite")) as base:
            rows = base.execute("SELECT parameters, status, reason, value FROM results LEFT JOIN measures "
                                "ON measures.key = results.key AND name = 'requests' ORDER BY parameters").fetchall()
        found = {json.loads(parameters)["WHAT"]: (status, reason, value) for parameters, status, reason, value in rows}
        # A launch is 8 warps that load and store once; the threads make 100 launches of 16 work-items a group, 4 groups: 4 warps each.
        self.assertEqual(found["one_launch"], ("ok", "", 2 * 256 // 32))
        self.assertEqual(found["threads"], ("ok", "", 100 * 2 * 4))
        self.assertEqual(found["untraceable"], ("incomplete", "not traced: plain.cl:2: kernel 'picture' runs untraced: argument 'i' is of type "
                                                "image2d_t, which cannot be traced", 2 * 64 // 16))
        self.assertEqual((found["no_such_part"][0], found["no_such_part"][2]), ("runtime", None))
        self.assertEqual(len(list((self.folder / "out" / "captures").glob("*.wtrace"))), 3)


if __name__ == "__main__":
    unittest.main()
