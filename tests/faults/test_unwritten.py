"""warpscope check: reads of global memory that nobody has written are found, and no others; so are allocations that are never freed."""
import json
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "endtoend"))

from support import ToolTest  # noqa: E402
from support import load_quarter as load_tests  # noqa: F401,E402

from test_check import IN_CUDA, IN_OPENCL, SIZES, arguments, expected, kernels  # noqa: E402

KERNELS = FOLDER / "unwritten" / "kernels.cl"
BYTES = {"fresh": 1024, "fresh_bytes": 256, "fresh_halves": 512, "fresh_pairs": 2048, "fresh_structs": 4096, "fresh_copies": 4096}
SIZES.update({name: f"bytes={size},fill=none" for name, size in BYTES.items()})
PADDED = "clean_padding"  # it copies what may be padding, which is information
# How a program prepares the 1,024 bytes that a kernel reads: the byte that it reads first of those that nobody has written; None where there are none.
OPENCL_PROGRAM = {"nothing": 0, "half": 512, "all_but_two": 400, "column": 60, "after_free": 0, "svm_nothing": 0, "bytes1024": 704, "copied": None, "used": None,
                  "written": None, "filled": None, "mapped": None, "parts": None, "from_buffer": None, "by_kernel": None, "svm_written": None, "bytes701": None}
CUDA_PROGRAM = {"nothing": 0, "half": 512, "async": 0, "padding": 160, "after_free": 0, "table": 0, "written": None, "set": None, "async_set": None, "managed": None,
                "pinned": None, "pitch": None, "variable": None, "by_kernel": None, "table_set": None}


class Checked(ToolTest):
    def check(self, *words):
        done = self.call("warpscope", "check", "--json", "faults.json", *words) if "--" in words else self.call("warpscope", "check", *words, "--json", "faults.json")
        self.assertIn(done.returncode, (0, 4), done.stderr.decode())
        return done, json.loads((self.folder / "faults.json").read_text())


class Kernels(Checked):
    def all_of(self, path, size, *more):
        for name, parameters in kernels(KERNELS).items():
            with self.subTest(kernel=name):
                done, report = self.check(path, "--kernel", name, *size, *arguments(parameters), *more)
                found = {fault["code"] for fault in report["faults"]} - ({"uninitialised-part"} if name == PADDED else set())
                wanted = {expected(name)} - {""}
                self.assertEqual(found - ({"race-global"} - wanted) if wanted else found, wanted)
                self.assertEqual(done.returncode, 4 if wanted else 0)

    def test_of_opencl(self):
        self.all_of(KERNELS, IN_OPENCL)

    def test_of_cuda(self):
        self.all_of(KERNELS.with_suffix(".cu"), IN_CUDA)

    def test_NeedsCudaToolkit_of_machine_code(self):
        self.all_of(KERNELS.with_suffix(".cu"), IN_CUDA, "--machine=sm_90")

    def test_oclgrind_agrees(self):
        """It does not know fences and counters, takes an exchange for a read, and the order of the groups for the only one."""
        self.folder.joinpath(KERNELS.name).write_text(KERNELS.read_text())
        for name, parameters in kernels(KERNELS).items():
            if name in ("clean_last_group_reads", "clean_exchanged", "race_global_of_a_later_group"):
                continue
            lines = [KERNELS.name, name, "256 1 1", "64 1 1", ""]
            for parameter in parameters.split(","):
                argument = parameter.rpartition("*")[2]
                lines.append(f"<size={BYTES[argument]} char noinit>" if argument in BYTES else f"<size={4 if argument == 'count' else 1024} int fill=0>")
            (self.folder / "k.sim").write_text("\n".join(lines) + "\n")
            done = subprocess.run(["oclgrind-kernel", "--uninitialized", "k.sim"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
            with self.subTest(kernel=name):
                self.assertEqual("uninitialized" in done.stderr.decode(errors="replace").lower(), bool(expected(name)))

    def test_words(self):
        (self.folder / "k.cl").write_text("kernel void k(global int *out, global const int *a) {\n  out[get_global_id(0)] = a[get_global_id(0)];\n}\n")
        done, report = self.check("k.cl", "--global", 64, "--local", 64, "--arg", "out=count=64", "--arg", "a=count=64,fill=none")
        self.assertEqual(done.stdout.decode().splitlines()[:3], [
            "error[uninitialised] k.cl:2:27: kernel k: load of a, global memory that nobody has written",
            "    work-item 0 of work-group 0, byte 0 of a, launch 0; 64 times",
            "    write it before the launch: clEnqueueFillBuffer(), clEnqueueWriteBuffer(), or a kernel"])
        self.assertEqual(report["in_part"], False)

    def test_a_part_of_a_vector(self):
        (self.folder / "k.cl").write_text("kernel void k(global int4 *out, global int4 *a) {\n  int l = get_local_id(0);\n  a[l].x = l;\n  a[l].y = l;\n"
                                          "  barrier(CLK_GLOBAL_MEM_FENCE);\n  out[l] = a[63 - l];\n}\n")
        done, report = self.check("k.cl", "--global", 64, "--local", 64, "--arg", "out=count=64", "--arg", "a=count=64,fill=none")
        self.assertEqual([(fault["code"], fault["level"], fault["accesses"][0]["line"], fault["count"]) for fault in report["faults"]],
                         [("uninitialised-part", "information", 6, 64)])
        self.assertEqual(done.returncode, 0)


class Programs(Checked):
    def all_of(self, program, ways):
        for how, first in ways.items():
            with self.subTest(how=how):
                _, report = self.check("--", program, how)
                found = [(fault["code"], fault["offset"]) for fault in report["faults"]]
                self.assertEqual(found, [] if first is None else [("uninitialised", first)])

    def test_of_opencl(self):
        subprocess.run(["gcc", "-O1", FOLDER / "unwritten" / "host.c", "-o", self.folder / "host", "-lOpenCL"], check=True)
        self.all_of("./host", OPENCL_PROGRAM)
        self.leaks("./host", "from", "clReleaseMemObject() it")

    def test_of_cuda(self):
        self.assertEqual(self.call("warpscope-nvcc", FOLDER / "unwritten" / "host.cu", "-o", "host").returncode, 0)
        self.all_of("./host", CUDA_PROGRAM)
        self.leaks("./host", "from", "cudaFree() it")

    def leaks(self, program, name, remedy):
        """What the program prepared is left, and what it freed is not."""
        done, report = self.check("--tools", "memcheck", "--", program, "left")
        self.assertEqual(done.returncode, 0)
        (leak,) = report["faults"]
        self.assertEqual((leak["code"], leak["level"], leak["object"], leak["offset"], leak["kernel"], leak["remedy"]), ("leak", "information", name, 1024, "copy", remedy))
        self.assertEqual(done.stdout.decode().splitlines()[0], f"information[leak]: {name} of 1024 bytes is never freed; kernel copy was given it")
        texts = []
        for _ in range(2):
            self.check("--", program, "left")
            texts.append((self.folder / "faults.json").read_text())
        self.assertEqual(texts[0], texts[1])


if __name__ == "__main__":
    unittest.main()
