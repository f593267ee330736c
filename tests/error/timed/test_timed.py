"""`cachesim timed` as a program: one line and exit status 2 for bad input, and nothing under the result's name."""
import json
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "tests" / "endtoend"))
from support import ToolTest  # noqa: E402


class Timed(ToolTest):
    def setUp(self):
        super().setUp()
        (self.folder / "scale.cl").write_text(
            "__kernel void scale(__global float* a, float by) {\n  a[get_global_id(0)] *= by;\n}\n", encoding="utf-8")
        self.call("trace-kernel", "scale.cl", "--global", "256", "--local", "64", "--arg", "a=count=256", "--arg", "by=2", "-o",
                  "good.wtrace")

    def timed(self, *words):
        return self.call("cachesim", "timed", *words, "--json", "result.json")

    def refuse(self, *words, expected):
        with self.subTest(words):
            self.assert_refused(self.timed(*words), expected)

    def assert_refused(self, done, *expected):
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 2, text)
        for words in expected:
            self.assertIn(words, text)
        self.assertEqual(len(text.splitlines()), 1, text)
        self.assertTrue(text.startswith("cachesim: "), text)
        self.assertFalse(done.stdout)
        self.assertEqual(list(self.folder.glob("result.json*")), [])

    def test_the_good_capture_is_simulated(self):
        done = self.timed("good.wtrace", "--preset", "v100")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads((self.folder / "result.json").read_text())
        # 8 warps load and store 128 bytes each: 4 sectors.
        self.assertEqual((result["total"]["load"]["transactions"], result["total"]["store"]["transactions"]), (32, 32))
        self.assertEqual(result["total"]["timing"]["l1_cycles"], 16)  # a wavefront each
        self.assertEqual(result["context"]["timed"]["l1_stages"], "wavefronts")
        self.timed("good.wtrace", "--preset", "v100", "--set", "l1_bytes_per_cycle=32", "--l1-stages", "in-order")
        result = json.loads((self.folder / "result.json").read_text())
        self.assertEqual(result["total"]["timing"]["l1_cycles"], 64)  # 128 bytes take 4 cycles
        self.assertEqual(result["context"]["timed"]["l1_stages"], "in-order")

    def test_inputs(self):
        self.refuse(expected="no capture given, expected: cachesim timed CAPTURE --preset GPU")
        self.refuse("none.wtrace", "--preset", "v100", expected="none.wtrace: cannot read: No such file or directory")
        (self.folder / "empty").write_bytes(b"")
        self.refuse("empty", "--preset", "v100", expected="empty: is no capture, expected one of trace-kernel")
        self.call("warpsched", "good.wtrace", "-o", "good.wsched")
        self.refuse("good.wsched", "--preset", "v100", expected="good.wsched: is no capture")

    def test_damaged_captures(self):
        good = (self.folder / "good.wtrace").read_bytes()
        (self.folder / "cut.wtrace").write_bytes(good[:len(good) * 2 // 3])
        self.refuse("cut.wtrace", "--preset", "v100", expected="cut.wtrace")
        flipped = bytearray(good)
        flipped[len(good) // 2] ^= 16
        (self.folder / "flipped.wtrace").write_bytes(flipped)
        self.refuse("flipped.wtrace", "--preset", "v100", expected="flipped.wtrace")

    def test_machines(self):
        self.refuse("good.wtrace", expected="no GPU given, expected --preset GPU")
        for words, expected in (
                (("--preset", "voodoo"), "--preset voodoo: unknown GPU, expected one of 8800gtx, a100, c2050,"),
                (("--preset", "v100", "--set", "no_key=1"), "--set no_key: unknown key, expected one of vendor"),
                (("--preset", "v100", "--set", "l1_mshr_entries=0"), "--set l1_mshr_entries=0: expected a whole number from 1"),
                (("--preset", "v100", "--cores", "0"), "--cores 0: expected a number from 1"),
                (("--preset", "v100", "--warp-size", "65"), "--warp-size 65: expected a number from 1 to 64")):
            self.refuse("good.wtrace", *words, expected=expected)

    def test_options(self):
        for words, expected in (
                (("--warp-scheduler", "best"), "'best' is not a warp scheduler, expected one of lrr, gto, gty, oldest, two-level"),
                (("--active-warps", "0"), "--active-warps: '0', expected a whole number from 1 to 64"),
                (("--unroll", "65"), "--unroll: '65', expected a whole number from 1 to 64"),
                (("--independent", "many"), "--independent: 'many', expected a whole number from 1 to 1000"),
                (("--top", "-1"), "--top: '-1', expected a whole number"),
                (("--l2", "hot"), "--l2 hot: expected warm or cold"),
                (("--l1-stages", "all"), "--l1-stages all: expected wavefronts or in-order"),
                (("--set", "l1_tags_per_cycle=3"), "l1_tags_per_cycle is 3, expected a power of two up to 64"),
                (("--launch", "3"), "--launch 3: no such launch, the capture holds 1 (counted from 0)"),
                (("--assign", "nowhere"), "--assign nowhere: cannot read"),
                (("--policy", "warp"), "unrecognised option '--policy', expected: cachesim timed CAPTURE"),
                (("--write-assignment", "none/a"), "none/a: cannot write: No such file or directory")):
            self.refuse("good.wtrace", "--preset", "v100", *words, expected=expected)
        (self.folder / "short").write_text("0\n1\n")
        self.refuse("good.wtrace", "--preset", "v100", "--assign", "short", expected="short:3: the file ends, expected 4 lines")
        (self.folder / "high").write_text("0\n80\n0\n0\n")
        self.refuse("good.wtrace", "--preset", "v100", "--assign", "high", expected="high:2")

    def test_outputs(self):
        for path, expected in (("none/x.json", "none/x.json: cannot write: No such file or directory"),
                               ("/dev/full", "/dev/full: cannot write: No space left on device")):
            with self.subTest(path):
                self.assert_refused(self.call("cachesim", "timed", "good.wtrace", "--preset", "v100", "--json", path), expected)


if __name__ == "__main__":
    unittest.main()
