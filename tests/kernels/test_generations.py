"""cachesim --compare-generations: one stream on a GPU of every generation."""
import json
import unittest

import launches  # noqa: F401  (finds support)
from support import ToolTest

PRESETS = ["8800gtx", "gtx280", "gtx480", "k40", "gtx980", "p100", "v100", "t4", "a100", "rtx4090", "h100", "rtx5090"]


class CompareGenerations(ToolTest):
    def compared(self, *words, status=0):
        done = self.call("cachesim", *words, "--compare-generations", "--json", "-")
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def test_every_generation_is_what_its_preset_gives(self):
        capture = self.capture("mt_tiled", "--size", "small")
        compared = self.compared(capture, status=3)
        self.assertEqual([one["preset"] for one in compared["generations"]], PRESETS[2:])
        # Work-groups of 1024 work-items: G80 and GT200 take 512.
        self.assertEqual([one["preset"] for one in compared["refused"]], PRESETS[:2])
        for one in compared["generations"]:
            alone = self.result(capture, "--preset", one["preset"])
            for key, value in alone["total"].items():
                self.assertEqual(one[key], value, f"{one['preset']} {key}")

    def test_a_unit_stride_by_hand(self):
        # vecadd-like: every load and store of a warp is 32 neighbouring floats.
        capture = self.capture("copy", "--size", "small")
        by = {one["preset"]: one for one in self.compared(capture)["generations"]}
        requests = by["gtx480"]["load"]["requests"]
        for preset, transactions, size in (("8800gtx", 2, 64), ("gtx280", 2, 64), ("gtx480", 1, 128), ("k40", 1, 128),
                                           ("v100", 4, 32), ("h100", 4, 32)):
            load = by[preset]["load"]
            self.assertEqual(load["requests"], requests, preset)
            self.assertEqual(load["transactions"], transactions * requests, preset)
            self.assertEqual(load["bytes"], requests * 128, preset)
            self.assertEqual(load["sectors"], requests * 4, preset)
        self.assertEqual(by["v100"]["load"]["wavefronts"], requests)
        self.assertEqual(by["gtx980"]["load"]["wavefronts"], 0, "bypasses its L1")

    def test_a_stream_and_chosen_presets(self):
        capture = self.capture("mt_tiled", "--size", "small")
        self.run_tool("warpsched", capture, "--preset", "gtx480", "-o", "x.wsched")
        compared = self.compared("x.wsched", "--generations", "v100,gtx280")
        self.assertEqual([one["preset"] for one in compared["generations"]], ["v100", "gtx280"])
        self.assertEqual(compared["generations"][0]["cores"], 15, "the stream's order")
        text = self.run_tool("cachesim", "x.wsched", "--compare-generations", "--generations=v100,gtx280").decode()
        self.assertRegex(text, r"loads +GPU +coalescing")
        self.assertRegex(text, r"GT200 +gtx280")
        self.assertRegex(text, r"local memory +GPU")

    def test_bad_input_is_refused(self):
        capture = self.capture("copy", "--size", "small")
        self.run_tool("cachesim", "coalesce", capture, "-o", "x.wtxn")
        for words, message in ((("--preset", "v100"), "--preset: .*expected no such option"),
                               (("--coalescing=crawford",), "--coalescing: .*expected no such option"),
                               (("--repeat", "3"), "--repeat: .*expected no such option"),
                               (("--generations", "v100,,t4"), "expected different presets"),
                               (("--generations", "v100,v100"), "expected different presets"),
                               (("--generations", "vega"), "unknown GPU"),
                               (("--generations",), "no value given"),
                               (("16", "128", "4", "LRU", "WTNA"), "expected only INPUT")):
            self.assert_refused(self.call("cachesim", capture, "--compare-generations", *words), message)
        large = self.capture("mt_tiled", "--size", "small")
        self.assert_refused(self.call("cachesim", large, "--compare-generations", "--generations", "8800gtx"),
                            "kernel 'mt_tiled', launch 0: 1024 work-items per work-group, 8800gtx allows 512", status=3)
        self.assert_refused(self.call("cachesim", "-", "--compare-generations"), "expected a file")
        self.assert_refused(self.call("cachesim", "x.wtxn", "--compare-generations"), "coalesced for one generation")


if __name__ == "__main__":
    unittest.main()
