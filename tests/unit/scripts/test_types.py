"""The public functions, the tuner and studies have type hints that mypy accepts in its strict mode."""
import subprocess
import tempfile
import unittest

import support

TYPED = ("warpscope/__init__.py", "warpscope/api", "warpscope/explore/tuning", "warpscope/explore/study", "warpscope/explore/judge", "warpscope/commands/tune.py",
         "warpscope/commands/study.py", "warpscope/commands/tune_options.py")


def mypy(*words):
    """(exit status, what it prints)."""
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(["/usr/bin/mypy", "--cache-dir", cache, *words], cwd=support.SOURCE / "python", capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Types(unittest.TestCase):
    def test_mypy_finds_nothing(self):
        status, text = mypy("--config-file", "pyproject.toml", *TYPED)
        self.assertEqual(status, 0, text)

    def test_what_is_used_is_there(self):
        """Every name of a module and every member that any file uses: what moved elsewhere is missed by no test that was not run."""
        _, text = mypy("--config-file=", "--ignore-missing-imports", "--check-untyped-defs", "-p", "warpscope")
        self.assertIn("checked", text)
        self.assertEqual([line for line in text.splitlines() if line.endswith(("[attr-defined]", "[name-defined]"))], [])


if __name__ == "__main__":
    unittest.main()
