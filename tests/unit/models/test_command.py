"""warpscope model: an answer fed back gives itself, every input has its origin, bad input is one line."""
import csv
import json
import subprocess
import unittest

import support
from support import SOURCE, CommandTest

EXAMPLE = SOURCE / "models" / "examples" / "hong-kim.json"
GPUPERF = ["--model", "gpuperf", "--gpu", "c2050"] + [word for name, value in dict(
    insts=1000, memory_insts=60, sync_insts=2, sfu_insts=200, fp_insts=300, total_warps=13440, warps_per_core=16, miss_ratio=0.6,
    transactions_per_request=4, data_bytes=16777216).items() for word in ("--set", f"{name}={value}")]
CALLS = {
    "hong-kim": ["--model", "hong-kim", "--inputs", EXAMPLE],
    "dasgupta": ["--model", "dasgupta", "--gpu", "c1060", "--set", "requests=400", "--set", "insts=7942", "--set", "transactions_32b=800",
                 "--set", "warps_per_core=32", "--set", "groups_per_core=4", "--set", "work_groups=120"],
    "gpuperf": GPUPERF,
    "spt": ["--model", "spt", "--gpu", "gtx770", "--set", "algorithm=ks-sort", "--set", "keys=536870912", "--set", "ways=3"],
    "roofline": ["--model", "roofline", "--gpu", "h100", "--set", "flops=1e12", "--set", "global_bytes=3.5e9"],
    "sgemm": ["--model", "sgemm", "--gpu", "k20", "--set", "rows=384", "--set", "columns=384", "--set", "depth=384"]}


class RoundTrip(CommandTest):
    def test_covers_every_model(self):
        self.assertEqual(sorted(CALLS), sorted(support.catalogue.MODELS))

    def test_an_answer_fed_back_is_itself(self):
        for model, words in CALLS.items():
            with self.subTest(model):
                first = self.run_model(*words, "--json", "first.json")
                second = self.run_model("--model", model, "--inputs", "first.json", "--json", "second.json")
                self.assertEqual(first, second)
                self.assertEqual((self.folder / "first.json").read_bytes(), (self.folder / "second.json").read_bytes())

    def test_the_inputs_alone_are_enough(self):
        for model, words in CALLS.items():
            content = json.loads(self.run_model(*words, "--json", "-"))
            (self.folder / "bare.json").write_text(json.dumps(content["inputs"]))
            again = json.loads(self.run_model("--model", model, "--inputs", "bare.json", "--json", "-"))
            self.assertEqual({**again, "gpu": content["gpu"]}, content)

    def test_origins_are_named(self):
        origins = {name: value["origin"] for name, value in json.loads(self.run_model(*GPUPERF, "--json", "-"))["inputs"].items()}
        self.assertEqual((origins["insts"], origins["ilp"]), ("user", "default of the model"))
        self.assertRegex(origins["dram_latency"], "machine c2050: Sim et al.")

    def test_csv_has_inputs_and_parts(self):
        rows = list(csv.DictReader(self.run_model(*GPUPERF, "--csv", "-").splitlines()))
        by_name = {row["name"]: row for row in rows}
        self.assertEqual((by_name["T_exec"]["kind"], float(by_name["T_exec"]["value"])), ("part", 4881600.0))
        self.assertEqual((by_name["dram_latency"]["value"], by_name["dram_latency"]["unit"]), ("440", "cycles"))

    def test_a_value_of_the_user_goes_before_the_machine(self):
        (self.folder / "more.json").write_text('{"dram_latency": {"value": 900, "unit": "cycles"}}')
        content = json.loads(self.run_model(*GPUPERF, "--inputs", "more.json", "--json", "-"))
        self.assertEqual(content["inputs"]["dram_latency"], {"value": 900, "unit": "cycles", "origin": "user"})


class Sweep(CommandTest):
    GEMM = ["--model", "spt", "--gpu", "m4000", "--set", "algorithm=gemm"] + [word for name in ("rows", "columns", "depth")
                                                                            for word in ("--set", f"{name}=10000")]

    def test_marks_the_least_time(self):
        lines = self.run_model(*self.GEMM, "--sweep", "tile=32-256:16").splitlines()
        self.assertEqual([line.split()[0] for line in lines if "<- least time" in line], ["128"])
        self.assertEqual(len(lines), 1 + 15)

    def test_all_combinations(self):
        rows = list(csv.DictReader(self.run_model(*self.GEMM, "--sweep", "tile=96,128", "--sweep", "batch=8-32*2", "--csv", "-").splitlines()))
        self.assertEqual([(row["tile"], row["batch"]) for row in rows], [(t, b) for t in ("96", "128") for b in ("8", "16", "32")])

    def test_a_swept_input_need_not_be_given_otherwise(self):
        cells = json.loads(self.run_model("--model", "spt", "--gpu", "m4000", "--set", "algorithm=mms-sort", "--set", "keys=268435456",
                                          "--sweep", "ways=8,16", "--json", "-"))["cells"]
        self.assertEqual([cell["values"] for cell in cells], [{"ways": 8}, {"ways": 16}])

    def test_bad_lists(self):
        for text, message in (("tile=", "empty value"), ("tile=9-3", "range '9-3'"), ("tile", "expected NAME=LIST"),
                              ("width=1", "width: is no input"), ("tile=0", "'tile' is 0, expected a number above 0"),
                              ("tile=1-20000", "points, expected at most 10000"), ("algorithm=gemm", "one algorithm at a time")):
            self.assert_refused(message, *self.GEMM, "--sweep", text)


class Charts(CommandTest):
    def test_benefits_rows_and_sweeps(self):
        for model in ("gpuperf", "spt"):
            self.assertIn("x.png\nx.svg\n", self.run_model(*CALLS[model], "--chart", "x"))
        self.run_model(*Sweep.GEMM, "--sweep", "tile=96,128", "--sweep", "batch=8,16", "--chart", "y")
        self.assertTrue((self.folder / "y.svg").read_text().count("batch 8"))

    def test_models_without_benefits_say_so(self):
        done = self.call(*CALLS["roofline"], "--chart", "x")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("no benefits to draw", done.stderr)


class BadInput(CommandTest):
    def refuse_inputs(self, message, text, *words):
        (self.folder / "in.json").write_text(text)
        self.assert_refused(message, "--model", "hong-kim", "--inputs", "in.json", *words)

    def test_inputs(self):
        self.refuse_inputs("in.json: not JSON", "{")
        self.refuse_inputs("no object", "[]")
        self.refuse_inputs("'clock' has no unit, expected 'MHz'", '{"clock": {"value": 1000}}')
        self.refuse_inputs("'clock' has unit 'GHz', expected 'MHz'", '{"clock": {"value": 1, "unit": "GHz"}}')
        self.refuse_inputs("'barriers' is -1, expected a number of at least 0",
                           '{"barriers": {"value": -1, "unit": "instructions/warp"}}')
        self.refuse_inputs("'clock' is 0, expected a number above 0", '{"clock": {"value": 0, "unit": "MHz"}}')
        self.refuse_inputs("'clock' is 'fast', expected a number", '{"clock": {"value": "fast", "unit": "MHz"}}')
        self.refuse_inputs("'clock' is True, expected a number", '{"clock": {"value": true, "unit": "MHz"}}')
        self.refuse_inputs("'clock' has no 'value'", '{"clock": {"unit": "MHz"}}')
        self.refuse_inputs("'clock' has no 'value'", '{"clock": 1000}')
        self.refuse_inputs("'speed' is no input of hong-kim", '{"speed": {"value": 1, "unit": "MHz"}}')
        self.refuse_inputs("NaN is not finite", '{"clock": {"value": NaN, "unit": "MHz"}}')
        self.refuse_inputs("is of model 'spt', expected 'hong-kim'", '{"model": "spt", "inputs": {}}')
        self.refuse_inputs("no 'inputs'", '{"model": "hong-kim"}')
        self.refuse_inputs("not given: compute_insts .instructions/warp., .*expected them in --inputs", "{}")
        self.refuse_inputs("has the values of c2050, expected --gpu c2050", '{"model": "hong-kim", "gpu": "c2050", "inputs": {}}',
                           "--gpu", "c1060")
        self.refuse_inputs("outside what its formulas allow", json.dumps(
            {**json.loads(EXAMPLE.read_text()), "work_groups": {"value": 1e308, "unit": "work-groups"}}))
        self.assert_refused("nothing.json: No such file", "--model", "hong-kim", "--inputs", "nothing.json")

    def test_algorithms_that_are_no_names(self):
        for value in ("[1]", "{}", "3", "null", '"fft"', "true"):
            (self.folder / "in.json").write_text(f'{{"algorithm": {{"value": {value}, "unit": "name"}}}}')
            self.assert_refused("'algorithm' is .*, expected one of counts, gemm", "--model", "spt", "--gpu", "k40", "--inputs", "in.json")

    def test_gpus(self):
        self.assert_refused("--gpu h100: gpuperf has no parameters of this GPU, expected one of c2050, a machine file", "--model",
                            "gpuperf", "--gpu", "h100")
        self.assert_refused("--gpu voodoo: unknown GPU, expected .*c1060.*h100", "--model", "spt", "--gpu", "voodoo")
        self.assert_refused("--gpu ../c1060: unknown GPU", "--model", "spt", "--gpu", "../c1060")

    def refuse_machine(self, message, content):
        path = self.folder / "my.json"
        path.write_text(json.dumps(content))
        self.assert_refused(message, "--gpu", "my.json", *GPUPERF[:2], *GPUPERF[4:])

    def test_machine_files(self):
        whole = json.loads((SOURCE / "models/machines/c2050.json").read_text())
        for name in whole["gpuperf"]:
            if name != "warp_size":  # has a default
                section = {key: value for key, value in whole["gpuperf"].items() if key != name}
                self.refuse_machine(f"my.json: no '{name}'", {**whole, "gpuperf": section})
        self.refuse_machine("my.json: no 'description'", {})
        self.refuse_machine("my.json: unknown key 'gpu-perf'", {**whole, "gpu-perf": {}})
        self.refuse_machine("my.json: gpuperf: unknown input 'latency'", {**whole, "gpuperf": {"latency": {}}})
        self.refuse_machine("'fp_latency' lacks one of 'value', 'unit' and 'source'", {**whole, "gpuperf": {"fp_latency": {"value": 1}}})
        self.refuse_machine("'fp_latency' has unit 's', expected 'cycles'",
                            {**whole, "gpuperf": {"fp_latency": {"value": 1, "unit": "s", "source": "x"}}})
        self.refuse_machine("preset 'none' is not there", {**whole, "preset": "none"})
        self.refuse_machine("'gpuperf' is no object", {**whole, "gpuperf": 3})

    def test_options(self):
        self.assert_refused("--model: not given, expected one of hong-kim, dasgupta, gpuperf, spt, roofline", "--gpu", "c1060")
        self.assert_refused("--model mwp, expected one of", "--model", "mwp")
        self.assert_refused("--bogus: not an option", *GPUPERF, "--bogus")
        self.assert_refused("--gpu: has no value", "--model", "spt", "--gpu")
        self.assert_refused("--model spt: is given already", *GPUPERF, "--model", "spt")
        self.assert_refused("--set insts: expected NAME=VALUE", *GPUPERF, "--set", "insts")
        self.assert_refused("--set: 'speed' is no input of gpuperf", *GPUPERF, "--set", "speed=1")
        self.assert_refused("--set: 'insts' is -5, expected a number above 0", *GPUPERF, "--set", "insts=-5")
        self.assert_refused("'insts' is 'many', expected a number", *GPUPERF, "--set", "insts=many")
        self.assert_refused("no.json: No such file", *GPUPERF, "no.json")
        self.assert_refused("both are standard output", *GPUPERF, "--json", "-", "--csv", "-")
        self.assert_refused("expected one capture or result", *GPUPERF, "a", "b")

    def test_help_has_examples(self):
        text = self.call("--help").stdout
        self.assertEqual(text.count("\n  warpscope model --model"), 4)
        self.assertEqual(self.call().returncode, 2)

    def test_is_a_command_of_warpscope(self):
        done = subprocess.run(["/usr/bin/python3", "-B", str(SOURCE / "scripts" / "warpscope"), "model", *map(str, CALLS["hong-kim"])],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, self.run_model(*CALLS["hong-kim"]))

    def test_lists_inputs_and_machines(self):
        text = self.run_model("--model", "gpuperf", "--list")
        self.assertIn("machines: c2050\n", text)
        self.assertIn("dram_latency", text)


class MachineFiles(unittest.TestCase):
    def test_every_file_loads_for_every_model_that_it_has(self):
        found = {}
        for path in sorted((SOURCE / "models" / "machines").glob("*.json")):
            gpu = support.machine.load(path.stem)
            for model, module in support.catalogue.MODELS.items():
                if gpu.has(model):
                    found.setdefault(model, []).append(path.stem)
                    specs = [spec for spec in module.INPUTS if spec.origin == "machine"]
                    values = gpu.values(model, specs)
                    missing = [spec.name for spec in specs if spec.name not in values and spec.default is None]
                    self.assertEqual(missing, [], (path.stem, model))
        self.assertEqual(found, {"hong-kim": ["c1060", "gtx280"], "dasgupta": ["c1060"], "gpuperf": ["c2050"],
                                 "spt": ["gtx770", "k40", "m4000"]})


if __name__ == "__main__":
    unittest.main()
