"""Loads of the read-only path (__ldg, const restrict) before Volta: a cache of its own on Kepler from 3.5 on, the L1 of Maxwell and Pascal."""
import unittest

from support import ToolTest
from support import load_third as load_tests  # noqa: F401

# 256 work-items read 32 neighbouring elements each, of 16,384: r04 and m02 of a set of public questions. A core has four work-groups and
# more; each reads (256 + 31) / 8 sectors of 32 bytes, or lines of 32 elements, first.
WINDOWS = """
__global__ void plain(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 32; ++k) s += a[(i + k) % n];
    out[i] = s;
}
__global__ void marked(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 32; ++k) s += __ldg(&a[(i + k) % n]);
    out[i] = s;
}
__global__ void restricted(const float *__restrict__ a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < 32; ++k) s += a[(i + k) % n];
    out[i] = s;
}
"""
COPY = """
__global__ void copy(const float *__restrict__ a, float *__restrict__ b, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) b[i] = a[i];
}
"""
WITH = ("k20", "k40", "gtx980", "gtx1070", "gtx1080", "p40", "titanx")  # that take only read-only loads


class ReadOnly(ToolTest):
    def loads(self, source, kernel, gpu, *more, grid=64, block=256, n=16384):
        (self.folder / "k.cu").write_text(source, encoding="ascii")
        capture = self.folder / f"{kernel}.wtrace"
        if not capture.exists():
            self.run_tool("trace-kernel", "k.cu", "--kernel", kernel, "--grid", grid, "--block", block, "--arg", f"n={n}", "-o", capture)
        return self.result(capture, "--gpu", gpu, *more)["total"]["load"]

    def assert_rate(self, kernel, gpu, *more):
        """Each request of 32 lanes looks up one line more than its first, or four or five sectors; only first uses miss."""
        load = self.loads(WINDOWS, kernel, gpu, *more)
        self.assertEqual(load["bypasses"], 0)
        self.assertGreater(load["hits"], 0.9 * load["transactions"])
        unit = load["bytes"] // load["transactions"]
        self.assertGreaterEqual(load["misses"] + load["sector_misses"], 16384 * 4 // unit)

    def test_marked_loads_are_cached(self):
        for gpu in WITH:
            with self.subTest(gpu):
                plain = self.loads(WINDOWS, "plain", gpu)
                self.assertEqual((plain["hits"], plain["bypasses"]), (0, plain["transactions"]))
                self.assert_rate("marked", gpu)
                self.assert_rate("restricted", gpu)

    def test_without_such_a_path_and_where_the_l1_takes_all(self):
        for gpu in ("gtx680", "gtx750"):
            with self.subTest(gpu):
                found = self.loads(WINDOWS, "marked", gpu)
                self.assertEqual(found["bypasses"] == found["transactions"], gpu == "gtx680")  # 3.0 has no ld.global.nc; 5.0 has
        for gpu in ("gtx480", "p100", "v100", "h100"):
            with self.subTest(gpu):
                self.assertEqual(self.loads(WINDOWS, "marked", gpu), self.loads(WINDOWS, "plain", gpu))
        for kernel in ("plain", "marked"):
            self.assert_rate(kernel, "titanx", "--set", "l1_caches_global_loads=true")  # -Xptxas -dlcm=ca

    def test_nobody_is_told_to_mark_what_is_marked(self):
        (self.folder / "k.cu").write_text(WINDOWS, encoding="ascii")
        for kernel, told in (("plain", True), ("marked", False), ("restricted", False)):
            for gpu in ("k40", "gtx980"):
                with self.subTest(kernel=kernel, gpu=gpu):
                    text = self.run_tool("warpscope", "k.cu", "--kernel", kernel, "--grid", 64, "--block", 256, "--arg", "n=16384",
                                         "--gpu", gpu, "--no-plots", "--clock", "fixed", "-o", f"out-{kernel}-{gpu}").decode()
                    self.assertEqual("as read-only" in text, told, text)

    def test_a_copy_of_pascal(self):
        """r07: a GTX 1080 Ti and a TITAN Xp with -dlcm=ca. 4 sectors per request and no hit; nvprof says 16 transactions per load request."""
        (self.folder / "k.cu").write_text(COPY, encoding="ascii")
        self.run_tool("trace-kernel", "k.cu", "--grid", 8, "--block", 1024, "--arg", "n=16384", "-o", "copy.wtrace")
        total = self.result("copy.wtrace", "--gpu", "gtx1080", "--set", "l1_caches_global_loads=true")["total"]
        self.assertEqual([(total[kind]["requests"], total[kind]["sectors"], total[kind]["hits"]) for kind in ("load", "store")],
                         [(512, 2048, 0), (512, 2048, 0)])
        nvprof = total["profiler"]["nvprof"]
        self.assertEqual((nvprof["gld_transactions"], nvprof["gld_transactions_per_request"], nvprof["global_hit_rate"]), (8192, 16.0, 0.0))
        self.assertEqual(nvprof["gst_transactions_per_request"], 4.0)


if __name__ == "__main__":
    unittest.main()
