"""Machine code of NVIDIA's compiler, executed, leaves what other ways to run the same source leave: the suite's kernels in both languages and CUDA
programs as OpenCL devices run them (validation/machine-outputs), random kernels as this machine's compiler compiles them. Of the suite a twelfth of
the kernels, of the programs a few, each on one architecture, and six random kernels, always the same, two in which lanes meet and four with calls
through pointers; WARPSCOPE_TEST_KERNELS=all, as in scripts/test --long machine-code, takes all on all five, and 300 random ones of each kind. Committed cubins of
random kernels need no toolkit.
"""
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests" / "machine"), str(SOURCE / "tests"), str(SOURCE / "python"), str(SOURCE / "validation")]
import random_kernels  # noqa: E402
import random_meetings  # noqa: E402
import random_pointers  # noqa: E402
import sampled  # noqa: E402
from collect import machine_outputs  # noqa: E402
from support import BIN  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402

HERE = pathlib.Path(__file__).parent
ARCHITECTURES = (75, 80, 86, 89, 90)
NVCC = cuda_tools.look("nvcc")
os.environ["WARPSCOPE_BIN"] = str(BIN)
ALL = os.environ.get(sampled.VARIABLE) == "all"
SAVES_BARRIERS = 178  # a seed of meetings: lanes are in functions that have put a barrier's mask away, while others are taken out of it
LEAVES_A_LOOP = 201  # a seed: lanes leave a loop to a WARPSYNC without a BREAK, as ptxas -O0 has it
WRONG_BY_PTXAS = (244, 263)  # seeds whose machine code of -O1 and -O3 is not what the source says (validation/notes/machine-code.md)
ZERO_DIVIDED = 4685277  # the seed of a kernel that divides 0 by a negative number
LEVELS = {"O0": ["-Xcicc", "-O0", "-Xptxas", "-O0"], "G": ["-G"], "O1": ["-Xptxas", "-O1"], "O3": []}


def trace(folder, *words, **environment):
    done = subprocess.run([BIN / "trace-kernel", *map(str, words)], cwd=folder, capture_output=True, text=True, env={**os.environ, "WARPSCOPE_CACHE": "", **environment})
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.bin"))}


def check(folder, capture):
    """Replayed, each warp enters the blocks that it executed, in their order, with the same lanes: the capture's hashes are of the execution."""
    done = subprocess.run([BIN / "trace-check", capture], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def toolkit(self, level):
        """A folder for CUDA_HOME whose nvcc has a level's options, and leaves products and sums as they are written."""
        folder = self.folder / level / "bin"
        if not folder.exists():
            folder.mkdir(parents=True)
            without = 'for one; do shift; [ "$one" = -lineinfo ] || set -- "$@" "$one"; done\n' if level == "G" else ""
            (folder / "nvcc").write_text(f'#!/bin/sh\n{without}exec {NVCC} {" ".join(LEVELS[level])} -fmad=false "$@"\n')
            (folder / "nvcc").chmod(0o755)
            (folder / "ptxas").symlink_to(pathlib.Path(NVCC).parent / "ptxas")
        return str(folder.parent)


@unittest.skipUnless(NVCC, "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class SuiteNeedsCudaToolkit(WithFolder):
    def architectures(self, name):
        """All of them, or one drawn by the commit."""
        return ARCHITECTURES if ALL else [sampled.architecture(name, ARCHITECTURES)]

    def test_buffers_are_those_of_the_source_on_the_cpu(self):
        for kind, name in sampled.some(machine_outputs.suite(), 12):
            made = machine_outputs.Kernel(kind, name, pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())), self.folder / "k.wtrace")
            for architecture in self.architectures(name):
                with self.subTest(kernel=name, kind=kind, architecture=architecture):
                    made.verdict(architecture)
                    check(self.folder, "k.wtrace")

    def test_programs_print_what_they_print_without_machine_code(self):
        for name in sampled.some(machine_outputs.programs(), 40):
            architectures = self.architectures(name)
            made = machine_outputs.Program(name, pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())), architectures)
            for architecture in architectures:
                with self.subTest(program=name, architecture=architecture):
                    made.verdict(architecture)

    def test_tiles_and_products_of_integers(self):
        words = ["--global", 32, "--local", 32, "--arg", "in=count=128,fill=random(3)", "--arg", "out=count=512,fill=zero"]
        self.on_both("matrices.cu", words, (80, 90))

    def test_printf_prints_and_a_failed_assertion_ends_the_launch(self):
        (self.folder / "text.cu").write_text("""#include <cassert>
#include <cstdio>
__global__ void text(unsigned* out, unsigned n) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t % 16u == 3u) printf("[%u of %d: %6.2f %-6s|%c %llx %5d %%]\\n", t, -(int)n, t * 0.5, "text", 'a' + (int)(t % 26u), 1ull << (t % 30u + 30u), (int)t);
  if (t == 7u) printf("[%*d]\\n", 6, (int)t);
  if (t == 8u) out[64] = printf("[%hd %hu %hhd %hhu|%#lx %zu %.2s]\\n", 70000, 70000, 200, 200, -1l, sizeof(out), "abc"), out[65] = printf("[]\\n"), out[66] = printf("[%.*e]\\n", 1, 0.25);
  assert(t < n);
  out[t] = t;
}
""")
        words = ["text.cu", "--global", 64, "--local", 32, "--arg", "out=count=67,fill=zero", "--machine=sm_90"]
        printed = [line for line in trace(self.folder, *words, "--arg", "n=64", "--dump-buffers", "out").splitlines() if line.startswith("[")]
        expected = [f"[{t} of -64: {t * 0.5:6.2f} text  |{chr(97 + t % 26)} {1 << (t % 30 + 30):x} {t:5d} %]" for t in (3, 19, 35, 51)]
        lengths = ["[4464 4464 -56 200|0xffffffffffffffff 8 ab]", "[]", "[2.5e-01]"]
        self.assertEqual(printed, [*expected[:2], "[     7]", *lengths, *expected[2:]])
        taken = struct.unpack("<67I", contents(self.folder / "out")["out.bin"])[64:]
        self.assertEqual(taken, (7, 0, 2), "how many arguments, as the CUDA C++ Programming Guide has it")
        with self.assertRaisesRegex(AssertionError, r"work-group \(1, 0, 0\), work-item \(8, 0, 0\).*text\.cu:8: .*text.*: assertion 't < n' failed"):
            trace(self.folder, *words, "--arg", "n=40")

    def test_products_of_tensor_cores(self):
        """Against sums in Python: of small whole numbers every order gives the same."""
        numbers = [(7 * k * k + 3 * k) % 16 for k in range(384)]
        (self.folder / "in.bin").write_bytes(struct.pack("<384I", *numbers))
        a = [[numbers[row * 16 + k] - 8 for k in range(16)] for row in range(16)]
        b = [[numbers[256 + k * 8 + column] - 8 for column in range(8)] for k in range(16)]

        def product(rows, depth, start):
            """Of the first rows and the first places of the depth; `start` of a place in a fragment."""
            return [start[row // 8 * 2 + column % 2] + sum(a[row][k] * b[k][column] for k in range(depth)) for row in range(rows) for column in range(8)]

        expected = product(16, 8, [0.5, 1.5, 2.5, 3.5]) + product(16, 8, [1, 2, 3, 4]) + [a[k % 8][k // 8] for k in range(64)]
        once = product(16, 16, [0.25] * 4)
        since_80 = once + [2 * x - 0.25 for x in once] + product(16, 8, [-1] * 4) + product(8, 4, [10, 20])
        turned = [a[8 * matrix + k % 8][k // 8] for matrix in range(2) for k in range(64)]
        for architecture, parts in ((75, expected), (80, expected + since_80), (90, expected + since_80 + product(16, 8, [1, 2, 3, 4]) + turned)):
            out = self.folder / f"products{architecture}"
            trace(self.folder, HERE / "kernels" / "products.cu", "--global", 32, "--local", 32, "--arg", "in=count=384,fill=file:in.bin", "--arg", "out=count=1024,fill=zero",
                  f"--machine=sm_{architecture}", "--dump-buffers", out)
            self.assertEqual(struct.unpack("<1024f", contents(out)["out.bin"]), (*parts, *[0.0] * (1024 - len(parts))), architecture)

    def on_both(self, file, words, architectures, level="O3"):
        """The buffers of a kernel of tests/machine/kernels, executed as machine code, are those of the path through clang."""
        trace(self.folder, HERE / "kernels" / file, *words, "--count-only", "--dump-buffers", self.folder / "cpu")
        for architecture in architectures:
            with self.subTest(file=file, architecture=architecture, level=level):
                out = self.folder / f"{level}{architecture}"
                trace(self.folder, HERE / "kernels" / file, *words, f"--machine=sm_{architecture}", "--dump-buffers", out, CUDA_HOME=self.toolkit(level))
                self.assertEqual(contents(out), contents(self.folder / "cpu"))

    def test_lanes_meet_in_functions_and_in_cases_that_fall_through(self):
        words = ["--global", 128, "--local", 64, "--arg", "in=count=128,fill=random(3)", "--arg", "out=count=128,fill=zero"]
        self.on_both("switches.cu", words, ARCHITECTURES if ALL else [89], "G")
        self.on_both("switches.cu", words, ARCHITECTURES if ALL else [90], "O0")

    def test_lanes_meet_at_different_places_and_wait_for_each_other_in_loops(self):
        words = ["--global", 32, "--local", 32, "--arg", "in=count=32,fill=random(3)", "--arg", "out=count=32,fill=zero"]
        self.on_both("meetings.cu", words, ARCHITECTURES if ALL else [75, 90])

    def test_recursion_has_a_stack_of_its_own(self):
        (self.folder / "fib.cu").write_text("__device__ __noinline__ unsigned fib(unsigned n) { return n < 2u ? n : fib(n - 1u) + fib(n - 2u); }\n"
                                            "__global__ void recursion(unsigned* out, unsigned deep) { out[threadIdx.x] = fib(threadIdx.x / 3u + deep); }\n")
        words = ["fib.cu", "--global", 32, "--local", 32, "--arg", "out=count=32,fill=zero", "--dump-buffers", "fib"]
        fib = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55]
        for machine, level in (("sm_75", "G"), ("sm_90", "O3")):  # of the former all that its cubin says of the stack is that it is unknown
            trace(self.folder, *words, "--arg", "deep=0", f"--machine={machine}", CUDA_HOME=self.toolkit(level))
            self.assertEqual(struct.unpack("<32I", contents(self.folder / "fib")["out.bin"]), tuple(fib[n // 3] for n in range(32)), machine)
        with self.assertRaisesRegex(AssertionError, r"work-item .*local memory, which has 1024 bytes: the stack overflows"):
            trace(self.folder, *words, "--arg", "deep=60", "--machine=sm_90")


class Drawn:
    """A random kernel of one of the three kinds, and what it leaves on the CPU."""

    def __init__(self, folder, kind, seed, architecture, draw):
        self.folder, self.seed = folder, seed
        if kind == "meetings":
            (text, self.threads), self.groups, headers = random_meetings.kernel(seed, architecture), 1, (HERE / "meetings").glob("*.h")
            self.buffers = {"out": self.threads * 4}
        elif kind == "pointers":
            (text, self.threads, self.groups), headers = random_pointers.kernel(seed), ()
            self.buffers = {"out": self.groups * self.threads}
        else:
            (text, self.threads, self.groups), headers = random_kernels.kernel(seed, architecture), HERE.glob("random_*.h")
            self.buffers = {"out": self.groups * self.threads * 16, "acc": 32}
        folder.mkdir()
        (folder / "kernel.cu").write_text(text)
        for header in headers:
            (folder / header.name).write_bytes(header.read_bytes())
        (folder / "in.bin").write_bytes(struct.pack("<256I", *(draw.getrandbits(32) >> draw.choice([0, 0, 8, 16, 24]) for _ in range(256))))

    def on_cpu(self):
        subprocess.run(["g++", "-x", "c++", "-std=c++17", "-O1", "-ffp-contract=off", "-fwrapv", "-w", "-DON_CPU", "-o", "cpu", "kernel.cu"], cwd=self.folder, check=True)
        return subprocess.run([self.folder / "cpu", "in.bin", str(self.threads)], cwd=self.folder, capture_output=True, check=True).stdout

    def differences(self, file, machine, names, **environment):
        """Words that the executed code leaves otherwise than the CPU, of all buffers. `names`: of the parameters; a file of CUDA has them."""
        words = [f"{names[0]}=bytes=1024,fill=file:in.bin", *(f"{name}=bytes={count * 4},fill=zero" for name, count in zip(names[1:], self.buffers.values()))]
        trace(self.folder, file, "--global", self.groups * self.threads, "--local", self.threads, *(part for word in words for part in ("--arg", word)), machine,
              "--dump-buffers", "machine", "-o", "k.wtrace", **environment)
        check(self.folder, "k.wtrace")
        found = contents(self.folder / "machine")
        left = struct.iter_unpack("<I", b"".join(found[f"{name}.bin"] for name in names[1:1 + len(self.buffers)]))
        return [place for place, (one, other) in enumerate(zip(left, struct.iter_unpack("<I", self.on_cpu()), strict=True)) if one != other]


class CommittedRandomKernels(WithFolder):
    """Those of meetings/make, by nvcc 13.0."""

    def test_memory_is_what_the_cpu_computes(self):
        files = sorted((HERE / "meetings").glob("*.cubin"))
        self.assertGreater(len(files), 5)
        for file in files:
            kind, seed, architecture, _ = file.stem.split("_")
            with self.subTest(file=file.name):
                drawn_kernel = Drawn(self.folder / file.stem, kind, int(seed), int(architecture[2:]), random.Random(file.stem))
                self.assertEqual(drawn_kernel.differences(file, "--machine", ["param_0", "param_1", "param_2"]), [])


@unittest.skipUnless(NVCC, "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class RandomKernelsNeedsCudaToolkit(WithFolder):
    """The seed is in the message: run it again with WARPSCOPE_RANDOM_KERNELS=SEED[,SEED]."""

    def check(self, kind, seed):
        draw = random.Random(f"launch {seed}")
        architecture, level = draw.choice(ARCHITECTURES), draw.choice(list(LEVELS))
        level = "O0" if kind == "kernels" and seed in WRONG_BY_PTXAS else level
        different = Drawn(self.folder / f"{kind}{seed}", kind, seed, architecture, draw).differences(
            "kernel.cu", f"--machine=sm_{architecture}", ["in", "out", "acc"], CUDA_HOME=self.toolkit(level))
        self.assertEqual(different, [], f"{kind}, seed {seed}, sm_{architecture}, {level}: words of out, then of acc")

    def test_memory_is_what_the_cpu_computes(self):
        seeds = dict.fromkeys([LEAVES_A_LOOP, ZERO_DIVIDED, *(range(300) if ALL else range(4))])
        if given := os.environ.get("WARPSCOPE_RANDOM_KERNELS"):
            seeds = [int(seed) for seed in given.split(",")]
        for seed in seeds:
            with self.subTest(seed=seed):
                self.check("kernels", seed)

    def test_lanes_that_meet_at_different_places(self):
        for seed in dict.fromkeys([SAVES_BARRIERS, *range(300 if ALL else 2)]):
            with self.subTest(seed=seed):
                self.check("meetings", seed)

    def test_calls_through_pointers(self):
        for seed in range(300 if ALL else 4):
            with self.subTest(seed=seed):
                self.check("pointers", seed)


if __name__ == "__main__":
    unittest.main()
