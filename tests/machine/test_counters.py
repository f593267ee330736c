"""Counters of machine code executed here are those of an H100 that do not depend on caches, with a capture and without one."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests"), str(SOURCE / "python"), str(SOURCE / "validation")]
from collect import convolutions, family_launches, group_classes, machine_launches  # noqa: E402
from support import BIN, OfMachineCode, ToolTest, kernel  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402

H100 = SOURCE / "validation" / "hardware" / "nvidia-h100-80gb-hbm3"
KEPT = SOURCE / "validation" / "notes" / "machine-code.csv"
MEDIUM, FAMILIES = "2026-11-26-medium.csv", "2026-11-26-families.csv"
# Pairs that are not zero: shared memory and barriers; irregular loads and loops of different lengths; private memory that is indexed.
SAMPLE = ((MEDIUM, "atax/", 15), (MEDIUM, "spmv_csr/", 13), (FAMILIES, "coulomb/16x4-z4-u1-", 14))
LONG = ((MEDIUM, ""), ("2026-11-26-large.csv", ""), (FAMILIES, ""), ("2026-11-27-unseen.csv", ""))


def run_counters(file, folder, *words):
    return subprocess.run([SOURCE / "validation" / "machine-counters", H100 / file, "--bin", BIN, "-o", folder, *words], capture_output=True,
                          text=True, check=True, env={**os.environ, "WARPSCOPE_CACHE": ""}).stdout


@unittest.skipUnless(cuda_tools.look("nvcc"), "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class CountersNeedsCudaToolkit(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_counters_of_an_h100(self):
        """Compiled by nvcc 13.0.88 there. Half of what is run for all: with WARPSCOPE_TEST_KERNELS=all it is what validation/notes/machine-code.csv has."""
        for file, launch, pairs in SAMPLE:
            with self.subTest(launch=launch):
                printed = run_counters(file, self.folder / launch.replace("/", "-"), "--only", launch)
                total = printed.split("| all | ")[1].split(" | ")
                self.assertEqual((int(total[0]), total[1]), (pairs, f"{pairs} (100.0 %)"), printed)
        if os.environ.get("WARPSCOPE_TEST_KERNELS") != "all":
            return
        kept = {(row["launch"], row["counter"]): row["machine"] for row in csv.DictReader(KEPT.read_text(encoding="utf-8").splitlines())}
        for file, launch in LONG:
            run_counters(file, self.folder / "all", "--only", launch, "--most-instructions", "2e7")
        for row in csv.DictReader((self.folder / "all" / "counters.csv").read_text(encoding="utf-8").splitlines()):
            # Neither zeros are kept, nor what other files counted of a convolution: these are exact, but for wavefronts, to which the GPU adds some.
            key, machine = (row["launch"], row["counter"]), float(row["machine"])
            if key not in kept and "wavefronts_mem_shared" in row["counter"]:
                self.assertTrue(0.98 * float(row["median"]) <= machine <= float(row["median"]), row)
            else:
                self.assertEqual(machine, float(kept.get(key, row["median"])), row)

    def test_some_work_groups_stand_for_all(self):
        """Sums of parts are those of all work-groups. Rows of inputs are no whole sectors, and tiles do not divide the image: 100 is 5 · 19 + 5, and 33 · 3 + 1."""
        os.environ["WARPSCOPE_BIN"] = str(BIN)
        for size, values in ((100, (5, 8, 1, 3, 0, 0)), (100, (32, 1, 1, 3, 0, 1))):
            with self.subTest(values=values):
                row = convolutions.row_of("own/convolution/one", values)
                row["options"] += f" -D SIZE={size}"
                launch = family_launches.Launch(row, self.folder)
                rules = group_classes.rules_of("convolution", launch.defines, False)
                words = machine_launches.compiled(launch, "sm_90", self.folder)
                parts = group_classes.classes(launch.grid, rules)
                self.assertLess(sum(map(len, parts.values())), launch.groups)
                some, every = (machine_launches.simulated(words, which, "h100", self.folder) for which in (parts, group_classes.classes(launch.grid, None)))
                # Hits and misses are not sums of parts.
                self.assertEqual(*({name: value for name, value in one.items() if "hit" not in name and "ratio" not in name and not name.startswith(("lts", "sm__"))}
                                   for one in (some, every)))
                self.assertGreater(every["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 0)


# Hits, and what goes to the L2.
NEED_A_CACHE = ("hit", "lts__")
LAUNCHES = {"bfs": ("--size", "small"), "flow": ("--size", "small"), "histogram": ("--global", "1024"), "mm": ("--size", "small"), "mm_tiled": ("--size", "small"),
            "reduction": ("--global", "1024"), "scan": ("--size", "small"), "spmv_csr": ("--size", "small"), "stencil": ("--global", "64,8,4")}
# Private memory by index, at 4 and 16 bytes; a pointer to either space; copies to shared memory; atomics; memory of malloc(), which is no buffer.
SPACES = """__device__ float sum(const float *p) { return p[0] + p[1]; }
__global__ void k(const float4 *in, int *out, int n) {
  __shared__ float tile[256];
  __shared__ float4 copy[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __pipeline_memcpy_async(&copy[threadIdx.x], &in[i], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  float own[48];
  for (int j = 0; j < 48; ++j) own[j] = j * in[i].x;
  tile[threadIdx.x * 3 % 256] = copy[threadIdx.x].y;
  __syncthreads();
  const float *p = i % 3 == 0 ? own : tile;
  float v = sum(p + (out[i] & 31)) + own[out[i + 1] & 31];
  int *mine = (int *)malloc(8);
  mine[1] = i;
  if (i < n) atomicAdd(&out[out[i] & 7], (int)v);
  out[i] = (int)v + mine[out[i] & 1];
}
"""


class OfBoth(ToolTest):
    def check(self, gpu, *words, status=0):
        """Of the words of trace-kernel: counters with a capture and without. Returns what both said of accesses outside of buffers."""
        said = []
        for option in (("-o", "k.wtrace"), ("--gpu", gpu, "--counters", "k.json")):
            done = self.call("trace-kernel", *words, *option)
            self.assertEqual(done.returncode, status, done.stderr)
            said.append([line for line in done.stderr.decode().splitlines() if "outside" in line])
        self.assertEqual(*said)
        self.run_tool("cachesim", "k.wtrace", "--gpu", gpu, "--no-classes", "--json", "result.json")
        with_capture = json.loads((self.folder / "result.json").read_text())
        found = json.loads((self.folder / "k.json").read_text())
        self.assertEqual(found["registers"], with_capture["context"]["schedule"]["residency"][0]["registers"])
        expected = {name: value for name, value in with_capture["total"]["profiler"]["ncu"].items()
                    if not any(word in name for word in NEED_A_CACHE) and name != "sm__maximum_warps_per_active_cycle_pct"}
        self.assertEqual(found["profiler"]["ncu"], expected)
        self.assertGreater(expected["smsp__inst_executed.sum"], 0)
        return said[0], expected


class WithoutACapture(OfMachineCode, OfBoth):
    def test_counters_are_those_of_a_capture(self):
        for name, words in LAUNCHES.items():
            with self.subTest(kernel=name):
                self.check("a100", *self.machine_code(name), *words)
        # Some of its work-groups.
        self.check("a100", *self.machine_code("mm"), "--size", "small", "--work-groups", "1,3", "--skip-others")

    def test_calls_through_pointers(self):
        for file in sorted((SOURCE / "tests" / "machine" / "meetings").glob("pointers_*.cubin")):
            with self.subTest(file=file.name):
                self.check("h100" if "sm90" in file.name else "rtx3090" if "sm86" in file.name else "rtx2080ti", file, "--global", 96, "--local", 48,
                           "--arg", "param_0=bytes=1024,type=uint,fill=random(3)", "--arg", "param_1=bytes=384,type=uint,fill=zero")

    def test_what_is_refused(self):
        code, machine = self.machine_code("mm")
        for words, message in ((("--counters", "k.json"), "of which GPU?"), (("--gpu", "a100", "--counters", "k.json", "-o", "k.wtrace"), "nothing is recorded"),
                               (("--gpu", "a100", "--counters", "no/folder/k.json"), "no/folder/k.json")):
            done = self.call("trace-kernel", code, machine, "--size", "small", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr.decode())


@unittest.skipUnless(cuda_tools.look("nvcc"), "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class WithoutACaptureNeedsCudaToolkit(OfBoth):
    def test_all_spaces(self):
        (self.folder / "k.cu").write_text("#include <cuda_pipeline.h>\n" + SPACES)
        outside, counters = self.check("h100", "k.cu", "--machine=sm_90", "--grid", 3, "--block", 64, "--arg", "n=150", "--arg", "in=count=192",
                                       "--arg", "out=count=193,fill=iota", status=3)
        self.assertTrue(outside)
        for name in ("mem_local_op_ld", "mem_local_op_st", "mem_global_op_ld"):
            self.assertGreater(counters[f"l1tex__t_requests_pipe_lsu_{name}.sum"], 0, name)

    def test_all_kernels_of_the_suite(self):
        """With WARPSCOPE_TEST_KERNELS=all; else a few."""
        names = sorted(path.parent.name for path in kernel("mm").parents[1].glob("*/*.cu") if path.stem == path.parent.name)
        for name in names if os.environ.get("WARPSCOPE_TEST_KERNELS") == "all" else ("gather", "mt_padded", "multiway_merge"):
            with self.subTest(kernel=name):
                small = ["--size", "small"] if '"small"' in kernel(name).with_suffix(".launch").read_text() else []
                self.check("h100", kernel(name).with_suffix(".cu"), "--machine=sm_90", *small)


if __name__ == "__main__":
    unittest.main()
