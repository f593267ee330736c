"""What-ifs that need the GPU's description or the kernel itself: --readonly and --work-group."""
import json
import os
import sys
import unittest

from laws import KERNELS, LawTest
from support import BIN, SOURCE

os.environ["WARPSCOPE_BIN"] = str(BIN)
sys.path.insert(0, str(SOURCE / "python"))
from warpscope.result import measures  # noqa: E402


class Runs(LawTest):
    def compared(self, *words):
        return json.loads(self.run_tool("warpscope", "what-if", *words, "--json", "-"))

    def assert_one_line(self, words, message):
        done = self.call("warpscope", "what-if", *words)
        self.assert_refused(done, message)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)

    def reader(self, output, *macros):
        return self.launch(output, "reader", "1024", "128", ["in=count=1024", "other=count=1024", "out=count=1024", "n=1024"], *macros)

    def test_read_only_loads_are_those_of_a_kernel_whose_argument_is_restrict(self):
        before, really = self.reader("before.wtrace"), self.reader("really.wtrace", "-D", "CHANGED=1")
        for gpu in ("gtx980", "p40", "k40"):
            expected = measures.fixed(self.simulated(really, gpu))
            found = self.compared(before, "--readonly", "in", "--gpu", gpu)
            self.assertEqual(found["fixed"]["after"], expected, gpu)
            self.assertEqual(found["changes"], ["--readonly in"])
            timed = json.loads(self.run_tool("cachesim", "timed", really, "--gpu", gpu, "--json", "-"))
            self.assertEqual(found["timed"]["after"], measures.timed(timed), gpu)
            self.assertLess(found["timed"]["after"]["cycles"], found["timed"]["before"]["cycles"], gpu)
            self.assertGreater(found["fixed"]["after"]["l1_hit_rate"], 1 / 2)  # four loads, each an element behind the one before
            self.assertIsNone(found["fixed"]["before"]["l1_hit_rate"])  # nothing is looked up

    def test_where_the_read_only_path_changes_nothing(self):
        before = self.reader("before.wtrace")
        for gpu, why in (("h100", "takes all global loads"), ("gtx480", "no read-only path"), ("gtx680", "no read-only path")):
            found = self.compared(before, "--readonly", "other", "--gpu", gpu, "--clock", "fixed")
            self.assertEqual(found["fixed"]["before"], found["fixed"]["after"])
            self.assertRegex(found["done"][0], f"other: nothing changes: .*{why}")

    def test_read_only_is_refused(self):
        before = self.reader("before.wtrace")
        self.assert_one_line([before, "--readonly", "out", "--gpu", "k40"], "--readonly out: is written to")
        self.assert_one_line([before, "--readonly", "none", "--gpu", "k40"], "no object 'none' of global memory, expected one of in, other, out")

    def rows(self, output, local):
        return self.launch(output, "rows", "48,48", local, ["in=count=48*64", "out=count=48*48", "pitch=64", "out_pitch=48"])

    def test_another_work_group_is_the_kernel_launched_so(self):
        before, really = self.rows("before.wtrace", "16,8"), self.rows("really.wtrace", "24,4")
        found = self.compared(before, "--work-group", "24x4", "--gpu", "gtx480", "-o", "kept.wtrace")
        results = [self.simulated(name, "gtx480") for name in ("kept.wtrace", really)]
        self.assertEqual(*(result["context"]["capture_hash"] for result in results))
        self.assertEqual(found["fixed"]["after"], measures.fixed(results[1]))
        self.assertNotEqual(found["fixed"]["after"], found["fixed"]["before"])
        self.assertEqual(found["done"], ["kernel rows ran again: work-groups of 16x8 become work-groups of 24x4, 24 of them"])
        self.assertIn("its source may assume 16x8", found["not_simulated"][0])

    def test_with_a_change_of_the_layout(self):
        before = self.rows("before.wtrace", "16,8")
        really = self.launch("really.wtrace", "rows", "48,48", "24,4", ["in=count=48*65", "out=count=48*48", "pitch=65", "out_pitch=48"])
        found = self.compared(before, "--work-group", "24x4", "--pitch", "in=64:65", "--gpu", "gtx480", "--clock", "fixed")
        self.assertEqual(found["fixed"]["after"], measures.fixed(self.simulated(really, "gtx480")))

    def test_work_groups_are_refused(self):
        before = self.rows("before.wtrace", "16,8")
        for size, why in (("16x8", "is the size that it has"), ("7", "48x48 work-items are no multiple"), ("x", "expected WIDTH"), ("0x4", "expected WIDTH")):
            self.assert_one_line([before, "--work-group", size], f"--work-group {size}: .*{why}" if why[0] != "e" else why)
        tile = self.launch("tile.wtrace", "tile", "64,64", "16,16", ["in=count=64*64", "out=count=64*64", "width=64"])
        self.assert_one_line([tile, "--work-group", "32x8"], "kernel tile requires work-groups of 16x16")
        data = self.launch("data.wtrace", "particles", "1024", "128", ["p=count=4*1024,fill=constant(60)", "out=count=1024", "n=1024"])
        self.run_tool("warpscope", "what-if", data, "--work-group", "256", "--clock", "fixed")  # no access depends on what p holds
        self.capture("spmv_csr", "--size", "small", output="spmv.wtrace")
        self.assert_one_line(["spmv.wtrace", "--work-group", "32"], "depend on the content of its buffers")
        self.assertEqual(KERNELS.name, "layouts.cl")


if __name__ == "__main__":
    unittest.main()
