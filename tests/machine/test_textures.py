"""Textures and surfaces of launches of machine code: as --arg and as launch files say, against Python, and next to the same fetches by Warpscope's clang."""
import json
import math
import struct
import unittest

from test_hopper import EXECUTED, NVCC, WithFolder

POINTS = """__global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, float* o) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  const float v = tex2D<float>(t, x * 0.75f - 3, y * 1.25f - 2);
  surf2Dwrite(v, s, x * 4, y, cudaBoundaryModeZero);
  if (x % 3 == 0) o[y * 64 + x] = v + tex2D<float>(t, x + 0.5f, y + 0.5f);
}
"""
HOST = """int main() {
  cudaArray_t from, to;
  const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaMallocArray(&from, &one, 24, 8);
  cudaMallocArray(&to, &one, 60, 4, cudaArraySurfaceLoadStore);
  float values[192], *out;
  for (int i = 0; i < 192; ++i) values[i] = i;
  cudaMemcpy2DToArray(from, 0, 0, values, 96, 96, 8, cudaMemcpyHostToDevice);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = from;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
  how.filterMode = cudaFilterModeFILTER;
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &resource, &how, nullptr);
  resource.res.array.array = to;
  cudaSurfaceObject_t s;
  cudaCreateSurfaceObject(&s, &resource);
  cudaMalloc(&out, 1024);
  cudaMemset(out, 0, 1024);
  k<<<dim3(2, 4), 32>>>(t, s, out);
  return cudaDeviceSynchronize();
}
"""
TEXTURE = "t=texture(24,8),type=float,fill=iota,address=border,filter="


def fetched(x, y, linear):
    """Of 24 x 8 elements 0, 1, 2, …; outside is 0."""
    def element(i, j):
        return 24 * j + i if 0 <= i < 24 and 0 <= j < 8 else 0
    if not linear:
        return element(math.floor(x), math.floor(y))
    x, y = x - 0.5, y - 0.5
    i, j = math.floor(x), math.floor(y)
    a, b = x - i, y - j
    return (1 - b) * ((1 - a) * element(i, j) + a * element(i + 1, j)) + b * ((1 - a) * element(i, j + 1) + a * element(i + 1, j + 1))


class Textures(WithFolder):
    """With committed cubins: no toolkit is needed."""

    def fetch(self, kernel, texture, points, architecture=80):
        (self.folder / "at.bin").write_bytes(b"".join(struct.pack("<4f", *point) for point in points))
        self.tool("trace-kernel", EXECUTED / f"textures_sm{architecture}.cubin", "--kernel", kernel, "--grid", 1, "--block", len(points), "--arg", f"param_0={texture}",
                  "--arg", "param_1=bytes=512,fill=file:at.bin", "--arg", "param_2=bytes=512,fill=zero", "--dump-buffers", "d", "-o", "k.wtrace")
        return list(struct.iter_unpack("<4f", (self.folder / "d" / "param_2.bin").read_bytes()))

    def test_what_an_argument_says_of_a_texture(self):
        points = [(i / 32 + 1 / 64, 0.3, 0, i % 5) for i in range(32)]
        cases = (("texture(8),type=float,fill=iota", "line", lambda p: int(p[0])), ("texture(8),type=float,fill=iota,coordinates=normalized", "line", lambda p: int(8 * p[0])),
                 ("texture(8),type=uchar,fill=iota,read=fractions,coordinates=normalized", "line", lambda p: int(8 * p[0]) / 255),
                 ("texture(8,4),type=float,fill=iota,layered=1,coordinates=normalized", "line_layers", lambda p: int(8 * p[0]) + 8 * min(p[3], 3)),
                 ("texture(8,2,4),type=half,fill=iota,layered=1,coordinates=normalized,address=(wrap,clamp)", "plane_layers", lambda p: int(8 * p[0]) + 16 * min(p[3], 3)))
        for texture, kernel, wanted in cases:
            for architecture in (75, 80, 90):
                found = self.fetch(kernel, texture, points, architecture)
                for one, point in zip(found, points):
                    self.assertAlmostEqual(one[0], wanted(point), 5, texture)
            self.tool("trace-check", "k.wtrace")

    def test_launch_files_say_the_same(self):
        (self.folder / "k.launch").write_text(json.dumps({"kernel": "plane", "global": [32], "local": [32], "args": {
            "param_0": {"texture": ["gx/4", 4], "type": "float2", "fill": "iota", "filter": "linear", "address": ["mirror", "border"], "coordinates": "normalized"},
            "param_1": {"bytes": 512, "fill": "zero"}, "param_2": {"bytes": 512}}}))
        said = self.tool("trace-kernel", EXECUTED / "textures_sm90.cubin", "--launch-file", "k.launch", "--dump-buffers", "d", "-o", "k.wtrace").stderr
        # At (0, 0): half of elements 0 and 0 along x, which is mirrored; half of nothing along y.
        self.assertEqual(struct.unpack("<2f", (self.folder / "d" / "param_2.bin").read_bytes()[:8]), (0.0, 0.5))
        self.assertRegex(said, r"global loads +96")  # a point and two elements each
        self.assertIn("buffer 1: param_0, 256 bytes", self.tool("trace-view", "k.wtrace").stdout)

    def test_what_no_gpu_has_is_refused(self):
        words = ("trace-kernel", EXECUTED / "textures_sm90.cubin", "--kernel", "plane", "--grid", 1, "--block", 1, "--arg", "param_1=bytes=16", "--arg", "param_2=bytes=16", "-o", "k.wtrace")
        for texture, said in (("texture(8,8),type=int,filter=linear", "filter=linear of int, expected floats"), ("texture(8,8),type=float,read=fractions", "read=fractions of float, expected integers of 8 or 16 bits"),
                              ("texture(8,8),type=float3", "elements of type float3"), ("texture(8,8),type=double", "elements of type double"), ("texture(8,8,8,8),type=float", "4 sizes, expected one to three"),
                              ("texture(8),layered=1", "1 sizes, expected one to three"), ("texture(8),filter=cubic", "filter 'cubic', expected one of: point, linear"),
                              ("texture(8),address=(wrap,none)", "address 'none', expected one of: wrap, clamp, mirror, border")):
            self.assertIn(said, self.tool(*words, "--arg", f"param_0={texture}", status=2).stderr)
        self.assertIn("no texture or surface of the launch has the handle 0x5", self.tool(*words, "--arg", "param_0=5", status=3).stderr)
        self.assertIn("the handle 0x1 is that of a surface", self.tool(*words, "--arg", "param_0=surface(8,8)", status=3).stderr)


@unittest.skipUnless(NVCC, "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class TexturesNeedsCudaToolkit(WithFolder):
    def by_machine(self, architecture, linear):
        (self.folder / "k.cu").write_text(POINTS)
        said = self.tool("trace-kernel", "k.cu", f"--machine=sm_{architecture}", "--grid", "2,4", "--block", 32, "--arg", TEXTURE + ("linear" if linear else "point"), "--arg", "s=surface(60,4),type=float,fill=zero",
                         "--arg", "o=count=256,fill=zero", "--dump-buffers", "d", "-o", "machine.wtrace").stderr
        self.tool("trace-check", "machine.wtrace")
        self.tool("warpsched", "machine.wtrace", "--self-check", "-o", "k.wstream")
        return said

    def test_results_and_accesses_are_those_of_the_other_path(self):
        for linear in (False, True):
            (self.folder / "app.cu").write_text(POINTS + HOST.replace("FILTER", "Linear" if linear else "Point"))
            self.tool("warpscope-nvcc", "app.cu", "-o", "app")
            self.tool("trace-kernel", "-o", "clang.wtrace", "--", "./app")
            for architecture in (75, 80, 86, 89, 90) if linear else (90,):
                self.by_machine(architecture, linear)
                found = struct.unpack("<256f", (self.folder / "d" / "o.bin").read_bytes())
                painted = struct.unpack("<240f", (self.folder / "d" / "s.bin").read_bytes())
                for y in range(4):
                    for x in range(64):
                        moved = fetched(x * 0.75 - 3, y * 1.25 - 2, linear)
                        self.assertAlmostEqual(found[64 * y + x], moved + fetched(x + 0.5, y + 0.5, linear) if x % 3 == 0 else 0, 3)
                        if x < 60:
                            self.assertAlmostEqual(painted[60 * y + x], moved, 3)
                for item in ("0:0", "3:17", "7:31"):
                    self.assertEqual(self.places("machine.wtrace", item), self.places("clang.wtrace", item), (linear, architecture, item))

    def places(self, capture, item):
        """Kinds and offsets of a work-item's accesses, sorted: machine code may fetch in another order."""
        return sorted((kind, int(offset)) for kind, space, _, offset in self.accesses(capture, item) if space != "constant")

    def test_the_other_path_says_that_it_takes_none(self):
        (self.folder / "k.cu").write_text(POINTS)
        said = self.tool("trace-kernel", "k.cu", "--grid", "2,4", "--block", 32, "--arg", TEXTURE + "point", "--arg", "s=surface(60,4)", "--arg", "o=count=256", "-o", "k.wtrace", status=2).stderr
        self.assertIn("'t' as a texture or a surface, which launches take only with --machine", said)


if __name__ == "__main__":
    unittest.main()
