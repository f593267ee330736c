"""Counts of small kernels whose answers are known by arithmetic, and were seen by others in hardware counters: tiles of doubles, triples,
filling two tiles, rows of bytes, an array indexed at run time, layouts of components, tiles of half warps."""
import collections
import sys
import unittest

import launches  # noqa: F401  (finds support)
from support import SOURCE, ToolTest
from support import load_third as load_tests  # noqa: F401

sys.path.insert(0, str(SOURCE / "python"))
from warpscope.result import accesses  # noqa: E402
from warpscope.show.summary import exact  # noqa: E402

GENERATIONS = ("8800gtx", "gtx280", "gtx480", "k40", "gtx750", "p100", "v100", "a100", "r9290x", "rx6900xt")


class KnownAnswers(ToolTest):
    def sites(self, source, gpu, *launch, suffix="cu", **defines):
        """Of each memory instruction (kind, space, line): the counts of its requests, added up."""
        path = self.folder / f"k.{suffix}"
        path.write_text(source)
        options = [word for name, value in defines.items() for word in ("-D", f"{name}={value}")]
        self.run_tool("trace-kernel", path.name, *launch, *options, "-o", "k.wtrace")
        found = collections.defaultdict(collections.Counter)
        for site in self.result("k.wtrace", "--gpu", gpu)["sites"]:
            counts = site["outside_l1"]["local"][site["kind"]] if site["space"] == "local" else site[site["kind"]]
            found[site["kind"], site["space"], site["locations"][0]["line"]].update(counts)
        return found

    def per_request(self, counts, name):
        return counts[name] / counts["requests"]

    # A warp asks once for a vector of which three components change, and stores it once.
    def test_vectors_that_are_changed_in_parts(self):
        for vector in ("float4", "uchar4", "short4", "int4"):
            for suffix, launch in (("cu", ("--grid", "4", "--block", "64")), ("cl", ("--global", "256", "--local", "64"))):
                head = (f"__global__ void k({vector} *p) {{ int i = blockIdx.x * blockDim.x + threadIdx.x;" if suffix == "cu" else
                        f"__kernel void k(__global {vector} *p) {{ int i = get_global_id(0);")
                found = self.sites(head + f"\n{vector} v = p[i]; v.x *= 2; v.y *= 2; v.z *= 2; p[i] = v; }}", "a100", *launch, suffix=suffix)
                self.assertEqual([found[kind, "global", 2]["requests"] for kind in ("load", "store")], [8, 8], (vector, suffix))

    # Nobody needs fewer transactions or wavefronts than lanes that are neighbours, in the parts of a warp that a GPU looks at together: half a
    # warp of a G80, a quarter of a wave of AMD's, a quarter of a warp for the tags of a P100.
    def test_neighbours_are_ideal_on_every_generation(self):
        kinds = ("char", "short", "float", "double", "float4")
        arguments = ", ".join(f"const {kind} *from_{kind}, {kind} *to_{kind}" for kind in kinds)
        copies = " ".join(f"to_{kind}[i] = from_{kind}[i];" for kind in kinds)
        (self.folder / "copy.cu").write_text(f"__global__ void copy({arguments}) {{ int i = threadIdx.x; {copies} }}")
        self.run_tool("trace-kernel", "copy.cu", "--grid", "1", "--block", "256", "-o", "copy.wtrace")
        for gpu in GENERATIONS:
            facts = exact.facts(self.result("copy.wtrace", "--gpu", gpu))
            found = {fact.access.width for name in ("excess sectors", "replays") for fact in facts[name]}
            self.assertEqual(found, {1, 2} if gpu == "8800gtx" else set(), gpu)  # it has a transaction for each lane of less than 4 bytes
        load = accesses.of_result(self.result("copy.wtrace", "--gpu", "p100"))[-2]  # of float4: two lanes in a wavefront
        self.assertEqual((accesses.ideal(load, 32, "maxwell"), accesses.ideal_wavefronts(load, 128, "maxwell")), (16, 16))
        found = self.sites("__global__ void k(const float *a, float *b) { int i = threadIdx.x; b[i] = a[2 * i]; }", "8800gtx", "--grid", "1", "--block", "64")
        self.assertEqual(self.per_request(found["load", "global", 1], "transactions"), 32)

    # By columns into a tile of doubles: 32 words of 8 bytes in two banks, two words each: 32 wavefronts. By rows: two.
    def test_a_tile_of_doubles(self):
        found = self.sites("""__global__ void turn(const double *in, double *out, int n) {
  __shared__ double t[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  t[x][y] = in[y * n + x];
  __syncthreads();
  out[y * n + x] = t[y][x];
}""", "v100", "--block", "32,8", "--grid", "1", "--arg", "n=32")
        self.assertEqual(self.per_request(found["store", "local", 4], "wavefronts"), 32)
        self.assertEqual(self.per_request(found["load", "local", 6], "wavefronts"), 2)
        for key in (("load", "global", 4), ("store", "global", 6)):
            self.assertEqual(self.per_request(found[key], "transactions"), 8, key)

    # 32 lanes 24 bytes apart touch 24 sectors with each component; a double per thread 8.
    def test_triples(self):
        for body, sectors in (("v[i].y = w[i].y * 2;", 24), ("((double *)v)[i] = ((const double *)w)[i];", 8)):
            found = self.sites(f"__global__ void k(const double3 *w, double3 *v) {{ int i = blockIdx.x * blockDim.x + threadIdx.x;\\n{body} }}"
                               .replace("\\n", "\n"), "a6000", "--grid", "2", "--block", "128", "--arg", "w=count=256", "--arg", "v=count=256")
            for kind in ("load", "store"):
                self.assertEqual(self.per_request(found[kind, "global", 2], "transactions"), sectors, (body, kind))

    # Two lanes of a bank where a float4 is spread over four rows; none where it is stored as it is (512 bytes: 4 wavefronts).
    def test_filling_two_tiles(self):
        found = self.sites("""__global__ void fill(const float4 *in, float *out) {
  __shared__ float a[8 * 128];
  __shared__ float4 b[256];
  int t = threadIdx.x;
  float4 v = in[t];
  a[(t % 2 * 4 + 1) * 128 + t / 2] = v.y + v.x + v.z + v.w;
  b[t] = v;
  __syncthreads();
  out[t] = a[t] + b[t ^ 1].x;
}""", "rtx3090", "--grid", "1", "--block", "256")
        spread, whole = found["store", "local", 6], found["store", "local", 7]
        self.assertEqual((self.per_request(spread, "wavefronts"), self.per_request(spread, "conflicts")), (2, 1))
        self.assertEqual((self.per_request(whole, "wavefronts"), whole["conflicts"]), (4, 0))

    # Eight rows of four words: all in the same four banks, or each row four banks further.
    def test_rows_of_bytes(self):
        for row, degree in ((128, 8), (144, 1)):
            found = self.sites("""__global__ void rows(const unsigned *in, unsigned *out) {
  __shared__ unsigned char t[8 * ROW];
  unsigned l = threadIdx.x;
  for (int i = 0; i < 8; ++i) *(unsigned *)&t[i * ROW + 4 * l] = in[l];
  __syncthreads();
  out[l] = *(const unsigned *)&t[l / 4 * ROW + l % 4 * 4];
}""", "rtx5090", "--grid", "1", "--block", "32", ROW=row)
            self.assertEqual(self.per_request(found["load", "local", 6], "wavefronts"), degree, row)

    def test_an_array_that_is_indexed_at_run_time_is_in_local_memory(self):
        for index, stays in (("at[i] & 15", True), ("5", False)):
            found = self.sites("""__global__ void pick(const int *at, const int4 *in, int *out) {
  int i = threadIdx.x, row[16];
  for (int c = 0; c < 4; ++c) { int4 v = in[4 * i + c]; row[4 * c] = v.x; row[4 * c + 1] = v.y; row[4 * c + 2] = v.z; row[4 * c + 3] = v.w; }
  out[i] = row[INDEX];
}""".replace("INDEX", index), "t4", "--grid", "1", "--block", "64", "--arg", "at=count=64", "--arg", "in=count=256", "--arg", "out=count=64")
            private = sum(counts["requests"] for (_, space, _), counts in found.items() if space == "private")
            # Two warps: four stores of 16 bytes each, and a load.
            self.assertEqual(private, 2 * 5 if stays else 0, index)

    # Doubles of three components: 24 sectors a request next to each other, 8 in three planes. The 19 populations of a lattice likewise.
    def test_layouts_of_components(self):
        for at, sectors in (("3 * i + c", 24), ("c * n + i", 8)):
            found = self.sites(f"""__global__ void k(const double *in, double *out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double s = 0;
  for (int c = 0; c < 3; ++c) s += in[{at}];
  out[i] = s;
}}""", "a100", "--grid", "4", "--block", "64", "--arg", "n=256")
            self.assertEqual(self.per_request(found["load", "global", 4], "transactions"), sectors, at)
        for at, sectors in (("i * 19 + c", 32), ("c * n + i", 4)):
            found = self.sites(f"""__kernel void k(__global const float *in, __global float *out) {{
  uint i = get_global_id(0), n = get_global_size(0);
  float s = 0;
  for (uint c = 0; c < 19; ++c) s += in[{at}];
  out[i] = s;
}}""", "rtx3090", "--global", "256", "--local", "64", suffix="cl")
            self.assertEqual(self.per_request(found["load", "global", 4], "transactions"), sectors, at)

    # Of compute capability 1.0: 16 banks, half a warp at a time; rows of 16 put a column into one bank.
    def test_columns_by_half_warps(self):
        for pad, degree in ((0, 16), (1, 1)):
            found = self.sites("""__global__ void k(const float *in, float *out) {
  __shared__ float t[16][16 + PAD];
  int x = threadIdx.x, y = threadIdx.y;
  t[y][x] = in[y * 16 + x];
  __syncthreads();
  out[y * 16 + x] = t[x][y];
}""", "8800gtx", "--grid", "1", "--block", "16,16", PAD=pad)
            load = found["load", "local", 6]
            self.assertEqual(self.per_request(load, "wavefronts"), 2 * degree, pad)
            self.assertEqual(bool(load["conflicts"]), bool(pad == 0), pad)


if __name__ == "__main__":
    unittest.main()
