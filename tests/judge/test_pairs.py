"""warpscope judge of ten pairs of kernels that compute the same in other ways (pairs/NAME.cl and NAME_*): accepted both ways round, and twenty faults in them, as
they come about when such kernels are written, refused for what they are."""
import json
import pathlib
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "endtoend"))

from support import ToolTest  # noqa: E402
from sampled import load_tests  # noqa: F401,E402

VARIANTS = sorted(path for path in (FOLDER / "pairs").iterdir() if "_" in path.stem)
MACHINE = ("--machine=sm_90",)
# (variant, what is there, what becomes of it, the codes of which one has to be among the reasons)
FAULTS = (
    ("softmax_online.cl", "sum = sum * exp(most - next) + exp", "sum = sum + exp", ("wrong-value",)),
    ("softmax_online.cl", "float most = in[first], sum = 1;", "float most = 0, sum = exp(in[first]);", ("wrong-value",)),
    ("softmax_online.cl", "  barrier(CLK_LOCAL_MEM_FENCE);\n  for", "  for", ("race-local",)),
    ("softmax_tree.cl", "  most = part[0];\n  barrier(CLK_LOCAL_MEM_FENCE);\n", "  most = part[0];\n", ("race-local",)),
    ("softmax_tree.cl", "for (int k = item; k < n; k += 64) sum +=", "for (int k = item; k < n - 1; k += 64) sum +=", ("wrong-value",)),
    ("softmax_tree.cl", "if (item < step) part[item] += part[item + step];", "if (item <= step) part[item] += part[item + step];",
     ("out-of-bounds", "race-local")),
    ("softmax_shuffle.cu", "if (item % 32 == 0) mosts[item / 32] = most;", "if (item % 64 == n) mosts[item / 32] = most;", ("uninitialised",)),
    ("softmax_shuffle.cu", "  sums[item / 32] = sum;  // all lanes have it\n  __syncthreads();\n", "  sums[item / 32] = sum;\n", ("race-local",)),
    ("softmax_shuffle.cu", "sum += __shfl_xor_sync(0xffffffff, sum, step)", "sum += __shfl_down_sync(0xffffffff, sum, step)", ("wrong-value", "order-dependent")),
    ("softmax_merge.cu", "add * expf(other - next)", "add", ("wrong-value",)),
    ("scan_steps.cl", "now = 1 - now;", "now = 0;", ("race-local", "wrong-value")),
    ("scan_steps.cl", "item >= step ?", "item > step ?", ("wrong-value",)),
    ("scan_steps.cl", "sums[1 - now][item] =", "sums[now][item] =", ("race-local",)),
    ("scan_tree.cl", "if (item == 0) sums[63] = 0;", "", ("wrong-value",)),
    ("scan_tree.cl", "  barrier(CLK_LOCAL_MEM_FENCE);\n  out[at]", "  out[at]", ("race-local",)),
    ("scan_tree.cl", "sums[item] + own", "sums[item]", ("wrong-value",)),
    ("scan_shuffle.cu", "if (threadIdx.x == 31) first_sum", "if (lane == 31) first_sum", ("race-local",)),
    ("scan_shuffle.cu", "  __syncthreads();\n", "", ("race-local",)),
    ("star_planes.cl", "    barrier(CLK_LOCAL_MEM_FENCE);\n    below", "    below", ("race-local",)),
    ("star_planes.cu", "tiles[z % 2]", "tiles[0]", ("race-local",)),
    ("star_planes.cu", "x < width - 1 ? in[at + 1] : 0", "in[at + 1]", ("out-of-bounds", "wrong-value")),
    ("star_padded.cu", "z + 1 < depth", "z < depth", ("out-of-bounds",)),
)


class Pairs(ToolTest):
    def judge(self, candidate, reference, *words):
        """(exit status, {code of a reason}, what is said)."""
        launch = FOLDER / "pairs" / f"{pathlib.Path(candidate).stem.partition('_')[0]}.launch"
        done = self.call("warpscope", "judge", candidate, "--reference", reference, "--launch-file", launch, "--no-cost", "--json", "v.json", *words,
                         environment={"WARPSCOPE_CACHE": ""})
        path = self.folder / "v.json"
        reasons = json.loads(path.read_text())["reasons"] if path.exists() else []
        return done.returncode, {reason["code"] for reason in reasons}, done.stdout.decode() + done.stderr.decode()

    def both(self, variant, *words):
        right = FOLDER / "pairs" / f"{variant.stem.partition('_')[0]}.cl"
        for one, other in ((variant, right), (right, variant)):
            status, _, said = self.judge(one, other, *words)
            self.assertEqual(status, 0, said)

    def fault(self, number):
        name, there, instead, codes = FAULTS[number]
        text = (FOLDER / "pairs" / name).read_text()
        self.assertEqual(text.count(there), 1, f"{name}: {there}")
        path = self.folder / name
        path.write_text(text.replace(there, instead))
        status, found, said = self.judge(path, FOLDER / "pairs" / f"{path.stem.partition('_')[0]}.cl")
        self.assertEqual(status, 4, said)
        self.assertTrue(found & set(codes), said)


for _variant in VARIANTS:
    setattr(Pairs, f"test_{_variant.name.replace('.', '_')}", lambda self, path=_variant: self.both(path))
    if _variant.suffix == ".cu":
        setattr(Pairs, f"test_NeedsCudaToolkit_{_variant.stem}", lambda self, path=_variant: self.both(path, *MACHINE))
for _number in range(len(FAULTS)):
    setattr(Pairs, f"test_fault_{_number:02}", lambda self, number=_number: self.fault(number))


if __name__ == "__main__":
    unittest.main()
