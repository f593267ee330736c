"""Files that are complete or not there: an error leaves what was there, and nothing else."""
import pathlib
import tempfile
import unittest
from unittest import mock

import support  # noqa: F401  (finds the package)
from warpscope.base import files


class Write(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "result.json"

    def names(self):
        return sorted(path.name for path in self.path.parent.iterdir())

    def test_text_and_bytes(self):
        files.write(self.path, "µ\n")
        self.assertEqual(self.path.read_bytes(), b"\xc2\xb5\n")
        files.write(str(self.path), b"\0")
        self.assertEqual((self.path.read_bytes(), self.names()), (b"\0", ["result.json"]))

    def test_an_error_leaves_what_was_there(self):
        files.write(self.path, "old")
        for broken in ("pathlib.Path.write_bytes", "os.replace"):
            with self.subTest(broken), mock.patch(broken, side_effect=OSError(28, "No space left on device")):
                self.assertRaises(OSError, files.write, self.path, "new")
            self.assertEqual((self.path.read_text(), self.names()), ("old", ["result.json"]))

    def test_an_error_after_a_part_leaves_no_part(self):
        def half(path, content):
            with open(path, "wb") as file:
                file.write(content[:1])
            raise OSError(28, "No space left on device")

        with mock.patch("pathlib.Path.write_bytes", half):
            self.assertRaises(OSError, files.write, self.path, "new")
        self.assertEqual(self.names(), [])


if __name__ == "__main__":
    unittest.main()
