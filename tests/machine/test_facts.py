"""What only machine code shows: spilled registers, accesses that a wider instruction would make, registers for one more work-group; and kernels without."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests"), str(SOURCE / "python")]
from support import BIN  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402
from warpscope.result import code_facts, instructions  # noqa: E402

NVCC = cuda_tools.look("nvcc")
KERNELS = """#define I (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void quad(const float *in, float *out, int n) { const float *p = in + 4 * I; out[I] = p[0] + p[1] + p[2] + p[3]; }
__global__ void pair_store(const float *in, float *out, int n) { const float v = in[I]; out[2 * I] = v; out[2 * I + 1] = v + 1; }
__global__ void in_loop(const float *in, float *out, int n) {
  const float *p = in + 64 * I;
  float sum = 0;
  for (int k = 0; k < 16 * n; k += 2) sum += p[k] * p[k + 1];
  out[I] = sum;
}
__global__ void shared_rows(const float *in, float *out, int n) {
  extern __shared__ float t[];
  for (int k = 0; k < 4; ++k) t[threadIdx.x + 128 * k] = in[threadIdx.x + 128 * k];
  __syncthreads();
  const float *p = t + n * threadIdx.x;
  out[I] = p[0] * p[1] + p[2] * p[3];
}
__global__ void quad_wide(const float4 *in, float *out, int n) { const float4 v = in[I]; out[I] = v.x + v.y + v.z + v.w; }
__global__ void strided(const float *in, float *out, int n) { out[I] = in[I] + in[I + 1024] + in[I + 2048] + in[I + 3072]; }
__global__ void between(volatile float *in, float *out, int n) { const float first = in[2 * I]; in[2 * I + 7] = first; __syncthreads(); out[I] = first + in[2 * I + 1]; }
__global__ void shared_columns(const float *in, float *out, int n) {
  __shared__ float t[512];
  const int i = threadIdx.x;
  for (int k = 0; k < 4; ++k) t[i + 128 * k] = in[i + 128 * k];
  __syncthreads();
  out[i] = t[i] * t[i + 128] + t[i + 256] * t[i + 384];
}
__global__ void array(const float *in, float *out, int n) {
  float v[32];
  for (int k = 0; k < 32; ++k) v[(k * n) & 31] = in[threadIdx.x + 128 * k];
  out[threadIdx.x] = v[n & 31] + v[(n + 3) & 31];
}
"""
SPILLING = """__global__ void __launch_bounds__(1024, 2) %s(const float *in, float *out, int n) {
  float v[%d];
#pragma unroll
  for (int k = 0; k < %d; ++k) v[k] = in[threadIdx.x + 128 * k];
  __syncthreads();
#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int k = 0; k < %d; ++k) v[k] = v[k] * v[(k + 7 * r + 1) %% %d] + n;
#pragma unroll
  for (int k = 0; k < %d; ++k) out[threadIdx.x + 128 * k] = v[k];
}
"""
SPILLS = (40, 48, 56)
GROUPS, WARPS = 4, 4


@unittest.skipUnless(NVCC, "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class FactsNeedCudaToolkit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        many = "".join(SPILLING % (f"spilling{size}", *[size] * 5) for size in SPILLS)
        (cls.folder / "k.cu").write_text(f"{KERNELS}{many}")
        done = subprocess.run([NVCC, "-arch=sm_90", "-lineinfo", "-cubin", "-Xptxas", "-v", "k.cu"], cwd=cls.folder, capture_output=True, text=True, check=True)
        cls.compiler = dict(re.findall(r"Compiling entry function '(\w+)'.*?(\d+ bytes spill stores, \d+ bytes spill loads)", done.stderr, re.S))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_tool(self, name, *words):
        done = subprocess.run([BIN / name, *map(str, words)], cwd=self.folder, capture_output=True, text=True, env={**os.environ, "WARPSCOPE_CACHE": ""})
        self.assertEqual(done.returncode, 0, done.stderr)

    def facts(self, kernel):
        self.run_tool("trace-kernel", "k.cubin", "--kernel", kernel, "--grid", GROUPS, "--block", 32 * WARPS, "--arg", "in=count=131072", "--arg", "out=count=65536", "--arg", "n=4",
                      *(["--dynamic-shared", 2048] if kernel == "shared_rows" else []), "-o", "k.wtrace")
        self.run_tool("cachesim", "k.wtrace", "--gpu", "h100", "--json", "k.json")
        result = json.loads((self.folder / "k.json").read_text())
        result["instructions"] = instructions.of_capture(self.folder / "k.wtrace", result)
        return code_facts.of_result(result)

    def test_accesses_that_could_be_wider(self):
        """By hand: instructions that go, of 16 warps: three of four; one of two; with 32 iterations of two, at least one of each pair."""
        for kernel, rule, least in (("quad", "wider-global", 3), ("pair_store", "wider-global", 1), ("in_loop", "wider-global", 32), ("shared_rows", "wider-shared", 3)):
            with self.subTest(kernel=kernel):
                (fact,) = [one for one in self.facts(kernel) if one.rule.startswith("wider")]
                self.assertEqual(fact.rule, rule)
                self.assertGreaterEqual(fact.weight, least * GROUPS * WARPS)
                if least < 32:
                    self.assertEqual(fact.weight, least * GROUPS * WARPS)

    def test_what_is_not_there_is_not_found(self):
        for kernel in ("quad_wide", "strided", "between", "shared_columns", "array"):
            with self.subTest(kernel=kernel):
                self.assertEqual([one for one in self.facts(kernel) if one.rule != "registers"], [])

    def test_spills_are_those_of_the_compiler(self):
        """ptxas -v says how many bytes the code stores and loads; each instruction is executed once by each warp."""
        for size in SPILLS:
            with self.subTest(size=size):
                stored, loaded = map(int, re.findall(r"\d+", next(one for name, one in self.compiler.items() if f"spilling{size}" in name)))
                found = [one for one in self.facts(f"spilling{size}") if one.rule == "spills"]
                if not stored + loaded:
                    self.assertEqual(found, [])
                    continue
                (fact,) = found
                self.assertIn(f" move {(stored + loaded) * 32 * GROUPS * WARPS:,} bytes", fact.what)


class Registers(unittest.TestCase):
    def facts(self, registers, held, limited_by="registers", local=256):
        values = {"registers_per_core": 65536, "register_allocation": "warp", "register_allocation_unit": 256, "register_partitions": 4}
        code = {"launch": 0, "kernel": "k", "registers": registers, "instructions": []}
        group = {"kernel": "k", "first": 0, "local": [local, 1, 1]}
        return code_facts.of_result({"instructions": [code], "launch_groups": [group], "context": {
            "preset": {"name": "h100", "values": {key: {"value": value} for key, value in values.items()}},
            "schedule": {"residency": [{"launch": 0, "work_groups": held, "limited_by": limited_by}]}}})

    def test_one_more_work_group(self):
        """By hand, of 65,536 registers in 4 parts, 8 warps a group: 72 registers are 2,304 of a warp, 7 warps of a part, 28 of a core, 3 groups; 64 are 2,048, 32 warps, 4 groups.
        128: 16 warps, 2 groups; 80 are 2,560, 6 of a part, 24, 3 groups. 40: 1,280, 12 of a part, 48, 6 groups; 32: 1,024, 64, 8 groups."""
        for registers, held, enough, more in ((72, 3, 64, 4), (128, 2, 80, 3), (40, 6, 32, 8)):
            (fact,) = self.facts(registers, held)
            self.assertIn(f"with {enough} ({registers - enough} less", fact.what)
            self.assertTrue(fact.what.endswith(f"enough for {more}"), fact.what)

    def test_nothing_where_registers_are_not_what_limits(self):
        self.assertEqual(self.facts(72, 3, "warps"), [])
        self.assertEqual(self.facts(32, 8, "work-group slots"), [])
        self.assertEqual(self.facts(72, 2), [])  # another rule than the one known here


if __name__ == "__main__":
    unittest.main()
