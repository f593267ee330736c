"""Presets as Python reads them: the names and the keys that the C++ tools have."""
import pathlib
import re
import subprocess
import tempfile
import unittest

import support  # noqa: F401  (finds the package)
from warpscope.base import presets, toolchain
from warpscope.base.errors import InputError


def shown(gpu):
    return subprocess.run([toolchain.folder() / "cachesim", "--show-preset", gpu], capture_output=True, text=True, check=True).stdout


class Presets(unittest.TestCase):
    def test_names_are_those_of_the_tools(self):
        for written in ("NVIDIA GeForce RTX 3090", "rtx-3090", "GTX 1660 s", "Tesla V100", "NVIDIA RTX A6000", "A_100", "AMD Radeon RX 6900 XT", "h100"):
            with self.subTest(written):
                self.assertEqual(shown(written).split(":")[0], presets.canonical(written))

    def test_presets_that_are_like_another_have_its_values(self):
        for name in ("rtx3060", "a10", "h20"):  # like the RTX 3070; the A6000, which is like it; the H200, which is like the H100
            with self.subTest(name):
                values = dict(re.findall(r"(?m)^(\w+) = (\S+)", shown(name)))
                preset = presets.read(presets.folder() / f"{name}.json")
                self.assertEqual(set(values), {key for key, entry in preset.items() if isinstance(entry, dict)})
                for key in ("cores", "l1_ways", "l2_slices", "max_warps_per_core"):
                    self.assertEqual(values[key], str(preset[key]["value"]))

    def test_a_circle_is_refused(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "mine.json").write_text('{"description": "mine", "like": "mine"}')
        with self.assertRaisesRegex(InputError, "mine.json: key 'like': leads on and on"):
            presets.read(folder / "mine.json")


if __name__ == "__main__":
    unittest.main()
