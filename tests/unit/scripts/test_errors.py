"""How every script ends: one line for any exception, whatever it says; and what a JSON file may hold."""
import contextlib
import copy
import pathlib
import subprocess
import tempfile
import unittest

import support

from warpscope.base import errors, inputs
from warpscope.result import results
from warpscope.show import listing, report
from warpscope.show.summary import layout


class Ends(unittest.TestCase):
    def run_python(self, body, redirect="", name="body.py"):
        script = f"import sys\nsys.path.insert(0, {str(support.SOURCE / 'python')!r})\nfrom warpscope.base import command, errors\n{body}\ncommand.run_main('script', main)"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.write_text(script)
            return subprocess.run(["bash", "-c", f"set -o pipefail; /usr/bin/python3 -B {path} {redirect}"], capture_output=True,
                                  text=True)

    def test_an_installed_command_says_its_own_name(self):
        done = self.run_python("def main(): raise errors.InputError('no')", name="warpscope-plot")
        self.assertEqual((done.returncode, done.stderr), (2, "warpscope-plot: no\n"))

    def test_any_exception_is_one_line(self):
        for body, status, expected in (
                ("def main(): return {}['a\\x1b[2J']", 2, r"script: unexpected failure, please report it: body.py:4: KeyError: .*x1b\[2J"),
                ("def main(): main()", 2, "RecursionError"),
                ("def main(): bytearray(1 << 60)", 2, "MemoryError"),
                ("def main(): raise errors.InputError('x' * 300_000 + '\\n\\x9b')", 2, r"script: xxx.*…xxx.*\\n\\x9b"),
                ("def main(): open('/none\\u202e')", 2, r"script: /none\\u\{202e\}: No such file"),
                ("def main(): raise errors.ToolFailed(4)", 4, "^$"),
                ("def main(): raise KeyboardInterrupt", 130, "^$"),
                ("def main(): sys.exit('last words')", 2, "script: last words"),
                ("def main(): return 3", 3, "^$")):
            with self.subTest(body):
                done = self.run_python(body)
                self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr[-300:])
                self.assertRegex(done.stderr, expected)
                self.assertEqual(done.stderr.count("\n"), 0 if expected == "^$" else 1, done.stderr)
                self.assertLess(len(done.stderr), 600)

    def test_output_that_cannot_be_written(self):
        body = "def main(): print('text ' * 100_000)"
        for redirect, status, expected in (("| head -1 >/dev/null", 0, ""), ("| true", 0, ""),
                                           ("> /dev/full", 2, "script: output: No space left on device\n")):
            with self.subTest(redirect):
                done = self.run_python(body, redirect)
                self.assertEqual((done.returncode, done.stderr), (status, expected))

    def test_escapes_what_moves_the_cursor_or_turns_text(self):
        self.assertEqual(errors.printable("a\x1b[2J\r\n\t\x9b\u202e\u2028\udcff é 日本"),
                         "a\\x1b[2J\\x0d\\n\\t\\x9b\\u{202e}\\u{2028}\\xff é 日本")


class Json(unittest.TestCase):
    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "file"

    def test_refuses_what_is_not_finite_or_nests_too_deep(self):
        for text, expected in (("1e999", "not finite"), ("[NaN]", "not finite"), ("[-Infinity]", "not finite"), ("[", "not JSON"),
                               ("[" * 200_000, "nests too deep"), ("\ufeff1", "not JSON")):
            with self.subTest(text[:10]):
                self.path.write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(errors.InputError, f"file: .*{expected}.*expected a table"):
                    inputs.read_json(self.path, "a table")
        self.path.write_bytes(b"[\"\xff\"]")
        with self.assertRaisesRegex(errors.InputError, "not JSON"):
            inputs.read_json(self.path, "a table")
        for path, expected in (("/dev/zero", "line of more than 1 MiB"), ("/dev", "Is a directory"), ("/none", "No such file"),
                               ("n" * 300, "File name too long")):
            with self.subTest(path), self.assertRaisesRegex(errors.InputError, expected):
                inputs.read_json(path, "a table")


def places(value, path=()):
    """Paths of every key of every object."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*path, number))


class DamagedResults(unittest.TestCase):
    def assert_shown_or_refused(self, result, what):
        with self.subTest(what), contextlib.suppress(errors.InputError), inputs.complete("result.json", results.EXPECTED):
            report.summary(result)
            listing.whole(result)
            listing.excerpts(result)
            layout.summary(result)

    def test_no_key_that_is_missing_is_a_traceback(self):
        good = support.result()
        paths = list(places(good))
        self.assertGreater(len(paths), 200)
        for path in paths:
            for value in (None, "text", -1, 1e300, [], {}):
                damaged = copy.deepcopy(good)
                part = damaged
                for key in path[:-1]:
                    part = part[key]
                if value is None:
                    del part[path[-1]]
                else:
                    part[path[-1]] = value
                self.assert_shown_or_refused(damaged, (path, value))

    def test_a_missing_key_is_named(self):
        result = support.result()
        del result["total"]["load"]["bypasses"]
        with self.assertRaisesRegex(errors.InputError, "result.json: no 'bypasses', expected a complete result of cachesim --json"), \
                inputs.complete("result.json", results.EXPECTED):
            report.summary(result)


if __name__ == "__main__":
    unittest.main()
