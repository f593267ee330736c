"""The GPU that a program asks about is the one that the report is about: that of --gpu, of the environment, or the default."""
import json
import os
import unittest

from support import BIN, SOURCE, TEST_BIN, ProgramTest

HOST = TEST_BIN / "programs_host"
ASKS = """#include <cstdio>
__global__ void fill(int *a) { a[threadIdx.x] = 1; }
int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  int *a;
  cudaMalloc(&a, 128);
  fill<<<1, 32>>>(a);
  std::printf("asked: compute capability %d.%d, %d cores\\n", device.major, device.minor, device.multiProcessorCount);
  return cudaDeviceSynchronize();
}
"""


class OneGpu(ProgramTest):
    def report(self, *words):
        """(what the program printed, the GPU of the result)."""
        done = self.plain(BIN / "warpscope", "--no-plots", "--advice-budget", "0", "-o", "out", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads((self.folder / "out/result.json").read_text())
        return done.stdout, result["context"]["preset"]["name"]

    def test_a_cuda_program(self):
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        self.environment.pop("WARPSCOPE_GPU", None)
        (self.folder / "asks.cu").write_text(ASKS)
        self.assertEqual(self.plain(BIN / "warpscope-nvcc", "asks.cu", "-o", "asks").returncode, 0)
        hopper = "asked: compute capability 9.0, 132 cores"
        printed, gpu = self.report("--", "./asks")
        self.assertEqual((printed.splitlines()[0], gpu), (hopper, "h100"))
        self.assertIn("(GH100) (default GPU)", printed)
        os.rename(self.folder / "out/asks.wtrace", self.folder / "x.wtrace")
        self.assertEqual(self.of_capture("x.wtrace"), "h100")
        printed, gpu = self.report("--gpu", "a100", "--", "./asks")
        self.assertEqual((printed.splitlines()[0], gpu), ("asked: compute capability 8.0, 108 cores", "a100"))
        os.rename(self.folder / "out/asks.wtrace", self.folder / "x.wtrace")
        self.assertEqual(self.of_capture("x.wtrace"), "a100")
        printed, gpu = self.report("--device-like", "t4", "--", "./asks")
        self.assertEqual((printed.splitlines()[0], gpu), ("asked: compute capability 7.5, 40 cores", "t4"))
        self.environment["WARPSCOPE_GPU"] = "v100"
        printed, gpu = self.report("--", "./asks")
        self.assertEqual((printed.splitlines()[0], gpu), ("asked: compute capability 7.0, 80 cores", "v100"))

    def test_code_for_another_architecture_has_one_line(self):
        for text, words, line in (("#if __CUDA_ARCH__ < 700\n#endif", (), "__CUDA_ARCH__ is 800; compute capability: h100 has 9.0"),
                                  ("", (), ""), ("// __CUDA_ARCH__", ("--gpu", "NVIDIA A100"), ""), ("", ("--gpu", "v100"), ""),
                                  ("// __CUDA_ARCH__", ("--gpu", "a100,t4,gtx480"),
                                   "__CUDA_ARCH__ is 800; compute capability: t4 has 7.5, gtx480 has 2.0")):
            (self.folder / "k.cu").write_text(f"{text}\n__global__ void k(int *a) {{ a[threadIdx.x] = 1; }}\n")
            done = self.plain(BIN / "warpscope", "k.cu", "--grid", "1", "--block", "32", "--no-plots", "--advice-budget", "0", "-o", "out", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([said for said in done.stderr.splitlines() if "CUDA_ARCH" in said], [f"k.cu: {line}"] if line else [])

    def of_capture(self, capture):
        done = self.plain(BIN / "warpscope", capture, "--no-plots", "--advice-budget", "0", "-o", "again")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / "again/result.json").read_text())["context"]["preset"]["name"]

    def test_an_opencl_program(self):
        # It asks how large a work-group may be: CUDA C Programming Guide, compute capability 1.3 and 2.x.
        for gpu, items in (("gtx280", 512), ("gtx480", 1024)):
            self.assertEqual(self.report("--gpu", gpu, "--", HOST, "asked_sizes")[1], gpu)
            result = json.loads((self.folder / "out/result.json").read_text())
            self.assertEqual((result["launch_groups"][0]["local"][0], result["context"]["device_like"]), (items, gpu))
        self.report("--", HOST, "asked_sizes")
        self.assertEqual(json.loads((self.folder / "out/result.json").read_text())["context"]["device_like"], "h100")
        self.report("--gpu", "gtx480", "--device-like", "common", "--", HOST, "asked_sizes")
        self.assertEqual(json.loads((self.folder / "out/result.json").read_text())["context"]["device_like"], "common")

    def test_the_default_is_written_once(self):
        text = (SOURCE / "wrapper/cuda/device.cpp").read_text()
        python = (SOURCE / "python/warpscope/base/toolchain.py").read_text()
        self.assertIn('kDefaultGpu = "h100"', text)
        self.assertIn('DEFAULT_GPU = "h100"', python)


if __name__ == "__main__":
    unittest.main()
