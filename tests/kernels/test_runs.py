"""Work-groups that repeat an earlier one, moved, are in runs (traces/FORMAT.md). Whoever reads a capture gets the same with runs and with
a record for each work-group; a regular launch takes a few bytes."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from launches import BIN

VADD = "{q} void k({g} const float* a, {g} const float* b, {g} float* c) {{ size_t i = {id}; c[i] = a[i] + b[i]; }}"
OPENCL = {"q": "__kernel", "g": "__global", "id": "get_global_id(0)"}
CUDA = {"q": "extern \"C\" __global__", "g": "", "id": "blockIdx.x * blockDim.x + threadIdx.x"}
ROWS = """__kernel void k(__global const float* in, __global double* out) {
  size_t x = get_global_id(0), y = get_global_id(1);
  out[x * get_global_size(1) + y] = in[y * (get_global_size(0) + 8) + x];
}"""
GUARD = "__kernel void k(__global int* a, __global const char* b, int n) { int i = get_global_id(0); if (i < n) a[i] = b[3 * i]; }"
SHARED = """__kernel void k(__global const int* in, __global int* sums, __global int* all) {
  __local int part[16];
  int l = get_local_id(0);
  part[l] = in[get_global_id(0)];
  for (int step = 8; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < step) part[l] += part[l + step];
  }
  if (l == 0) { sums[get_group_id(0)] = part[0]; atomic_add(all, part[0]); }
}"""
GATHER = "__kernel void k(__global const int* at, __global const float* a, __global float* c) { int i = get_global_id(0); c[i] = a[at[i] & 4095]; }"
ROW_OF = "__kernel void k(__global const int* n, __global int* c) { int i = get_global_id(0), s = 0; for (int j = 0; j < (n[i] & 7); ++j) s += c[j]; c[i] = s; }"

# Name: source, options, how many bytes the capture may have for each work-group (0: none
# repeats another), and a buffer that trace-change moves.
CASES = {
    "vadd1.cl": (VADD.format(**OPENCL), ["--global", 2048, "--local", 1, "--arg", "a=2048"], 4, "c"),
    "vadd64.cl": (VADD.format(**OPENCL), ["--global", 64 * 200, "--local", 64, "--arg", "a=12800"], 4, "c"),
    "vadd.cu": (VADD.format(**CUDA), ["--grid", 200, "--block", 64, "--arg", "a=12800"], 4, "c"),
    "rows.cl": (ROWS, ["--global", "128,96", "--local", "4,4"], 4, "out"),
    "guard.cl": (GUARD, ["--global", 4096, "--local", 16, "--arg", "n=4001", "--arg", "b=16384"], 4, "a"),
    "shared.cl": (SHARED, ["--global", 4096, "--local", 16, "--arg", "in=4096", "--arg", "sums=256", "--arg", "all=1"], 6, "in"),
    "gather.cl": (GATHER, ["--global", 512, "--local", 1, "--arg", "at=count=512,fill=random(1)", "--arg", "a=4096", "--arg", "c=512"], 30, "c"),
    "row_of.cl": (ROW_OF, ["--global", 1024, "--local", 8, "--arg", "n=count=1024,fill=random(2)", "--arg", "c=1024"], 0, "c"),
    "sampled.cl": (VADD.format(**OPENCL), ["--global", 16384, "--local", 4, "--arg", "a=16384", "--work-groups", "every:16"], 10, "c"),
}
READERS = (
    ["trace-view", "@", "--summary", "--json"], ["trace-view", "@", "--work-item", "16:0"], ["trace-view", "@", "--format", "crawford"],
    ["trace-view", "@", "--races", "--race-groups", "all", "--json"], ["trace-check", "@"],
    ["warpsched", "@", "--policy", "warp", "--gpu", "h100", "--format", "text"], ["warpsched", "@", "--policy", "random", "--cores", 3, "--format", "text"],
    ["cachesim", "@", "--gpu", "gtx480", "--json", "-"], ["cachesim", "@", "--gpu", "h100", "--sample-cores", 6, "--json", "-"],
    ["cachesim", "timed", "@", "--gpu", "h100", "--json", "-"],
)
# Twelve launches, of which --sample-launches draws some: regular ones of several sizes, and some that gather.
PROGRAM = """__global__ void add(const float* a, float* c) { int i = blockIdx.x * blockDim.x + threadIdx.x; c[i] += a[i]; }
__global__ void gather(const int* at, const float* a, float* c) { int i = blockIdx.x * blockDim.x + threadIdx.x; c[i] = a[at[i]]; }
int main() {
  int *at; float *a, *c;
  cudaMallocManaged(&at, 8192 * 4); cudaMalloc(&a, 8192 * 4); cudaMalloc(&c, 8192 * 4);
  for (int i = 0; i < 8192; ++i) at[i] = i * 7919 % 8192;
  for (int n = 0; n < 6; ++n) { add<<<80 + 16 * n, 32>>>(a, c); gather<<<100, 64>>>(at, a, c); }
  return cudaDeviceSynchronize();
}
"""
CONSUMERS = (
    ["cachesim", "@", "--gpu", "v100", "--sample-launches", 6, "--json", "-"], ["cachesim", "@", "--gpu", "v100", "--launch", "2-5", "--json", "-"],
    ["cachesim", "sweep", "@", "--gpu", "v100", "--size", "8,32", "--ways", "2,4", "--json", "-"],
    ["warpscope", "export", "@", "--gpu", "v100", "--format", "csv"], ["warpscope", "export", "@", "--gpu", "v100", "--format", "ncu-csv"],
    ["warpscope", "diff", "@", "@", "--gpu", "v100", "--json", "-"],
)
HEAD = 4000  # bytes of a capture that are no work-groups: the kernel's description and its source


def readers_of(name):
    """All, but that cores are drawn only where all work-groups were recorded."""
    return [words for words in READERS if "--sample-cores" not in words or not name.startswith("sampled")]


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def tool(self, *words, **variables):
        done = subprocess.run([str(BIN / words[0]), *map(str, words[1:])], cwd=self.folder, capture_output=True, text=True,
                              env=os.environ | variables)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return done.stdout

    def record(self, name, suffix, *options, **variables):
        """A capture, and what `trace-view` says is in it."""
        source, given, _, _ = CASES[name]
        (self.folder / name).write_text(source + "\n")
        capture = self.folder / f"{name}{suffix}.wtrace"
        self.tool("trace-kernel", name, *given, *options, "-o", capture, **variables)
        return capture

    def test_a_large_file_is_named_once_with_what_takes_less(self):
        (self.folder / "large.cl").write_text(CASES["vadd1.cl"][0])
        for variables, times in (({"WARPSCOPE_RECORDS_ONLY": "1"}, 1), ({}, 0)):
            done = subprocess.run([BIN / "trace-kernel", "large.cl", *map(str, CASES["vadd1.cl"][1]), "-o", "large.wtrace"], cwd=self.folder,
                                  capture_output=True, text=True, env=os.environ | variables | {"WARPSCOPE_LARGE_FILE": "100000"})
            self.assertEqual((done.returncode, done.stderr.count("grows; trace-kernel takes less with --work-groups")), (0, times), done.stderr)

    def version(self, capture):
        return int(re.search(rb'"version":(\d)', capture.read_bytes()[:600]).group(1))

    def neutral(self, text, capture):
        """A capture's identity, version and name are its own."""
        return re.sub(r"\b[0-9a-f]{16}\b|\"version\": [12]$", "OWN", text, flags=re.M).replace(str(capture), "CAPTURE").replace(capture.name, "CAPTURE")

    def answers(self, capture, moved):
        """What every reader says."""
        changed = capture.with_suffix(".changed")
        self.tool("trace-change", capture, "--align", f"{moved}=256", "-o", changed)
        texts = [self.tool(*(capture if word == "@" else word for word in words)) for words in readers_of(capture.name)]
        texts.append(self.tool("cachesim", changed, "--gpu", "gtx480", "--json", "-"))
        return [self.neutral(text, capture).replace(changed.name, "CHANGED") for text in texts]

    def test_whoever_reads_several_launches(self):
        (self.folder / "program.cu").write_text(PROGRAM)
        self.tool("warpscope-nvcc", "program.cu", "-o", "program")
        captures = {self.folder / "runs.wtrace": {}, self.folder / "records.wtrace": {"WARPSCOPE_RECORDS_ONLY": "1"}}
        for capture, variables in captures.items():
            self.tool("trace-kernel", "-o", capture, "--", "./program", **variables)
        self.assertEqual([self.version(capture) for capture in captures], [2, 1])
        for words in CONSUMERS:
            ours, theirs = (self.neutral(self.tool(*(capture if word == "@" else word for word in words)), capture) for capture in captures)
            self.assertGreater(len(ours), 100, words)
            self.assertEqual(ours, theirs, words)
        said = self.tool("warpscope", "diff", *captures, "--gpu", "v100")
        self.assertIn("Nothing changed: every measure of both is the same.", said)


def add_tests():
    for name, (_, _, most, moved) in CASES.items():
        def test(self, name=name, most=most, moved=moved):
            with_runs = self.record(name, "-runs")
            records = self.record(name, "-records", WARPSCOPE_RECORDS_ONLY="1")
            if not most:
                return self.assertEqual(with_runs.read_bytes(), records.read_bytes())
            self.assertEqual((self.version(with_runs), self.version(records)), (2, 1))
            self.assertLess(with_runs.stat().st_size, records.stat().st_size)
            groups = json.loads(self.tool("trace-view", with_runs, "--summary", "--json"))["launches"][0]["work_groups"]
            self.assertLessEqual(with_runs.stat().st_size, HEAD + most * groups)
            for ours, theirs, words in zip(self.answers(with_runs, moved), self.answers(records, moved), (*readers_of(name), ["trace-change"])):
                self.assertEqual(ours, theirs, words)
            self.assertEqual(self.record(name, "-again", "--threads", 1).read_bytes(), with_runs.read_bytes())

        setattr(Runs, f"test_{name.replace('.', '_')}", test)


add_tests()


if __name__ == "__main__":
    unittest.main()
