"""Kernels that fault, and launches that PoCL would end the process for: one line says where and why, and what was complete
stays readable."""
import os
import re
import signal
import subprocess
import time
import unittest

from refusals import Refusal
from support import BIN

KERNELS = {
    "null.cl": "__kernel void store_null(__global int* a, __global int* p) {\n  a[get_global_id(0)] = 1;\n"
               "  p[get_global_id(0)] = 2;\n}\n",
    "null.cu": "__global__ void store_null(int* a, int* p) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
               "  a[i] = 1;\n  p[i] = 2;\n}\n",
    "wild.cl": "__kernel void wild(__global int* a, ulong far) {\n  a[get_global_id(0)] = 1;\n"
               "  if (get_global_id(0) == 9) a[far] = 3;\n}\n",
    "big.cl": "__kernel void big(__global int* a, int n) {\n  int t[131072];\n"
              "  for (int i = 0; i < n; ++i) t[(i * 7919 + a[i & 7]) & 131071] = i;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
              "  a[get_global_id(0)] = t[(n + a[1]) & 131071];\n}\n",
    "trap.cl": "__kernel void trap(__global int* a) {\n  a[get_global_id(0)] += 1;\n  if (a[0] > 0) __builtin_trap();\n}\n",
    "late.cl": "__kernel void late(__global int* a) {\n  if (get_global_id(0) == 9) __builtin_trap();\n  a[get_global_id(0)] = 1;\n}\n",
    "prints.cl": "kernel void k(global int* a) {\n  a[get_global_id(0)] = 1;\n  printf(\"hi\\n\");\n}\n",
    "early.cl": "__kernel void early(__global int* a, __local int* s, int n) {\n  int l = get_local_id(0);\n"
                "  if (get_global_id(0) >= n) return;\n  s[l] = a[get_global_id(0)];\n"
                "  barrier(CLK_LOCAL_MEM_FENCE);\n  a[get_global_id(0)] = s[l ^ 1];\n}\n",
    "loop.cl": "__kernel void loop(__global int* a, __local int* s) {\n  int l = get_local_id(0);\n"
               "  for (int i = 0; i < l + 1; ++i) {\n    s[l] = a[i];\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    a[get_global_id(0)] += s[3 - l];\n  }\n}\n",
    "branch.cl": "__kernel void branch(__global int* a, __local int* s) {\n  int l = get_local_id(0);\n"
                 "  s[l] = a[get_global_id(0)];\n  if (l < 3) barrier(CLK_LOCAL_MEM_FENCE);\n"
                 "  a[get_global_id(0)] = s[3 - l];\n}\n",
    "steps.cl": "__kernel void steps(__global uint* a) {\n  volatile __local uint t[64];\n  uint l = get_local_id(0);\n"
                "  for (uint s = 32; s; s >>= 1) {\n    if (l < s) t[l] = 1;\n    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n"
                "  a[get_global_id(0)] = l;\n}\n",
    "own.cl": "__kernel void own(__global int* a) {\n  __local int s[1048576];\n  s[get_local_id(0)] = a[get_global_id(0)];\n"
              "  barrier(CLK_LOCAL_MEM_FENCE);\n  a[get_global_id(0)] = s[3 - get_local_id(0)];\n}\n",
    "given.cl": "__kernel void given(__global int* a, __local int* s) {\n  s[get_local_id(0)] = a[get_global_id(0)];\n"
                "  barrier(CLK_LOCAL_MEM_FENCE);\n  a[get_global_id(0)] = s[3 - get_local_id(0)];\n}\n",
    "tiny.cl": "__kernel void tiny(__global int* a) {\n  if (get_global_id(0) == 5) a[0] = 1;\n}\n",
    "irregular.cl": "__kernel void irregular(__global int* a, int n) {\n  uint x = get_global_id(0);\n  int sum = 0;\n"
                    "  int count = get_group_id(0) == 1 ? n : 1;\n"
                    "  for (int i = 0; i < count; ++i) {\n    x = x * 1664525u + 1013904223u;\n"
                    "    sum += a[(x >> 10) & 1023];\n  }\n  a[get_global_id(0)] = sum;\n}\n",
}


class FaultTest(Refusal):
    def setUp(self):
        super().setUp()
        for name, text in KERNELS.items():
            self.write(name, text)

    def fault(self, *words):
        """Runs trace-kernel, which ends with status 3; its one line."""
        done = self.trace(*words)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 3, text)
        lines = [line for line in text.splitlines() if not line.startswith("trace-kernel: inferred: ")]
        self.assertEqual(len(lines), 1, text)
        self.assert_no_capture()
        has_part = (self.folder / "x.wtrace.part").exists()
        self.assertEqual("x.wtrace.part" in text, has_part, text)  # named only where it exists
        return lines[0]


class Faults(FaultTest):
    def test_null_pointers(self):
        for name, line in (("null.cl", 3), ("null.cu", 4)):
            with self.subTest(name):
                text = self.fault(name, "--global", "8", "--local", "4", "--arg", "a=count=8", "--arg", "p=null",
                                  "--threads", "1")
                self.assertRegex(text, rf"kernel 'store_null' faulted \(SIGSEGV\) in work-item 0 of work-group 0 at {name}:"
                                       rf"{line}:\d+: store of 4 bytes through 'p': null pointer; 0 of 2 work-groups")

    def test_out_of_bounds_where_there_is_no_page(self):
        text = self.fault("wild.cl", "--global", "16", "--local", "4", "--arg", "a=count=16", "--threads", "1",
                          "--arg", "far=1099511627776")
        # 2^40 elements of 4 bytes from the beginning of 64 bytes.
        self.assertRegex(text, r"in work-item 1 of work-group 2 at wild.cl:3:\d+: store of 4 bytes through 'a', "
                               rf"{4 * 2**40 - 64} bytes behind its end \(64 bytes\): out of bounds; 2 of 4 work-groups")
        self.assertEqual(self.call("trace-check", "x.wtrace.part").returncode, 2)
        self.assertIn(b"OK", self.run_tool("trace-check", "--partial", "x.wtrace.part"))
        view = self.run_tool("trace-view", "--partial", "--summary", "x.wtrace.part").decode()
        self.assertRegex(view, r"\n  global +0 +8 +0\n")  # stores of two work-groups

    def test_stack_overflow(self):
        text = self.fault("big.cl", "--global", "128", "--local", "64", "--arg", "n=9", "--arg", "a=count=128")
        self.assertRegex(text, r"kernel 'big' faulted \(SIGSEGV\) .*the stack overflows: .*524288 bytes per work-item")

    def test_traps(self):
        for options in (), ("--no-boxes",):
            self.assertRegex(self.fault("trap.cl", "--global", "4", "--local", "2", "--threads", "1", "--arg", "a=count=4,fill=iota", *options),
                             r"kernel 'trap' faulted \(SIGILL\) in work-item 0 of work-group 0 at trap.cl:3:\d+: trap; 0 of 2 work-groups")
            self.assertRegex(self.fault("late.cl", "--global", "16", "--local", "4", "--threads", "1", "--arg", "a=count=16", *options),
                             r"kernel 'late' faulted \(SIGILL\) in work-item 1 of work-group 2 at late.cl:2:\d+: trap; 2 of 4 work-groups")

    def test_a_kernel_that_prints(self):
        done = self.trace("prints.cl", "--global", "8", "--local", "4", "--arg", "a=count=8")
        self.assertEqual((done.returncode, done.stdout.decode().splitlines()), (0, ["hi"] * 8), done.stderr)


class Barriers(FaultTest):
    def left_out(self, name, *words):
        done = self.trace(name, "--global", "8", "--local", "4", "--arg", "s=16", "--arg", "a=count=8", *words)
        text = done.stderr.decode()
        self.assertEqual(done.returncode, 3, text)
        return text

    def test_that_some_work_items_do_not_come_to(self):
        text = self.left_out("early.cl", "--arg", "n=6")
        self.assertRegex(text, r"work-group 1 is not recorded: early.cl:5:\d+: barrier in divergent flow: work-items 0 and 2 ")
        self.assertIn(b"OK", self.run_tool("trace-check", "--partial", "x.wtrace"))
        self.assertRegex(text, r"barriers +4\n")  # of the other
        text = self.left_out("loop.cl")
        self.assertRegex(text, r"2 work-groups are not recorded; work-group 0 is not recorded: loop.cl:5:\d+: barrier in div")

    def test_that_a_branch_decides_about(self):
        text = self.left_out("branch.cl")
        self.assertRegex(text, r"2 work-groups are not recorded; work-group 0 is not recorded: branch.cl:4:\d+: barrier in divergent flow")

    def test_next_to_volatile_stores(self):
        for options in (), ("--no-boxes",):
            done = self.trace("steps.cl", "--global", "128", "--local", "64", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            # By hand: of 2 groups 32 + 16 + 8 + 4 + 2 + 1 work-items store, and 64 come to 6 barriers.
            self.assertRegex(done.stderr.decode(), r"local stores +126\n +barriers +768\n")

    def test_that_all_come_to_or_none(self):
        for n in (4, 8):
            done = self.trace("early.cl", "--global", "8", "--local", "4", "--arg", "s=16", "--arg", "a=count=8", "--arg", f"n={n}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr.decode(), rf"barriers +{n}\n")


class Limits(FaultTest):
    def test_of_pocl_are_known_before(self):
        text = self.fault("own.cl", "--global", "4")
        self.assertIn("kernel 'own' has 4194304 bytes of local memory, expected at most", text)
        self.assert_one_line(self.trace("given.cl", "--global", "4", "--local", "4", "--arg", "s=33554432"),
                             "kernel 'given': 33554432 bytes of local memory in its arguments", "expected at most")
        name = "k" * 300
        self.write("long.cl", f"__kernel void {name}(__global int* a) {{ a[get_global_id(0)] = 1; }}\n")
        self.assertIn("has 300 characters, expected at most 252", self.fault("long.cl", "--global", "4"))
        for sizes in (("4294967296", "1"), ("17179869184", "4"), ("65536,65536", "1,1")):
            self.assert_one_line(self.trace("tiny.cl", "--global", sizes[0], "--local", sizes[1], "--arg", "a=count=8"),
                                 "work-groups, expected at most 2^32 - 1")

    def test_of_memory(self):
        # 4 work-items of 20,000 accesses of 48 bytes each: 3.7 MiB. tests/endtoend/test_large_groups.py has the results.
        words = ("irregular.cl", "--global", "16", "--local", "4", "--arg", "a=count=1024", "--arg", "n=20000")
        for limit in ("3500K", "1"):
            done = self.trace(*words, "--limit-memory", limit)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"OK", self.run_tool("trace-check", "x.wtrace"))
            self.assertRegex(done.stderr.decode(), r"global loads +80012\n")
        self.assert_refused(self.trace(*words, "--limit-memory", "much"), "--limit-memory much: expected a number of bytes")


class Interruption(FaultTest):
    def test_ends_work_groups_that_are_not_recorded(self):
        # 2^31 - 1 work-groups take minutes; the ones to record are complete at once.
        words = (BIN / "trace-kernel", "tiny.cl", "--global", "2147483647", "--local", "1", "--work-groups", "0-3",
                 "--arg", "a=count=8", "-o", "x.wtrace")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number), subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE, env=os.environ,
                                                        stdin=subprocess.DEVNULL) as process:
                part = self.folder / "x.wtrace.part"
                end = time.monotonic() + 60
                while not part.exists() and time.monotonic() < end:
                    time.sleep(0.02)
                time.sleep(1.5)
                process.send_signal(number)
                start = time.monotonic()
                text = process.stderr.read().decode()
                process.wait(60)
                self.assertLess(time.monotonic() - start, 30)
                self.assertEqual(process.returncode, 128 + number, text)
                self.assertRegex(text, r"interrupted after \d of 2147483647 work-groups")
                self.assertEqual("x.wtrace.part" in re.sub("inferred.*", "", text), part.exists())
                if part.exists():
                    self.assertIn(b"OK", self.run_tool("trace-check", "--partial", "x.wtrace.part"))
                    part.unlink()


if __name__ == "__main__":
    unittest.main()
