"""The package as pip gets it: a wheel that holds every module, with the project's version and commands that exist."""
import base64
import hashlib
import importlib
import pathlib
import re
import tempfile
import unittest
import zipfile

import support

import wheel_builder  # next to the package
from warpscope.result import tables


class Wheel(unittest.TestCase):
    def setUp(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = folder / wheel_builder.build_wheel(folder)
        with zipfile.ZipFile(self.path) as archive:
            self.files = {name: archive.read(name) for name in archive.namelist()}

    def about(self, name):
        return next(content for path, content in self.files.items() if path.endswith(f".dist-info/{name}")).decode()

    def test_holds_every_module(self):
        modules = {str(path.relative_to(support.SOURCE / "python")) for path in (support.SOURCE / "python/warpscope").rglob("*.py")}
        self.assertEqual(modules, {name for name in self.files if name.endswith(".py")})
        self.assertIn("warpscope/show/plots/style.py", modules)
        for name in ("py.typed", "errors.csv", *tables.FILES):
            self.assertIn(f"warpscope/{name}", self.files)

    def test_needs_nothing_that_is_not_asked_for(self):
        needs = [line for line in self.about("METADATA").splitlines() if line.startswith("Requires-Dist: ")]
        self.assertTrue(needs)
        for line in needs:
            self.assertRegex(line, r"^Requires-Dist: (numpy|pandas|matplotlib); extra == \"(plots|frames)\"$")

    def test_has_the_version_of_the_project(self):
        project = (support.SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
        version = re.search(r"project\(warpscope VERSION (\S+)", project)[1]
        self.assertEqual(self.path.name, f"warpscope-{version}-py3-none-any.whl")
        self.assertIn(f"\nVersion: {version}\n", self.about("METADATA"))

    def test_records_what_it_holds(self):
        for line in self.about("RECORD").splitlines()[:-1]:
            name, digest, size = line.split(",")
            expected = base64.urlsafe_b64encode(hashlib.sha256(self.files[name]).digest()).decode().rstrip("=")
            self.assertEqual((digest, int(size)), (f"sha256={expected}", len(self.files[name])))

    def test_commands_are_there(self):
        for line in self.about("entry_points.txt").splitlines()[1:]:
            module, function = line.split(" = ")[1].split(":")
            self.assertTrue(callable(getattr(importlib.import_module(module), function)), line)


if __name__ == "__main__":
    unittest.main()
