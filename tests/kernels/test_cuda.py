"""CUDA kernels: what a .cu file may hold. What is refused: test_cuda_refusals.py; twins: test_every_kernel.py."""
import json
import math
import struct
import unittest

from cuda_test import CudaTest
from support import load_third as load_tests  # noqa: F401

VARIABLES = """
__constant__ float given[4];
__constant__ float fixed[3] = {1.0f, 2.0f, 4.0f};
__device__ int counter;
__device__ int start = 40;
struct Scale { float by; int plus; };
template <int N>
__global__ void variables(const float2 *in, float *out, Scale scale, bool twice) {
  extern __shared__ float buf[];
  const int t = threadIdx.x;
  buf[t] = in[t].y * scale.by + scale.plus;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += buf[(t + k) % blockDim.x];
  out[t] = (twice ? 2 : 1) * sum + given[t % 4] + fixed[t % 3];
  atomicAdd(&counter, 1);
  if (t == 0) out[0] = atomicAdd(&start, 2);
}
template __global__ void variables<2>(const float2 *, float *, Scale, bool);
template __global__ void variables<3>(const float2 *, float *, Scale, bool);
"""


class Variables(CudaTest):
    OPTIONS = ("--grid", "1", "--block", "8", "--arg", "scale.by=0.5", "--arg", "scale.plus=1", "--arg", "twice=1",
               "--arg", "in=iota", "--arg", "given=5,6,7,8")

    def setUp(self):
        super().setUp()
        self.write(VARIABLES)

    def test_memory_of_every_kind_holds_what_the_host_expects(self):
        self.trace("--kernel", "variables< 2 >", *self.OPTIONS, "--dynamic-shared", "lx * 4")
        ys = [2 * i + 1 for i in range(8)]
        buf = [0.5 * y + 1 for y in ys]
        expected = [2 * (buf[i] + buf[(i + 1) % 8]) + (5, 6, 7, 8)[i % 4] + (1, 2, 4)[i % 3] for i in range(8)]
        expected[0] = 40
        self.assertEqual(self.buffer("out", "f"), expected)
        self.assertEqual(self.buffer("counter"), [8])
        # The last two: the sum of block 0's counter by one lane, and its result.
        self.assertEqual(self.sites(), [
            ("load", "global", 8), ("store", "local", 8), ("barrier", "local", 8), ("load", "local", 8),
            ("load", "local", 8), ("load", "constant", 8), ("load", "constant", 8), ("store", "global", 8),
            ("atomic", "global", 8), ("atomic", "global", 1), ("store", "global", 1)])
        view = json.loads(self.run_tool("trace-view", "--sites", "--json", "k.wtrace"))
        self.assertEqual(view["launches"][0]["kernel"], "variables<2>")
        self.assertEqual({one["name"]: one["size"] for one in view["buffers"]},
                         {"in": 64, "out": 32, "buf": 32, "given": 16, "counter": 4, "fixed": 12, "start": 4})

    def test_what_is_missing_is_named(self):
        for words, message in (
                (("--kernel", "variables<2>"), "size of local memory 'buf' .* is not known"),
                (("--kernel", "variables"), "no kernel 'variables', expected one of: variables<2>, variables<3>"),
                (("--kernel", "other"), "k.cu: no kernel 'other', expected one of: variables<2>, variables<3>"),
                (("--kernel", "variables<2>", "--dynamic-shared", "32", "--arg", "buf=bytes=4"), "expected one of them")):
            self.assert_refused(self.call("trace-kernel", "k.cu", *self.OPTIONS, *words), message)
        self.assert_refused(self.call("trace-kernel", "k.cu", "--grid", "1"), "--grid without --block")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--grid", "1", "--block", "2", "--global", "3"),
                            "--grid and --global")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--local", "1", "--block", "2", "--global", "3"),
                            "--block and --local")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--kernel", "variables<2>", "--global", "2048", "--local",
                                      "2048"), "2048 work-items per work-group, expected at most 1024")


ATOMICS = """
__global__ void atomics(int *i, unsigned int *u, float *f, double *d, unsigned long long *l, unsigned int *got) {
  __shared__ unsigned int s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(i, 3); atomicSub(i + 1, 2); atomicMin(i + 2, -(int)threadIdx.x); atomicMax(i + 3, (int)threadIdx.x);
  atomicAnd(u, ~(1u << threadIdx.x)); atomicOr(u + 1, 1u << threadIdx.x); atomicXor(u + 2, threadIdx.x);
  atomicInc(u + 3, 2u); atomicDec(u + 4, 2u); atomicInc(&s, 100u);
  atomicAdd(f, 0.5f); atomicAdd(d, 0.25); atomicAdd(l, 1ull << 33); atomicMax(l + 1, (unsigned long long)threadIdx.x);
  if (atomicCAS(u + 5, 0u, threadIdx.x + 7) == 0) atomicExch(u + 6, threadIdx.x + 7);
  __syncthreads();
  got[threadIdx.x] = s;
}
"""


class Atomics(CudaTest):
    def test_results_are_cudas_and_each_is_one_access(self):
        self.write(ATOMICS)
        zero = [word for name, count in (("i", 4), ("u", 7), ("f", 1), ("d", 1), ("l", 2), ("got", 8))
                for word in ("--arg", f"{name}=count={count},fill=zero")]
        self.trace("--grid", "1", "--block", "8", *zero)
        self.assertEqual(self.buffer("i"), [24, -16, -7, 7])
        u = self.buffer("u", "I")
        # Inc to 2 wraps to 0: 8 steps of a cycle of 3. Dec counts 0, 2, 1, 0, …
        self.assertEqual(u[:5], [0, 0xff, 0, 8 % 3, -8 % 3])
        self.assertEqual(u[5], u[6])
        self.assertIn(u[5], range(7, 15))
        self.assertEqual(self.buffer("f", "f") + self.buffer("d", "d"), [4.0, 2.0])
        self.assertEqual(self.buffer("l", "Q"), [8 << 33, 7])
        self.assertEqual(self.buffer("got", "I"), [8] * 8)
        sites = self.sites()
        self.assertEqual(sites.count(("atomic", "global", 8)), 14)
        self.assertEqual(sites.count(("atomic", "global", 1)), 1)
        self.assertEqual(sites.count(("atomic", "local", 8)), 1)
        self.assertEqual(sum(kind == "atomic" for kind, _, _ in sites), 16)


WARPS = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void block_sum(const int *in, int *out, int n) {
  __shared__ int sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}
__global__ void votes(const int *in, int *out) {
  const int t = threadIdx.x, v = in[t];
  int *row = out + 10 * t;
  row[0] = __ballot_sync(0xffffffff, v & 1);
  row[1] = __syncthreads_count(v > 50);
  row[2] = __all_sync(0xffffffff, v < 90) + 2 * __any_sync(0xffffffff, v > 90);
  row[3] = __syncthreads_or(v == 7) + 2 * __syncthreads_and(v >= 0);
  row[4] = __shfl_sync(0xffffffff, v, 3, 8);
  row[5] = __shfl_up_sync(0xffffffff, v, 2, 16);
  row[6] = __shfl_xor_sync(0xffffffff, (double)v, 5);
  row[7] = __reduce_max_sync(0x0000ffff, v);
  row[8] = __match_any_sync(0xffffffff, v % 4);
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  row[9] = cg::reduce(tile, v, cg::plus<int>()) * 1000 + tile.ballot(tile.thread_rank() == 3);
  __syncwarp();
}
__global__ void differs(const int *in, int *out) {
  int v = threadIdx.x;
  for (int k = 0; k < in[threadIdx.x] % 4; ++k)
    v += __shfl_xor_sync(__activemask(), v, 4);
  out[threadIdx.x] = v;
}
__global__ void whole_grid(int *a) {
  a[blockIdx.x * 32 + threadIdx.x] = blockIdx.x;
  cg::this_grid().sync();
  const int next = a[(blockIdx.x + 1) % gridDim.x * 32 + threadIdx.x];
  cg::this_grid().sync();
  a[blockIdx.x * 32 + threadIdx.x] = blockIdx.x + next;
}
"""


class Warps(CudaTest):
    def setUp(self):
        super().setUp()
        self.write(WARPS)

    def test_a_shuffle_inside_a_branch_of_one_warp(self):
        self.trace("--kernel", "block_sum", "--grid", "2", "--block", "128", "--arg", "n=250", "--arg", "in=iota")
        self.assertEqual(self.buffer("out")[:2], [sum(range(128)), sum(range(128, 250))])
        self.assertEqual(self.sites(), [("load", "global", 250), ("store", "local", 8), ("barrier", "local", 256),
                                        ("load", "local", 8), ("store", "global", 2)])
        self.run_tool("warpsched", "k.wtrace", "--self-check", "-o", "/dev/null")

    def test_votes_and_shuffles_over_a_whole_block(self):
        values = [(37 * i + 11) % 97 for i in range(64)]
        (self.folder / "in").write_bytes(struct.pack("<64i", *values))
        self.trace("--kernel", "votes", "--grid", "1", "--block", "64", "--arg", "in=file:in", "--arg",
                   "out=count=640,fill=zero")
        rows = self.buffer("out")
        for t in range(64):
            first, lane = t - t % 32, t % 32
            warp = values[first:first + 32]
            bits = sum((v & 1) << i for i, v in enumerate(warp))
            same = sum((v % 4 == values[t] % 4) << i for i, v in enumerate(warp))
            self.assertEqual(rows[10 * t:10 * t + 10], [
                bits - (bits >> 31 << 32), sum(v > 50 for v in values),
                all(v < 90 for v in warp) + 2 * any(v > 90 for v in warp), (7 in values) + 2,
                warp[lane // 8 * 8 + 3], warp[lane - 2 if lane % 16 >= 2 else lane], warp[lane ^ 5],
                max(warp[:16]), same - (same >> 31 << 32), sum(warp[lane // 8 * 8:lane // 8 * 8 + 8]) * 1000 + 8], t)
        # The exchanges access no memory: one load and ten stores, five barriers with a count.
        kinds = [kind for kind, _, _ in self.sites()]
        self.assertEqual((kinds.count("load"), kinds.count("barrier")), (1, 3))
        self.assertEqual(sum(count for kind, _, count in self.sites() if kind == "store"), 640)

    def test_threads_whose_loops_differ_in_length(self):
        self.trace("--kernel", "differs", "--grid", "1", "--block", "64", "--arg", "in=count=64,fill=iota", "--arg", "out=count=64")
        # Lane i takes i % 4 rounds; i and i ^ 4 take equally many and exchange their values in each.
        expected = list(range(64))
        for round_ in range(3):
            expected = [v + expected[i ^ 4] if i % 4 > round_ else v for i, v in enumerate(expected)]
        self.assertEqual(self.buffer("out"), expected)
        # By hand: a load before the first round, and one after each.
        self.assertEqual(self.sites(), [("load", "global", 64), ("load", "global", 16 * (0 + 1 + 2 + 3)), ("store", "global", 64)])
        self.run_tool("warpsched", "k.wtrace", "--self-check", "-o", "/dev/null")

    def test_a_barrier_of_the_grid(self):
        self.trace("--kernel", "whole_grid", "--grid", "5", "--block", "32", "--arg", "a=count=160")
        self.assertEqual(self.buffer("a"), [block + (block + 1) % 5 for block in range(5) for _ in range(32)])
        self.assertEqual(self.sites(), [("store", "global", 160), ("load", "global", 160), ("store", "global", 160)])
        self.run_tool("warpsched", "k.wtrace", "--self-check", "-o", "/dev/null")


HALVES = """
#include <cuda_fp16.h>
__global__ void halves(const __half *a, const __half2 *b, __half *c, float *f) {
  const int i = threadIdx.x;
  f[i] = __half2float(a[i]);
  c[i] = __hadd(a[i], b[i].y);
}
"""


class Halves(CudaTest):
    def test_arithmetic_equals_numpys(self):
        numbers = [0.0, -0.0, 1.0, -2.5, 65504.0, 6.0e-8, -5.9e-5, 6.1e-5, 1000.3, 0.33325, float("inf"), 2048.0]
        others = [1e-7, -0.0, 2.0**-11, 3.0 * 2**-11, 40.0, 6.0e-8, 1e-6, -3e-8, 0.26, 2.0**-13, 1.0, 1.0]
        self.write(HALVES)
        self.assertEqual(len(numbers), len(others))
        (self.folder / "a").write_bytes(struct.pack("<12e", *numbers))
        (self.folder / "b").write_bytes(b"".join(struct.pack("<2e", 9.0, other) for other in others))
        self.trace("--grid", "1", "--block", "12", "--arg", "a=file:a", "--arg", "b=file:b", "--arg", "c=count=12", "--arg", "f=count=12")
        a = struct.unpack("<12e", (self.folder / "a").read_bytes())
        b = struct.unpack("<24e", (self.folder / "b").read_bytes())[1::2]
        self.assertEqual(self.buffer("f", "f"), list(a))
        for at, content in enumerate(self.buffer("c", "H")):
            try:
                expected = struct.pack("<e", a[at] + b[at])  # exact in double, rounded once
            except OverflowError:
                expected = struct.pack("<e", float("inf"))
            self.assertEqual(struct.pack("<H", content), expected, (a[at], b[at]))
        # a[i] twice: f may be the same memory.
        self.assertEqual(self.sites(), [(kind, "global", 12) for kind in ("load", "store", "load", "load", "store")])


PROGRAM = """
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
struct Matrix { int width, height; float *elements; };
__device__ float element(const Matrix a, int row, int column) { return a.elements[row * a.width + column]; }
__global__ void multiply(Matrix a, Matrix b, Matrix c) {
  float sum = 0;
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < a.width; ++k) sum += element(a, row, k) * element(b, k, column);
  c.elements[row * c.width + column] = sum;
}
template <class T> struct Shared {
  __device__ operator T *() { extern __shared__ int memory[]; return (T *)memory; }
};
template <class T, unsigned int SIZE> __global__ void reduce(const T *in, T *out, unsigned int n) {
  T *data = Shared<T>();
  const unsigned int t = threadIdx.x;
  T sum = 0;
  for (unsigned int i = blockIdx.x * SIZE + t; i < n; i += SIZE * gridDim.x) sum += in[i];
  data[t] = sum;
  __syncthreads();
  if (SIZE >= 128) { if (t < 64) data[t] = sum = sum + data[t + 64]; __syncthreads(); }
  if (t < 32) {
    volatile T *last = data;
    last[t] = sum = sum + last[t + 32]; __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
      sum += last[t + step]; __syncwarp();
      last[t] = sum; __syncwarp();
    }
  }
  if (t == 0) out[blockIdx.x] = data[0];
}
int main() {
  std::vector<float> host(64);
  float *device;
  if (cudaMalloc(&device, 64 * sizeof(float)) != cudaSuccess) return 1;
  Matrix m{8, 8, device};
  multiply<<<dim3(2, 2), dim3(4, 4)>>>(m, m, m);
  reduce<int, 128><<<1, 128, 128 * sizeof(int)>>>(nullptr, nullptr, 0);
  cudaMemcpy(host.data(), device, 64 * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
"""


class Programs(CudaTest):
    def setUp(self):
        super().setUp()
        self.write(PROGRAM)

    def test_members_of_a_struct_with_pointers_are_arguments(self):
        sizes = [f"{name}.{side}=8" for name in "abc" for side in ("width", "height")]
        fills = ["a.elements=count=a.width*a.height,fill=iota", "b.elements=count=64,fill=iota", "c.elements=count=64"]
        words = [word for one in sizes + fills for word in ("--arg", one)]
        self.trace("--kernel", "multiply", "--grid", "2,2", "--block", "4,4", *words)
        self.assertEqual(self.buffer("c.elements", "f"),
                         [sum((8 * row + k) * (8 * k + column) for k in range(8)) for row in range(8) for column in range(8)])
        self.assertEqual(self.sites(), [("load", "global", 512), ("load", "global", 512), ("store", "global", 64)])

    def test_other_parameters(self):
        self.write("""
struct Nothing { __device__ int operator()(int v) const { return -v; } };
struct Weights { int of[4]; };
template <class F> __global__ void apply(int *a, F f) { a[threadIdx.x] = f(a[threadIdx.x]); }
__global__ void weigh(int *a, Weights w, int4 plus, int which) { a[threadIdx.x] *= w.of[(threadIdx.x + which) % 4] + plus.y; }
void host(int *a) {
  int k = 7;
  apply<<<1, 4>>>(a, Nothing{});
  apply<<<1, 4>>>(a, [=] __device__(int v) { return v * k; });
}
""")
        one = ("--grid", "1", "--block", "4", "--arg", "a=iota")
        self.trace("--kernel", "apply<Nothing>", *one)
        self.assertEqual(self.buffer("a"), [0, -1, -2, -3])
        self.trace("--kernel", "apply<(lambda at k.cu:9:22)>", *one, "--arg", "f.k=7")
        self.assertEqual(self.buffer("a"), [0, 7, 14, 21])
        (self.folder / "w").write_bytes(struct.pack("<4i", 10, 20, 30, 40))
        self.trace("--kernel", "weigh", *one, "--arg", "w=file:w", "--arg", "plus=1,2,3,4", "--arg", "which=1")
        self.assertEqual(self.buffer("a"), [0, 32, 84, 36])

    def test_a_reduction_whose_last_warp_uses_volatile_memory(self):
        self.trace("--kernel", "reduce<int, 128>", "--grid", "2", "--block", "128", "--dynamic-shared", "512",
                   "--arg", "in=count=1000,fill=iota", "--arg", "out=count=2,fill=zero", "--arg", "n=1000")
        expected = [sum(i for i in range(1000) if i // 128 % 2 == block) for block in range(2)]
        self.assertEqual(self.buffer("out"), expected)


# Name in the kernel, the same in Python; x is between 0.1 and 0.9.
FLOATS = (("sqrtf(x)", "sqrt(x)"), ("rsqrtf(x)", "x ** -0.5"), ("std::sqrt(x)", "sqrt(x)"), ("expf(x)", "exp(x)"),
          ("std::exp(x)", "exp(x)"), ("__expf(x)", "exp(x)"), ("logf(x)", "log(x)"), ("powf(x, 1.5f)", "x ** 1.5"),
          ("pow(x, 3)", "x ** 3"), ("sinf(x)", "sin(x)"), ("cos(x)", "cos(x)"), ("tanhf(x)", "tanh(x)"),
          ("atan2f(x, 2)", "atan2(x, 2)"), ("fmodf(x, 0.3f)", "fmod(x, 0.3)"), ("erff(x)", "erf(x)"),
          ("floorf(-x)", "floor(-x)"), ("fmaf(x, 3, 1)", "x * 3 + 1"), ("fmaxf(x, 0.5f)", "max(x, 0.5)"),
          ("min(x, 0.5f)", "min(x, 0.5)"), ("std::max(x, 0.5f)", "max(x, 0.5)"), ("fabsf(-x)", "x"),
          ("copysignf(x, -1)", "-x"), ("__fdividef(x, 3)", "x / 3"), ("cbrtf(x)", "x ** (1 / 3)"),
          ("__saturatef(x + 0.5f)", "min(x + 0.5, 1)"), ("hypotf(x, 1)", "hypot(x, 1)"), ("lgammaf(x)", "lgamma(x)"),
          ("sinpif(x)", "sin(pi * x)"), ("ldexpf(x, 3)", "8 * x"), ("log1pf(x)", "log1p(x)"), ("exp2f(x)", "2 ** x"))
# n is between 1 and 2^31 - 1.
INTEGERS = (("__popc(n)", "n.bit_count()"), ("__clz(n)", "32 - n.bit_length()"), ("__ffs(n)", "(n & -n).bit_length()"),
            ("__brev(n)", "int(f'{n:032b}'[::-1], 2)"), ("__umulhi(n, 0x9e3779b9u)", "n * 0x9e3779b9 >> 32"),
            ("__byte_perm(n, 0x01020304, 0x7250)", "n & 0xff | 0x03 << 8 | n & 0xff0000 | 0x01 << 24"),
            ("__float_as_uint((float)(n & 0xffff))", "struct.unpack('<I', struct.pack('<f', n & 0xffff))[0]"),
            ("__funnelshift_l(n, 5u, 8)", "0x500 | n >> 24"), ("min(n, 77)", "min(n, 77)"),
            ("__sad(n, 100, 1u)", "abs(n - 100) + 1"), ("__float2int_rn(2.5f)", "2"), ("__popcll(-1ll ^ n)", "64 - n.bit_count()"))


class Functions(CudaTest):
    def test_functions_are_those_of_the_hardware(self):
        lines = [f"  f[{at}] = {one};\n" for at, (one, _) in enumerate(FLOATS)]
        lines += [f"  u[{at}] = {one};\n" for at, (one, _) in enumerate(INTEGERS)]
        self.write("#include <cmath>\n__global__ void functions(const float *xs, const int *ns, float *fs, unsigned *us) {\n"
                   "  const int t = threadIdx.x, n = ns[t];\n  const float x = xs[t];\n"
                   f"  float *f = fs + {len(FLOATS)} * t;\n  unsigned *u = us + {len(INTEGERS)} * t;\n" +
                   "".join(lines) + "}\n")
        ns = [1, 2, 0x12345678, 0x7fffffff, 0x40000000, 99, 100, 101]
        (self.folder / "n").write_bytes(struct.pack("<8i", *ns))
        self.trace("--grid", "1", "--block", "8", "--arg", "xs=count=8,fill=random(5,0.1,0.9)", "--arg", "ns=file:n", "--arg",
                   f"fs=count={8 * len(FLOATS)}", "--arg", f"us=count={8 * len(INTEGERS)}")
        xs, fs, us = self.buffer("xs", "f"), self.buffer("fs", "f"), self.buffer("us", "I")
        for t in range(8):
            for at, (name, python) in enumerate(FLOATS):
                expected = eval(python, {**vars(math), "x": xs[t], "min": min, "max": max})  # noqa: S307
                self.assertAlmostEqual(fs[len(FLOATS) * t + at], expected, delta=2e-6 + abs(expected) * 2e-6, msg=name)
            for at, (name, python) in enumerate(INTEGERS):
                expected = eval(python, {"n": ns[t], "struct": struct})  # noqa: S307
                self.assertEqual(us[len(INTEGERS) * t + at], expected, (name, ns[t]))


if __name__ == "__main__":
    unittest.main()
