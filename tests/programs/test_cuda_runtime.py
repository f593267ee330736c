"""CUDA programs on the CPU runtime: results, errors as CUDA documents them, faults, refusals, and captures."""
import json
import math
import os
import signal
import unittest

from support import BIN, RuntimeProgramTest
from support import load_quarter as load_tests  # noqa: F401

PROGRAMS = RuntimeProgramTest.PROGRAMS
SUCCESS, VALUE, CONFIGURATION, HANDLE = ("cudaSuccess", "cudaErrorInvalidValue", "cudaErrorInvalidConfiguration",
                                         "cudaErrorInvalidResourceHandle")
# CUDA Runtime API: what each function returns.
ERRORS = [
    ("malloc", SUCCESS), ("malloc into null", VALUE), ("malloc of 2^60", "cudaErrorMemoryAllocation"),
    ("copy to the host's memory", VALUE), ("copy beyond the end", VALUE), ("copy in no direction", "cudaErrorInvalidMemcpyDirection"),
    ("copy of nothing", SUCCESS), ("rows wider than the pitch", "cudaErrorInvalidPitchValue"),
    ("rows a pitch of -1 apart", "cudaErrorInvalidPitchValue"), ("rows of the host so far apart", "cudaErrorInvalidPitchValue"),
    ("set rows so far apart", "cudaErrorInvalidPitchValue"), ("set beyond the end", VALUE),
    ("symbol", SUCCESS), ("symbol beyond its end", VALUE), ("no symbol", "cudaErrorInvalidSymbol"),
    ("symbol by its name", "cudaErrorInvalidSymbol"),
    ("prefetch to a place", SUCCESS), ("prefetch with flags", VALUE),
    ("device 7", "cudaErrorInvalidDevice"), ("unknown attribute", VALUE),
    ("1025 threads", CONFIGURATION), ("no blocks", CONFIGURATION), ("2^31 blocks", CONFIGURATION), ("65 in z", CONFIGURATION),
    ("49 KiB of shared memory", VALUE), ("no kernel", "cudaErrorInvalidDeviceFunction"),
    ("attributes of no kernel", "cudaErrorInvalidDeviceFunction"), ("96 KiB allowed", SUCCESS), ("96 KiB of shared memory", SUCCESS),
    ("stream", SUCCESS), ("destroy the stream", SUCCESS), ("destroy it again", HANDLE), ("event", SUCCESS),
    ("elapsed before it is recorded", HANDLE), ("free the middle", VALUE), ("free", SUCCESS), ("free again", VALUE),
    ("free null", SUCCESS), ("free the host's", VALUE), ("memory", SUCCESS), ("peek", "cudaErrorMemoryAllocation"),
    ("then nothing", SUCCESS)]


class Runtime(RuntimeProgramTest):
    def test_errors(self):
        program = self.build("errors")
        done = self.plain(program)
        self.assert_calls("runtime/errors", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        *lines, last = done.stdout.splitlines()
        self.assertEqual([tuple(line.split(": ")) for line in lines], ERRORS)
        self.assertEqual(last, "invalid configuration argument")
        self.assertEqual(done.stderr, 'warpscope: symbol "variable": a name in quotes, expected the variable variable itself (CUDA 5 and later)\n')

    def test_language(self):
        program = self.build("language")
        self.assert_calls("runtime/language", program)
        done = self.assert_same_program(program)
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        self.check()
        launches = self.launches()
        self.assertEqual([launch["kernel"].split("::")[-1].split("<")[0] for launch in launches[:4]], ["weigh", "weigh", "reverse", "apply"])
        # By hand: 512 threads; n - 1 of them in the second launch. Each adds to two counters.
        self.assertEqual([launch["atomics"] for launch in launches[:2]], [2 * 512, 2 * 511])

    # PoCL alone lets all threads do what one should (tests/validation/DEVIATIONS.md, "Barriers").
    def test_barriers_in_both_ways_of_a_branch(self):
        done = self.plain(BIN / "warpscope-nvcc", PROGRAMS.parent / "threads/branches.cu", "-o", "branches")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.assert_same_program("./branches")
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        self.check()
        # By hand: 2 blocks of 256 threads and 8 warps. One thread of a block loads a count and a sum; it stores a count and a result.
        self.assertEqual([(launch["loads"], launch["stores"]) for launch in self.launches()], [(2 * (256 + 2), 2 * (8 + 2))] * 2)

    def test_pointers_to_kernels(self):
        done = self.assert_same_program(self.build("pointers"))
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        self.assertEqual([launch["kernel"].split("::")[-1].split("<")[0] for launch in self.launches()],
                         ["minus", "plus", "twice", "add", "add", "plus"])

    def test_graphs(self):
        program = self.build("graphs")
        self.assert_calls("runtime/graphs", program)
        done = self.assert_same_program(program)
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        self.check()
        launches = self.launches()
        # By hand: three rounds of the captured graph, three of the other one, that one as a child with one more, and one in memory of its own.
        self.assertEqual([launch["kernel"] for launch in launches], ["scale", "add", "add"] * 3 + ["scale"] * 6)
        self.assertEqual(sum(launch["loads"] for launch in launches), 3 * (1000 + 2 * 2000) + 6 * 1000)

    def test_random_graphs(self):
        """The program compares with the same operations on the host; a traced run is the same."""
        done = self.assert_same_program(self.build("random_graphs"), "12")
        self.assertEqual(done.stdout, "0 wrong\n", done.stderr)
        self.check()

    def test_pools(self):
        program = self.build("pools")
        self.assert_calls("runtime/pools", program)
        done = self.assert_same_program(program)
        self.assertEqual(done.stdout, "ok\n", done.stderr)

    def test_driver_api(self):
        program = self.build("driver", "-lcuda")
        self.assert_calls("runtime/driver", program, "with a module")
        done = self.assert_same_program(program)
        self.assertEqual(done.stdout, "ok, out of memory\n", done.stderr)
        (launch,) = self.launches()
        self.assertEqual([launch[kind] for kind in ("kernel", "loads", "stores")], ["saxpy", 2000, 1000])
        no_file = self.plain(program, "with a module")
        self.assertEqual((no_file.returncode, no_file.stdout), (0, "ok, out of memory\n"))

    def test_allocations_are_named_after_variables(self):
        self.traced(self.build("language"))
        done = self.plain(BIN / "cachesim", "x.wtrace", "--gpu", "v100", "--json", "x.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {buffer["name"] for buffer in json.loads((self.folder / "x.json").read_text())["buffers"]}
        for name in "device", "base", "pinned", "in", "out", "kept", "weights", "counter", "total", "tickets":
            self.assertTrue(any(known.split("#")[0] == name for known in names), (name, names))

    def test_the_gpu_that_the_program_sees(self):
        program = self.build("language")
        told = "language.cu: __CUDA_ARCH__ is 800 (-arch), and the program is told compute capability "
        # The GPU of the report is the one that the program sees.
        done = self.plain(BIN / "warpscope", "--gpu", "v100,a100", "--no-plots", "--advice-budget", "0", "-o", "report", "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count(f"warpscope: {told}7.0 (v100)\n"), 1, done.stderr)
        for gpu, line in (("no-such-gpu", "WARPSCOPE_GPU"), ("t4", f"{told}7.5 (t4)")):
            self.environment["WARPSCOPE_GPU"] = gpu
            self.assertIn(line, self.plain(program).stderr)
        for gpu in ("a100", ""):  # the architecture of the code, and nobody has chosen
            self.environment["WARPSCOPE_GPU"] = gpu
            done = self.plain(program)
            self.assertEqual((done.stdout, done.stderr), ("ok\n", ""))

    def test_textures(self):
        program = self.build("textures")
        self.assert_calls("runtime/textures", program)
        done = self.assert_same_program(program)
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        self.assertNotIn("outside of every known buffer", done.stderr)
        self.check()
        # By hand: each of 160 threads loads its index, and all but 16 an element; of 40 threads 8 load from the linear object.
        self.assertEqual(self.launches()[0]["loads"], 2 * 160 - 16)
        self.assertEqual(self.launches()[-1]["loads"], 40 + 8)

    def test_filtering(self):
        program = self.build("filtering")
        self.assert_calls("runtime/filtering", program)
        done = self.assert_same_program(program)
        self.assertEqual(done.stdout, "ok\n", done.stderr)
        self.assertNotIn("outside of every known buffer", done.stderr)
        self.check()
        found = [(launch["kernel"], launch["loads"], launch["stores"]) for launch in self.launches()]
        # By hand: 64 threads load where they look, and 2, 4 or 8 elements; with a border only those inside, of 8 columns and 4 rows.
        def inside(first, size):
            return (0 <= first < size) + (0 <= first + 1 < size)
        places = [(-3 + (15270 * i + 1) / 65536, -2 + (8586 * i + 1) / 65536) for i in range(64)]
        borders = [64 + sum(inside(math.floor(x * across - 0.5), 8) * inside(math.floor(y * down - 0.5), 4) for x, y in places)
                   for across, down in ((1, 1), (8, 4))]
        linear = 64 * 5
        self.assertEqual(found[:6], [("planes", loads, 64) for loads in (linear, borders[0], linear, borders[1], linear, linear)])
        self.assertEqual(found[6:], [("smoothed", linear, 64), ("lines", 64 * 3, 64), ("coloured", 64 * 2, 64), ("colour_objects", 64 * 2, 64),
                                     ("solids", 64 * 9, 64), ("layers", linear, 64), ("paint", 0, 8)])

    def test_fault(self):
        program = self.build("wild")
        done = self.plain(program)
        self.assertEqual((done.returncode, done.stdout), (3, "one launch\nnever\n"))
        self.assertEqual(done.stderr, "warpscope: kernel 'step': null pointer (address 0x10)\n")
        traced = self.traced(program)
        self.assertEqual((traced.returncode, traced.stdout), (done.returncode, done.stdout))
        self.assertIn("wild.cu:4", traced.stderr)
        self.check()  # the first launch is complete

    def test_faults_of_the_program_s_own_are_its_own(self):
        program = self.build("host_faults")
        for words in ((), ("before the first call",)):
            done = self.plain(program, *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "repaired: 2\n", ""))
            traced = self.traced(program, *words)
            self.assertEqual((traced.returncode, traced.stdout), (0, "repaired: 2\n"), traced.stderr)
            self.assertNotIn("fault", traced.stderr)

    def test_the_time_limit_does_not_count_compilation(self):
        lines = "".join(f"if (n > {i}) for (int j = 0; j < (n & {i % 7 + 1}); ++j) s = s * {i + 3} + a[(s + j * {i}) & 1023] % {i + 5};\n" for i in range(30))
        (self.folder / "slow.cu").write_text(f"""#include <cstdio>
__global__ void slow(int *a, int n) {{ int s = threadIdx.x; {lines} a[threadIdx.x] = s; }}
int main() {{ int *a; cudaMalloc(&a, 4096); cudaMemset(a, 0, 4096); slow<<<1, 32>>>(a, 3); puts(cudaGetErrorName(cudaDeviceSynchronize())); }}
""")
        self.assertEqual(self.plain(BIN / "warpscope-nvcc", "slow.cu", "-o", "slow").returncode, 0)
        self.environment["WARPSCOPE_KERNEL_SECONDS"] = "0.3"  # PoCL compiles for longer, and the kernel takes a millisecond
        for run in (self.plain, self.traced):
            done = run("./slow")
            self.assertEqual((done.returncode, done.stdout), (0, "cudaSuccess\n"), done.stderr)

    def test_a_kernel_that_never_ends(self):
        program = self.build("endless")
        self.environment["WARPSCOPE_KERNEL_SECONDS"] = "2"
        line = "warpscope: kernel 'spin' has not ended after 2 s (WARPSCOPE_KERNEL_SECONDS): the program is stopped\n"
        done = self.plain(program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (-signal.SIGINT, "fine\n", line))
        traced = self.traced(program)
        self.assertEqual((traced.returncode, traced.stdout), (-signal.SIGINT, "fine\n"), traced.stderr)
        self.assertIn(line, traced.stderr)
        self.check()
        self.assertEqual([launch["stores"] for launch in self.launches()], [32, 0])
        self.environment["WARPSCOPE_KERNEL_SECONDS"] = "soon"
        done = self.plain(program)
        self.assertEqual((done.stdout, done.stderr), (
            "cudaErrorInvalidValue\n", "warpscope: WARPSCOPE_KERNEL_SECONDS: 'soon': expected seconds above 0, for example 10\n"))

    def test_threads_with_stacks_of_their_own(self):
        done = self.plain(BIN / "warpscope-nvcc", PROGRAMS.parent / "threads/threads.cu", "-o", "threads")
        self.assertEqual(done.returncode, 0, done.stderr)
        for _ in range(3):  # blocks run side by side
            self.assertEqual(self.plain("./threads").stdout, "ok\n")
        traced = self.traced("./threads")
        self.assertEqual((traced.returncode, traced.stdout), (0, "ok\n"), traced.stderr)
        self.check()
        launches = {launch["kernel"]: launch for launch in self.launches()}
        # By hand. early: 100 of 128 threads come to the barrier. locked: every thread takes and leaves the lock; it may try more often.
        self.assertEqual([launches["early"][kind] for kind in ("loads", "stores", "barriers")], [100, 200, 100])
        self.assertEqual([launches["locked"][kind] for kind in ("loads", "stores")], [576, 576])
        self.assertGreaterEqual(launches["locked"]["atomics"], 2 * 576)
        # scan: 10 steps; thread i adds in those of at most i, which makes 10 * 1024 - 1023 loads before the barrier, then 2 more each.
        self.assertEqual(launches["scan"]["loads"], 10 * 1024 - 1023 + 2 * 10 * 1024)
        for policy in "warp", "rr":
            done = self.plain(BIN / "warpsched", "x.wtrace", "--policy", policy, "--self-check", "-o", os.devnull)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_numbers(self):
        done = self.plain(BIN / "warpscope-nvcc", PROGRAMS.parent / "numbers/numbers.cu", "-o", "numbers")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.assert_same_program("./numbers").stdout, "0 wrong\n")
        # Two bytes per value: 2 rows of 50 pairs are loaded 4 bytes at a time.
        self.assertEqual([(launch["kernel"], launch["loads"], launch["stores"]) for launch in self.launches()],
                         [("there_and_back", 0, 65536), ("round_all", 256, 256), ("complex_numbers", 64, 128), ("copy_streaming", 64, 64), ("scale_rows", 100, 2)])

    def test_device_mathematics(self):
        for name in "functions", "exact", "host_functions":
            done = self.plain(BIN / "warpscope-nvcc", PROGRAMS.parent / f"numbers/{name}.cu", "-o", name)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.plain(f"./{name}").stdout, "0 wrong\n")

    def test_two_ways_to_run_one_kernel(self):
        done = self.plain(BIN / "warpscope-nvcc", PROGRAMS.parent / "threads/features.cu", "-o", "features")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.assert_same_program("./features")
        self.assertEqual(done.stdout, "thread 5 of all\nthread 5 of those that leave\n0 wrong\n")
        counts = [[launch[kind] for kind in ("loads", "stores", "atomics")] for launch in self.launches()]
        # Only that the 14 threads that leave do not come to the barrier differs.
        self.assertEqual(counts[0], counts[1])
        self.assertEqual([launch["barriers"] for launch in self.launches()], [64, 50])

    def test_curand_in_kernels(self):
        done = self.plain(BIN / "warpscope-nvcc", PROGRAMS.parent / "random/random.cu", "-o", "random")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.assert_same_program("./random").stdout, "ok\n")
        kernels = {launch["kernel"]: launch for launch in self.launches()}
        # 48 bytes per state, stored by one kernel, loaded and stored by the other: at least 3 accesses of 16 bytes.
        self.assertGreaterEqual(kernels["quarter"]["loads"], 128 * 3)
        self.assertEqual(kernels["quarter"]["atomics"], 128)

    def test_refusal(self):
        program = self.build("refused")
        for done in self.plain(program), self.traced(program):
            self.assertEqual(done.returncode, 3)
            self.assertEqual(done.stdout, "cudaErrorNotSupported\n7 cudaSuccess\n")
            self.assertIn("refused.cu:5", done.stderr)
            self.assertIn("kernel 'clustered' is not run", done.stderr)

    def test_program_is_its_kernel(self):
        """trace-kernel on the kernel, and on the program that launches it: the same capture."""
        traced = self.traced(self.build("twin"), output="program.wtrace")
        self.assertEqual(traced.returncode, 0, traced.stderr)
        alone = self.plain(BIN / "trace-kernel", PROGRAMS / "twin.cu", "--grid", "4,4", "--block", "16,16", "--arg", "in=count=4096,fill=constant(1)",
                           "--arg", "out=count=4096", "--arg", "pitch=64", "--arg", "scale=0.5", "-o", "kernel.wtrace")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        totals = []
        for name in "program", "kernel":
            done = self.plain(BIN / "cachesim", f"{name}.wtrace", "--gpu", "v100", "--json", f"{name}.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            totals.append(json.loads((self.folder / f"{name}.json").read_text())["total"])
        self.assertEqual(*totals)
        # By hand: a load of `in` and a store to the tile by each of 4096 threads; the sum (3 coefficients, 3 places of the tile) and the
        # last store only where it is used, by all but the first column's 64 threads.
        launch = self.launches("program.wtrace")[0]
        self.assertEqual((launch["loads"], launch["stores"]), (4096 + 6 * 4032, 4096 + 4032))


if __name__ == "__main__":
    unittest.main()
