"""What a user may leave out or change of a launch: rescaling, inference, offsets, content from files, macros, --verify."""
import json
import struct
import unittest

from launches import kernel
from support import ToolTest

SCALE = "__kernel void scale(__global int* a, int by) {\n  a[get_global_id(0)] = a[get_global_id(0)] * by + BIAS;\n}\n"


class Launches(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "scale.cl").write_text(SCALE, encoding="ascii")

    def trace(self, *words):
        done = self.call("trace-kernel", *words, "-o", "x.wtrace", "--dump-buffers", "buffers")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stderr.decode()

    def buffer(self, name="a"):
        content = (self.folder / "buffers" / f"{name}.bin").read_bytes()
        return list(struct.unpack(f"<{len(content) // 4}i", content))

    def view(self, *words):
        return json.loads(self.run_tool("trace-view", "--json", *words, "x.wtrace"))

    def test_the_global_size_alone_rescales_buffers_and_scalars(self):
        for size in (32, 96):
            text = self.trace(kernel("mm"), "--global", f"{size},{size}")
            self.assertNotIn("inferred", text)
            view = self.view("--sites")
            self.assertEqual({buffer["name"]: buffer["size"] for buffer in view["buffers"]},
                             dict.fromkeys("ABC", 4 * size * size))
            self.assertEqual(sum(site["executions"] for site in view["launches"][0]["sites"] if site["kind"] == "load"),
                             2 * size**3)

    def test_what_is_left_out_is_inferred_and_printed(self):
        text = self.trace("scale.cl", "--global", "48", "--arg", "by=2", "-D", "BIAS=1")
        for note in ("local size 16,1,1", "a: 48 elements, from its accesses",
                     "argument 'a': filled with iota"):
            self.assertIn(f"trace-kernel: inferred: {note}", text)
        self.assertEqual(self.buffer(), [2 * i + 1 for i in range(48)])

    def test_offset_content_from_a_file_and_macros_arrive_in_the_kernel(self):
        (self.folder / "content").write_bytes(struct.pack("<8i", *range(10, 18)))
        self.trace("scale.cl", "--global", "4", "--local", "2", "--offset", "3", "--arg", "a=file:content",
                   "--arg", "by=3", "--build-options", "-DBIAS=100")
        self.assertEqual(self.buffer(), [10, 11, 12, 139, 142, 145, 148, 17])

    def test_an_option_replaces_what_the_launch_file_says_and_nothing_else(self):
        (self.folder / "scale.launch").write_text(
            '{"global": 8, "local": 4, "defines": {"BIAS": 0}, '
            '"args": {"a": {"count": "gx", "fill": "iota"}, "by": "gx"}}', encoding="ascii")
        self.trace("scale.cl")
        self.assertEqual(self.buffer(), [8 * i for i in range(8)])
        self.trace("scale.cl", "--global", "4", "--arg", "a=constant(7)")
        self.assertEqual(self.buffer(), [28] * 4)
        self.trace("scale.cl", "-D", "BIAS=5", "--arg", "by=1")
        self.assertEqual(self.buffer(), [i + 5 for i in range(8)])

    def test_verify_notices_other_results(self):
        # Where a buffer lies is the one thing that two runs do not share.
        (self.folder / "where.cl").write_text(
            "__kernel void where(__global ulong* a) {\n  a[get_global_id(0)] = get_global_id(0) == 2 ? (ulong)a : 0;\n}\n",
            encoding="ascii")
        done = self.call("trace-kernel", "where.cl", "--global", "4", "-o", "x.wtrace", "--verify")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), "--verify: buffer 'a' differs from element 2 on: 0x[0-9a-f]{16} with")


if __name__ == "__main__":
    unittest.main()
