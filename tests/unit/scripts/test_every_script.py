"""Whatever is in scripts/ or validation/ and can be run: --help, and an option that does not exist. None may begin its work on either.

--help runs as users run it. The others fork a process that has imported what most of the time goes to.
"""
import contextlib
import importlib
import os
import runpy
import subprocess
import sys
import tempfile
import traceback
import unittest

import support

FOLDERS = (support.SCRIPTS, support.SCRIPTS / "stages", support.VALIDATION)
RUNNABLE = sorted(path for folder in FOLDERS for path in folder.iterdir() if path.is_file() and os.access(path, os.X_OK))
PYTHON = "#!/usr/bin/python3"


def import_all_at_once():
    for module in ("numpy", "scipy.stats", "scipy.optimize", "matplotlib.figure"):
        with contextlib.suppress(ImportError):
            importlib.import_module(module)


def become(path, words, streams):
    """In a forked child: the script instead of this test, as the interpreter starts it."""
    status = 70
    try:
        os.chdir("/")
        for number, stream in enumerate((os.open(os.devnull, os.O_RDONLY), *(stream.fileno() for stream in streams))):
            os.dup2(stream, number)
        sys.argv[:] = [str(path), *words]
        sys.path[0] = str(path.parent)
        status = 0
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        status = 70
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)


def run_forked(path, *words):
    """The same as subprocess.run([path, *words])."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.TemporaryFile("w+", encoding="utf-8") as error:
        child = os.fork()
        if child == 0:
            become(path, words, (out, error))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        error.seek(0)
        return subprocess.CompletedProcess([path, *words], status, out.read(), error.read())


class EveryScript(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import_all_at_once()

    def test_what_can_be_run_is_a_script(self):
        self.assertGreater(len(RUNNABLE), 15)
        for path in RUNNABLE:
            self.assertEqual(path.read_bytes()[:2], b"#!", path.name)

    def start(self, path, word):
        return subprocess.run([path, word], cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def run_script(self, path, word):
        is_python = path.read_text(encoding="utf-8").startswith(PYTHON)
        return run_forked(path, word) if is_python else self.start(path, word)

    def test_a_forked_script_does_what_a_started_one_does(self):
        for word in ("--help", "--version", "--no-such-option"):
            started, forked = (run(support.SCRIPTS / "check_links", word) for run in (self.start, run_forked))
            self.assertEqual((started.returncode, started.stdout, started.stderr), (forked.returncode, forked.stdout, forked.stderr))

    def test_helps(self):
        for path in RUNNABLE:
            with self.subTest(path.name):
                done = self.start(path, "--help")
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
