"""What the tests of trace-kernel's refusals share: small kernels, and what a refusal looks like."""
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "tests" / "endtoend"))
from support import ToolTest  # noqa: E402

KERNELS = {
    "one.cl": "__kernel void scale(__global float* a, float by) {\n  a[get_global_id(0)] *= by;\n}\n",
    "two.cl": "__kernel void first(__global int* a, __local int* s, int2 v) {\n  a[get_global_id(0)] = v.x;\n}\n"
              "__kernel void second(__global int* a) {\n  a[get_global_id(0)] = 1;\n}\n",
}
# A launch of one.cl that leaves nothing to infer.
COMPLETE = ("--global", "8", "--local", "4", "--arg", "a=count=8,fill=iota", "--arg", "by=2")


class Refusal(ToolTest):
    def setUp(self):
        super().setUp()
        for name, text in KERNELS.items():
            self.write(name, text)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def trace(self, *words, **options):
        return self.call("trace-kernel", *words, "-o", "x.wtrace", **options)

    def assert_one_line(self, done, *expected, status=2):
        """The status, one line of the tool's with the expected words, and no file."""
        text = done.stderr.decode()
        self.assertEqual(done.returncode, status, text)
        for words in expected:
            self.assertIn(words, text)
        lines = [line for line in text.splitlines() if not line.startswith("trace-kernel: inferred: ")]
        self.assertEqual(len(lines), 1, text)
        self.assertTrue(lines[0].startswith("trace-kernel: "), text)
        self.assertFalse(done.stdout)
        self.assert_no_capture()

    def assert_no_capture(self):
        self.assertFalse((self.folder / "x.wtrace").exists())
