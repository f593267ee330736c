"""CUDA kernels: the twins of all benchmark kernels, what else a .cu file may hold, and what is refused."""
import json
import struct
import subprocess
import sys
import unittest

from launches import Launch
from support import ToolTest, kernels


class Twins(ToolTest):
    """NAME.cu beside NAME.cl makes the same accesses, and computes what the host computes."""

    def trace(self, source, launch, folder):
        self.run_tool("trace-kernel", source, *launch.options, "-o", f"{folder}.wtrace", "--dump-buffers", folder)

    def test_gives_the_same_access_stream_and_the_right_result(self):
        self.assertGreaterEqual(len(kernels()), 10)
        for name in kernels():
            with self.subTest(name):
                launch = Launch(name)
                self.trace(launch.source, launch, "opencl")
                self.trace(launch.source.with_suffix(".cu"), launch, "cuda")
                # A line of text: address, R or W, work-group, warp, site. Sites are numbered along the control-flow
                # graph in both, so that even their numbers agree.
                streams = [self.run_tool("warpsched", f"{one}.wtrace", "--format", "text", "-o", "-")
                           for one in ("opencl", "cuda")]
                self.assertGreater(streams[0].count(b"\n"), 64)
                self.assertTrue(streams[0] == streams[1], "accesses differ")
                self.assertEqual(*(self.counts(one) for one in ("opencl", "cuda")))
                done = subprocess.run([sys.executable, "-B", launch.source.with_name("check.py"), self.folder / "cuda",
                                       *launch.options], capture_output=True)
                self.assertEqual(done.returncode, 0, done.stderr.decode())
                self.assertIn(b"OK, 1 launch", self.run_tool("trace-check", "cuda.wtrace"))

    def counts(self, name):
        launch = json.loads(self.run_tool("trace-view", "--summary", "--json", f"{name}.wtrace"))["launches"][0]
        return {key: launch[key] for key in ("global", "local", "loads", "stores", "atomics", "barriers", "work_items",
                                             "by_address_space")}


class CudaTest(ToolTest):
    def write(self, text, name="k.cu"):
        (self.folder / name).write_text(text, encoding="ascii")

    def trace(self, *words, name="k.cu"):
        self.run_tool("trace-kernel", name, *words, "-o", "k.wtrace", "--verify", "--dump-buffers", "buffers")

    def sites(self):
        launch = json.loads(self.run_tool("trace-view", "--sites", "--json", "k.wtrace"))["launches"][0]
        return [(site["kind"], site["space"], site["executions"]) for site in launch["sites"] if site["executions"]]

    def buffer(self, name, code="i"):
        content = (self.folder / "buffers" / f"{name}.bin").read_bytes()
        return list(struct.unpack(f"<{len(content) // struct.calcsize(code)}{code}", content))


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
    OPTIONS = ("--grid", "1", "--block", "8", "--arg", "scale=file:scale", "--arg", "twice=1", "--arg",
               "in=iota", "--arg", "given=5,6,7,8")

    def setUp(self):
        super().setUp()
        self.write(VARIABLES)
        (self.folder / "scale").write_bytes(struct.pack("<fi", 0.5, 1))

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


class Refusals(CudaTest):
    def test_a_file_without_a_kernel(self):
        self.write("__device__ int f(int a) { return a; }\ntemplate <class T> __global__ void k(T *a) { *a = 1; }\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1"), "^trace-kernel: k.cu: no kernel in this "
                            "file, expected a __global__ function")

    def test_a_file_that_does_not_compile(self):
        self.write("#include <cuda_runtime.h>\n\n__global__ void k(int *a) {\n  a[threadIdx.x] = b;\n}\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1"),
                            "k.cu: does not compile\nk.cu:4:20: error: use of undeclared identifier 'b'")

    def test_a_host_function_called_by_a_kernel(self):
        self.write("int f(int a) { return a; }\n__global__ void k(int *a) {\n  a[0] = f(1);\n}\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1"), "k.cu:3:10: error: no matching function for call to 'f'")

    def test_no_such_file(self):
        self.assert_refused(self.call("trace-kernel", "nothing.cu", "--global", "1"), "nothing.cu: cannot read")

    def test_no_compiler(self):
        self.write("__global__ void k(int *a) { *a = 1; }\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1", environment={"PATH": str(self.folder)}),
                            "clang-15: not found in PATH, expected the Debian package clang-15")

    def test_no_headers(self):
        self.write("__global__ void k(int *a) { *a = 1; }\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1",
                                      environment={"WARPSCOPE_CUDA_HEADERS": "nowhere"}),
                            "nowhere/cuda_runtime.h: not found, expected the CUDA headers")

    def test_inline_ptx(self):
        self.write("__global__ void k(int *a) {\n  int r;\n  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(r));\n  a[0] = r;\n}\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1"), "k.cu:3:3: inline assembly", status=3)


if __name__ == "__main__":
    unittest.main()
