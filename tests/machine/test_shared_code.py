"""A capture of a program has each machine code once (traces/FORMAT.md). Whoever reads it gets the same as from one with the code of every launch."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "python")]
from support import BIN  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402

# Launches 0, 3, 4, 6, 9, 10 are of `add`, 1 and 7 of `ticket`, 2, 5, 8, 11 of `look`. Only of `ticket` something depends on the order of warps, and only
# where more than one comes: that is so in launch 7. What `look` does depends on the texture, so it is described again for each launch.
PROGRAM = """#include <cstdio>
__global__ void add(const float* a, float* c) { int i = blockIdx.x * blockDim.x + threadIdx.x; c[i] += a[i]; }
__global__ void ticket(int* next, float* c, int take) { if (take) c[atomicAdd(next, 1) & 255] = 1; else c[threadIdx.x] = 2; }
__global__ void look(cudaTextureObject_t t, float* c) { c[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }
int main() {
  float *a, *c; int *next; cudaMalloc(&a, 4096); cudaMalloc(&c, 4096); cudaMalloc(&next, 4);
  cudaMemset(a, 0, 4096); cudaMemset(c, 0, 4096); cudaMemset(next, 0, 4);
  cudaResourceDesc from = {}; from.resType = cudaResourceTypeLinear; from.res.linear.devPtr = a; from.res.linear.sizeInBytes = 4096;
  from.res.linear.desc = cudaCreateChannelDesc<float>();
  cudaTextureDesc how = {}; cudaTextureObject_t t; cudaCreateTextureObject(&t, &from, &how, nullptr);
  for (int n = 0; n < 2; ++n) {
    add<<<4, 64>>>(a, c); ticket<<<2, 32>>>(next, c, n); look<<<1, 64>>>(t, c);
    add<<<2, 128>>>(c, a); add<<<1, 32>>>(a, c); look<<<1, 32>>>(t, a);
  }
  return cudaDeviceSynchronize();
}
"""
LAUNCHES = ["add", "ticket", "look", "add", "add", "look"] * 2
READERS = (
    ["trace-check", "@"], ["trace-view", "@", "--instructions", "--json"], ["trace-view", "@", "--instructions", "--sum"], ["trace-view", "@", "--summary", "--json"],
    ["trace-view", "@", "--faults", "--json"],
    ["warpsched", "@", "--gpu", "h100", "--format", "text"], ["cachesim", "@", "--gpu", "h100", "--json", "-"], ["cachesim", "timed", "@", "--gpu", "h100", "--json", "-"],
    ["cachesim", "@", "--gpu", "h100", "--launch", "7-9", "--json", "-"], ["cachesim", "timed", "@", "--gpu", "h100", "--launch", "10", "--json", "-"],
    ["warpscope", "export", "@", "--gpu", "h100", "--format", "csv"], ["warpscope", "diff", "@", "@", "--gpu", "h100", "--json", "-"],
)


@unittest.skipUnless(cuda_tools.look("nvcc"), "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class SharedCodeNeedsCudaToolkit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (cls.folder / "app.cu").write_text(PROGRAM)
        cls.tool("warpscope-nvcc", "--with-nvcc", "-arch=sm_90", "app.cu", "-o", "app")
        cls.shared, cls.each = cls.folder / "shared.wtrace", cls.folder / "each.wtrace"
        cls.tool("trace-kernel", "-o", cls.shared, "--", "./app")
        cls.tool("trace-kernel", "-o", cls.each, "--", "./app", WARPSCOPE_RECORDS_ONLY="1")

    @classmethod
    def tool(cls, *words, **variables):
        done = subprocess.run([str(BIN / words[0]), *map(str, words[1:])], cwd=cls.folder, capture_output=True, text=True,
                              env={**os.environ, "WARPSCOPE_CACHE": "", **variables}, check=False)
        assert done.returncode in (0, 4), f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def neutral(self, text, capture):
        """A capture's identity, version and name are its own."""
        return re.sub(r"\b[0-9a-f]{16}\b|\"version\": [123]$", "OWN", text, flags=re.M).replace(str(capture), "CAPTURE").replace(capture.name, "CAPTURE")

    def version(self, capture):
        return int(re.search(rb'"version":(\d)', capture.read_bytes()[:600]).group(1))

    def code(self, capture, *options):
        return [launch["machine_code"] for launch in json.loads(self.tool("trace-view", capture, "--instructions", "--json", *options))["launches"]]

    def test_whoever_reads_gets_the_same(self):
        self.assertEqual([self.version(capture) for capture in (self.shared, self.each)], [3, 2])
        self.assertLess(4 * self.shared.stat().st_size, 3 * self.each.stat().st_size)
        for words in READERS:
            with self.subTest(words=words):
                ours, theirs = (self.neutral(self.tool(*(capture if word == "@" else word for word in words)), capture) for capture in (self.shared, self.each))
                self.assertGreater(len(ours), 40)
                self.assertEqual(ours, theirs)

    def test_each_launch_has_its_kernel_s_code_and_its_own_order(self):
        codes = self.code(self.shared)
        self.assertEqual(len(codes), 12)
        texts = {name: {tuple(one["text"] for one in code["instructions"]) for code, of in zip(codes, LAUNCHES) if of == name} for name in set(LAUNCHES)}
        self.assertEqual({name: len(found) for name, found in texts.items()}, {"add": 1, "ticket": 1, "look": 1})
        self.assertEqual(len(set.union(*texts.values())), 3)
        self.assertEqual([n for n, code in enumerate(codes) if code.get("order_dependent")], [7])
        self.assertEqual([sum("TLD" in one["text"] for one in code["instructions"]) for code in codes], [int(name == "look") for name in LAUNCHES])

    def test_a_launch_cut_out_has_its_code(self):
        """One whose code an earlier launch of the program has."""
        self.tool("trace-kernel", "--launch", "9-10", "-o", "cut.wtrace", "--", "./app")
        self.tool("trace-check", "cut.wtrace")
        whole = [{**code, "instructions": [{**one, "warps": 0, "lanes": 0, "guarded": 0} for one in code["instructions"]]} for code in self.code(self.shared)]
        cut = [{**code, "instructions": [{**one, "warps": 0, "lanes": 0, "guarded": 0} for one in code["instructions"]]} for code in self.code(self.folder / "cut.wtrace")]
        self.assertEqual(cut, whole[9:11])

    def test_what_if_keeps_it(self):
        for capture in (self.shared, self.each):
            self.tool("trace-change", capture, "--align", "next=256", "-o", capture.with_suffix(".changed"))
        self.assertEqual(self.code(self.shared.with_suffix(".changed")), self.code(self.each))
        self.assertEqual(self.version(self.shared.with_suffix(".changed")), 3)


if __name__ == "__main__":
    unittest.main()
