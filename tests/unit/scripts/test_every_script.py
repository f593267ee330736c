"""Whatever is in scripts/ or studies/ and can be run: --help, and an option that does not exist. None may begin its work on either."""
import os
import subprocess
import unittest

import support

RUNNABLE = sorted(path for folder in (support.SCRIPTS, support.STUDIES) for path in folder.iterdir()
                  if path.is_file() and os.access(path, os.X_OK))


class EveryScript(unittest.TestCase):
    def test_what_can_be_run_is_a_script(self):
        self.assertGreater(len(RUNNABLE), 15)
        for path in RUNNABLE:
            self.assertEqual(path.read_bytes()[:2], b"#!", path.name)

    def run_script(self, path, word):
        return subprocess.run([path, word], cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)

    def test_helps(self):
        for path in RUNNABLE:
            with self.subTest(path.name):
                done = self.run_script(path, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(path.name if path.name not in ("quickstart", "setup") else f"scripts/{path.name}", done.stdout)

    def test_says_its_version(self):
        checks = ("check.sh", "check_format.sh", "check_tidy.sh", "test", "soak")  # a developer's, of this tree
        for path in RUNNABLE:
            if path.name in checks:
                continue
            with self.subTest(path.name):
                done = self.run_script(path, "--version")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.stdout, rf"\A{path.stem} [0-9]+\.[0-9]+\.[0-9]+( \(.+\))?\n\Z")

    def test_refuses_an_option_that_it_does_not_have(self):
        for path in RUNNABLE:
            with self.subTest(path.name):
                done = self.run_script(path, "--no-such-option")
                self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
                self.assertRegex(done.stderr, f"^{path.stem}(.sh)?: .*(--no-such-option.*(expected|--help)|required: )")


if __name__ == "__main__":
    unittest.main()
