#!/usr/bin/python3
"""warpscope serve, asked by the protocol's reference inspector from npm: it lists every tool, and calls each.

    tests/serve/long_inspector.py [NAME...]    of tests

Installs the inspector into build/inspector if it is not there, which needs npm and its registry: run by `scripts/test --long inspector`, not by ctest.
"""
import functools
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "endtoend"))

from support import BIN, SOURCE, ToolTest, kernel  # noqa: E402

PACKAGE, VERSION = "@modelcontextprotocol/inspector", "2.12.0"
HOME = SOURCE / "build" / "inspector"
TOOL_FAILED = 5  # the inspector's exit status of a result with isError
MM, RACE = kernel("mm"), SOURCE / "tests" / "install" / "hosts" / "race.cl"
SMALL = {"global": "64,64"}


@functools.cache
def inspector():
    """The inspector's program, installed if need be."""
    program = HOME / "node_modules" / ".bin" / "mcp-inspector"
    if not program.exists():
        if not shutil.which("npm"):
            raise AssertionError("npm: not found, expected Debian's package npm")
        HOME.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "install", "--prefix", HOME, "--no-audit", "--no-fund", f"{PACKAGE}@{VERSION}"], check=True, stdout=subprocess.DEVNULL)
    return program


class Inspector(ToolTest):
    def ask(self, method, *words, status=0):
        """What the inspector prints: the server's result."""
        done = subprocess.run([inspector(), "--cli", BIN / "warpscope", "serve", "--folder", self.folder, "--method", method, *words], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return json.loads(done.stdout)

    def tool(self, name, status=0, **given):
        words = [word for key, value in given.items() for word in ("--tool-arg", f"{key}={value if isinstance(value, str) else json.dumps(value)}")]
        return self.ask("tools/call", "--tool-name", name, *words, status=status)

    def test_every_tool_is_listed_and_called(self):
        listed = {tool["name"] for tool in self.ask("tools/list")["tools"]}
        profile = self.tool("profile", file=str(MM), gpu="h100", **SMALL)["structuredContent"]
        capture = next(path for path in profile["files"].values() if path.endswith(".wtrace"))
        called = {
            "list_gpus": self.tool("list_gpus", contains="h100"),
            "check": self.tool("check", file=str(RACE), **{"global": "128", "local": "64", "args": ["out=count=128"]}),
            "judge": self.tool("judge", candidate=str(MM), reference=str(MM), no_cost=True, sizes="small"),
            "what_if": self.tool("what_if", capture=capture, changes=["--pad", "A=+4"], gpu="h100"),
            "profile": None,
        }
        self.assertEqual(listed, set(called))
        said = {name: answer["structuredContent"] for name, answer in called.items() if answer}
        self.assertIn("h100", said["list_gpus"]["gpus"])
        self.assertEqual((said["check"]["passed"], said["judge"]["accepted"]), (False, True))
        self.assertIn("before", json.dumps(said["what_if"]))

    def test_what_fails_is_a_result(self):
        answer = self.tool("check", file="none.cl", status=TOOL_FAILED)
        self.assertEqual((answer["isError"], len(answer["content"][0]["text"].splitlines())), (True, 1))


if __name__ == "__main__":
    unittest.main()
