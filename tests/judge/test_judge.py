"""warpscope judge: verdicts, references of every kind, the same bytes everywhere, and one line for what is wrong with the input."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import jsonschema

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "endtoend"))

from support import BIN, SOURCE, ToolTest  # noqa: E402
from sampled import VARIABLE, load_quarter as load_tests  # noqa: F401,E402

SUM = """kernel void rows(global const float *in, global float *out, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += in[get_global_id(0) * n + k];
  out[get_global_id(0)] = sum;
}
"""
LAUNCH = {"kernel": "rows", "global": [512], "local": [64], "args": {"in": {"count": "gx*n", "fill": "random(1)"}, "out": {"count": "gx"}, "n": 24},
          "sizes": {"small": {"global": [128]}}}
NOBODY = 65534
BUSY = () if os.environ.get(VARIABLE) == "all" else ("nice", "-n", "19")  # they wait for a processor as well, but take little of it
SCHEMA = json.loads((SOURCE / "docs" / "schema" / "judge-1.json").read_text())


class Judge(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("rows.cl", SUM)
        (self.folder / "rows.launch").write_text(json.dumps(LAUNCH))

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return name

    def judge(self, candidate, *words, reference="rows.cl", status=0, short=True):
        """(report, standard output) of a judgement; a `short` one is of the smallest size, and without costs."""
        quick = ["--sizes", "small", "--no-cost"] if short else []
        done = self.call("warpscope", "judge", candidate, "--reference", reference, "--json", "v.json", *quick, *words)
        self.assertEqual(done.returncode, status, done.stdout.decode() + done.stderr.decode())
        report = json.loads((self.folder / "v.json").read_text())
        jsonschema.Draft202012Validator(SCHEMA).validate(report)
        return report, done.stdout.decode()

    def variant(self, name, old, new):
        self.assertIn(old, SUM)
        return self.write(name, SUM.replace(old, new))

    def refused(self, words, message, status=2):
        done = self.call("warpscope", "judge", *words)
        self.assert_refused(done, message, status)
        self.assertEqual(len(done.stderr.decode().strip().splitlines()), 1, done.stderr.decode())

    def test_accepted_with_costs(self):
        backwards = self.variant("fast.cl", "int k = 0; k < n; ++k", "int k = n - 1; k >= 0; --k")
        report, said = self.judge(backwards, short=False)
        self.assertEqual([one["name"] for one in report["sizes"]], ["small", "odd", "default"])
        self.assertEqual(len(report["compared"]), 9)
        odd = report["sizes"][1]["global"][0]
        self.assertEqual((odd % 64, odd // 64 % 2), (0, 1))
        self.assertEqual(report["sizes"][2]["terms"], 24)
        self.assertEqual((report["sizes"][0]["inputs"], report["sizes"][0]["outputs"]), (["in"], ["out"]))
        cost = report["cost"]
        # 16 warps, 24 loads each and a store; 32 lanes read 24 rows apart, three sectors of 32 bytes each: 32 sectors a load.
        self.assertEqual((cost["candidate"]["requests"], cost["candidate"]["sectors"]), (16 * 25, 16 * (24 * 32 + 4)))
        self.assertEqual(cost["candidate"]["requests"], cost["reference"]["requests"])
        self.assertEqual(cost["speedup"]["says"], "no difference that we can vouch for")
        self.assertEqual(cost["bound"]["bytes"], 4 * (512 * 24 + 512))
        self.assertIn("accepted: fast.cl, reference rows.cl", said)

    def test_the_same_bytes(self):
        """In another folder, as a copy, with another cache, with 20 processes that wait for a processor, on one thread and on two, as another user, twice."""
        self.variant("fast.cl", "sum += in", "sum = sum + in")
        self.judge("fast.cl", short=False)
        first = (self.folder / "v.json").read_bytes()
        other = self.folder / "other folder"
        shutil.copytree(self.folder, other)
        busy = [subprocess.Popen([*BUSY, "/bin/sh", "-c", "while :; do :; done"]) for _ in range(20)]
        try:
            for where, cache, threads in ((self.folder, "", "2"), (other, str(self.folder / "cache"), "1")):
                self.assertEqual(self.bytes_of(where, cache, threads), first)
        finally:
            for process in busy:
                process.kill()
                process.wait()
        self.assertEqual(self.bytes_of(other, str(self.folder / "cache"), "2", **self.somebody_else(other)), first)

    def bytes_of(self, where, cache, threads, **process):
        words = [str(BIN / "warpscope"), "judge", "fast.cl", "--reference", "rows.cl", "--json", "-"]
        return subprocess.run(words, cwd=where, stdin=subprocess.DEVNULL, capture_output=True, check=True,
                              env={**os.environ, "WARPSCOPE_CACHE": cache, "POCL_MAX_PTHREAD_COUNT": threads}, **process).stdout

    def somebody_else(self, folder):
        """How a process of another user is started, where that is allowed and they can read our tools."""
        if os.geteuid() != 0:
            return {}
        process = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        for path in (folder, self.folder / "cache", *folder.rglob("*"), *(self.folder / "cache").rglob("*")):
            os.chown(path, NOBODY, NOBODY)
        self.folder.chmod(0o755)
        seen = subprocess.run(["test", "-x", str(BIN / "cachesim")], check=False, **process)
        return process if seen.returncode == 0 else {}

    def test_what_a_reference_was_compiled_to_is_kept(self):
        """A candidate's is not, also where both are the same text."""
        self.write("again.cl", SUM)
        compiled = []
        for candidate in ("again.cl", self.variant("fast.cl", "sum += in", "sum = sum + in")):
            done = self.call("warpscope", "judge", candidate, "--reference", "rows.cl", "--sizes", "small", "--no-cost", environment={"WARPSCOPE_CACHE": str(self.folder / "kept")})
            self.assertEqual(done.returncode, 0, done.stderr)
            archives = [path for path in (self.folder / "kept").rglob("*") if path.is_file() and b"rows.so" in path.read_bytes()]
            compiled.append([(path, path.read_bytes()) for path in archives])
        self.assertEqual((len(compiled[0]), compiled[1]), (1, compiled[0]))

    def test_wrong_values_and_the_seed_that_repeats_them(self):
        few = self.variant("few.cl", "k < n", "k < n - 1")
        report, said = self.judge(few, status=4)
        reason = report["reasons"][0]
        self.assertEqual((report["verdict"], reason["code"], reason["element"]["buffer"], reason["size"]), ("refused", "wrong-value", "out", "small"))
        self.assertIsNone(report["cost"])
        again, _ = self.judge(few, "--seed", report["seed"], status=4)
        self.assertEqual(again["reasons"], report["reasons"])
        other, _ = self.judge(few, "--seed", "another", status=4)
        self.assertNotEqual(other["reasons"], report["reasons"])
        self.assertIn(f"seed {report['seed']}", said)

    def test_precision_and_rules(self):
        product = self.variant("rounded.cl", "sum += in[get_global_id(0) * n + k]", "sum += in[get_global_id(0) * n + k] * 1.00001f")
        self.assertEqual(self.judge(product, status=4)[0]["reasons"][0]["code"], "wrong-value")
        self.assertEqual(self.judge(product, "--tolerance", "1e-4")[0]["verdict"], "accepted")
        backwards = self.variant("backwards.cl", "int k = 0; k < n; ++k", "int k = n - 1; k >= 0; --k")
        self.assertEqual(self.judge(backwards, "--exact", status=4)[0]["reasons"][0]["code"], "wrong-value")

    def test_faults(self):
        behind = self.variant("behind.cl", "out[get_global_id(0)] = sum;", "out[get_global_id(0)] = sum + 0 * in[get_global_size(0) * n];")
        self.assertEqual(self.judge(behind, status=4)[0]["reasons"][0]["code"], "out-of-bounds")
        self.write("null.cl", SUM.replace("out[get_global_id(0)] = sum;", "*(global float *)(n - 24L) = sum;"))
        report, _ = self.judge("null.cl", status=4)
        self.assertEqual(report["reasons"][0]["code"], "invalid-address")

    def test_inputs_come_back(self):
        inside = self.write("inside.cl", SUM.replace("const float", "float").replace("out[get_global_id(0)] = sum;", "in[get_global_id(0) * n] = out[get_global_id(0)] = sum;"))
        codes = [one["code"] for one in self.judge(inside, status=4)[0]["reasons"]]
        self.assertEqual(set(codes), {"input-changed"})

    def test_sums_that_go_on(self):
        """The launch file's zeros are what is added to."""
        adds = SUM.replace("out[get_global_id(0)] = sum;", "out[get_global_id(0)] += sum;")
        self.write("adds.cl", adds)
        launch = json.loads(json.dumps(LAUNCH))
        launch["args"]["out"]["fill"] = "zero"
        (self.folder / "rows.launch").write_text(json.dumps(launch))
        self.assertEqual(self.judge("adds.cl", "--launch-file", "rows.launch", reference="adds.cl")[0]["verdict"], "accepted")
        report, _ = self.judge("rows.cl", "--launch-file", "rows.launch", reference="adds.cl", status=4)
        self.assertEqual({one["values"] for one in report["reasons"]}, {"structured"})

    def test_no_end(self):
        endless = self.variant("endless.cl", "out[get_global_id(0)] = sum;", "volatile global const float *p = in; while (*p < 1e30f);\n  out[get_global_id(0)] = sum;")
        report, _ = self.judge(endless, "--cpu-seconds", "3", status=4)
        self.assertEqual([one["code"] for one in report["reasons"]], ["no-end"])

    def test_the_reference_is_blamed(self):
        self.variant("bad.cl", "out[get_global_id(0)] = sum;", "out[get_global_id(0)] = sum + 0 * in[get_global_size(0) * n];")
        report, _ = self.judge("rows.cl", "--launch-file", "rows.launch", reference="bad.cl", status=4)
        self.assertEqual(report["reasons"][0]["code"], "reference-out-of-bounds")
        self.write("nothing.cl", "kernel void rows(global const float *in, global float *out, int n) {}\n")
        report, _ = self.judge("rows.cl", "--launch-file", "rows.launch", reference="nothing.cl", status=4)
        self.assertEqual(report["reasons"][0]["code"], "reference-no-output")

    def test_a_function_as_reference(self):
        text = SUM.replace("*in", "*values").replace("in[", "values[")
        self.write("k.cl", text)
        launch = json.loads(json.dumps(LAUNCH).replace('"in"', '"values"'))
        (self.folder / "k.launch").write_text(json.dumps(launch))
        self.write("model.py", "def returned(values, n):\n    return {'out': values.reshape(-1, n).astype('f8').sum(axis=1)}\n"
                               "def changed(values, out, n):\n    out[:] = values.reshape(-1, n).astype('f8').sum(axis=1)\n"
                               "def wrong(values, n):\n    return {'out': values.reshape(-1, n).max(axis=1)}\n"
                               "def short(values, n):\n    return {'out': values[:3]}\n"
                               "def other(values):\n    return {'sums': values}\n"
                               "def fails(values):\n    return values[10**9]\n"
                               "def lists(values):\n    return [values]\n"
                               "def nothing(values):\n    pass\n"
                               "def takes(x):\n    pass\n")
        for name in ("returned", "changed"):
            report, _ = self.judge("k.cl", reference=f"model.py:{name}")
            self.assertEqual(report["verdict"], "accepted")
        self.assertIsNone(self.judge("k.cl", "--sizes", "small", reference="model.py:returned", short=False)[0]["cost"]["reference"])
        self.assertEqual(self.judge("k.cl", reference="model.py:wrong", status=4)[0]["reasons"][0]["code"], "wrong-value")
        self.assertEqual(self.judge("k.cl", reference="model.py:nothing", status=4)[0]["reasons"][0]["code"], "reference-no-output")
        for name, message in (("short", "'out' has 3 numbers, expected 128"), ("other", "'sums' is no buffer"), ("fails", "IndexError"), ("lists", "returns list"),
                              ("takes", "takes 'x'"), ("missing", "no function missing")):
            self.refused(["k.cl", "--reference", f"model.py:{name}"], message)
        self.refused(["k.cl", "--reference", "none.py:f"], "none.py: no such file")
        self.write("broken.py", "def f(:\n")
        self.refused(["k.cl", "--reference", "broken.py:f"], "broken.py: SyntaxError")

    def test_machine_code(self):
        """Executed, and compared with NumPy's product."""
        cubin = SOURCE / "tests" / "unit" / "machine" / "data" / "kernels" / "sm_90" / "mm_tiled.cubin"
        self.write("model.py", "def product(param_0, param_1, param_3):\n    n = param_3\n"
                               "    return {'param_2': param_0.reshape(n, n).astype('f8') @ param_1.reshape(n, n)}\n")
        words = ["--grid", "3,3", "--block", "16,16", "--arg", "param_3=48"]
        words += [word for number in (0, 1, 2) for word in ("--arg", f"param_{number}=count=2304,type=float,fill={'random(1)' if number < 2 else 'zero'}")]
        report, _ = self.judge(cubin, *words, "--sizes", "default", reference="model.py:product", short=False)
        self.assertEqual((report["sizes"][0]["outputs"], len(report["compared"])), (["param_2"], 3))
        self.assertGreater(report["cost"]["candidate"]["cycles"], 0)

    def test_a_candidate_with_its_own_launch(self):
        self.write("two.cl", "kernel void both(global const float *in, global float *out, int n) {\n"
                             "  for (int row = 0; row < ROWS; ++row) {\n    float sum = 0;\n    int at = get_global_id(0) * ROWS + row;\n"
                             "    for (int k = 0; k < n; ++k) sum += in[at * n + k];\n    out[at] = sum;\n  }\n}\n")
        own = {"kernel": "both", "global": [256], "local": [32], "defines": {"ROWS": 2}, "args": {"in": {"count": 1}, "out": {"count": 1}, "n": 24},
               "sizes": {"small": {"global": [64]}}}
        (self.folder / "two.launch").write_text(json.dumps(own))
        report, _ = self.judge("two.cl", short=False)
        self.assertEqual([one["global"][0] for one in report["sizes"]][::2], [128, 512])
        (self.folder / "two.launch").unlink()
        report, _ = self.judge("two.cl", "--sizes", "default", "--candidate-options", "--kernel both --global 128 -D ROWS=4")
        self.assertEqual(len(report["compared"]), 3)

    def test_launches_by_options(self):
        """Without a launch file, and with options that an odd size replaces."""
        (self.folder / "rows.launch").unlink()
        launch = ("--global", "256", "--local=64", "--arg", "in=count=gx*n,fill=random(1)", "--arg", "out=count=gx", "--arg", "n=24", "--no-cost")
        report, _ = self.judge("rows.cl", *launch, "--candidate-options", "-D X", short=False)
        self.assertEqual([one["name"] for one in report["sizes"]], ["odd", "default"])
        self.write("rows.launch", json.dumps(LAUNCH))
        report, _ = self.judge("rows.cl", "--candidate-options", "--local 32", "--no-cost", short=False)
        self.assertEqual(len(report["compared"]), 9)

    def test_at_least(self):
        spoiled = self.variant("slow.cl", "int n) {", "int n) {\n  volatile private int turns = 0;\n  while (turns < 3000) ++turns;")
        report, said = self.judge(spoiled, "--sizes", "default", short=False)
        self.assertEqual(report["cost"]["speedup"]["says"], "slower")
        self.assertIn("slower: 0.", said)
        report, _ = self.judge("rows.cl", "--sizes", "default", "--at-least", "1.1x", status=4, short=False)
        self.assertEqual(report["reasons"][0]["code"], "not-shown-faster")
        report, _ = self.judge("rows.cl", "--launch-file", "rows.launch", "--sizes", "default", "--at-least", "1.1x", reference="slow.cl", short=False)
        self.assertGreaterEqual(report["cost"]["speedup"]["least"], 1.1)

    def test_bad_input(self):
        self.write("no.cl", "kernel void rows(global float *in) { nothing; }\n")
        self.write("other.cl", SUM.replace("*out", "*result").replace("out[", "result["))
        for words, message in (
                (["rows.cl"], "--reference is missing"), (["rows.cl", "--reference", "rows.cl", "--json", "none/v.json"], "--json none/v.json"), (["--reference", "rows.cl"], "expected the candidate's file first"),
                (["none.cl", "--reference", "rows.cl"], "none.cl"), (["rows.cl", "--reference", "none.cl"], "none.cl"),
                (["rows.launch", "--reference", "rows.cl"], "expected a kernel"), (["rows.cl", "--reference", "rows.cl", "--at-least", "fast"], "--at-least fast"),
                (["rows.cl", "--reference", "rows.cl", "--tolerance", "2"], "--tolerance 2"), (["rows.cl", "--reference", "rows.cl", "--sizes", "huge"], "'huge'.*small"),
                (["rows.cl", "--reference", "rows.cl", "--exact", "--tolerance", "1e-3"], "not together"),
                (["rows.cl", "--reference", "rows.cl", "--cpu-seconds", "0"], "--cpu-seconds 0"), (["rows.cl", "--reference", "rows.cl", "--work-groups", "0"], "--work-groups"),
                (["rows.cl", "--reference", "rows.cl", "--gpu", "h101"], "h101"), (["rows.cl", "--reference", "rows.cl", "--no-cost", "--at-least", "2"], "--no-cost"),
                (["rows.cl", "--reference", "rows.cl", "--", "./app"], "--outputs"),
                (["other.cl", "--reference", "rows.cl", "--no-cost"], "'out'")):
            with self.subTest(words=words):
                self.refused(words, message)
        for text, message in (("--nvcc-options -O1", "'--nvcc-options'"), ("--build-options '-Xclang -load'", "build option -Xclang"), ("--build-options=-fplugin=x.so", "build option -fplugin"),
                              ("x", "'x'")):
            self.refused(["rows.cl", "--reference", "rows.cl", "--candidate-options", text], message)
        self.refused(["no.cl", "--reference", "rows.cl"], "the candidate: no.cl: does not compile: no.cl:1:.*use of undeclared identifier 'nothing'")
        done = self.call("warpscope", "judge")
        self.assertEqual((done.returncode, done.stdout.decode().splitlines()[0][:18]), (2, "Judges a candidate"))

    def test_confinement_is_said(self):
        report, _ = self.judge("rows.cl")
        self.assertTrue(report["confined"]["seccomp"])
        report, _ = self.judge("rows.cl", "--unconfined")
        self.assertIsNone(report["confined"])

    def test_python(self):
        program = "import warpscope\nv = warpscope.judge('rows.cl', 'rows.cl', sizes=['small'], cost=False)\nprint(v.accepted, v.reasons, v.text.splitlines()[0])\n"
        done = subprocess.run(["/usr/bin/python3", "-c", program], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(SOURCE / "python"), "WARPSCOPE_BIN": os.environ.get("WARPSCOPE_BIN", str(SOURCE / "build/release/bin"))})
        self.assertEqual(done.stdout, "True [] accepted: rows.cl, reference rows.cl\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
