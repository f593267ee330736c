"""The public functions, the tuner and studies have type hints that mypy accepts in its strict mode."""
import subprocess
import tempfile
import unittest

import support

TYPED = ("warpscope/__init__.py", "warpscope/api", "warpscope/explore/tuning", "warpscope/explore/study", "warpscope/explore/judge", "warpscope/commands/tune.py",
         "warpscope/commands/study.py", "warpscope/commands/tune_options.py")


class Types(unittest.TestCase):
    def test_mypy_finds_nothing(self):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(["/usr/bin/mypy", "--config-file", "pyproject.toml", "--cache-dir", cache, *TYPED],
                                  cwd=support.SOURCE / "python", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
