"""warpscope model --rank: variants of a kernel in the order of each model."""
import csv
import json
import unittest

from captured_models import Captured
from support import SOURCE


class Ranking(Captured):
    """Orders of variants: every time is that of a single prediction."""
    BY = "gpuperf@c2050,roofline@k40,timed@k40"

    def ranked(self, *words):
        for tile in (8, 16, 32):
            self.capture("mm_tiled", "-D", f"TILE={tile}", "--global", "64,64", output=f"t{tile}.wtrace")
        captures = [f"t{tile}.wtrace" for tile in (8, 16, 32)]
        return json.loads(self.run_tool("warpscope", "model", "--rank", *captures, *words, "--json", "-"))

    def test_times_are_those_of_single_predictions(self):
        (self.folder / "times.csv").write_text("variant,card\nt8,3\nt16,2\nt32,1\n")
        content = self.ranked("--by", self.BY, "--times", "times.csv", "--csv", "times-of-all.csv", "--chart", "signs")
        self.assertEqual((content["variants"], content["reference"]), (["t8", "t16", "t32"], "card"))
        for at, variant in enumerate(content["variants"]):
            for name in ("gpuperf@c2050", "roofline@k40"):
                model, _, gpu = name.partition("@")
                self.assertEqual(content["times"][name][at], self.model(model, gpu, f"{variant}.wtrace")["seconds"])
            timed = self.result("timed", f"{variant}.wtrace", "--gpu", "k40")
            self.assertEqual(content["times"]["timed@k40"][at], timed["total"]["timing"]["cycles"])
        self.assertEqual(len((self.folder / "times-of-all.csv").read_text().splitlines()), 4)
        self.assertEqual(len(list(self.folder.glob("signs-*.png"))), 3)
        pair = next(pair for pair in content["pairs"] if pair["columns"] == ["gpuperf@c2050", "card"])
        self.assertEqual((pair["kendall"], pair["signs_alike"]), (1, 3))

    def test_who_cannot_predict_is_said(self):
        notes = self.ranked("--gpu", "k40")["notes"]
        self.assertIn("gpuperf: not applicable: no parameters of k40 with a source; known: c2050", notes)
        self.capture("mm", "--size", "small", output="mm.wtrace")
        text = self.run_tool("warpscope", "model", "--rank", "t8.wtrace", "mm.wtrace", "--gpu", "c2050").decode()
        self.assertIn("Against timed, times within 10 % as equal", text)

    def test_a_variant_that_one_gpu_cannot_launch(self):
        """32 KiB of local memory: a c1060 has 16, a gtx480 48."""
        (self.folder / "local.cl").write_text("""__kernel void local_sum(__global float* a) {
  __local float t[N];
  t[get_local_id(0)] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = t[63 - get_local_id(0)];
}
""")
        for words in ("256", "8192"):
            self.run_tool("trace-kernel", "local.cl", "-D", f"N={words}", "--global", "256", "--local", "64", "--arg", "a=count=256", "-o", f"n{words}.wtrace")
        rank = ("model", "--rank", "n256.wtrace", "n8192.wtrace", "--by", "dasgupta@c1060,timed@gtx480")
        text = self.run_tool("warpscope", *rank).decode()
        self.assertRegex(text, r"\nn8192 +not applicable +[\d,]+ +\([\d.]+\)\n")
        self.assertIn("\ndasgupta@c1060: c1060 cannot launch it (1 of 2 variants)\n", text)
        self.assertRegex(self.run_tool("warpscope", *rank, "--csv", "-").decode(), r"\nn8192,not applicable,\d+\n")
        self.assertIsNone(json.loads(self.run_tool("warpscope", *rank, "--json", "-"))["times"]["dasgupta@c1060"][1])

    def test_tune_by_a_model(self):
        words = ["mm_tiled.cl", "-D", "TILE=8,16,32", "--global", "64,64", "--gpu", "k40", "-o", "out"]
        words[0] = SOURCE / "benchmarks" / "kernels" / "mm_tiled" / "mm_tiled.cl"
        text = self.run_tool("warpscope", "tune", *words, "--by", "gpuperf@c2050,roofline").decode()
        self.assertIn("time by gpuperf@c2050, the least first", text)
        self.assertRegex(text, r"Against cycles of k40.*:\n  gpuperf@c2050: tau")
        with open(self.folder / "out" / "results.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        content = self.ranked("--by", "gpuperf@c2050,roofline@k40")
        for row in rows:
            at = content["variants"].index(f"t{row['TILE']}")
            self.assertEqual([float(row[name]) for name in ("gpuperf@c2050", "roofline")],
                             [content["times"][name][at] for name in ("gpuperf@c2050", "roofline@k40")])
        self.assertEqual([row["rank"] for row in rows], ["1", "2", "3"])
        self.assertEqual(sorted(rows, key=lambda row: float(row["gpuperf@c2050"])), rows)
        self.assertIn("3 of them earlier", self.run_tool("warpscope", "tune", *words, "--by", "gpuperf@c2050,roofline").decode())
        self.assert_refused(self.call("warpscope", "tune", *words, "--by", "gpuperf"), "--by gpuperf: not applicable: no parameters of k40")


if __name__ == "__main__":
    unittest.main()
