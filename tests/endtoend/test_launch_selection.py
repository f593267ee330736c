"""--launch and --kernel choose the same in every tool, on captures and on streams."""
import json
import unittest

from support import GTX480_L1, TEST_BIN, ToolTest

HOST = TEST_BIN / "programs_host"


@unittest.skipUnless(HOST.exists(), "needs the OpenCL part of the build")
class LaunchSelection(ToolTest):
    def setUp(self):
        super().setUp()
        self.run_tool("trace-kernel", "-o", "x.wtrace", "--", HOST, "offsets_and_tasks")
        self.run_tool("warpsched", "x.wtrace", "-o", "x.wsched")
        self.run_tool("cachesim", "coalesce", "x.wsched", "-o", "x.wtxn")
        shown = json.loads(self.run_tool("trace-view", "--summary", "--json", "x.wtrace"))["launches"]
        self.names = [launch["kernel"] for launch in shown]
        self.lanes = [launch["by_address_space"]["global"]["loads"] for launch in shown]

    def chosen_by(self, words):
        """Each tool's choice: numbers of launches, and the lanes of their loads."""
        self.run_tool("warpsched", "x.wtrace", *words, "-o", "part.wsched")
        runs = {"capture": ("cachesim", "x.wtrace", *GTX480_L1, *words), "stream": ("cachesim", "x.wsched", *GTX480_L1, *words),
                "transactions": ("cachesim", "x.wtxn", *GTX480_L1, *words), "warpsched": ("cachesim", "part.wsched", *GTX480_L1),
                "timed": ("cachesim", "timed", "x.wtrace", "--preset", "gtx480", *words)}
        for name, run in runs.items():
            result = json.loads(self.run_tool(*run, "--json", "-"))
            yield name, [launch["launch"] for launch in result["launches"]], result["total"]["load"]["lanes"]
        for name, source in (("sweep", "x.wtrace"), ("sweep of a stream", "x.wsched")):
            sweep = json.loads(self.run_tool("cachesim", "sweep", source, "--size", "16", "--ways", "4", *words, "--json", "-"))
            yield name, [launch["launch"] for launch in sweep["context"]["launches"]], sweep["traffic"][0]["load"]["lanes"]
        view = json.loads(self.run_tool("trace-view", "--summary", "--json", "x.wtrace", *words))["launches"]
        yield "trace-view", [launch["id"] for launch in view], sum(one["by_address_space"]["global"]["loads"] for one in view)

    def test_every_tool_chooses_alike(self):
        last = len(self.names) - 1
        of_kernel = [i for i, name in enumerate(self.names) if name == self.names[last]]
        for words, expected in ((("--launch", f"0,1-{last}"), list(range(last + 1))), (("--launch", "1"), [1]),
                                (("--kernel", self.names[last]), of_kernel)):
            lanes = sum(self.lanes[i] for i in expected)
            for tool, launches, loaded in self.chosen_by(words):
                self.assertEqual((launches, loaded), (expected, lanes), (tool, words))

    def test_every_tool_refuses_alike(self):
        runs = [("warpsched", "x.wtrace", "-o", "y"), ("trace-view", "x.wtrace"), ("cachesim", "x.wtrace", *GTX480_L1),
                ("cachesim", "x.wsched", *GTX480_L1), ("cachesim", "x.wtxn", *GTX480_L1),
                ("cachesim", "coalesce", "x.wtrace", "-o", "y"), ("cachesim", "timed", "x.wtrace", "--preset", "gtx480"),
                ("cachesim", "sweep", "x.wtrace", "--size", "16", "--ways", "4"),
                ("warpscope", "x.wtrace", "--no-plots", "-o", "report")]
        number = f"--launch {len(self.names)}: no such launch, the capture holds {len(self.names)} "
        names = "--kernel none: no such kernel, the capture holds launches of "
        for run in runs:
            for words, message in ((("--launch", len(self.names)), number), (("--kernel", "none"), names)):
                done = self.call(*run, *words)
                self.assertEqual(done.returncode, 2, (run, done.stderr))
                self.assertIn(message, done.stderr.decode(), run)
                self.assertFalse((self.folder / "y").exists())


if __name__ == "__main__":
    unittest.main()
