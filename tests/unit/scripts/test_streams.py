"""Text streams: values by hand; malformed lines are named."""
import os
import pathlib
import tempfile
import unittest

import support  # noqa: F401  (puts the package on the path)
from warpscope.base.errors import InputError
from warpscope.result import streams
from warpscope.show.plots import access_pattern as plot_access_pattern


def read(text, limit=None):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "stream.txt"
        path.write_text(text)
        return streams.read_text(str(path), limit)


class Streams(unittest.TestCase):
    def test_reads_the_dissertations_listing(self):
        stream = read("1 4\n0x83BD000 R 0 0 1\n0x83bd080 W 3 12 15\n")
        self.assertEqual(stream.warp_size, 1)
        self.assertEqual(stream.work_groups, 4)
        self.assertEqual(list(stream.address), [0x83BD000, 0x83BD080])
        self.assertEqual(list(stream.is_write), [False, True])
        self.assertEqual(list(stream.group), [0, 3])
        self.assertEqual(list(stream.warp), [0, 12])
        self.assertEqual(list(stream.site), [1, 15])

    def test_lanes_count_inside_a_warp_access_and_start_afresh(self):
        lines = ["0x0 R 0 1 5"] * 3 + ["0x0 R 0 1 6"] * 2 + ["0x0 R 1 1 6"]
        stream = read("2 2\n" + "\n".join(lines) + "\n")
        self.assertEqual(list(stream.lane()), [0, 1, 0, 0, 1, 0])
        self.assertEqual(list(stream.local_item()), [2, 3, 2, 2, 3, 2])

    def test_stops_at_the_limit_and_says_so(self):
        text = "1 1\n" + "0x10 R 0 0 1\n" * 5
        self.assertEqual(len(read(text, 3).address), 3)
        self.assertFalse(read(text, 3).complete)
        self.assertTrue(read(text, 5).complete)

    def test_names_the_malformed_line(self):
        for bad in ("0x10 R 0 0", "0x10 R 0 0 1 1", "0x1g R 0 0 1", "0x10 X 0 0 1", "0x10 R a 0 1"):
            with self.subTest(bad), self.assertRaisesRegex(InputError, r":3: expected '0xADDRESS"):
                read(f"1 1\n0x10 R 0 0 1\n{bad}\n0x10 R 0 0 1\n")

    def test_refuses_other_files(self):
        for text in ("", "hello\n", "1 x\n", "1 1\n"):
            with self.subTest(text), self.assertRaises(InputError):
                read(text)
        with self.assertRaisesRegex(InputError, "No such file"):
            streams.read_text(os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "stream"))


class WorkItems(unittest.TestCase):
    def test_are_numbered_over_the_whole_range(self):
        # 4 x 4 work-items in groups of 2 x 2; group 1 is at x = 2, group 2 at y = 2; item 2 is at y = 1.
        stream = read("1 4\n0x0 R 0 3 0\n0x0 R 1 0 0\n0x0 R 2 2 0\n0x0 R 3 3 0\n")
        geometry = plot_access_pattern.Geometry((4, 4), (2, 2))
        self.assertEqual(list(geometry.work_item(stream)), [5, 2, 12, 15])


if __name__ == "__main__":
    unittest.main()
