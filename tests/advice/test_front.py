"""warpscope: advice is what the same what-if says, appears where it is looked for, and ends with its budget."""
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "endtoend"))
from support import BIN, SOURCE, ToolTest  # noqa: E402

os.environ["WARPSCOPE_BIN"] = str(BIN)
sys.path.insert(0, str(SOURCE / "python"))
from warpscope.commands import what_if  # noqa: E402
from warpscope.explore import whatif  # noqa: E402

PLANTED = SOURCE / "tests" / "endtoend" / "planted"
PROGRAM = """
__kernel void rows(__global const float* m, __global float* out) {
  float sum = 0;
  for (uint k = 0; k < 256; ++k) sum += m[get_global_id(0) * 256 + k];
  out[get_global_id(0)] = sum;
}
"""


class Front(ToolTest):
    def advice(self, *words):
        """(advice of the result, lines that warpscope prints)."""
        done = self.call("warpscope", *words, "--no-plots", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        lines = done.stdout.decode().splitlines()
        if "--details" not in words:
            self.assertLessEqual(len(lines), 25)
            self.assertLessEqual(max(map(len, lines)), 100)
        return json.loads((self.folder / "out" / "result.json").read_text())["advice"], lines

    def test_it_is_what_the_what_if_says(self):
        self.capture("mt_tiled", "--size", "small", output="mt.wtrace")
        advice, lines = self.advice("mt.wtrace", "--gpu", "gtx480")
        first = advice["given"][0]
        self.assertEqual((first["rule"], first["change"], first["buffers"], first["line"]), ("bank-conflicts", ["--pad", "tile=+1"], ["tile"], 12))
        expected, _ = whatif.answer(what_if.parse([str(self.folder / "mt.wtrace"), *first["change"], "--gpu", "gtx480"])[0])
        self.assertEqual((first["fixed"], first["timed"]), (expected["fixed"], expected["timed"]))
        cycles = first["timed"]
        self.assertAlmostEqual(first["gain"]["factor"], cycles["before"]["cycles"] / cycles["after"]["cycles"])
        at = next(number for number, line in enumerate(lines) if line.startswith("1. mt_tiled.cl:12 load tile: bank conflicts"))
        self.assertRegex(lines[at + 1], r"what-if --pad tile=\+1: \d\.\d\d × as fast \(\d\.\d\d to \d\.\d\d\)")
        self.assertEqual(lines[-1], "Next: warpscope what-if mt.wtrace --pad tile=+1 --gpu gtx480")

    def test_everything_is_in_the_report_and_in_the_page(self):
        self.capture("mt_tiled", "--size", "small", output="mt.wtrace")
        advice, _ = self.advice("mt.wtrace", "--gpu", "gtx480")
        text = (self.folder / "out" / "report.txt").read_text()
        page = (self.folder / "out" / "report.html").read_text()
        self.assertIn(advice["given"][0]["opencl"], text)
        self.assertIn(advice["given"][0]["opencl"], page)
        self.assertNotIn("__shared__", text)  # the kernel's language is OpenCL C

    def test_a_program_gains_in_the_kernel_that_is_changed(self):
        (self.folder / "rows.cl").write_text(PROGRAM)
        self.run_tool("trace-kernel", "rows.cl", "--global", "4096", "--local", "128", "--arg", f"m=count={4096 * 256},fill=iota",
                      "--arg", "out=count=4096,fill=zero", "-o", "rows.wtrace")
        advice, lines = self.advice("rows.wtrace", "--gpu", "gtx480")
        self.assertEqual((advice["given"][0]["rule"], advice["given"][0]["change"]), ("column-wise", ["--transpose", "m=4096x256:4"]))
        # 128 warps read 256 elements for each of 32 lanes: a line each before, one line for all after. And 128 stores.
        fixed = advice["given"][0]["fixed"]
        self.assertEqual(fixed["before"]["transactions"], 128 * 256 * 32 + 128)
        self.assertEqual(fixed["after"]["transactions"], 128 * 256 + 128)
        self.assertIn("column-wise", "".join(lines))

    def test_a_good_kernel_gets_none(self):
        for gpu in ("gtx480", "h100"):
            items = 8 * 132 * 256  # no core of an H100 without work
            advice, _ = self.advice(PLANTED / "good.cl", "--global", items, "--local", 256, "--arg", f"out=count={items},fill=zero", "--arg",
                                  f"in=count={items},fill=iota", "--gpu", gpu)
            self.assertEqual((advice["given"], advice["no_gain"]), ([], []))

    def test_no_budget(self):
        self.capture("mt_tiled", "--size", "small", output="mt.wtrace")
        advice, lines = self.advice("mt.wtrace", "--advice-budget", "0")
        self.assertEqual((advice["given"], advice["not_tried"]), ([], []))
        advice, lines = self.advice("mt.wtrace", "--advice-budget", "1K")
        self.assertEqual(advice["given"], [])
        self.assertIn("--pad tile=+1", "".join(line for line in lines if line.startswith("Not tried with 1.0 K of work (--advice-budget): ")))

    def test_refused(self):
        self.capture("mt_tiled", "--size", "small", output="mt.wtrace")
        for value in ("-1", "soon", "nan", "20s"):
            self.assert_refused(self.call("warpscope", "mt.wtrace", "--advice-budget", value),
                                f"--advice-budget {value}: expected a number of look-ups and warp instructions")
        self.assert_refused(self.call("warpscope", "mt.wtrace", "--advice-seconds", "20"), "expected --advice-budget WORK, such as 600M")

    def test_options_that_what_if_does_not_take(self):
        self.capture("mt_tiled", "--size", "small", output="mt.wtrace")
        advice, lines = self.advice("mt.wtrace", "--cache", "16,128,4,LRU,WTNA")
        self.assertEqual(advice["why_not"], "what-ifs are not simulated with --cache")
        self.assertIn("No advice: what-ifs are not simulated with --cache", lines)


if __name__ == "__main__":
    unittest.main()
