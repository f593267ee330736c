"""tests/captures.py, with a trace-kernel that counts its runs: each capture is made once, and again when something it follows from changes."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import support

TOOL = """#!/bin/sh
echo run >>"$(dirname "$0")/../runs"
while [ "$1" != -o ]; do words="$words $1"; shift; done
sleep 0.2
[ -z "$FAILS" ] || { echo "trace-kernel: no" >&2; exit 3; }
echo "$words" >"$2"
"""
ASK = "import sys; sys.path.insert(0, 'tests'); import captures; print(captures.capture(*sys.argv[1:]))"


class Captures(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "bin").mkdir()
        self.tool = self.folder / "bin" / "trace-kernel"
        self.tool.write_text(TOOL)
        self.tool.chmod(0o755)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("WARPSCOPE_", "POCL_"))}
        self.environment |= {"WARPSCOPE_BIN": str(self.folder / "bin"), "WARPSCOPE_TEST_CAPTURES": str(self.folder / "captures")}

    def start(self, *words, **variables):
        return subprocess.Popen([sys.executable, "-B", "-c", ASK, *words], cwd=support.SOURCE, env={**self.environment, **variables},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ask(self, *words, **variables):
        """The path of a capture, from a process of its own."""
        out, error = self.start(*words, **variables).communicate()
        self.assertEqual(error, "")
        return pathlib.Path(out.strip())

    def runs(self):
        return (self.folder / "runs").read_text().count("run")

    def test_processes_side_by_side_make_it_once(self):
        children = [self.start("mm", "--size", "small") for _ in range(3)]
        paths = {child.communicate()[0] for child in children}
        self.assertEqual((len(paths), self.runs()), (1, 1))
        path = self.ask("mm", "--size", "small")
        self.assertEqual(self.runs(), 1)
        self.assertIn("mm.cl --size small", path.read_text())

    def test_options_and_variables_make_another(self):
        found = {self.ask("mm"), self.ask("mm", "--optimize", "O0"), self.ask("mt"), self.ask("mm", POCL_MAX_PTHREAD_COUNT="1"),
                 self.ask("mm", WARPSCOPE_NO_BOXES="1")}
        self.assertEqual((len(found), self.runs()), (5, 5))
        self.assertEqual(self.ask("mm", POCL_CACHE_DIR="elsewhere"), self.ask("mm"))
        self.assertEqual(self.runs(), 5)

    def test_another_tool_makes_it_again_and_what_was_used_longest_ago_leaves(self):
        before = self.ask("mm")
        self.tool.write_text(TOOL + "# another\n")
        after = self.ask("mm")
        self.assertEqual((self.runs(), before.exists(), after.exists()), (2, True, True))
        os.utime(before, (0, 0))
        self.ask("mt", WARPSCOPE_TEST_CAPTURES_MOST=str(sum(path.stat().st_size for path in before.parent.iterdir())))
        self.assertEqual((before.exists(), after.exists()), (False, True))

    def test_a_damaged_one_is_made_again(self):
        path = self.ask("mm")
        path.chmod(0o644)
        path.write_text("cut")
        self.assertEqual(self.ask("mm"), path)
        self.assertEqual((self.runs(), "mm.cl" in path.read_text()), (2, True))

    def test_a_failure_is_said_and_leaves_nothing(self):
        out, error = self.start("mm", FAILS="1").communicate()
        self.assertEqual(out, "")
        self.assertIn("AssertionError: trace-kernel mm: trace-kernel: no", error)
        self.assertEqual(list(self.folder.glob("captures/*.wtrace")), [])
        self.assertTrue(self.ask("mm").exists())

    def test_a_run_of_its_own_is_refused(self):
        for words in (("--dump-buffers", "x"), ("-o=x",), ("--arg", "in=file:x.bin"), ("--verify",)):
            self.assertIn("expected options of which the capture is all that remains", self.start("mm", *words).communicate()[1])


if __name__ == "__main__":
    unittest.main()
