"""warpscope model on real captures: what it counts equals hand arithmetic and the models' own formulas."""
import json
import subprocess
import sys
import unittest

import older
from captured_models import Captured
from support import SOURCE
from support import load_third as load_tests  # noqa: F401


class Multiplication(Captured):
    """mm_tiled, n = m = k = `size`, tiles of `tile`, batches as deep as the tile."""

    def tiled(self, size, tile):
        return self.capture("mm_tiled", "--global", f"{size},{size}", "-D", f"TILE={tile}", output=f"mm{size}-{tile}.wtrace")

    def test_global_words_and_barriers_are_those_of_the_spt_formula(self):
        for size, tile in ((64, 32), (96, 32), (96, 16), (48, 16)):
            with self.subTest(size=size, tile=tile):
                counted = self.parts(self.model("spt", "k40", self.tiled(size, tile)))
                sizes = [word for name in ("rows", "columns", "depth") for word in ("--set", f"{name}={size}")]
                formula = json.loads(self.run_tool(
                    "warpscope", "model", "--model", "spt", "--gpu", "k40", "--set", "algorithm=gemm", *sizes, "--set", f"tile={tile}",
                    "--set", f"batch={tile}", "--set", f"group_size={tile * tile}", "--json", "-"))
                for kind in "gy":
                    self.assertAlmostEqual(counted[f"A_{kind}"] / self.parts(formula)[f"A_{kind}"], 1, 12)
                self.assertAlmostEqual(counted["A_g"] * 2880, 2 * size**3 / tile + size**2)
                self.assertAlmostEqual(counted["A_y"] * 2880, (size // tile) ** 3 * 2)

    def test_operations_are_two_per_step(self):
        values = self.values("roofline", "k40", self.tiled(64, 16))
        self.assertEqual(values["flops"], 2 * 64**3)
        self.assertEqual(values["global_bytes"], 4 * (2 * 64**3 // 16 + 64**2))

    def test_instructions_of_a_warp(self):
        values = self.values("gpuperf", "c2050", self.tiled(64, 16))
        # four tiles: 16 fused multiply-adds, two barriers and two loads each; a store at the end
        self.assertEqual([values[name] for name in ("fp_insts", "sync_insts", "memory_insts", "sfu_insts")], [64, 8, 9, 0])
        self.assertEqual((values["total_warps"], values["transactions_per_request"]), (128, 2))
        self.assertEqual(values["data_bytes"], 3 * 4 * 64**2)

    def test_a_result_gives_what_its_capture_gives(self):
        capture = self.tiled(64, 16)
        of_capture = self.values("gpuperf", "c2050", capture)
        self.run_tool("warpscope", capture, "--gpu", "c2050", "--clock", "both", "--no-plots", "-o", "out")
        of_result = self.values("gpuperf", "c2050", "out/result.json", "--set", "fp_insts=64")
        without = ("sync_insts", "sfu_insts", "ilp", "mlp")  # a result has no barriers, no instruction mix and no dependences
        self.assertEqual({name: value for name, value in of_result.items() if name not in without},
                         {name: value for name, value in of_capture.items() if name not in without})

    def test_an_answer_of_a_capture_fed_back_is_itself(self):
        for model, gpu in (("spt", "m4000"), ("roofline", "h100")):
            first = self.model(model, gpu, self.tiled(64, 16))
            (self.folder / "answer.json").write_text(json.dumps(first))
            self.assertEqual(json.loads(self.run_tool("warpscope", "model", "--model", model, "--inputs", "answer.json", "--json", "-")),
                             first)


class Parallelism(Captured):
    """One load in front of a loop of ten iterations with two loads each, whose values only the next iteration uses."""
    KERNEL = """
__kernel void sums(__global const float* restrict a, __global const float* restrict b, __global float* restrict out, int n) {
  const int i = get_global_id(0);
  float sum = a[i];
  for (int k = 0; k < n; ++k) sum += a[k * 64 + i] * b[k * 64 + i];
  out[i] = sum;
}
__kernel void chase(__global const int* restrict next, __global int* restrict out, int n) {
  int at = get_global_id(0);
  at = next[next[next[next[at]]]];
  out[get_global_id(0)] = at;
}
"""

    def parallelism(self, kernel, *arguments, model="gpuperf", gpu="c2050"):
        (self.folder / "k.cl").write_text(self.KERNEL)
        words = [word for argument in arguments for word in ("--arg", argument)]
        self.run_tool("trace-kernel", "k.cl", "--kernel", kernel, "--global", "64", *words, "-o", "k.wtrace")
        return self.model(model, gpu, "k.wtrace", *(("--set", "fp_insts=1") if model == "gpuperf" else ()))["inputs"]

    def test_loads_in_flight_by_executions_of_blocks(self):
        inputs = self.parallelism("sums", "a=count=640,fill=iota", "b=count=640,fill=iota", "out=count=64,fill=zero", "n=10")
        self.assertAlmostEqual(inputs["mlp"]["value"], (1 + 10 * 2) / (1 + 10 * 1), 12)
        self.assertGreater(inputs["ilp"]["value"], 1)
        self.assertRegex(inputs["ilp"]["origin"], "^trace: instructions / steps")

    def test_a_chain_of_loads_is_not_parallel(self):
        arguments = ("next=count=64,fill=iota", "out=count=64,fill=zero", "n=1")
        self.assertEqual(self.parallelism("chase", *arguments)["mlp"]["value"], 1)

    WITHOUT = (1, "default of the model; not recorded, capture again or give it")

    def test_a_result_has_none_and_says_so(self):
        result = self.result(self.capture("mm_tiled", "--size", "small"), "--gpu", "c2050")
        (self.folder / "r.json").write_text(json.dumps(result))
        words = [word for name in ("insts", "fp_insts", "warps_per_core") for word in ("--set", f"{name}=8")]
        inputs = self.model("gpuperf", "c2050", "r.json", *words)["inputs"]
        self.assertEqual((inputs["mlp"]["value"], inputs["mlp"]["origin"]), self.WITHOUT)

    def test_an_older_capture_says_what_it_lacks(self):
        capture = self.capture("mm_tiled", "--size", "small")
        whole = self.model("gpuperf", "c2050", capture)["inputs"]
        (self.folder / "older.wtrace").write_bytes(older.without(capture, ["parallelism"]))
        self.run_tool("trace-check", "older.wtrace")
        inputs = self.model("gpuperf", "c2050", "older.wtrace")["inputs"]
        for name in ("ilp", "mlp"):
            self.assertGreater(whole[name]["value"], 1)
            self.assertEqual((inputs[name]["value"], inputs[name]["origin"]), self.WITHOUT)
        # Resident warps are a mean over cycles, and the timed engine goes by chains, too.
        self.assertEqual([name for name in whole if whole[name] != inputs[name]], ["warps_per_core", "ilp", "mlp"])
        rows = json.loads(self.run_tool("warpscope", "model", "--counts", "older.wtrace", "--gpu", "c2050", "--json", "-"))["rows"]
        self.assertEqual({row["origin"] for row in rows if row["name"] in ("ILP", "MLP", "independent loads")}, {"not recorded, capture again or give it"})

    def test_an_older_capture_without_instructions_is_refused(self):
        capture = self.capture("mm_tiled", "--size", "small")
        (self.folder / "older.wtrace").write_bytes(older.without(capture, ["parallelism", "mix"]))
        self.run_tool("trace-check", "older.wtrace")
        self.assert_refused(self.call("warpscope", "model", "--model", "roofline", "--gpu", "k40", "older.wtrace"),
                            r"^warpscope: roofline: not given: flops \(not recorded, capture again or give it\); expected them in --inputs or --set")
        answer = self.model("roofline", "k40", "older.wtrace", "--set", "flops=1000")
        self.assertEqual(answer["inputs"]["flops"]["value"], 1000)


class Roots(Captured):
    def test_square_roots_are_apart_from_other_special_functions(self):
        (self.folder / "r.cl").write_text("__kernel void r(__global float* restrict a) {\n  const size_t i = get_global_id(0);\n"
                                          "  a[i] = native_sin(rsqrt(native_rsqrt(sqrt(a[i])) + 1.0f)) / a[i];\n}\n")
        self.run_tool("trace-kernel", "r.cl", "--global", "256", "--local", "64", "--arg", "a=count=256", "-o", "r.wtrace")
        rows = json.loads(self.run_tool("warpscope", "model", "--counts", "r.wtrace", "--gpu", "c2050", "--json", "-"))["rows"]
        counted = {row["name"]: row["per_warp"] for row in rows if row["section"] == "instructions"}
        self.assertEqual([counted[name] for name in ("fp32_sqrt", "fp32_rsqrt", "fp32_special", "fp32_div")], [1, 2, 1, 1])
        slow = self.values("dasgupta", "c1060", "r.wtrace", "--set", "warps_per_core=2", "--set", "groups_per_core=1", "--set", "insts=9")
        self.assertEqual([slow[f"{name}_insts"] for name in ("sqrt", "rsqrt", "division")], [1, 2, 1])
        self.assertEqual(self.values("gpuperf", "c2050", "r.wtrace")["sfu_insts"], 4)


class Kept(Captured):
    """What an earlier call simulated is not simulated again, and the answer is the same."""

    def answers(self, capture, **environment):
        """(standard output and messages of every kind of call, the files kept)."""
        given = {"WARPSCOPE_CACHE": str(self.folder / "kept"), **environment}
        calls = [["--model", "roofline", "--gpu", "k40", capture], ["--model", "gpuperf", "--gpu", "c2050", capture],
                 ["--counts", capture, "--gpu", "c2050"], ["--rank", capture, self.folder / "other.wtrace", "--by", "spt@k40,timed@k40"]]
        done = [self.call("warpscope", "model", *words, "--json", "-", environment=given) for words in calls]
        self.assertEqual([one.returncode for one in done], [0] * len(calls), done)
        return [one.stdout for one in done], [one.stderr for one in done]

    def kept(self):
        return {path.name: path.stat().st_ino for path in (self.folder / "kept").glob("*")}

    def test_an_answer_of_what_is_kept_is_that_of_a_simulation(self):
        capture = self.capture("mm_tiled", "--global", "64,64")
        self.capture("mm_tiled", "--global", "64,64", "-D", "TILE=8", output="other.wtrace")
        fresh = self.answers(capture, WARPSCOPE_CACHE="")
        self.assertFalse((self.folder / "kept").exists())
        self.assertEqual(self.answers(capture), fresh)
        files = self.kept()
        self.assertEqual(self.answers(capture), fresh)
        self.assertEqual(self.kept(), files)  # nothing was made again
        for path in (self.folder / "kept").glob("*"):
            path.write_bytes(path.read_bytes().replace(b"warp", b"wrap"))
        self.assertEqual(self.answers(capture), fresh)
        self.assertEqual(set(self.kept()), set(files))

    def test_a_folder_that_cannot_be_written_costs_no_answer(self):
        capture = self.capture("mm_tiled", "--global", "64,64")
        words = ["model", "--model", "roofline", "--gpu", "k40", capture]
        done = self.call("warpscope", *words, environment={"WARPSCOPE_CACHE": str(capture / "kept")})
        self.assertEqual((done.returncode, done.stdout), (0, self.run_tool("warpscope", *words, environment={"WARPSCOPE_CACHE": ""})))
        self.assertRegex(done.stderr.decode(), "^warpscope: .*kept: simulations are not kept .*; set WARPSCOPE_CACHE to another, or to nothing to keep none\n$")


class Search(Captured):
    """search_shared: 1024 keys; 128 work-items in two groups ask two queries each."""

    def local_accesses(self, variant):
        capture = self.capture("search_shared", "--size", "small", "-D", f"VARIANT={variant}", output=f"s{variant}.wtrace")
        return self.parts(self.model("spt", "k40", capture))["A_s"] * 2880

    def test_conflict_free_search_makes_the_accesses_of_the_formula(self):
        formula = json.loads(self.run_tool("warpscope", "model", "--model", "spt", "--gpu", "k40", "--set", "algorithm=pbs-cf", "--set",
                                           "keys=1024", "--set", "queries=256", "--set", "group_size=64", "--json", "-"))
        of_formula = self.parts(formula)["A_s"] * 2880
        self.assertAlmostEqual(of_formula, 37 * 256)
        # the first access, the same for every query, happens once per work-item; each group stages 1024 keys
        self.assertAlmostEqual(self.local_accesses(1) - 2 * 1024, of_formula - 128)

    def test_plain_search_pays_for_conflicts(self):
        accesses = 10 * 256 + 128  # eleven per query, the first once per work-item
        self.assertGreater(self.local_accesses(0) - 2 * 1024, 3 * accesses)


    def test_worst_queries_cost_what_the_formula_says(self):
        self.generate("search_shared", "worst_queries.py", "queries.bin", "--queries", "256")
        capture = self.capture("search_shared", "--size", "small", "--arg", "query=file:queries.bin", output="worst.wtrace")
        counted = self.parts(self.model("spt", "m4000", capture))["A_s"] * 1664
        formula = self.parts(json.loads(self.run_tool("warpscope", "model", "--model", "spt", "--gpu", "m4000", "--set", "algorithm=pbs-worst",
                                                      "--set", "keys=1024", "--set", "queries=256", "--set", "group_size=64", "--json", "-")))
        # each group stages 1024 keys; the first access is made once per work-item, of which two queries share it; the last comparison
        # is an access more than the formula's, of 32 passes
        self.assertAlmostEqual(counted - 2 * 1024, formula["A_s"] * 1664 - 128 + 32 * 256)

    def test_worst_keys_of_a_merge(self):
        self.generate("mergesort_block", "worst_keys.py", "keys.bin", "--items", "64", "--per-item", "31")
        options = ("--global", "64", "--local", "64", "-D", "PER_ITEM=31")
        local = [self.result(self.capture("mergesort_block", *options, *words, output=f"m{number}.wtrace"), "--gpu", "gtx980")["total"]["local_memory"]
                 for number, words in enumerate((("--arg", "in=file:keys.bin"), ()))]
        # 32 neighbours that begin 16 words apart are in two banks
        self.assertEqual(local[0]["max_degree"], 16)
        self.assertGreater(local[0]["beta"], 1.4 * local[1]["beta"])

    def generate(self, kernel, script, *words):
        subprocess.run([sys.executable, SOURCE / "benchmarks" / "kernels" / kernel / script, *words], cwd=self.folder, check=True)


class Scan(Captured):
    """scan, 256 work-items in two groups, on four-byte banks."""

    def test_local_operations_and_barriers_are_those_of_the_formula(self):
        counted = self.parts(self.model("spt", "m4000", self.capture("scan", "--size", "small")))
        formula = self.parts(json.loads(self.run_tool("warpscope", "model", "--model", "spt", "--gpu", "m4000", "--set", "algorithm=scan",
                                                      "--set", "keys=512", "--set", "group_size=128", "--json", "-")))
        for kind in "sy":
            self.assertAlmostEqual(counted[f"A_{kind}"] / formula[f"A_{kind}"], 1, 12)
        # the group's sum is a sector of 8 words here, and a line of 32 in the thesis
        self.assertAlmostEqual(counted["A_g"] * 1664, formula["A_g"] * 1664 - 2 * 24)


class Vectors(Captured):
    def test_short_transactions_of_wide_loads_are_vector_transactions(self):
        (self.folder / "wide.cl").write_text("__kernel void wide(__global const float4* in, __global float4* out, __global float* sums) {\n"
                                             "  const size_t i = get_global_id(0);\n  out[i] = in[i / 32];\n  sums[i] = in[64 + i / 32].x;\n}\n")
        self.run_tool("trace-kernel", "wide.cl", "--global", "1024", "--local", "64", "--arg", "in=count=128", "-o", "wide.wtrace")
        values = self.values("dasgupta", "c1060", "wide.wtrace")
        # of each half-warp one float4 for all lanes: 32 bytes; one float, 32 bytes too; 16 float4 are 2 times 128 bytes, 16 floats 64
        names = ("requests", "transactions_vector", "transactions_32b", "transactions_64b", "transactions_128b")
        self.assertEqual([values[name] for name in names], [4, 2, 2, 2, 4])


class OfLaunches(Captured):
    def test_a_gpu_that_the_model_does_not_know_is_refused_before_the_simulation(self):
        (self.folder / "broken.wtrace").write_bytes(self.capture("copy", "--size", "small").read_bytes()[:200])
        self.assert_refused(self.call("warpscope", "model", "--model", "hong-kim", "--gpu", "k40", "broken.wtrace"),
                            "--gpu k40: hong-kim has no parameters of this GPU")

    def test_a_roofline_of_a_capture_takes_no_cycles(self):
        capture = self.capture("copy", "--size", "small")
        self.run_tool("warpscope", capture, "--gpu", "k40", "--clock", "both", "--no-plots", "-o", "out")
        of_result = self.values("roofline", "k40", "out/result.json", "--set", "flops=0")
        self.assertEqual(self.values("roofline", "k40", capture, "--set", "flops=0"), of_result)


class FastMultipole(Captured):
    """fmm_ulist, 64 boxes: what section 1 of Sim et al. 2012 says of its variants."""

    def answer(self, **switches):
        words = [word for name, value in switches.items() for word in ("-D", f"{name}={value}")]
        alone = ("--set", "ilp=1", "--set", "mlp=1")  # the trace's own parallelism hides all latency
        content = self.model("gpuperf", "c2050", self.capture("fmm_ulist", "--global", "4096", "-D", "BOXES=64", *words), *alone)
        return content["seconds"], self.parts(content)

    def test_benefits_have_the_order_of_the_paper(self):
        _, baseline = self.answer(SHMEM=0)
        seconds, shared = self.answer(SHMEM=1)
        tight, _ = self.answer(SHMEM=1, TIGHT=1)
        special, _ = self.answer(SHMEM=1, RSQRT=1)
        self.assertGreater(baseline["B_memlp"], 0)
        self.assertEqual(shared["B_memlp"], 0)  # local memory takes the waiting away
        self.assertLess(abs(tight / seconds - 1), 0.05)  # then tighter loads help little,
        self.assertLess(special / seconds, 0.95)  # and cheaper square roots much


class Launches(Captured):
    def test_a_row_per_kind_of_launch(self):
        result = self.result(self.capture("mm_tiled", "--size", "small"), "--gpu", "k40")
        group = result["launch_groups"][0]
        doubled = {kind: {name: 2 * value for name, value in group[kind].items()} for kind in ("load", "store", "atomic")}
        groups = [{**group, **doubled, "count": 2, "launches": "0-1"}, {**group, "first": 2, "launches": "2", "local": [16, 8, 1]}]
        (self.folder / "r.json").write_text(json.dumps({**result, "launch_groups": groups}))
        content = self.model("spt", "k40", "r.json")
        self.assertEqual(sorted(content["rows"]), ["mm_tiled 0", "mm_tiled 1"])
        values = {name: entry["value"] for name, entry in content["inputs"].items()}
        self.assertEqual(values["A_g[mm_tiled 0]"], values["A_g[mm_tiled 1]"])
        self.assertAlmostEqual(content["rows"]["mm_tiled 0"]["global"], 2 * content["rows"]["mm_tiled 1"]["global"])
        self.assertEqual(self.parts(content)["kernels"], 3)
        self.refuse_two()

    def refuse_two(self):
        self.assert_refused(self.call("warpscope", "model", "--model", "roofline", "--gpu", "k40", "r.json"),
                            r"r.json: has 2 kinds of launches, expected --launch N with the number of one \(0, 2\)")
        for launch in ("0", "1", "2"):
            self.assert_refused(self.call("warpscope", "model", "--model", "roofline", "--gpu", "k40", "r.json", "--launch", launch),
                                "flops .not recorded")


class Transposition(Captured):
    GIVEN = [word for name, value in dict(compute_insts=10, warps_per_core=8, groups_per_core=1).items()
             for word in ("--set", f"{name}={value}")]

    def test_the_store_is_uncoalesced(self):
        values = self.values("hong-kim", "c1060", self.capture("mt", "--global", "128,128", "--local", "32,8"), *self.GIVEN)
        self.assertEqual((values["coalesced_insts"], values["uncoalesced_insts"]), (1, 1))
        self.assertEqual((values["uncoalesced_transactions"], values["work_groups"]), (32, 64))

    def test_transactions_by_size(self):
        words = [word for name in ("insts", "warps_per_core", "groups_per_core") for word in ("--set", f"{name}=8")]
        values = self.values("dasgupta", "c1060", self.capture("mt", "--global", "128,128", "--local", "32,8"), *words)
        # a load: two segments of 64 bytes; a store: 32 of 32
        self.assertEqual([values[f"transactions_{size}b"] for size in (32, 64, 128)], [32, 2, 0])


class BadInput(Captured):
    def refuse(self, message, *words):
        self.assert_refused(self.call("warpscope", "model", *words), message)

    def test_what_is_not_there(self):
        capture = self.capture("mm_tiled", "--size", "small")
        self.run_tool("warpscope", capture, "--gpu", "c2050", "--clock", "fixed", "--no-plots", "-o", "fixed")
        self.refuse("insts .from the timed engine.*fp_insts .not recorded, capture again or give it.", "--model", "gpuperf", "--gpu",
                    "c2050", "fixed/result.json")
        self.refuse("expected --gpu with a GPU preset", "--model", "roofline", capture)
        self.refuse("compute_insts .from the timed engine", "--model", "hong-kim", "--gpu", "gtx280", capture)
        self.refuse("--gpu h100: spt has no parameters of this GPU, expected one of", "--model", "spt", "--gpu", "h100", capture)
        self.refuse("gpuperf has no parameters of this GPU", "--model", "gpuperf", "--gpu", "h100", capture)
        self.refuse("not JSON", "--model", "roofline", "--gpu", "h100", SOURCE / "README.md")

    def test_a_capture_in_part(self):
        part = self.capture("mm_tiled", "--size", "small", "--work-groups", "0-1")
        self.refuse("has only the work-groups of '.*', expected a capture of all", "--model", "roofline", "--gpu", "k40", part)

    def test_which_launch(self):
        capture = self.capture("bitonic", "--size", "small")
        result = self.result(capture, "--gpu", "k40")
        (self.folder / "r.json").write_text(json.dumps(result))
        self.refuse("--launch x: expected the number", "--model", "roofline", "--gpu", "k40", "r.json", "--launch", "x")
        self.refuse("--launch 999: r.json has no such launch", "--model", "roofline", "--gpu", "k40", "r.json", "--launch", "999")


if __name__ == "__main__":
    unittest.main()
