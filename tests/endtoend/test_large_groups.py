"""Work-groups with more records than the memory should hold are recorded in parts, and every result is that of the same capture in one
piece."""
import functools
import json
import resource
import unittest

from support import ToolTest

LIMIT = ("--limit-memory", "4K")  # 85 records
NEXT = "x = x * 1664525u + 1013904223u; "
KERNELS = {
    # Barriers between loops whose addresses depend on what was loaded.
    "barriers.cl": "kernel void k(global const uint *a, global uint *b, uint n) {\n  local uint t[64];\n"
                   "  uint l = get_local_id(0), x = get_global_id(0), s = 0;\n"
                   "  for (uint r = 0; r < 3; ++r) {\n"
                   "    for (uint i = 0; i < n; ++i) { " + NEXT + "x += a[(x >> 8) & 4095]; s += x; }\n"
                   "    t[l] = s;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    s ^= t[(l * 7 + 1) & 63];\n"
                   "    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  b[get_global_id(0)] = s;\n}\n",
    # Work-items that leave early, loop unevenly, diverge at every step, and add atomically.
    "uneven.cl": "kernel void k(global const uint *a, global uint *b, uint n) {\n  uint g = get_global_id(0), x = g * 2654435761u;\n"
                 "  if (g % 9 == 4) return;\n  uint count = a[g] % n + (g % 16 == 3 ? 4 * n : 0);\n"
                 "  for (uint i = 0; i < count; ++i) {\n    " + NEXT + "\n    if (x & 1024) b[1024 + ((x >> 12) & 1023)] = x;\n"
                 "    else if (x & 2048) atomic_add(&b[(x >> 13) & 511], 1u);\n    else x ^= a[(x >> 9) & 4095];\n"
                 "    if ((x >> 12) == 77) break;\n  }\n  b[g] = x;\n}\n",
    # Volatile stores in step, next to a barrier.
    "volatile.cl": "kernel void k(global const uint *a, global uint *b, uint n) {\n  volatile local uint t[64];\n"
                   "  uint l = get_local_id(0), x = get_global_id(0);\n  for (uint i = 0; i < n; ++i) {\n    " + NEXT + "\n"
                   "    if (l < 32) t[(l + i) & 63] = a[(x >> 10) & 4095];\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
                   "    x += t[l];\n    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n  b[get_global_id(0)] = x;\n}\n",
    # Predictable addresses: all work-items in one box, and one box for nearly each.
    "box.cl": "kernel void k(global const uint *a, global uint *b, uint n) {\n  uint g = get_global_id(0), s = 0;\n"
              "  for (uint i = 0; i < n; ++i) s += a[((i * i * 31 >> 3) & 2047) + g];\n  b[g] = s;\n}\n",
    "boxes.cl": "kernel void k(global const uint *a, global uint *b, uint n) {\n  uint g = get_global_id(0), s = 0;\n"
                "  for (uint i = 0; i < n; ++i) s += a[(g * 37 + (i * i * 31 >> 2)) & 4095];\n  b[g] = s;\n}\n",
    "shared.cu": "__global__ void k(const unsigned *a, unsigned *b, unsigned n) {\n  __shared__ unsigned t[64];\n"
                 "  unsigned l = threadIdx.x, x = blockIdx.x * blockDim.x + l;\n"
                 "  for (unsigned i = 0; i < n; ++i) {\n    " + NEXT + "\n    x += a[(x >> 8) & 4095];\n    t[l] = x;\n"
                 "    __syncthreads();\n    x += 3 * t[63 - l] + l;\n    __syncthreads();\n  }\n"
                 "  b[blockIdx.x * blockDim.x + l] = x;\n}\n",
}


class InParts(ToolTest):
    def setUp(self):
        super().setUp()
        for name, text in KERNELS.items():
            (self.folder / name).write_text(text, encoding="utf-8")

    def trace(self, name, output, *options, size=128, local=64, n=150, status=0):
        done = self.call("trace-kernel", name, "--global", size, "--local", local, "--arg", "a=count=4096,fill=random(7)",
                         "--arg", "b=count=2048", "--arg", f"n={n}", "-o", output, *options)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        return done.stderr.decode()

    def results(self, capture):
        """What both engines say, without the names of files and captures."""
        self.assertIn(b"OK", self.run_tool("trace-check", capture))
        found = []
        for words in (("16", "128", "4", "LRU", "WTNA", "--self-check"), ("timed", "--gpu", "v100")):
            words = (words[0], capture, *words[1:]) if words[0] == "timed" else (capture, *words)
            result = json.loads(self.run_tool("cachesim", *words, "--json", "-"))
            del result["context"]
            found.append(result)
        return found

    def has_parts(self, capture):
        return b"PART" in (self.folder / capture).read_bytes()

    def assert_same(self, name, *options, **launch):
        self.trace(name, "whole.wtrace", *options, **launch)
        self.trace(name, "parts.wtrace", *LIMIT, *options, **launch)
        self.assertTrue(self.has_parts("parts.wtrace"), name)
        self.assertFalse(self.has_parts("whole.wtrace"), name)
        self.assertEqual(self.results("parts.wtrace"), self.results("whole.wtrace"), name)

    def test_results_are_those_of_one_piece(self):
        for name in KERNELS:
            with self.subTest(name):
                self.assert_same(name, n=4000 if name == "box.cl" else 150)  # one work-item speaks for all of a box

    def test_without_boxes(self):
        for name in ("box.cl", "boxes.cl"):
            with self.subTest(name):
                self.assert_same(name, "--no-boxes", n=4000 if name == "box.cl" else 150)

    def test_of_one_work_item(self):
        self.assert_same("barriers.cl", size=2, local=1, n=1500)
        self.assert_same("boxes.cl", size=2, local=1, n=6000)

    def test_a_part_that_is_missing_is_named(self):
        self.trace("boxes.cl", "x.wtrace", *LIMIT)
        data = bytearray((self.folder / "x.wtrace").read_bytes())
        at = data.index(b"PART")
        data[at:at + 4] = b"GONE"  # an unknown section, which readers pass over
        (self.folder / "x.wtrace").write_bytes(data)
        done = self.call("cachesim", "x.wtrace", "16", "128", "4", "LRU", "WTNA")
        self.assert_refused(done, r"work-group 0 of launch 0: part 0 of \d+ is missing; capture it again")

    def test_without_room_for_the_file_the_work_group_is_left_out(self):
        """A limit of files' sizes stands for a full disk."""
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))
        done = self.call("trace-kernel", "boxes.cl", "--global", 64, "--local", 64, "--arg", "a=count=4096", "--arg", "b=count=64", "--arg", "n=40000",
                         "-o", "x.wtrace", *LIMIT, preexec_fn=limit, restore_signals=False)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 3, text)
        self.assertIn("work-group 0 is not recorded: its records need a file in $TMPDIR: temporary file: cannot write: File too large; set TMPDIR to a "
                      "folder with more room, or leave it out with --work-groups", text)


if __name__ == "__main__":
    unittest.main()
