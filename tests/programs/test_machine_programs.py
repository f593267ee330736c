"""Programs whose device code is NVIDIA's machine code: what they compute, and that a launch counts the same whoever makes it."""
import json
import subprocess
import sys
import unittest

import support

sys.path.append(str(support.SOURCE / "python"))
from warpscope.base import cuda_tools  # noqa: E402
from warpscope.result import instructions  # noqa: E402

PROGRAMS = support.SOURCE / "tests/programs/cuda/machine"
FUNCTIONS = support.SOURCE / "tests/programs/cuda/language/functions.cu"
CUBIN = support.SOURCE / "tests/unit/machine/data/saxpy_sm90.cubin"


class MachineProgramTest(support.ProgramTest):
    def counters(self, capture):
        """What does not depend on where buffers are: instructions, requests, sectors, wavefronts."""
        done = self.plain(support.BIN / "cachesim", capture, "--gpu", "h100", "--json", "result.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        launches = json.loads((self.folder / "result.json").read_text())["launches"]
        counters = [launch["profiler"]["ncu"] for launch in launches]
        self.assertTrue(all(one["smsp__inst_executed.sum"] > 0 and len(one) > 20 for one in counters), counters[:1])
        return counters

    def assert_ok(self, done, output=None):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        if output is not None:
            self.assertEqual(done.stdout, output)


class RegisteredByHand(MachineProgramTest):
    """A program that registers a committed cubin, as nvcc's code would: needs no toolkit."""

    def setUp(self):
        super().setUp()
        library = support.BIN.parent / "lib/warpscope/libwarpscope-cudart.so"
        self.assert_ok(self.plain("gcc", "-O1", PROGRAMS / "saxpy.c", library, f"-Wl,-rpath,{library.parent}", "-o", "app"))

    def test_results_and_variables(self):
        for groups in (1, 4, 9):
            self.assert_ok(self.plain("./app", CUBIN, groups), "0 wrong, 3 launches of spill\n")

    def test_traced_as_untraced(self):
        done = self.traced("./app", CUBIN)
        self.assert_ok(done, "0 wrong, 3 launches of spill\n")
        self.check()
        launches = self.launches()
        self.assertEqual([launch["kernel"] for launch in launches], ["saxpy", "spill", "spill", "spill"])
        # saxpy: 1,021 items load x, y and one of the tile, and store y; all 1,024 store the tile. There is one barrier.
        spaces = launches[0]["by_address_space"]
        self.assertEqual(spaces["global"], {"loads": 2 * 1021, "stores": 1021, "atomics": 0})
        self.assertEqual(spaces["local"], {"loads": 1021, "stores": 1024, "atomics": 0})
        self.assertEqual(launches[0]["barriers"], 1024)
        self.assertEqual([launch["by_address_space"]["global"]["atomics"] for launch in launches[1:]], [1, 1, 1])

    def instructions(self, *options):
        done = self.plain(support.BIN / "trace-view", "x.wtrace", "--instructions", "--json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {one["id"]: one for one in json.loads(done.stdout)["launches"]}

    def test_instructions_of_several_launches_are_sums(self):
        """Of spill's three launches together, by trace-view and with the counters of a result: three times its atomic, issued as often as executed."""
        self.assert_ok(self.traced("./app", CUBIN))
        self.assert_ok(self.plain(support.BIN / "cachesim", "timed", "x.wtrace", "--gpu", "h100", "--json", "result.json"))
        each, sums = self.instructions(), self.instructions("--sum")
        self.assertEqual({number: one["launches"] for number, one in sums.items()}, {0: 1, 1: 3})
        for what in ("warps", "lanes", "guarded"):
            parts = [[one[what] for one in each[number]["machine_code"]["instructions"]] for number in (1, 2, 3)]
            self.assertEqual([one[what] for one in sums[1]["machine_code"]["instructions"]], [sum(some) for some in zip(*parts)])
        saxpy, spill = instructions.of_capture(self.folder / "x.wtrace", json.loads((self.folder / "result.json").read_text()))
        self.assertEqual([(one["kernel"], one["launch"], one["launches"]) for one in (saxpy, spill)], [("saxpy", 0, 1), ("spill", 1, 3)])
        (atomic,) = [row for row in spill["instructions"] if "ATOM" in row["text"] or "RED" in row["text"]]
        self.assertEqual((atomic["inst_executed"], atomic["memory_l1_tag_requests_global"]), (3, 3))
        for row in (*saxpy["instructions"], *spill["instructions"]):
            self.assertEqual(row.get("warp_stalls", {}).get("selected", 0), row["inst_executed"], row["text"])

    def test_counts_are_those_of_the_file(self):
        self.assert_ok(self.traced("./app", CUBIN))
        program = self.counters("x.wtrace")[0]
        done = self.plain(support.BIN / "trace-kernel", CUBIN, "--kernel", "saxpy", "--grid", 4, "--block", 256, "-o", "file.wtrace", "--arg", "a=0.5",
                          "--arg", "x=bytes=4084", "--arg", "y=bytes=4084", "--arg", "n=1021")
        self.assert_ok(done)
        self.assertEqual(program, self.counters("file.wtrace")[0])

    def test_only_some_launches(self):
        self.assert_ok(self.traced("./app", CUBIN, options=("--kernel", "spill", "--launch", "2-3")))
        self.assertEqual([launch["id"] for launch in self.launches()], [2, 3])

    def test_work_groups_in_part(self):
        self.assert_ok(self.traced("./app", CUBIN, options=("--work-groups", "1-2")), "0 wrong, 3 launches of spill\n")
        self.check()

    def test_another_gpu_has_no_code(self):
        self.environment["WARPSCOPE_GPU"] = "a100"
        done = self.plain("./app", CUBIN)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("sm_90 code runs on GPUs of compute capability 9.0 to 9.9, not on a100", done.stderr)


@unittest.skipUnless(cuda_tools.look("nvcc"), "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class OfNvccNeedsCudaToolkit(MachineProgramTest):
    def build(self, name, *options):
        self.assert_ok(self.plain(support.BIN / "warpscope-nvcc", "--with-nvcc", "-std=c++17", *options, PROGRAMS / f"{name}.cu", "-o", name))

    def test_what_programs_ask_of_device_code(self):
        """Each line says what arithmetic expects."""
        self.build("whole", "-arch=sm_90")
        done = self.assert_same_program("./whole")
        self.assertNotIn("untraced", done.stderr)
        self.assertNotIn("outside of every known buffer", done.stderr)
        for line in done.stdout.splitlines():
            if ", expected " in line:
                found, expected = line.split(", expected ")
                self.assertTrue(found.endswith(expected) or f" {expected} " in found + " ", line)
        self.assertIn("malloc 0 wrong\nfunctions 0 wrong\n", done.stdout)
        self.assertTrue(done.stdout.endswith("thread 0 0.00 -\nthread 1 0.25 -\nPTX 90, code 90\n8 blocks, registers known\n"), done.stdout)
        self.check()

    def test_calls_through_pointers(self):
        """Kernels of one program share pointers, whether the compiler counts functions within a kernel or the linker places them; -G has calls of all functions, malloc among them."""
        for options in ((), ("-G",), ("-rdc=true",)):
            with self.subTest(options=options):
                self.assert_ok(self.plain(support.BIN / "warpscope-nvcc", "--with-nvcc", "-std=c++17", "-arch=sm_90", *options, FUNCTIONS, "-o", "functions"))
                done = self.assert_same_program("./functions")
                self.assertEqual(done.stdout, "0 wrong, cudaSuccess\n", done.stderr)
                self.assertEqual([launch["kernel"] for launch in self.launches()], ["choose", "apply", "map", "make", "grow", "areas", "sides", "drop"])
                self.check()

    def test_textures_surfaces_and_clusters(self):
        self.build("objects", "-arch=sm_90")
        done = self.assert_same_program("./objects")
        self.assertEqual(done.stdout, "textures 0 wrong no error\nclusters 0 wrong no error\ngrid invalid configuration argument\n", done.stderr)
        self.check()
        launches = self.launches()
        self.assertEqual([launch["kernel"] for launch in launches], ["read_and_write", "neighbours"])
        # 128 items: one point, four elements around a place between two (the border's are read twice), one quad; stores to the surface and the sums.
        spaces = launches[0]["by_address_space"]
        self.assertEqual(spaces["global"]["stores"], 2 * 128)
        self.assertEqual(spaces["global"]["loads"], (1 + 4 + 1) * 128)

    def test_ptx_is_assembled_for_the_gpu(self):
        self.build("whole", "-gencode", "arch=compute_80,code=compute_80")
        printed = self.plain("./whole").stdout
        self.assertIn("cooperation 499500 no error", printed)
        self.assertIn("PTX 80, code 90", printed)

    def test_three_ways_to_the_same_counts(self):
        """The program, its kernel by a launch of the user's, and the file."""
        self.build("ways", "-arch=sm_90")
        self.assert_ok(self.traced("./ways"), "0 wrong\n")
        launch = ("--kernel", "stencil", "--grid", "8,4", "--block", "32,8", "--arg", "in=count=256*32", "--arg", "out=count=256*32",
                  "--arg", "width=256", "--arg", "height=32")
        self.assert_ok(self.plain(support.BIN / "trace-kernel", "./ways", "--machine=h100", *launch, "-o", "kernel.wtrace"))
        self.assert_ok(self.plain(support.BIN / "trace-kernel", PROGRAMS / "ways.cu", "--machine=sm_90", "--nvcc-options=-std=c++17", *launch, "-o", "file.wtrace"))
        program = self.counters("x.wtrace")
        self.assertEqual(len(program), 1)
        self.assertEqual(program, self.counters("kernel.wtrace"))
        self.assertEqual(program, self.counters("file.wtrace"))

    def test_faults_have_errors_and_places(self):
        self.build("faults", "-arch=sm_90")
        for which, error, words in (("bounds", "an illegal memory access was encountered", "(faults.cu:"),
                                    ("misaligned", "misaligned address", "no multiple of 8"),
                                    ("assert", "device-side assert triggered", "assertion 'threadIdx.x < 3' failed"),
                                    ("trap", "unspecified launch failure", "stopped itself (trap)")):
            done = self.plain("./faults", which)
            self.assertEqual(done.stdout, f"{error}\n", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
