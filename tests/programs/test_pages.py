"""What the documentation shows is what the tools print: runs every command of a page that is written behind "$ ".

In the shown output a line "…" matches any lines, and "…" within a line any text. Lines behind "> " belong to the command. The pages of a tutorial share a folder; every other page has one of its own.
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import support
from support import load_quarter as load_tests  # noqa: F401

DOCS = support.SOURCE / "docs"
INDENT = "    "


def commands(page):
    """(line number, command, lines of shown output) of a page."""
    found, inside, shown = [], False, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        inside = line.startswith(INDENT) or (inside and not line)
        text = line.removeprefix(INDENT)
        if not inside:
            shown = []  # a block without a command, until the next command
        elif text.startswith("$ "):
            shown = []
            found.append((number, [text[2:]], shown))
        elif text.startswith("> ") and found and not shown:
            found[-1][1].append(text[2:])
        else:
            shown.append(text)
    return [(number, "\n".join(command), "\n".join(shown).rstrip("\n")) for number, command, shown in found]


def pattern(shown):
    """A regular expression of the output that is shown."""
    lines = ["(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + " *\n" for line in shown.split("\n")]
    return re.compile("".join(lines) + (r"\Z" if not shown.endswith("…") else "") if shown else "")


class Pages(unittest.TestCase):
    def run_page(self, page, folder):
        environment = {**os.environ, **support.OF_CACHES, "PATH": f"{support.BIN}:{os.environ['PATH']}", "TREE": str(support.SOURCE),
                       "WARPSCOPE_PROPOSE": "0"}  # pages are as without NVIDIA's compilers
        environment.pop("WARPSCOPE_GPU", None)
        for number, command, shown in commands(page):
            with self.subTest(f"{page.relative_to(support.SOURCE)}:{number}"):
                done = subprocess.run(["/bin/bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)
                if not pattern(shown).match(done.stdout):
                    self.assertEqual(shown, done.stdout)

    def folder(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("benchmarks", "models", "scripts"):
            (folder / name).symlink_to(support.SOURCE / name)
        return folder

    def test_tutorial(self):
        folder = self.folder()
        for page in sorted((DOCS / "tutorial").glob("[0-9]*.md")):
            self.assertTrue(commands(page), page)
            self.run_page(page, folder)

    def test_tools(self):
        for page in sorted(page for folder in ("tools", "referee") for page in (DOCS / folder).glob("*.md")):
            self.run_page(page, self.folder())

    def test_readme(self):
        readme = support.SOURCE / "README.md"
        self.assertEqual(len(commands(readme)), 1, "the example")
        self.run_page(readme, self.folder())

    def test_concepts(self):
        for page in sorted((DOCS / "concepts").glob("*.md")):
            self.assertTrue(commands(page), page)
            self.run_page(page, self.folder())


if __name__ == "__main__":
    unittest.main()
