"""warpscope model on real captures: what it counts equals hand arithmetic and the models' own formulas."""
import json
import unittest

from support import SOURCE, ToolTest


class Captured(ToolTest):
    def model(self, model, gpu, source, *words):
        return json.loads(self.run_tool("warpscope", "model", "--model", model, "--gpu", gpu, source, *words, "--json", "-"))

    def values(self, *words):
        return {name: entry["value"] for name, entry in self.model(*words)["inputs"].items()}

    def parts(self, content):
        return {part["name"]: part["value"] for part in content["parts"]}


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
        without = ("sync_insts", "sfu_insts")  # a result has no barriers and no instruction mix
        self.assertEqual({name: value for name, value in of_result.items() if name not in without},
                         {name: value for name, value in of_capture.items() if name not in without})

    def test_an_answer_of_a_capture_fed_back_is_itself(self):
        for model, gpu in (("spt", "m4000"), ("roofline", "h100")):
            first = self.model(model, gpu, self.tiled(64, 16))
            (self.folder / "answer.json").write_text(json.dumps(first))
            self.assertEqual(json.loads(self.run_tool("warpscope", "model", "--model", model, "--inputs", "answer.json", "--json", "-")),
                             first)


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


class FastMultipole(Captured):
    """fmm_ulist, 64 boxes: what section 1 of Sim et al. 2012 says of its variants."""

    def answer(self, **switches):
        words = [word for name, value in switches.items() for word in ("-D", f"{name}={value}")]
        content = self.model("gpuperf", "c2050", self.capture("fmm_ulist", "--global", "4096", *words))
        return content["seconds"], self.parts(content)

    def test_benefits_have_the_order_of_the_paper(self):
        _, baseline = self.answer(SHMEM=0)
        seconds, shared = self.answer(SHMEM=1)
        tight, _ = self.answer(SHMEM=1, TIGHT=1)
        special, _ = self.answer(SHMEM=1, RSQRT=1)
        self.assertGreater(baseline["B_memlp"], 0)
        self.assertEqual(shared["B_memlp"], 0)  # local memory takes the waiting away
        self.assertLess(abs(tight / seconds - 1), 0.01)  # then tighter loads help little,
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
        self.refuse("compute_insts .from the timed engine", "--model", "hong-kim", "--gpu", "c1060", capture)
        self.refuse("spt: a capture or result needs --gpu with a machine", "--model", "spt", "--gpu", "h100", capture)
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
