"""Each script as a new user meets it: --help, a wrong argument, a broken result, no matplotlib, no place to write."""
import json
import pathlib
import subprocess
import tempfile
import unittest

import support

PLOTS = ("access-pattern", "configurations", "miss-classes", "reuse")
CHAPTER8 = "../validation/repeat-chapter8"
SCRIPTS = (CHAPTER8, "warpscope")
PYTHON = "/usr/bin/python3"


class BadInput(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.write("good.json", json.dumps(support.result()))

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_script(self, script, *words, python=(PYTHON, "-B")):
        return subprocess.run([*python, str(support.SCRIPTS / script), *words], cwd=self.folder, capture_output=True,
                              text=True)

    def assert_refused(self, done, message):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, message)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_help_is_there(self):
        for script in SCRIPTS:
            with self.subTest(script):
                done = self.run_script(script, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(pathlib.PurePath(script).stem, done.stdout)

        for kind in ((), *((one,) for one in PLOTS)):
            done = self.run_script("warpscope", "plot", *kind, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"warpscope plot {' '.join(kind)}", done.stdout)

    def test_quickstart_helps_and_refuses_before_it_builds(self):
        quickstart = str(support.SCRIPTS / "quickstart")
        done = subprocess.run([quickstart, "--help"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("KERNEL.cl", done.stdout)
        for words, message in ((["--bogus"], "expected the kernel file first"), (["no.cl"], "no.cl: cannot be read")):
            done = subprocess.run([quickstart, *words], cwd=self.folder, capture_output=True, text=True)
            self.assert_refused(done, message)

    def test_wrong_arguments_are_one_line(self):
        for script in (*PLOTS, CHAPTER8):
            with self.subTest(script):
                words = ("warpscope", "plot", script) if script in PLOTS else (script,)
                self.assert_refused(self.run_script(*words, "good.json", "--bogus"), "(unknown option|unrecognized arguments).*--help")
        self.assert_refused(self.run_script("warpscope", "plot", "reuse"), "plot reuse: no file given, expected one RESULT.json; see warpscope plot reuse")
        self.assert_refused(self.run_script("warpscope", "plot", "sweep", "a.json", "b.json"), "plot sweep: 2 files given, expected one SWEEP.json")
        self.assert_refused(self.run_script("warpscope", "plot", "sweep", "good.json", "--x", "y"), "--x y: expected one of size_kib, ways, sets")
        self.assert_refused(self.run_script("warpscope", "plot", "access-pattern", "good.json", "--limit", "-1"), "--limit -1: expected a whole number from 1")
        self.assert_refused(self.run_script("warpscope", "plot", "cake", "good.json"), "plot cake: expected one of access-pattern, miss-classes, reuse,")
        self.assert_refused(self.run_script(CHAPTER8, "--seeds", "-1"), "--seeds -1: expected 0 or more")
        self.assert_refused(self.run_script(CHAPTER8, "--resident", "-1"), "--resident -1: expected 0")
        self.assert_refused(self.run_script(CHAPTER8, "--kernels", "fft"), "invalid choice: 'fft'")

    def test_broken_results(self):
        result = support.result()
        self.write("truncated.json", json.dumps(result)[:500])
        self.write("newer.json", json.dumps({**result, "schema": 2}))
        self.write("incomplete.json", json.dumps({key: result[key] for key in ("schema", "context", "total")}))
        for script, words in (("warpscope", ("plot", "reuse")), ("warpscope", ("plot", "miss-classes")), ("warpscope", ("report",))):
            for name, message in (("truncated.json", r"truncated.json: not JSON"),
                                  ("newer.json", r"newer.json: schema 2, expected 1; use the scripts of that release"),
                                  ("incomplete.json", r"incomplete.json: no '[a-z_]*', expected a complete result"),
                                  ("missing.json", r"missing.json: No such file")):
                with self.subTest(words=words, result=name):
                    self.assert_refused(self.run_script(script, *words, name), message)

    def test_no_place_to_write(self):
        for kind in ("reuse", "miss-classes"):
            with self.subTest(kind):
                self.assert_refused(self.run_script("warpscope", "plot", kind, "good.json", "-o", "nowhere/plot"), "nowhere/plot.png: No such")
        self.assert_refused(self.run_script("warpscope", "report", "good.json", "-o", "good.json", "--no-plots"),
                            "good.json: is a file, expected a folder")
        self.assert_refused(self.run_script("warpscope", "report", "good.json", "-o", "good.json/x", "--no-plots"),
                            "good.json/x: Not a directory")
        self.assert_refused(self.run_script(CHAPTER8, "-o", "good.json/x"), "good.json/x: Not a directory")

    def test_a_missing_module_is_named(self):
        without_packages = (PYTHON, "-S", "-B")
        for kind in PLOTS:
            with self.subTest(kind):
                self.assert_refused(self.run_script("warpscope", "plot", kind, "good.json", python=without_packages),
                                    r"module numpy is missing, expected the Debian package python3-numpy")
        done = self.run_script("warpscope", "report", "good.json", "-o", "out", python=without_packages)
        self.assert_refused(done, "numpy is missing")
        done = self.run_script("warpscope", "report", "good.json", "-o", "out", "--no-plots", python=without_packages)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
