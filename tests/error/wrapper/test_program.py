"""Kernel files, options, output and surroundings that trace-kernel refuses, and kernels that it cannot trace wholly."""
import os
import pathlib
import resource
import signal
import subprocess
import time
import unittest

from refusals import COMPLETE, Refusal
from support import BIN, kernel


class Files(Refusal):
    def refuse(self, name, *expected):
        with self.subTest(name):
            self.assert_one_line(self.trace(name, "--global", "4"), *expected)

    def test_without_a_kernel_are_refused(self):
        self.refuse("none.cl", "none.cl: cannot read: No such file or directory, expected an OpenCL C file")
        self.refuse("none.cu", "none.cu: cannot read: No such file or directory, expected a CUDA file")
        self.refuse(".", ".: cannot read: Is a directory, expected an OpenCL C file")
        self.refuse(self.write("empty.cl", ""), "empty.cl: no kernel in this file, expected a __kernel function")
        self.refuse(self.write("helper.cl", "int f(int a) { return a; }\n"), "helper.cl: no kernel in this file")
        self.call("trace-kernel", "one.cl", *COMPLETE, "-o", "a.wtrace")
        self.refuse("a.wtrace", "a.wtrace: not a text file, expected an OpenCL C file")

    def test_that_do_not_compile_show_the_compilers_message(self):
        for text, message in (("__kernel void f(__global int* a) {\n  a[0] = b;\n}\n",
                               "bad.cl:2:10: error: use of undeclared identifier 'b'"),
                              ("#include \"none.h\"\n", "bad.cl:1:10: fatal error: 'none.h' file not found"),
                              ("Dear reader,\nthis is a letter.\n", "bad.cl:1:1: error: unknown type name 'Dear'")):
            done = self.trace(self.write("bad.cl", text), "--global", "4")
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr.startswith(b"trace-kernel: bad.cl: does not compile\n"))
            self.assertIn(message, done.stderr.decode())
            self.assert_no_capture()

    def test_with_several_kernels_ask_for_one(self):
        self.refuse("two.cl", "two.cl: 2 kernels, expected --kernel with one of: first, second")
        self.assert_one_line(self.trace("two.cl", "--global", "4", "--kernel", "third"),
                             "two.cl: no kernel 'third', expected one of: first, second")


class Options(Refusal):
    def refuse(self, *words, expected):
        with self.subTest(words):
            self.assert_one_line(self.trace("one.cl", *COMPLETE, *words), expected)

    def test_are_refused(self):
        self.assert_one_line(self.trace(), "0 files, expected one")
        self.refuse("two.cl", expected="2 files, expected one")
        self.refuse("--nonsense", expected="unrecognised option '--nonsense'")
        self.refuse("--kernel", expected="'--kernel'")
        self.refuse("--global", "8", expected="'--global' cannot be specified more than once")
        self.refuse("--optimize", "O7", expected="'O7' is unknown, expected gpu or O0")
        self.refuse("--threads", "0", expected="--threads: expected 1 to 1024")
        self.refuse("--threads", "many", expected="'many'")
        self.refuse("--limit-size", "large", expected="--limit-size large: expected a number of bytes")
        self.refuse("--address-space", "outer", expected="address space 'outer' is unknown")
        self.refuse("-D", "a b", expected="define 'a b': not a macro's name")

    def test_for_the_compiler_that_it_does_not_know_are_refused(self):
        done = self.trace("one.cl", *COMPLETE, "--build-options", "--nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"unsupported option '--nonsense'", done.stderr)
        self.assert_no_capture()


class Output(Refusal):
    def test_that_cannot_be_written_is_refused(self):
        words = ("trace-kernel", "one.cl", *COMPLETE, "-o")
        self.assert_one_line(self.call(*words, "none/x"), "none/x: cannot write: No such file or directory")
        self.assert_one_line(self.call(*words, "."), ".: ")
        self.assert_one_line(self.call(*words, "/dev/full"), "/dev/full: cannot write: No space left on device")
        with open("/dev/full", "wb") as full:
            done = self.call(*words, "-", stdout=full)
        self.assert_one_line(done, "standard output: cannot write: No space left on device")

    def test_on_a_disk_that_fills_up_leaves_no_file_under_the_final_name(self):
        # A limit on file sizes stands for the disk. Once without it: PoCL keeps what it compiled.
        words = ("trace-kernel", kernel("gather"), "--global", "512", "-o", "x.wtrace")
        self.assertEqual(self.call(*words).returncode, 0)
        size = (self.folder / "x.wtrace").stat().st_size
        (self.folder / "x.wtrace").unlink()
        limit = 12_000
        self.assertGreater(size, limit)
        done = self.call(*words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assert_one_line(done, "x.wtrace: cannot write: File too large")

    def test_above_its_limit_leaves_no_file_under_the_final_name(self):
        done = self.trace("one.cl", *COMPLETE, "--limit-size", "100")
        self.assert_one_line(done, "x.wtrace: would exceed its limit of 100 bytes")

    def test_is_not_replaced_by_a_run_that_fails(self):
        self.assertEqual(self.trace("one.cl", *COMPLETE).returncode, 0)
        before = (self.folder / "x.wtrace").read_bytes()
        self.assertEqual(self.trace("one.cl", *COMPLETE, "--limit-size", "100").returncode, 2)
        self.assertEqual((self.folder / "x.wtrace").read_bytes(), before)


class Resumption(Refusal):
    """A limit on the capture's size stands for what interrupts a run."""
    LAUNCHES = {"gather": ("--global", "8192", "--local", "64"), "mm": ("--global", "256,256", "--local", "4,4", "--addresses-only"),
                "bitonic": ("--record-order",), "histogram": ("--skip-others",)}

    def begin(self, name, words, limit):
        done = self.call("trace-kernel", kernel(name), *words, "--resume", "-o", "x.wtrace", "--limit-size", str(limit))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"would exceed its limit", done.stderr)
        return (self.folder / "x.wtrace.part").stat().st_size

    def test_gives_the_capture_of_an_uninterrupted_run(self):
        for name, words in self.LAUNCHES.items():
            with self.subTest(name):
                self.run_tool("trace-kernel", kernel(name), *words, "--resume", "-o", "whole.wtrace")
                whole = (self.folder / "whole.wtrace").read_bytes()
                # What repeats takes a few bytes at the end, and more while it is recorded.
                limits = (len(whole) + 200, len(whole) + 600) if name == "mm" else (len(whole) // 2, len(whole) * 3 // 4)
                begun = self.begin(name, words, limits[0])
                self.assertGreater(self.begin(name, words, limits[1]), begun)
                done = self.call("trace-kernel", kernel(name), *words, "--resume", "-o", "x.wtrace")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr.decode(), r"[1-9]\d* work-groups were recorded before")
                self.assertEqual((self.folder / "x.wtrace").read_bytes(), whole)
                self.assertFalse((self.folder / "x.wtrace.part").exists())

    def test_refuses_what_another_command_left(self):
        self.run_tool("trace-kernel", kernel("gather"), "--global", "8192", "--local", "64", "-o", "whole.wtrace")
        self.begin("gather", ("--global", "8192", "--local", "64"), (self.folder / "whole.wtrace").stat().st_size // 2)
        part = (self.folder / "x.wtrace.part").read_bytes()
        for words in (("--global", "4096"), ("--global", "8192", "--local", "32"), ("--global", "8192", "--local", "64", "-D", "N=1")):
            done = self.call("trace-kernel", kernel("gather"), *words, "-o", "x.wtrace", "--resume")
            self.assert_one_line(done, "x.wtrace.part: is of another launch, other options or another version of this program", "--resume")
            self.assertEqual((self.folder / "x.wtrace.part").read_bytes(), part)

    def test_refuses_what_leaves_no_part(self):
        for words, message in ((("--count-only",), "--resume: perhaps nothing is left to record, expected no --count-only"),
                               (("--verify",), "expected no --verify"), (("-o", "-"), "--resume: standard output leaves no part"),
                               (("--", "true"), "--resume: only with FILE.cl")):
            kernel_of = () if words[0] == "--" else ("one.cl",)
            self.assert_one_line(self.call("trace-kernel", *kernel_of, "--resume", *words), message)


class Surroundings(Refusal):
    def test_without_pocl(self):
        done = self.trace("one.cl", *COMPLETE, environment={"OCL_ICD_VENDORS": str(self.folder / "none")})
        self.assert_one_line(done, "PoCL's CPU device not found (platforms: none)", "apt-get install pocl-opencl-icd")

    def test_without_the_compiler(self):
        for tool in ("clang-15", "opt-15"):
            tools = self.folder / f"without-{tool}"
            tools.mkdir()
            for program in pathlib.Path("/usr/bin").iterdir():
                if program.name != tool:
                    (tools / program.name).symlink_to(program)
            done = self.trace("one.cl", *COMPLETE, environment={"PATH": str(tools)})
            self.assert_one_line(done, f"{tool}: not found in PATH, expected the Debian package")

    def test_without_a_place_for_temporary_files(self):
        done = self.trace("one.cl", *COMPLETE, environment={"TMPDIR": "/proc"})
        self.assert_one_line(done, "cannot make a temporary directory", "$TMPDIR")


class Interruption(Refusal):
    def interrupt(self, number):
        """Sends the signal once something has been written; returns status and messages."""
        words = (BIN / "trace-kernel", kernel("mm"), "--global", "2048,2048", "-o", "x.wtrace")
        part = self.folder / "x.wtrace.part"
        part.unlink(missing_ok=True)
        temporary = self.folder / "temporary"
        temporary.mkdir(exist_ok=True)
        with subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              env={**os.environ, "TMPDIR": str(temporary)}) as process:
            end = time.monotonic() + 60
            while (not part.exists() or b"RUNS" not in part.read_bytes()) and process.poll() is None:
                self.assertLess(time.monotonic(), end, "nothing was written")
                time.sleep(0.02)
            process.send_signal(number)
            text = process.stderr.read().decode()
        self.assertEqual(list(temporary.iterdir()), [])
        return process.returncode, text

    def test_leaves_a_readable_part_and_nothing_else(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                status, text = self.interrupt(number)
                self.assertEqual(status, 128 + number, text)
                self.assertRegex(text, r"interrupted after \d+ of 16384 work-groups; what is recorded is in x.wtrace.part")
                self.assert_no_capture()
                self.assertEqual(self.call("trace-check", "x.wtrace.part").returncode, 2)
                self.assertIn(b"OK", self.run_tool("trace-check", "--partial", "x.wtrace.part"))

    def test_leaves_nothing_while_it_compiles(self):
        body = "".join(f"  s = s * {i}.0f + a[i ^ {i}];\n" for i in range(2000))  # keeps the compiler busy
        self.write("slow.cl", f"__kernel void slow(__global float* a) {{\n  int i = get_global_id(0);\n  float s = 0;\n{body}"
                              "  a[i] = s;\n}\n")
        temporary = self.folder / "temporary"
        temporary.mkdir()
        words = [BIN / "trace-kernel", "slow.cl", "--global", "64", "-o", "x.wtrace"]
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number), subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                                        env={**os.environ, "TMPDIR": str(temporary)}) as process:
                end = time.monotonic() + 60
                while not list(temporary.iterdir()) and process.poll() is None:
                    self.assertLess(time.monotonic(), end, "no temporary folder was made")
                    time.sleep(0.001)
                process.send_signal(number)
                self.assertEqual(process.wait(60), -number, process.stderr.read())
                self.assertEqual(list(temporary.iterdir()), [])
                self.assert_no_capture()


class Untraceable(Refusal):
    def test_images_samplers_and_pipes_are_named_with_their_line(self):
        self.write("image.cl", "\n__kernel void blur(read_only image2d_t in, __global float4* out) {\n"
                               "  out[0] = read_imagef(in, CLK_ADDRESS_NONE, (int2)(0, 0));\n}\n")
        self.assert_one_line(self.trace("image.cl", "--global", "4"),
                             "image.cl:2: kernel 'blur': argument 'in'", "image2d_t", "cannot be traced", status=3)

    def test_what_is_not_seen_inside_a_kernel_is_named_and_the_rest_recorded(self):
        self.write("asm.cl", '__kernel void f(__global int* a) {\n  a[get_global_id(0)] = 1;\n'
                             '  __asm__ volatile("" ::: "memory");\n}\n')
        done = self.trace("asm.cl", "--global", "4", "--arg", "a=count=4")
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"trace-kernel: not traced: asm.cl:3:3: inline assembly\n", done.stderr)
        self.assertIn(b"OK", self.run_tool("trace-check", "x.wtrace"))

    def test_accesses_outside_of_buffers_are_recorded_and_reported(self):
        done = self.trace("one.cl", "--global", "8", "--local", "4", "--arg", "a=count=6", "--arg", "by=2")
        self.assertEqual(done.returncode, 3)
        text = done.stderr.decode()
        for kind in ("loads", "stores"):
            self.assertRegex(text, rf"one\.cl:2:\d+: 2 of 8 {kind} are outside of 'a' \(first: work-item 2 of work-group 1\)")
        self.assertIn(b"OK", self.run_tool("trace-check", "x.wtrace"))


if __name__ == "__main__":
    unittest.main()
