"""warpscope check compiles kernels for one CPU target: a * b + c is rounded once, whatever PoCL is told or finds."""
import pathlib
import struct
import sys
import unittest
import unittest.mock

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "python")]

from support import ToolTest  # noqa: E402

from warpscope.base.errors import ToolFailed  # noqa: E402
from warpscope.run import fixed_target  # noqa: E402

ODD = range(1, 128, 2)
FILES = {"k.cl": "kernel void k(global float *out, global const float *a, global const float *c) {\n"
                 "  int i = get_global_id(0);\n  out[i] = a[i] * a[i] + c[i];\n}\n",
         "k.cu": '__global__ void k(float *out, const float *a, const float *c) {\n'
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = a[i] * a[i] + c[i];\n}\n"}
OTHER = {"POCL_KERNELLIB_NAME": "sse2", "POCL_LLVM_CPU_NAME": "x86-64"}  # has no fused multiply-add


class OneTarget(ToolTest):
    """With a = 1 + k / 2^12 and c = -(1 + k / 2^11) the exact a * a + c is k^2 / 2^24, a float. Rounded first, a * a is a multiple of 2^-23, and so is the
    sum: never k^2 / 2^24 of an odd k."""

    def setUp(self):
        super().setUp()
        for name, values in (("a", [1 + k * 2.0**-12 for k in ODD]), ("c", [-(1 + k * 2.0**-11) for k in ODD])):
            (self.folder / name).write_bytes(struct.pack(f"{len(ODD)}f", *values))
        for name, text in FILES.items():
            (self.folder / name).write_text(text)

    def out(self, *words, **environment):
        count = f"count={len(ODD)}"
        arguments = [word for name in "ac" for word in ("--arg", f"{name}={count},fill=file:{name}")]
        self.run_tool(*words, "--global", len(ODD), "--local", 32, *arguments, "--arg", f"out={count}", "--dump-buffers", "buffers", environment=environment)
        return list(struct.unpack(f"{len(ODD)}f", (self.folder / "buffers" / "out.bin").read_bytes()))

    def test_sums_are_rounded_once(self):
        once = [k * k * 2.0**-24 for k in ODD]
        for source in FILES:
            for environment in ({}, OTHER, {"POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"}):
                self.assertEqual(self.out("warpscope", "check", source, **environment), once)
        twice = self.out("trace-kernel", "k.cl", "-o", "k.wtrace", **OTHER)  # what PoCL would do without us
        self.assertTrue(all(k * k * 2.0**-24 != value for k, value in zip(ODD, twice)))

    def test_variables_that_change_code_are_dropped(self):
        given = {"PATH": "x", "POCL_CACHE_DIR": "here", "POCL_MAX_PTHREAD_COUNT": "2", "POCL_EXTRA_BUILD_FLAGS": "-g", "POCL_WORK_GROUP_METHOD": "loopvec", **OTHER}
        self.assertEqual(fixed_target.environment(given), {"PATH": "x", "POCL_CACHE_DIR": "here", "POCL_MAX_PTHREAD_COUNT": "2",
                                                           "POCL_LLVM_CPU_NAME": "haswell", "POCL_KERNELLIB_NAME": "avx2"})

    def test_a_cpu_that_lacks_it(self):
        older = "processor : 0\nflags\t\t: fpu sse2 avx bmi1 bmi2 f16c abm movbe\n"
        self.assertEqual(fixed_target.missing(older), ["avx2", "fma"])
        self.assertEqual(fixed_target.missing(older.replace("avx", "avx avx2 fma avx512f")), [])
        self.assertEqual(fixed_target.missing("Features : asimd"), list(fixed_target.NEEDED))
        (self.folder / "cpuinfo").write_text(older)
        with unittest.mock.patch.object(fixed_target, "CPU_INFO", self.folder / "cpuinfo"), self.assertRaises(ToolFailed) as refused:
            fixed_target.environment()
        self.assertEqual((refused.exception.status, str(refused.exception)),
                         (3, "kernels are compiled for haswell here, expected a CPU that also has avx2, fma"))


if __name__ == "__main__":
    unittest.main()
