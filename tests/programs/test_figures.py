"""The numbers of GPUs in docs/concepts are those of gpus/, and the pictures are what docs/figures/regenerate draws from these tools. A picture that differs: look at it, and run that command."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

import support

sys.path.insert(0, str(support.SOURCE / "python"))
from warpscope.base import presets  # noqa: E402

FIGURES = support.SOURCE / "docs/figures"


class Figures(unittest.TestCase):
    def test_pictures_are_up_to_date(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        environment = {**os.environ, "WARPSCOPE_BIN": str(support.BIN), **support.OF_CACHES}
        subprocess.run([sys.executable, FIGURES / "regenerate", "-o", folder], env=environment, check=True)
        drawn = sorted(folder.glob("*.svg"))
        self.assertEqual([path.name for path in drawn], sorted(path.name for path in FIGURES.glob("*.svg")))
        for path in drawn:
            with self.subTest(path.name):
                self.assertEqual((FIGURES / path.name).read_bytes(), path.read_bytes(), "run docs/figures/regenerate, and look at the picture")

    def test_pictures_can_be_read_aloud_and_in_the_dark(self):
        for path in FIGURES.glob("*.svg"):
            with self.subTest(path.name):
                words = [element.text or "" for element in xml.parse(path).getroot() if element.tag.endswith(("title", "desc", "style"))]
                self.assertEqual(len(words), 3)
                self.assertIn("prefers-color-scheme:dark", words[2])

    def test_tables_say_what_the_presets_say(self):
        """A comment "gpus A B: KEY1 KEY2" precedes a table with a column per GPU and a row per key."""
        found = 0
        for page in sorted((support.SOURCE / "docs/concepts").glob("*.md")):
            for names, keys, table in re.findall(r"<!-- gpus (.*): (.*) -->\n((?:\|.*\n)+)", page.read_text(encoding="utf-8")):
                gpus = [presets.read(support.SOURCE / f"gpus/{name}.json") for name in names.split()]
                for key, row in zip(keys.split(), table.splitlines()[2:], strict=True):
                    with self.subTest(page=page.name, key=key):
                        shown = [cell.strip(" `").replace(",", "") for cell in row.strip("|").split("|")[1:]]
                        self.assertEqual(shown, [str(preset.get(key, {}).get("value", "–")) for preset in gpus])
                        found += 1
        self.assertGreaterEqual(found, 12)


if __name__ == "__main__":
    unittest.main()
