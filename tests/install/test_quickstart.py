"""scripts/quickstart builds the target tools; cmake --install needs no more than that."""
import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WARPSCOPE_BIN", SOURCE / "build" / "release" / "bin")).resolve().parent


def ninja(*words):
    return subprocess.run(["ninja", "-C", BUILD, "-t", *words], capture_output=True, text=True, check=True).stdout


def installed():
    """What cmake --install copies from the build, relative to it."""
    found = set()
    for script in BUILD.rglob("cmake_install.cmake"):
        for files in re.findall(r"(?s)file\(INSTALL .*? FILES (.*?)\)", script.read_text(encoding="utf-8")):
            found |= {str(pathlib.Path(path).relative_to(BUILD)) for path in re.findall(r'"([^"]+)"', files) if path.startswith(f"{BUILD}/")}
    return found


class Quickstart(unittest.TestCase):
    def test_builds_all_that_is_installed(self):
        known = {line.rpartition(": ")[0] for line in ninja("targets", "all").splitlines()}
        commands = ninja("commands", "tools")
        built = set(re.findall(r"(?<= -o )(?:bin|lib)/\S+", commands))
        needed = installed()
        self.assertLessEqual({"bin/cachesim", "lib/warpscope/libwarpscope-cublas.so", "bin/warpscope"}, needed)
        self.assertEqual(sorted((needed & known) - built), [], "are installed, but the target tools does not build them")
        self.assertEqual([path for path in needed - known if not (BUILD / path).exists()], [], "are made by cmake's configuration")
        self.assertIn("cmake/manuals.py", commands)  # share/man and the completions are installed as folders


if __name__ == "__main__":
    unittest.main()
