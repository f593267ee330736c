"""Buffers whose sizes nobody gives, and accesses outside of those that are given. All expected numbers are arithmetic. Of the kernels with
sizes by arithmetic a run takes a sixth (sampled.py), scripts/test --long kernels all."""
import json
import shlex
import unittest

import launches  # noqa: F401  (finds support)
from support import ToolTest
from sampled import VARIABLE, some

# Kernel: parameters, statement; `i` is the global id.
AFFINE = {
    "rows": ("__global float* a, int n", "for (int j = 0; j < n; ++j) a[i * n + j] = j;"),
    "stride": ("__global float4* a, int n", "a[i * n] = 0;"),
    "tail": ("__global double* a, int n", "a[n + i] = i;"),
    "guarded": ("__global int* a, int n", "if (i < n) a[i] = 1;"),
    "halo": ("__global int* a, int n", "a[i] = a[i + n];"),
    "byte": ("__global char* a, int n", "if (i == 7) a[n] = 1;"),
    "square": ("__global short* a, int n", "a[get_global_id(0) * n + n] = 1;"),
}
# Addresses that depend on no memory, but are not affine in the id.
COMPUTED = {
    "backwards": ("__global int* a, int n", "if (i < n) a[n - 1 - i] = i;"),
    "flipped": ("__global int* a, int n", "a[i ^ n] = i;"),
    "triangle": ("__global int* a, int n", "if (i < n) a[i * (i + 1) / 2] = i;"),
    "rooted": ("__global int* a, int n", "a[(int)(sqrt((float)i) * n)] = i;"),
    "walk": ("__global int* a, int n", "int at = i; for (int j = 0; j < n; ++j) { a[at] /= a[0]; at = (at * 5 + 3) % 1024; }"),
    "halves": ("__global int* a, int n", "for (int s = n; s > 0; s /= 2) if (i % s == 0) a[i + s] += a[i] / a[s];"),
    "meeting": ("__global int* a, int n", "for (int s = n; s > 0; s /= 2) { if ((i ^ s) < i) a[i ^ s] += a[i]; "
                "barrier(CLK_GLOBAL_MEM_FENCE); }"),
}
# Kernel, n: elements that 256 work-items need.
SIZES = [("rows", 256, 65536), ("rows", 3, 768), ("stride", 5, 255 * 5 + 1), ("tail", 300, 556), ("guarded", 100, 100),
         ("halo", 4096, 255 + 4096 + 1), ("byte", 1000000, 1000001), ("square", 7, 255 * 7 + 8), ("backwards", 1000, 1000),
         ("backwards", 77, 77), ("flipped", 1023, 1024), ("triangle", 100, 99 * 50 + 1), ("rooted", 10, 159 + 1), ("walk", 1, 256),
         ("walk", 2, max((i * 5 + 3) % 1024 for i in range(256)) + 1), ("halves", 512, 513), ("meeting", 128, 256)]
KNOWN = AFFINE | COMPUTED
LOADED = {
    "gather": ("__global float* x, __global int* k, __global float* y", "y[i] = x[k[i]];"),
    "ends": ("__global float* x, __global int* k, __global float* y", "for (int j = 0; j < k[i]; ++j) y[i] += x[j];"),
    "chase": ("__global float* x, __global int* k, __global float* y", "int at = i; while (x[at] > 2) at = k[at]; y[i] = at;"),
}
SHIFT = "__kernel void shift(__global int* in, __global int* out, long d) {\n  int i = get_global_id(0);\n  %s;\n}\n"


class BufferSizes(ToolTest):
    def write(self, name, parameters, statement):
        (self.folder / f"{name}.cl").write_text(f"__kernel void {name}({parameters}) {{\n  int i = get_global_id(0);\n  {statement}\n}}\n",
                                                encoding="ascii")
        return f"{name}.cl"

    def sizes(self):
        view = json.loads(self.run_tool("trace-view", "--sites", "--json", "x.wtrace"))
        return {one["name"]: one["size"] for one in view["buffers"]}

    def trace(self, *words):
        done = self.call("trace-kernel", *words, "-o", "x.wtrace")
        return done.returncode, done.stderr.decode()

    def test_from_accesses(self):
        for name, n, elements in some(SIZES):
            with self.subTest(name, n=n, again=f"{VARIABLE}=all /usr/bin/python3 -B {__file__}"):
                file = self.write(name, *KNOWN[name])
                status, said = self.trace(file, "--global", "256", "--arg", f"n={n}")
                self.assertEqual(status, 0, said)
                self.assertIn(f"trace-kernel: inferred: a: {elements:,} elements, from its accesses\n", said)
                self.assertNotIn("outside", said)
                element = {"float4": 16, "double": 8, "float": 4, "int": 4, "short": 2, "char": 1}[KNOWN[name][0].split()[1].strip("*")]
                self.assertEqual(self.sizes(), {"a": elements * element})
                if name in COMPUTED:
                    self.assert_same_without_results(file, n, elements)

    def assert_same_without_results(self, file, n, elements):
        """A run that only computes addresses records what the kernel does."""
        counts = []
        for more in ((), ("--addresses-only",)):
            self.trace(file, "--global", "256", "--arg", f"n={n}", "--arg", f"a=count={elements}", *more)
            result = json.loads(self.run_tool("cachesim", "x.wtrace", "--gpu", "v100", "--json", "-"))
            counts.append({key: result[key] for key in ("total", "sites")})
        self.assertEqual(*counts)

    def test_of_a_cuda_kernel_with_a_loop_over_rows(self):
        (self.folder / "sums.cu").write_text(
            "__global__ void sums(const float* in, float* out, int rows, int cols) {\n  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (row >= rows) return;\n  float s = 0;\n  for (int j = 0; j < cols; ++j) s += in[row * cols + j];\n  out[row] = s;\n}\n",
            encoding="ascii")
        status, said = self.trace("sums.cu", "--grid", "8", "--block", "256", "--arg", "rows=2000", "--arg", "cols=256")
        self.assertEqual(status, 0, said)
        self.assertIn("inferred: in: 512,000 elements, from its accesses\n", said)
        self.assertIn("inferred: out: 2,000 elements, from its accesses\n", said)

    def test_are_asked_for_where_addresses_depend_on_what_is_loaded(self):
        for name, kernel in LOADED.items():
            with self.subTest(name):
                file = self.write(name, *kernel)
                status, said = self.trace(file, "--global", "64")
                self.assertEqual((status, said.count("\n")), (2, 1), said)
                self.assertIn(f"kernel '{name}': what the kernel accesses is not known before it runs, so the sizes of "
                              "'x' (__global float *), 'k' (__global int *), 'y' (__global float *) have to be given, expected for example "
                              "--arg x=count=64 --arg k=count=64 --arg y=count=64\n", said)
                options = said.split("expected for example ")[1].split()
                self.assertEqual(self.trace(file, "--global", "64", *options)[0], 0)

    def test_all_that_is_missing_is_in_one_line(self):
        parameters = "__global int* x, __local int* s, int n, __global int* k"
        status, said = self.trace(self.write("many", parameters, "s[i % n] = x[k[i]]; x[i] = s[0];"), "--global", "64")
        self.assertEqual((status, said.count("\n")), (2, 1), said)
        self.assertIn("expected for example --arg x=count=64 --arg s=1024 --arg n=64 --arg k=count=64\n", said)
        status, said = self.trace(self.write("few", parameters, "s[i % n] = x[i]; x[i] = s[0] + k[n];"), "--global", "64")
        self.assertIn("expected for example --arg s=1024 --arg n=64\n", said)  # the rest comes from the accesses

    def test_the_example_is_a_command_that_works(self):
        for name, asked, words in (("plane", "get_global_id(1)", ()), ("row", "0", ("--gpu", "v100", "-o", "a b")), ("wide", "0", ("--local", "48"))):
            with self.subTest(name):
                file = self.write(name, "__global float* x, __local float* s, uint n, float f, __global int* k",
                                  f"s[get_local_id(0)] = f * x[k[i % n]]; x[i] = s[0] + {asked};")
                words = ("--no-plots", "--advice-budget", "0", *words)
                done = self.call("warpscope", file, *words)
                command = shlex.split(done.stderr.decode().split(", expected for example: ")[1])
                self.assertEqual((done.returncode, command[:2 + len(words)]), (2, ["warpscope", file, *words]))
                done = self.call(*command)
                self.assertEqual(done.returncode, 0, done.stderr)


class Outside(ToolTest):
    """1024 work-items, and buffers of 1024 elements of 4 bytes."""

    def trace(self, statement, elements, *words):
        (self.folder / "shift.cl").write_text(SHIFT % statement, encoding="ascii")
        done = self.call("trace-kernel", "shift.cl", "--global", "1024", "--arg", f"d={elements}", "--arg", "in=count=1024",
                         "--arg", "out=count=1024", *words, "-o", "x.wtrace")
        return done.returncode, done.stderr.decode()

    def test_near_ones_are_recorded(self):
        # 40 bytes, 600 bytes, a page, 256 KiB less 16 KiB; behind and before.
        for kind, buffer, statement in (("load", "in", "out[i] = in[i + d]"), ("store", "out", "out[i + d] = in[i]")):
            for elements, *words in ((10,), (10, "--no-boxes"), (150, "--verify"), (1024,), (60000,), (-10,), (-60000, "--no-boxes")):
                with self.subTest(kind, elements=elements, words=words):
                    status, said = self.trace(statement, elements, *words)
                    self.assertEqual(status, 3, said)
                    self.assertIn(f": {min(abs(elements), 1024)} of 1024 {kind}s are outside of '{buffer}' (first: ", said)

    def test_far_ones_are_named(self):
        for kind, buffer, statement in (("load", "in", "out[i] = in[i + d]"), ("store", "out", "out[i + d] = in[i]")):
            for elements in (100000, 10**8, -10**6):
                with self.subTest(kind, elements=elements):
                    status, said = self.trace(statement, elements)
                    self.assertEqual(status, 3, said)
                    self.assertRegex(said, rf"kernel 'shift' faulted \(SIGSEGV\) in work-item \d+ of work-group \d+ at shift.cl:3:\d+: "
                                           rf"{kind} of 4 bytes through '{buffer}'")
                    self.assertRegex(said, r", \d+ bytes (behind its end|before its beginning) ?\(4096 bytes\): out of bounds")


if __name__ == "__main__":
    unittest.main()
