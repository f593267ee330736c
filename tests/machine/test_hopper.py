"""Captures of what came with sm_90: clusters of work-groups, products of four warps."""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "python")]
from support import BIN  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402

EXECUTED = SOURCE / "tests" / "unit" / "machine" / "data" / "executed"
NVCC = cuda_tools.look("nvcc")
RING = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void CLUSTERS ring(const unsigned* in, unsigned* out) {
  __shared__ unsigned box[64];
  const auto cluster = cg::this_cluster();
  const unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
  box[t] = in[i];
  cluster.sync();
  const unsigned* next = cluster.map_shared_rank(box, (cluster.block_rank() + 1) % cluster.num_blocks());
  const unsigned x = next[63 - t];
  cluster.sync();
  out[i] = x * 3 + box[t];
}
"""
ONES = """__global__ void ones(float* o) {
  float d[4] = {};
  __shared__ __align__(128) uint4 m[256];
  m[threadIdx.x] = m[threadIdx.x + 128] = make_uint4(0x3c003c00, 0x3c003c00, 0x3c003c00, 0x3c003c00);
  __syncthreads();
  unsigned long long a = (__cvta_generic_to_shared(m) & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32;
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %4, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  for (int i = 0; i < 4; ++i) o[threadIdx.x * 4 + i] = d[i];
}
"""


def run(name, *words, folder, status=0):
    done = subprocess.run([BIN / name, *map(str, words)], cwd=folder, capture_output=True, text=True, env={**os.environ, "WARPSCOPE_CACHE": ""})
    if done.returncode != status:
        raise AssertionError(f"{name} ended with {done.returncode}: {done.stderr}")
    return done


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def tool(self, name, *words, status=0):
        return run(name, *words, folder=self.folder, status=status)

    def accesses(self, capture, item):
        """(kind, space, object, offset) of a work-item's accesses and barriers."""
        lines = self.tool("trace-view", capture, "--work-item", item).stdout.splitlines()
        rows = (re.match(r"\s*\d+\s+\d+\s+\d+ (\w+)\s+(\w+)(?:\s+0x\w+\s+(.*?) \+ (\d+))?", line) for line in lines)
        return [row.groups() for row in rows if row]


class Clusters(WithFolder):
    WORDS = (EXECUTED / "clusters_sm90.cubin", "--kernel", "everyone", "--grid", "6,4", "--block", 64, "--arg", "param_0=bytes=6144", "--arg", "param_1=bytes=6144")

    def test_what_is_recorded(self):
        """By hand: box[rank][37] is at 1,024 + 32 + 256 rank + 148; the others' shared memory, of 2,080 bytes, in steps of 2,176. Work-group 1 is number 1 of
        its cluster: it stores to all, then reads all rows of number 2."""
        self.tool("trace-kernel", *self.WORDS, "-o", "k.wtrace")
        self.assertIn("OK", self.tool("trace-check", "k.wtrace").stdout)
        self.tool("warpsched", "--self-check", "k.wtrace", "-o", "k.stream")
        rows = self.accesses("k.wtrace", "1:37")
        own, others = "shared+0x400", "shared of the cluster"
        stores = [(own, str(32 + 256 + 148)) if rank == 1 else (others, str(rank * 2176 + 1024 + 32 + 256 + 148)) for rank in range(4)]
        self.assertEqual([row[2:] for row in rows if row[:2] == ("store", "generic")], stores)
        self.assertEqual([row[2:] for row in rows if row[:2] == ("load", "generic")], [(others, str(2 * 2176 + 1024 + 32 + 256 * row + 4 * 26)) for row in range(4)])
        self.assertEqual([row[0] for row in rows].count("barrier"), 3)

    def test_what_the_tools_count(self):
        """Of 24 work-groups each of 2 warps makes 10 accesses to shared memory of the cluster, one warp of each one more."""
        self.tool("trace-kernel", *self.WORDS, "-o", "k.wtrace")
        self.tool("cachesim", "k.wtrace", "--gpu", "h100", "--json", "k.json")
        result = json.loads((self.folder / "k.json").read_text())
        self.assertEqual(result["total"]["local_memory"]["requests"], 24 * 2 * 10 + 24)
        self.assertEqual(result["total"]["store"]["requests"], 24 * 2)
        self.assertEqual([one["uses"] for one in result["context"]["not_timed"]], ["cluster"])
        self.assertIn("not timed: cluster", self.tool("cachesim", "timed", "k.wtrace", "--gpu", "h100", status=3).stderr)
        self.assertIn("0 races", self.tool("trace-view", "--races", "k.wtrace", "--race-groups", "all").stdout)

    def test_parts_of_launches_run_whole_clusters(self):
        """Work-group 8 alone is recorded as in the whole launch; its cluster has 2, 3, 8 and 9."""
        self.tool("trace-kernel", *self.WORDS, "-o", "whole.wtrace")
        said = self.tool("trace-kernel", *self.WORDS, "-o", "part.wtrace", "--work-groups", "8", "--skip-others").stderr
        whole = self.tool("trace-kernel", *self.WORDS, "-o", "other.wtrace").stderr
        executed = [int(text.split(" instructions of warps")[0].split()[-1]) for text in (said, whole)]
        self.assertEqual(executed[0] * 6, executed[1])
        for item in ("8:0", "8:63"):
            self.assertEqual(self.accesses("part.wtrace", item), self.accesses("whole.wtrace", item))

    def test_faults_and_launches_that_do_not_fit(self):
        words = (EXECUTED / "clusters_sm90.cubin", "--block", 1, "--arg", "param_0=bytes=16", "--kernel", "wrong", "--arg", "param_1=bytes=4")
        said = self.tool("trace-kernel", *words, "--grid", 2, "--arg", "param_2=1", "-o", "k.wtrace", status=3).stderr
        self.assertIn("of shared memory, which has 1040 bytes in each of 2 work-groups", said)
        said = self.tool("trace-kernel", *words, "--grid", 3, "--arg", "param_2=1", "-o", "k.wtrace", status=2).stderr
        self.assertIn("kernel wrong: 3x1x1 work-groups, expected multiples of its clusters of 2x1x1", said)
        for text in ("x", "0", "2,1,1,1"):
            said = self.tool("trace-kernel", *words, "--grid", 2, "--arg", "param_2=1", "-o", "k.wtrace", "--cluster", text, status=2).stderr
            self.assertIn("--cluster", said)


class TensorMaps(WithFolder):
    """A tensor of 100 x 60 words that count, of which a box of 32 x 40 begins at (80, 30): 12 columns and 10 rows of it are outside."""
    WORDS = (EXECUTED / "tensors_sm90a.cubin", "--kernel", "load_2", "--grid", 1, "--block", 64, "--dynamic-shared", 102400, "--arg", "param_1=fill=file:at.bin",
             "--arg", "param_2=bytes=5120,fill=zero", "--arg", "param_3=5120", "--dump-buffers", "out", "-o", "k.wtrace")

    def setUp(self):
        super().setUp()
        (self.folder / "at.bin").write_bytes(struct.pack("<5i", 80, 30, 0, 0, 0))

    def box(self, *words):
        self.tool("trace-kernel", *self.WORDS, *words)
        return struct.unpack("<1280I", (self.folder / "out" / "param_2.bin").read_bytes())

    def expected(self, none, chunk_of=lambda row, chunk: chunk):
        words = {}
        for row in range(40):
            for column in range(32):
                place = row * 32 + chunk_of(row, column // 4) * 4 + column % 4
                words[place] = (30 + row) * 100 + 80 + column if row < 30 and column < 20 else none
        return tuple(words[place] for place in range(1280))

    def test_arguments(self):
        self.assertEqual(self.box("--arg", "param_0=tensor(100,60),box=(32,40),type=uint,fill=iota"), self.expected(0))
        swizzled = self.box("--arg", "param_0=tensor(100,60),box=(32,40),type=uint,fill=iota,swizzle=128")
        self.assertEqual(swizzled, self.expected(0, lambda row, chunk: chunk ^ row % 8))
        self.assertIn("OK", self.tool("trace-check", "k.wtrace").stdout)
        self.assertIn("CUtensorMap param_0", self.tool("trace-view", "k.wtrace").stdout)

    def test_the_launch_file_and_elements_of_another_argument(self):
        """The rows are 416 bytes apart, in a buffer of words that count, from its 16th byte on."""
        launch = {"args": {"param_0": {"tensor": ["w", 60], "box": [32, 40], "strides": [416], "type": "float", "outside": "nan", "of": "param_2", "offset": 16}}, "defines": {"w": 100}}
        (self.folder / "k.launch").write_text(json.dumps(launch))
        words = [one if one != "param_2=bytes=5120,fill=zero" else "param_2=count=6400,type=uint,fill=iota" for one in self.WORDS]
        self.tool("trace-kernel", *words, "--launch-file", "k.launch")
        box = struct.unpack("<1280I", (self.folder / "out" / "param_2.bin").read_bytes()[:5120])
        expected = [(30 + row) * 104 + 4 + 80 + column if row < 30 and column < 20 else 0x7fffffff for row in range(40) for column in range(32)]
        self.assertEqual(box, tuple(expected))

    def test_what_is_refused(self):
        for text, message in (("tensor(100,60),box=(3,40)", "a tensor map with 12 bytes of a box's dimension 0, expected a multiple of 16"),
                              ("tensor(100,60),box=(32)", "box of 1 dimensions, expected 2"), ("tensor(100,60),box=(32,40),of=x", "a tensor of 'x', expected the name of a buffer"),
                              ("tensor(100,60),box=(32,40),swizzle=9", "swizzle '9', expected 0, 32, 64, 128"), ("tensor(100,60),box=(32,40),interleave=16", "interleaved, which is not executed"),
                              ("tensor(100,60),box=(32,40),type=float4", "elements of type float4"), ("count=32", "'param_0' is a value of type")):
            with self.subTest(text):
                said = self.tool("trace-kernel", *self.WORDS, "--arg", f"param_0={text}", status=2).stderr
                self.assertIn(message, said)
        said = self.tool("trace-kernel", *self.WORDS, "--arg", "param_0=tensor(100),box=(32)", status=3).stderr
        self.assertIn("a tensor map of another number of dimensions", said)
        words = [one if one != "param_2=bytes=5120,fill=zero" else "param_2=tensor(8),box=(8)" for one in self.WORDS]
        said = self.tool("trace-kernel", *words, "--arg", "param_0=tensor(100,60),box=(32,40)", status=2).stderr
        self.assertIn("expected a CUtensorMap, which has 128 bytes", said)


class PixelMaps(WithFolder):
    """Of two images of 5 x 4 pixels with 8 channels that count, those at -1 to 3 by 0 to 2: 15 of each. Copied are 20 of four channels, from pixel (2, 1) of the first one on."""
    MAP = "param_0=tensor(8,5,4,2),box=(4,2*10),lower=(-1,0),upper=(1-2,-1),type=int,fill=iota"

    def words(self, argument, at=(4, 2, 1, 0, 0, 1, 1, 0)):
        (self.folder / "at.bin").write_bytes(struct.pack("<8i", *at))
        return ("trace-kernel", EXECUTED / "tensors_sm90a.cubin", "--kernel", "load_pixels_4", "--grid", 1, "--block", 64, "--dynamic-shared", 102400, "--arg", argument,
                "--arg", "param_1=fill=file:at.bin", "--arg", "param_2=bytes=320,fill=zero", "--arg", "param_3=320", "--dump-buffers", "out", "-o", "k.wtrace")

    def expected(self):
        """Offsets of 1 and 1: the columns 0 to 4 of the rows 1 to 3."""
        pixels = [(column, row, image) for image in range(3) for row in range(1, 4) for column in range(5)][8:28]
        return [((image * 4 + row) * 5 + column) * 8 + 4 + channel if image < 2 else 0 for column, row, image in pixels for channel in range(4)]

    def test_arguments(self):
        self.tool(*self.words(self.MAP))
        self.assertEqual(list(struct.unpack("<80i", (self.folder / "out" / "param_2.bin").read_bytes())), self.expected())
        self.assertIn("OK", self.tool("trace-check", "k.wtrace").stdout)

    def test_the_launch_file(self):
        words = [one for one in self.words(self.MAP) if one != self.MAP]
        del words[words.index("--arg")]
        launch = {"args": {"param_0": {"tensor": [8, 5, 4, 2], "box": [4, "n"], "lower": [-1, 0], "upper": [-1, "0-1"], "type": "int", "fill": "iota"}}, "defines": {"n": 20}}
        (self.folder / "k.launch").write_text(json.dumps(launch))
        self.tool(*words, "--launch-file", "k.launch")
        self.assertEqual(list(struct.unpack("<80i", (self.folder / "out" / "param_2.bin").read_bytes())), self.expected())

    def test_what_is_refused(self):
        for change, message in ((("lower=(-1,0)", "lower=(-1)"), "lower of 1 dimensions, expected 2"), (("upper=(1-2,-1)", "upper=(1,2.5)"), "'2.5' is no whole number"),
                                (("box=(4,2*10)", "box=(4,20,1)"), "box of 3 numbers, expected channels and pixels"), (("tensor(8,5,4,2)", "tensor(8,5)"), "corners of a tensor of 2 sizes"),
                                (("lower=(-1,0)", "lower=(-129,0)"), "corner -129 of dimension 1, expected -128 to 127"), (("box=(4,2*10)", "box=(4,1025)"), "1025 pixels")):
            with self.subTest(message):
                self.assertIn(message, self.tool(*self.words(self.MAP.replace(*change)), status=2).stderr)
        said = self.tool(*self.words("param_0=tensor(8,5,4,2),box=(4,1,1,1),type=int"), status=3).stderr
        self.assertIn("copies im2col by a tensor map for tiles", said)


@unittest.skipUnless(NVCC, "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class ClustersNeedsCudaToolkit(WithFolder):
    def test_sizes_of_the_source_and_of_the_launch(self):
        words = ("k.cu", "--machine", "--grid", 12, "--block", 64, "--arg", "in=count=768,fill=iota", "--arg", "out=count=768", "--dump-buffers", "d", "-o", "k.wtrace")
        for of_source, option, size in (("__cluster_dims__(4, 1, 1)", (), 4), ("", ("--cluster", 6), 6), ("", (), 1)):
            (self.folder / "k.cu").write_text(RING.replace("CLUSTERS", of_source))
            self.tool("trace-kernel", *words, *option)
            found = struct.unpack("<768I", (self.folder / "d" / "out.bin").read_bytes())
            after = [group // size * size + (group % size + 1) % size for group in range(12)]
            self.assertEqual(found, tuple(3 * (64 * after[i // 64] + 63 - i % 64) + i for i in range(768)))
        self.tool("warpscope", "k.wtrace", "--gpu", "h100", "--no-plots", "-o", "report")

    def test_advice_knows_that_others_read(self):
        """Each work-item reads only what it stored itself from its own box, but others do, too."""
        (self.folder / "k.cu").write_text(RING.replace("CLUSTERS", "__cluster_dims__(4, 1, 1)"))
        shown = self.tool("warpscope", "k.cu", "--machine", "--gpu", "h100", "--grid", 12, "--block", 64, "--arg", "in=count=768", "--arg", "out=count=768", "--no-plots").stdout
        self.assertIn("with -lineinfo, clusters of 4x1x1", shown)
        self.assertIn("not timed: cluster (kernel ring)", shown)
        self.assertNotIn("in registers", shown)

    def test_products_of_four_warps(self):
        """Ones by ones: the depth is 16. Of shared memory the stores are recorded, two for each work-item."""
        (self.folder / "k.cu").write_text(ONES)
        said = self.tool("trace-kernel", "k.cu", "--machine=sm_90a", "--grid", 1, "--block", 128, "--arg", "o=count=512", "--dump-buffers", "d", "-o", "k.wtrace").stderr
        self.assertEqual(set(struct.unpack("<512f", (self.folder / "d" / "o.bin").read_bytes())), {16.0})
        self.assertRegex(said, r"local stores +256")
        self.assertNotIn("local loads", said)
        self.tool("trace-check", "k.wtrace")
        self.assertIn("not timed: mma", self.tool("cachesim", "timed", "k.wtrace", "--gpu", "h100", status=3).stderr)

    def test_what_is_not_executed_is_named(self):
        """Instruction and line; status 3."""
        (self.folder / "k.cu").write_text('__global__ void k(int n, float* o) {\n  unsigned short h = n; asm volatile("fma.rn.oob.f16 %0, %0, %0, %0;" : "+h"(h)); o[threadIdx.x] = h;\n}\n')
        done = self.tool("trace-kernel", "k.cu", "--machine", "--grid", 1, "--block", 32, "--arg", "n=5", "--arg", "o=count=32", "-o", "k.wtrace", status=3)
        self.assertRegex(done.stderr, r"HFMA2[^']*OOB[^']*' \(k.cu:2\): cannot be executed here")


TILE = """#include <cuda.h>
__global__ void tile(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ alignas(128) float box[8][8];
  __shared__ unsigned long long barrier;
  const unsigned b = __cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" ::"r"(b));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     (unsigned)__cvta_generic_to_shared(box)), "l"(&map), "r"(blockIdx.x * 8), "r"(blockIdx.y * 8), "r"(b) : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra L; }" ::"r"(b) : "memory");
  out[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x] = box[threadIdx.x % 8][threadIdx.x / 8];
}
"""


@unittest.skipUnless(NVCC, "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class TensorMapsNeedsCudaToolkit(WithFolder):
    def test_a_kernel_with_a_map_of_the_host(self):
        (self.folder / "tile.cu").write_text(TILE)
        self.tool("trace-kernel", "tile.cu", "--machine", "--grid", "3,2", "--block", 64, "--arg", "map=tensor(24,16),box=(8,8),fill=iota", "--arg", "out=count=384,fill=zero", "--dump-buffers", "out", "-o", "k.wtrace")
        tiles = struct.unpack("<384f", (self.folder / "out" / "out.bin").read_bytes())
        expected = [float((group // 3 * 8 + t % 8) * 24 + group % 3 * 8 + t // 8) for group in range(6) for t in range(64)]
        self.assertEqual(list(tiles), expected)


if __name__ == "__main__":
    unittest.main()
