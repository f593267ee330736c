"""hw-profile --families: OpenCL kernels as CUDA source, lists of launches, and what a call with stand-ins writes."""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from stand_ins import StandInTest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from sampled import VARIABLE, some  # noqa: E402

from collect import family_launches, measurements, one_file, opencl_source, suite_launches
from warpscope.base.errors import InputError

BIN = pathlib.Path(os.environ["WARPSCOPE_BIN"])
LIST = "launch,file,options,part\n"


class Translation(unittest.TestCase):
    def test_what_macros_cannot_say_is_written_anew(self):
        text = ("float half_of(float x) {\n  return x / 2;\n}\n"
                "__kernel void k(__global float *out, __constant float *table) {\n"
                "  __local float tile[8][9];\n  __local float *row = tile[1];\n"
                "  *(__global float4 *)out = (float4)(row[0], 1, 2, table[3]);\n}\n")
        self.assertEqual(opencl_source.as_cuda(text, "k.cl", "/x/opencl.cuh", {"out": 4, "table": 225}),
                         '#include "/x/opencl.cuh"\n__constant__ float table[225];\n#line 1 "k.cl"\n'
                         "__device__ float half_of(float x) {\n  return x / 2;\n}\n"
                         "__kernel void k(__global float *out) {\n"
                         "  __shared__ float tile[8][9];\n  float *row = tile[1];\n"
                         "  *(__global float4 *)out = make_float4(row[0], 1, 2, table[3]);\n}\n")

    def test_local_memory_as_an_argument_is_refused(self):
        with self.assertRaisesRegex(InputError, r"^k\.cl: __kernel void k: a parameter in local memory, expected a variable of the kernel$"):
            opencl_source.as_cuda("__kernel void k(__global int *a, __local int *b) {}", "k.cl", "o.cuh", {})

    def counts(self, source, launch, folder):
        """Requests, transactions and misses of a capture at its small size."""
        capture, result = folder / "x.wtrace", folder / "x.json"
        size = ["--size", "small"] if "small" in json.loads(re.sub(r"//.*", "", launch.read_text())).get("sizes", {}) else []
        for words in ([BIN / "trace-kernel", source, "--launch-file", launch, *size, "-o", capture],
                      [BIN / "cachesim", capture, "--gpu", "h100", "--policy", "warp", "--json", result]):
            done = subprocess.run(words, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        total = json.loads(result.read_text())["total"]
        return {kind: [total[kind][name] for name in ("requests", "transactions", "misses")] for kind in ("load", "store")}

    def test_the_translation_makes_the_same_accesses(self):
        """Of a sixth of the translated files (sampled.py), with scripts/test --long kernels of all."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        launches = reversed(family_launches.find(suite_launches.FAMILIES, folder))  # of several of one file the first counts
        files = {one.file.name: one for one in launches if one.source != one.file}
        self.assertGreater(len(files), 18)
        for name in some(files):
            with self.subTest(name, again=f"{VARIABLE}=all /usr/bin/python3 -B {__file__}"):
                one = files[name]
                if "__constant" not in one.file.read_text():  # a variable there, an argument here: not the same program to trace-kernel
                    self.assertEqual(self.counts(one.source, one.path, folder), self.counts(one.file, one.path, folder))


class Lists(StandInTest):
    def list(self, *rows, head=LIST):
        path = self.folder / "list.csv"
        path.write_text(head + "".join(f"{row}\n" for row in rows))
        return path

    def refusal(self, path):
        with contextlib.suppress(StopIteration), self.assertRaises(InputError) as caught:
            family_launches.find(path, self.folder)
        return str(caught.exception)

    def test_what_is_wrong_with_a_list_is_named(self):
        file = "validation/hardware/families/transpose/transpose.cl"
        self.assertIn("expected a list of launches", self.refusal(self.folder / "none.csv"))
        self.assertTrue(self.refusal(self.list(head="a,b\n")).endswith("list.csv:1: expected the columns launch,file,options,part"))
        self.assertIn("list.csv:2: expected launch,file,options,part, with a file of this source tree", self.refusal(self.list("a/b,none.cl,,")))
        self.assertIn("list.csv:2: expected", self.refusal(self.list(f"a/b,{file}")))
        self.assertEqual(self.refusal(self.list(f"a/b,{file},--global 4,")), "a/b: options '--global 4', expected -D NAME=VALUE and nothing else")
        self.assertIn("no launch of any family", self.refusal(self.list()))

    def test_a_launch_of_a_list_is_measured_and_says_how_it_is_captured(self):
        families = self.checkout / "validation" / "hardware" / "families" / "own"
        families.mkdir(parents=True)
        (families / "own.cl").write_text("__kernel void own(__global float *x) { x[get_global_id(0)] = N; }\n")
        (families / "own.launch").write_text(json.dumps({"kernel": "own", "global": [64], "local": [32], "defines": {"N": 1},
                                                         "args": {"x": {"count": 64, "fill": "zero"}}}))
        path = self.list("own/first,validation/hardware/families/own/own.cl,-D N=2,--work-groups every:2")
        done = self.profile("--families", path, "--steps", "counted")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.called("timed"), 0)
        csv = self.folder / "out/nvidia-test-1/2026-01-02-families.csv"
        (own,) = measurements.read(csv)[1]
        self.assertEqual((own.launch, own.counters["load.requests"]), ("own/first", (1001, 1000, 1002)))
        (one,) = one_file.read(csv.with_suffix(".json"))["launches"]
        self.assertEqual((one["launch"], one["family"], one["file"]), ("own/first", "own", "validation/hardware/families/own/own.cl"))
        self.assertEqual(one["options"], ["--launch-file", "validation/hardware/families/own/own.launch", "-D", "N=2", "--work-groups", "every:2"])


if __name__ == "__main__":
    unittest.main()
