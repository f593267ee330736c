"""Findings of programs with several launches and kernels: each is about one kernel, and true of it. Every number by hand."""
import json
import sys
import unittest

from support import BIN, SOURCE, ProgramTest

sys.path.insert(0, str(SOURCE / "python"))
from warpscope.explore.advice import indices  # noqa: E402
from warpscope.explore.advice.case import Case  # noqa: E402
from warpscope.result import machine  # noqa: E402
from warpscope.show.summary import find  # noqa: E402

PYTHON = "/usr/bin/python3"
PROGRAM = """\
import sys
import numpy as np
import pyopencl as cl
platforms = cl.get_platforms()
context = cl.Context(next((p for p in platforms if "Portable" in p.name), platforms[0]).get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, open("kernels.cl").read()).build()
numbers = np.random.default_rng(1)
def buffer(content):
    return cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(content))
def zeros(count):
    return buffer(np.zeros(count, np.float32))
"""
KERNELS = """\
__kernel void scale(__global float* a, int w) { int i = get_global_id(1) * w + get_global_id(0); a[i] = 2 * a[i]; }
__kernel void rows(__global const float* a, __global float* o, int w) {
  float s = 0; for (int k = 0; k < w; ++k) s += a[k * w + get_global_id(0)]; o[get_global_id(1) * w + get_global_id(0)] = s; }
__kernel void wide(__global float* a) { int i = get_global_id(0); a[i] = 2 * a[i]; }
__kernel void narrow(__global const float* a, __global float* o, int n) {
  float s = 0; for (int i = get_global_id(0); i < n; i += get_global_size(0)) s += a[i]; o[get_global_id(0)] = s; }
__kernel void sum(__global const float* in, __global float* out) {
  __local float s[256]; int l = get_local_id(0); s[l] = in[get_global_id(0)];
  for (int k = 128; k > 0; k >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < k) s[l] += s[l + k]; }
  if (l == 0) out[get_group_id(0)] = s[0]; }
__kernel void half_of_it(__global const float* in, __global float* out) {
  int i = get_global_id(0); if (i % 4 == 0) out[i] = in[i]; }
__kernel void by_group(__global const uint* in, __global uint* out) {
  __local uint h[256]; int l = get_local_id(0); h[l] = 0; barrier(CLK_LOCAL_MEM_FENCE);
  atomic_inc(&h[in[get_global_id(0)] & 255]); barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&out[l], h[l]); }
__kernel void leader(__global const uint* in, __global uint* out) {
  __local uint h; int l = get_local_id(0); if (l == 0) h = 0; barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&h, in[get_global_id(0)]); barrier(CLK_LOCAL_MEM_FENCE); if (l == 0) atomic_add(&out[get_group_id(0) & 1], h); }
__kernel void plain(__global const uint* in, __global uint* out) { atomic_inc(&out[in[get_global_id(0)] & 255]); }
__kernel void spmv(__global const int* row, __global const int* col, __global const float* val, __global const float* x, __global float* y) {
  int r = get_global_id(0); float s = 0; for (int j = row[r]; j < row[r + 1]; ++j) s += val[j] * x[col[j]]; y[r] = s; }
__kernel void ell(__global const int* col, __global const float* x, __global float* y, int n) {
  int r = get_global_id(0); float s = 0; for (int j = 0; j < 8; ++j) s += x[col[j * n + r]]; y[r] = s; }
__kernel void gather(__global const int* at, __global const float* x, __global float* y) { int i = get_global_id(0); y[i] = 2 * x[at[i]]; }
__kernel void pairs(__global const int* at, __global const float* x, __global float* y) { int i = get_global_id(0); y[i] = x[at[2 * i]] + x[at[2 * i + 1]]; }
"""


class Findings(ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "kernels.cl").write_text(KERNELS)

    def of(self, lines, gpu="v100"):
        """(all findings, the summary, the result) of a program with these lines."""
        (self.folder / "program.py").write_text(PROGRAM + lines + "\nqueue.finish()\n")
        done = self.traced(PYTHON, "program.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.plain(BIN / "warpscope", "x.wtrace", "--gpu", gpu, "--no-plots", "--advice-budget", "0", "-o", "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads((self.folder / "out" / "result.json").read_text())
        return find.all_findings(result, machine.busy(result, result.get("timed"))), done.stdout, result

    def rules(self, found, kernel):
        return {finding.rule for finding in found if finding.kernels == [kernel]}

    def test_launches_do_not_add_up_to_data_that_is_fetched_again(self):
        found, text, _ = self.of("a = zeros(128 * 128)\nfor _ in range(10): program.scale(queue, (128, 128), (32, 8), a, np.int32(128))")
        self.assertNotIn("lost-order", self.rules(found, "scale"))
        self.assertNotIn("its users run on", text)
        # 32 work-groups on 32 cores, each of which fetches a quarter of the matrix (its 32 columns): 8 times all of it, in each of 3 launches.
        found, _, _ = self.of("a, o = zeros(128 * 128), zeros(128 * 64)\n"
                              "for _ in range(3): program.rows(queue, (128, 64), (32, 8), a, o, np.int32(128))")
        what = [finding.what for finding in found if finding.rule == "lost-order"]
        self.assertEqual(what, ["fetched 8 times in each launch: its users run on many cores"])

    def test_findings_about_launches_are_of_one_kernel_and_weighted_by_its_cycles(self):
        found, text, result = self.of("a, o = zeros(65536), zeros(256)\nfor _ in range(5): program.wide(queue, (65536,), (256,), a)\n"
                                      "program.narrow(queue, (4,), (2,), a, o, np.int32(65536))")
        narrow = [finding for finding in found if finding.rule == "idle-cores" and finding.kernel == "narrow"]
        self.assertEqual([finding.what for finding in narrow], ["2 work-groups for 80 cores"])
        cycles = {kernel["kernel"]: kernel["timed_cycles"] for kernel in result["kernels"]}
        weight = cycles["narrow"] / sum(cycles.values())
        self.assertAlmostEqual(narrow[0].share, weight * 78 / 80, delta=0.01)  # 2 of 80 cores work, both from the first cycle to the last
        self.assertIn("narrow: 2 work-groups for 80 cores", text)
        self.assertIn("(kernel narrow, ", text)
        self.assertLess(max((finding.share for finding in found if finding.kernel == "wide"), default=0), 1 - weight + 1e-9)

    def test_one_result_of_a_work_group_needs_one_lane(self):
        found, _, _ = self.of("a, o = zeros(4096), zeros(4096)\nprogram.sum(queue, (4096,), (256,), a, o)\nprogram.half_of_it(queue, (4096,), (256,), a, o)")
        self.assertEqual([(finding.kernel, finding.what) for finding in found if finding.rule == "divergence" and finding.access.space == "global"],
                         [("half_of_it", "8.0 of 32 lanes active")] * 2)  # every fourth lane; sum's store of one lane is none
        found, _, _ = self.of("a, o = zeros(4096), zeros(4096)\nprogram.narrow(queue, (64,), (4,), a, o, np.int32(4096))")
        self.assertEqual({finding.what: finding.remedy for finding in found if finding.rule in ("divergence", "narrow-groups")},
                         {"work-groups of 4 work-items fill 4 of 32 lanes of a warp": "make work-groups a multiple of a warp"})

    def test_who_combines_in_the_work_group_is_not_told_to(self):
        lines = "i, o = buffer(numbers.integers(0, 256, 8192).astype(np.uint32)), buffer(np.zeros(256, np.uint32))\n"
        for kernel, remedy in (("by_group", "give each work-group more elements, so that fewer partial results go to out"),
                               ("leader", "give each work-group more elements, so that fewer partial results go to out"),
                               ("plain", "combine values of a work-group before they go to out")):
            found, _, _ = self.of(f"{lines}program.{kernel}(queue, (8192,), (256,), i, o)")
            self.assertEqual([finding.remedy for finding in found if finding.rule == "atomics"], [remedy], kernel)

    def test_an_index_is_sorted_only_if_each_element_has_its_own_result(self):
        _, _, result = self.of("x, y = zeros(4096), zeros(4096)\nat = buffer(numbers.permutation(4096).astype(np.int32))\n"
                               "row, col = buffer(np.arange(0, 4097, 4, dtype=np.int32)), buffer(numbers.integers(0, 4096, 4096).astype(np.int32))\n"
                               "program.spmv(queue, (1024,), (64,), row, col, x, x, y)\nprogram.ell(queue, (512,), (64,), col, x, y, np.int32(512))\n"
                               "program.gather(queue, (4096,), (64,), at, x, y)\nprogram.pairs(queue, (2048,), (64,), at, x, y)")
        case = Case.of(result, str(self.folder / "x.wtrace"))
        allowed = {(access.kernels[0], name) for access in case.accesses for name in indices.of_access(case, access)
                   if access.buffers == ["x"] and indices.can_be_sorted(case, access, name)}
        self.assertEqual(allowed, {("gather", "at")})


if __name__ == "__main__":
    unittest.main()
