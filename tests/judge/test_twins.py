"""warpscope judge of the suite's kernels and their CUDA twins: each accepts the other, as candidate and as reference. A twelfth of them in each run, at
their small size; WARPSCOPE_TEST_KERNELS=all takes all 52, and an odd size, too."""
import json
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "endtoend"))

from support import ToolTest, kernel, kernels  # noqa: E402
from sampled import VARIABLE, load_twelfth as load_tests  # noqa: F401,E402

SIZES = "small,odd" if os.environ.get(VARIABLE) == "all" else "small"


class Twins(ToolTest):
    def both(self, name):
        one, other = kernel(name), kernel(name).with_suffix(".cu")
        for candidate, reference in ((other, one), (one, other)):
            done = self.call("warpscope", "judge", candidate, "--reference", reference, "--sizes", SIZES, "--no-cost", "--json", "verdict.json", environment={"WARPSCOPE_CACHE": ""})
            self.assertEqual(done.returncode, 0, done.stdout.decode() + done.stderr.decode())
            report = json.loads((self.folder / "verdict.json").read_text())
            self.assertEqual([one["values"] for one in report["compared"] if one["size"] == "small"], ["random", "structured", "extreme"], report["left_out"])
            self.assertEqual([fault for fault in report["faults"] if fault["level"] == "error"], [])


for _name in kernels():
    setattr(Twins, f"test_{_name}", lambda self, name=_name: self.both(name))


if __name__ == "__main__":
    unittest.main()
