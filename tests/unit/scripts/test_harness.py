"""Capturing and simulating for comparisons, with stand-ins for the tools."""
import contextlib
import io
import os
import pathlib
import tempfile
import unittest
import unittest.mock

import support  # noqa: F401  (puts the package on the path)
from warpscope.base.errors import ToolFailed
from warpscope.run import harness

# Notes its arguments; trace-kernel writes the file behind -o, cachesim prints a result with its own arguments.
TOOL = """#!/usr/bin/python3 -SE
import json, os, pathlib, sys
name, words = pathlib.Path(sys.argv[0]).name, sys.argv[1:]
open(os.environ["CALLS"], "a").write(name + " " + " ".join(words) + "\\n")
if "bad" in words:
    print(name + ": bad: expected something good", file=sys.stderr)
    sys.exit(2)
if name == "trace-kernel":
    print("said on the way", file=sys.stderr)
    pathlib.Path(words[words.index("-o") + 1]).touch()
else:
    print(json.dumps({"words": words}))
"""


class Harness(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("trace-kernel", "cachesim"):
            (self.folder / name).write_text(TOOL)
            (self.folder / name).chmod(0o755)
        self.calls = self.folder / "calls"
        self.enterContext(unittest.mock.patch.dict(os.environ, {"WARPSCOPE_BIN": str(self.folder), "CALLS": str(self.calls)}))
        self.captures = harness.Captures(self.folder / "captures")

    def test_a_capture_is_made_once(self):
        first = self.captures.of("a.cl", "--global", 64)
        self.assertEqual(self.captures.of("a.cl", "--global", 64), first)
        self.assertNotEqual(self.captures.of("a.cl", "--global", 128), first)
        source = self.folder / "b.cl"
        source.write_text('#include "b.h"')
        before = self.captures.of(source)
        (self.folder / "b.h").write_text("int x;")
        self.assertNotEqual(self.captures.of(source), before)  # what it includes has changed
        calls = self.calls.read_text().splitlines()
        self.assertEqual([call.split(" -o ")[0] for call in calls],
                         ["trace-kernel a.cl --global 64", "trace-kernel a.cl --global 128", f"trace-kernel {source}", f"trace-kernel {source}"])

    def test_both_engines_take_the_options_behind_the_capture(self):
        self.assertEqual(harness.simulate("x.wtrace", 16, "--policy", "rr"), {"words": ["x.wtrace", "16", "--policy", "rr", "--json", "-"]})
        self.assertEqual(harness.simulate("x.wtrace", "--gpu", "v100", timed=True),
                         {"words": ["timed", "x.wtrace", "--gpu", "v100", "--json", "-"]})

    def test_a_tool_speaks_only_when_it_fails(self):
        for call in (lambda: self.captures.of("bad"), lambda: harness.simulate("bad")):
            said = io.TextIOWrapper(io.BytesIO())
            with contextlib.redirect_stderr(said), self.assertRaises(ToolFailed) as failed:
                call()
            self.assertEqual(failed.exception.status, 2)
            self.assertIn(b": bad: expected something good\n", said.buffer.getvalue())
        said = io.TextIOWrapper(io.BytesIO())
        with contextlib.redirect_stderr(said):
            self.captures.of("good.cl")
        self.assertEqual(said.buffer.getvalue(), b"")

    def test_kernels_of_the_suite_are_found(self):
        self.assertTrue(harness.kernel("mm").is_file())


if __name__ == "__main__":
    unittest.main()
