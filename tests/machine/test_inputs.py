"""Files that NVIDIA's compilers made, executed and recorded: cubins as they are, PTX by ptxas, fat binaries and programs by the code for a GPU."""
import csv
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests"), str(SOURCE / "python")]
from support import BIN  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402

CUBINS = SOURCE / "tests" / "unit" / "machine" / "data" / "kernels"
PAIRS = SOURCE / "tests" / "machine" / "pairs"
KERNELS = SOURCE / "benchmarks" / "kernels"
ARCHITECTURES = (75, 80, 86, 89, 90)
NVCC, PTXAS = cuda_tools.look("nvcc"), cuda_tools.look("ptxas")
PTX = """.version 7.0
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 from, .param .u64 .ptr .global .align 4 to, .param .f32 factor, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to]; ld.param.f32 %f1, [factor]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1; @%p ret;
  cvta.to.global.u64 %rd3, %rd1; mul.wide.u32 %rd4, %r5, 4; add.u64 %rd5, %rd3, %rd4; ld.global.f32 %f2, [%rd5];
  mul.f32 %f2, %f2, %f1; add.u64 %rd5, %rd2, %rd4; st.global.f32 [%rd5], %f2; ret;
}
"""
STRUCTS = """struct Inner { char c; float4 v; };
struct All { Inner in; double d; short s; const float *a; int3 t; };
__constant__ float shift[2];
__global__ void sum(All x, int n, float *out) {
  if (threadIdx.x < n) out[threadIdx.x] = x.in.c + 10 * x.in.v.y + 100 * x.d + x.s + x.a[threadIdx.x] + 0.5f * x.t.z + shift[1];
}
__global__ void fill(int *o) { o[threadIdx.x] = 3; }
__global__ void fill(float *o) { o[threadIdx.x] = 5; }
int main() { sum<<<1, 1>>>({}, 1, nullptr); return 0; }
"""


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def run_tool(self, name, *words, status=0, **environment):
        done = subprocess.run([BIN / name, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "WARPSCOPE_CACHE": "", **environment})
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr)
        return done

    def trace(self, *words, status=0, **environment):
        return self.run_tool("trace-kernel", *words, status=status, **environment).stderr

    def refused(self, message, *words, **environment):
        said = self.trace(*words, status=2, **environment)
        self.assertIn(message, said)
        self.assertEqual(said.count("\n"), 1, said)

    def floats(self, name):
        content = (self.folder / "out" / f"{name}.bin").read_bytes()
        return struct.unpack(f"<{len(content) // 4}f", content)


class Cubins(WithFolder):
    def test_a_product_of_matrices_on_five_architectures(self):
        """Small integers, so that every order of sums gives the same."""
        draw, n = random.Random(5), 32
        a, b = ([[draw.randrange(8) for _ in range(n)] for _ in range(n)] for _ in range(2))
        for name, matrix in (("a", a), ("b", b)):
            (self.folder / f"{name}.bin").write_bytes(struct.pack(f"<{n * n}f", *(value for row in matrix for value in row)))
        product = tuple(float(sum(a[y][k] * b[k][x] for k in range(n))) for y in range(n) for x in range(n))
        for architecture in ARCHITECTURES:
            with self.subTest(architecture=architecture):
                said = self.trace(CUBINS / f"sm_{architecture}" / "mm_tiled.cubin", "--global", f"{n},{n}", "--local", "16,16", "--arg", "param_0=fill=file:a.bin",
                                  "--arg", "param_1=fill=file:b.bin", "--arg", f"param_2=count={n * n},fill=zero", "--arg", f"param_3={n}", "--dump-buffers", "out")
                self.assertEqual(self.floats("param_2"), product)
                self.assertIn(f"machine code: sm_{architecture}, ptxas 13.0", said)

    def test_names_of_the_source_and_its_launch_file(self):
        """Next to the cubin; then the launch file of the source will do. By hand: 64 · 64 work-items, 64 / 16 tiles, two loads each."""
        for suffix in (".cu", ".launch"):
            shutil.copy(KERNELS / "mm_tiled" / f"mm_tiled{suffix}", self.folder)
        shutil.copy(CUBINS / "sm_80" / "mm_tiled.cubin", self.folder)
        said = self.trace("mm_tiled.cubin", "--size", "small", "-o", "k.wtrace")
        self.run_tool("trace-check", "k.wtrace")
        shown = self.run_tool("trace-view", "k.wtrace").stdout
        for name in ("A", "B", "C"):
            self.assertRegex(shown, rf"\b{name}\b")
        self.assertIn("kernel mm_tiled", said)

    def test_the_source_is_where_the_kernel_is_defined(self):
        """Nearly all code of `small` is that of a function in heavy.cuh; of_header is defined there. headers/headers.cu says how the cubin was made."""
        for name in ("headers.cu", "heavy.cuh", "headers_sm80.cubin"):
            shutil.copy(SOURCE / "tests" / "machine" / "headers" / name, self.folder)
        self.trace("headers_sm80.cubin", "--kernel", "small", "--global", 32, "--local", 32, "--arg", "first=bytes=128", "--arg", "second=bytes=128", "--arg", "times=3", "-o", "k.wtrace")
        self.assertIn("kernel small (headers.cu)", self.run_tool("trace-view", "k.wtrace").stdout)
        self.trace("headers_sm80.cubin", "--kernel", "of_header", "--global", 32, "--local", 32, "--arg", "numbers=bytes=128", "-o", "k.wtrace")
        self.assertRegex(self.run_tool("trace-view", "k.wtrace").stdout, r"kernel of_header.*\(heavy.cuh\)")

    def test_copies_of_some_lanes_and_memory_of_malloc(self):
        """By hand: 64 sizes are loaded; of 64 copies of t % 17 bytes 4 copy nothing, of 64 copies of words the first 21."""
        (self.folder / "sizes.bin").write_bytes(struct.pack("<64I", *(t % 17 for t in range(64))))
        executed = CUBINS.parent / "executed"
        said = self.trace(executed / "memory_sm80.cubin", "--kernel", "parts", "--global", 64, "--local", 64, "--arg", "param_0=bytes=1024,fill=zero", "--arg", "param_1=fill=file:sizes.bin",
                   "--arg", "param_2=bytes=1280,fill=zero", "--arg", "param_3=21", "-o", "k.wtrace")
        self.run_tool("trace-check", "k.wtrace")
        self.run_tool("cachesim", "k.wtrace", "--gpu", "a100", "--json", "k.json")
        self.assertRegex(said, r"global loads +167\b")
        self.trace(executed / "memory_sm80.cubin", "--kernel", "lists", "--global", 32, "--local", 32, "--arg", "param_0=bytes=128,fill=zero", "--arg", "param_1=bytes=4,fill=zero",
                   "--arg", "param_2=11", "--arg", "param_3=16", "-o", "m.wtrace", status=3)
        self.run_tool("trace-check", "m.wtrace")

    def test_parameters_without_types(self):
        """A cubin of extern "C" kernels says only how large they are."""
        cubin = SOURCE / "tests" / "unit" / "machine" / "data" / "choice_sm80.cubin"
        said = self.trace(cubin, status=2)
        self.assertIn("argument 'param_1' (4 bytes) has no value", said)
        self.assertIn("'param_0' (8 bytes, a pointer or a value)", said)
        self.assertIn("expected for example --grid 4 --block 256 --arg param_0=bytes=1024", said)

    def test_which_gpu_runs_it(self):
        cubin = CUBINS / "sm_80" / "bitonic.cubin"
        self.refused("bitonic.cubin: sm_80 code runs on GPUs of compute capability 8.0 to 8.9, not on h100 (9.0)", cubin, "--machine=h100")
        self.refused("not on t4 (7.5)", cubin, "--gpu", "t4")
        self.refused("bitonic.cubin: sm_86 code", CUBINS / "sm_86" / "bitonic.cubin", "--machine=a100")
        for gpu in ("a100", "a6000", "l4"):
            self.refused("the number of work-items is not known", cubin, f"--machine={gpu}")

    def test_dynamic_shared_memory_is_asked_for(self):
        said = self.trace(CUBINS / "sm_80" / "bitonic.cubin", "--global", 256, "--local", 128, "--arg", "param_0=count=512", "-o", "k.wtrace", status=3)
        self.assertIn("of shared memory, which has 0 bytes; extern __shared__ memory needs --dynamic-shared BYTES", said)

    def test_arrays_without_names(self):
        """Two tiles of 16 x 16 numbers; on sm_90 they are behind what the system keeps. What-if takes the name."""
        n = 32
        words = ("--global", f"{n},{n}", "--local", "16,16", *(word for number in range(3) for word in ("--arg", f"param_{number}=count={n * n},fill=zero")), "--arg", f"param_3={n}")
        for architecture, gpu, name in ((80, "a100", "shared"), (90, "h100", "shared+0x400")):
            self.trace(CUBINS / f"sm_{architecture}" / "mm_tiled.cubin", *words, "-o", "k.wtrace")
            self.assertIn(f"array {name}: local, 2048 bytes", self.run_tool("trace-view", "k.wtrace").stdout)
            shown = self.run_tool("warpscope", "what-if", "k.wtrace", "--pitch", f"{name}=16:17", "--gpu", gpu, "--clock", "fixed").stdout
            self.assertRegex(shown, r"work groups per core +8 +8|local wavefronts")

    def test_what_is_no_machine_code(self):
        cubin = (CUBINS / "sm_80" / "bitonic.cubin").read_bytes()
        for name, content, message in (("short.cubin", cubin[:500], "is cut short"), ("text.cubin", b"hello", "text.cubin: unrecognised file format"),
                                       ("elf.cubin", b"\x7fELF", "is cut short"), ("empty.cubin", b"", "unrecognised file format"),
                                       ("zero.fatbin", b"\x50\xed\x55\xba" + bytes(12), "zero.fatbin"), ("k.ptx", b"", "no directive '.target sm_NN'")):
            (self.folder / name).write_bytes(content)
            self.refused(message, name)
        self.refused("expected a program or library that nvcc linked", "/bin/ls")
        os.mkfifo(self.folder / "pipe.cubin")
        self.refused("is a pipe, expected a file", "pipe.cubin")

    def test_options_of_compilers(self):
        cubin = CUBINS / "sm_80" / "bitonic.cubin"
        self.refused("is machine code, which no compiler reads again: expected no --define", cubin, "-D", "N=1")
        self.refused("is machine code: not together with --verify", cubin, "--verify")
        self.refused("--nvcc-options: ", cubin, "--nvcc-options", "-O1")
        (self.folder / "k.cl").write_text("kernel void k(global int *a) { a[0] = 1; }")
        for option in ("--nvcc-options", "--limit-instructions"):
            self.refused(f"{option}: only with --machine, or for a .ptx or .cubin", "k.cl", option, "1")
        self.refused("--limit-instructions many: expected a number of instructions such as 500M", cubin, "--limit-instructions", "many")
        self.refused("kernel 'bitonic' has no argument", cubin, "--global", 64, "--arg", "nothing=1")
        self.refused("no kernel 'other', expected one of: bitonic", cubin, "--kernel", "other")

    def test_warpscope_takes_a_gpu_that_runs_it(self):
        """Without --gpu the H100, if it runs the code."""
        words = ("--global", 256, "--local", 128, "--arg", "param_0=count=512", "--dynamic-shared", 1024, "--no-plots")
        for architecture, gpu in ((75, "T4"), (80, "A100"), (90, "H100")):
            shown = self.run_tool("warpscope", CUBINS / f"sm_{architecture}" / "bitonic.cubin", *words).stdout
            self.assertIn(gpu, shown.splitlines()[0])
            self.assertIn(f"machine code: sm_{architecture}, ptxas", shown)
        said = self.run_tool("warpscope", CUBINS / "sm_80" / "bitonic.cubin", *words, "--gpu", "a100,h100", status=2).stderr
        self.assertIn("machine code for a100 (8.0) does not run on h100 (9.0)", said)


class Exploration(WithFolder):
    """tune, study and Python, of a cubin."""
    CUBIN = CUBINS / "sm_80" / "bitonic.cubin"
    LAUNCH = ("--global", "256", "--dynamic-shared", "1024", "--arg", "param_0=count=512")

    def test_tune(self):
        shown = self.run_tool("warpscope", "tune", self.CUBIN, *self.LAUNCH, "--local", "64x1,128x1", "--gpu", "a100", "--clock", "fixed", "-o", "tuned").stdout
        self.assertRegex(shown, r"2 (of 2 )?(variants|valid)")
        found = json.loads((self.folder / "tuned" / "results.json").read_text())["results"]
        self.assertEqual([one["invalidity"] for one in found], ["correct", "correct"])
        said = self.run_tool("warpscope", "tune", self.CUBIN, *self.LAUNCH, "--local", "64x1,128x1", "--gpu", "t4", "--clock", "fixed", "-o", "other", status=2)
        self.assertIn("not on t4 (7.5)", said.stdout + said.stderr)

    def test_study(self):
        """A GPU that does not run the code has no result, the others have one each. Where not all run one program, the report says so."""
        program = "[[program]]\nname = \"{}\"\nkernel = \"{}\"\noptions = {}\n"
        options, old = json.dumps([*self.LAUNCH, "--local", "128"]), CUBINS / "sm_75" / "bitonic.cubin"
        sm_80, sm_75 = (f"machine code: sm_{number}, ptxas" for number in (80, 75))
        for programs, expected, said in (
                ({"sort": self.CUBIN}, {("sort", "a100"): sm_80, ("sort", "a6000"): sm_80, ("sort", "t4"): ""}, ""),
                ({"sort": self.CUBIN, "old": old}, {("sort", "a100"): sm_80, ("sort", "a6000"): sm_80, ("sort", "t4"): "", ("old", "a100"): "", ("old", "a6000"): "", ("old", "t4"): sm_75},
                 f"Not the same program everywhere: {sm_80}: sort on a100, sort on a6000; {sm_75}: old on t4")):
            (self.folder / "s.toml").write_text('gpus = ["a100", "a6000", "t4"]\n' + "".join(program.format(name, path, options) for name, path in programs.items()))
            self.run_tool("warpscope", "study", "s.toml", "-o", f"answers{len(programs)}", status=None)
            shown = self.run_tool("warpscope", "study", "report", f"answers{len(programs)}", status=None).stdout
            self.assertEqual(shown.splitlines()[1:], [said] if said else [])
            rows = list(csv.DictReader((self.folder / f"answers{len(programs)}" / "results.csv").read_text().splitlines()))
            self.assertEqual({(row["program"], row["gpu"]): row["machine_code"] for row in rows}, expected)
            self.assertEqual({row["status"] for row in rows}, {"ok", "runtime"})

    def test_python(self):
        text = (f"import warpscope\ntaken = warpscope.capture({str(self.CUBIN)!r}, global_size=256, local_size=128, args={{'param_0': 'count=512'}}, machine='a100', "
                "options=['--dynamic-shared', 1024])\nprint(taken.simulate(gpu='a100').json)")
        done = subprocess.run([sys.executable, "-c", text], cwd=self.folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(SOURCE / "python")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("'machine_code': 'sm_80, ptxas 13.0", done.stdout)


@unittest.skipUnless(PTXAS, "no ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class PtxNeedsCudaToolkit(WithFolder):
    def test_names_and_kinds_of_parameters(self):
        (self.folder / "k.ptx").write_text(PTX)
        said = self.trace("k.ptx", status=2)
        self.assertIn("argument 'factor' (float) has no value; argument 'n' (uint) has no value", said)
        self.assertIn("sizes of 'from' (a pointer), 'to' (a pointer) have to be given", said)
        for architecture in ("", "=sm_80", "=h100"):
            self.trace("k.ptx", *([f"--machine{architecture}"] if architecture else []), "--grid", 2, "--block", 64, "--arg", "from=count=128,type=float,fill=iota",
                       "--arg", "to=count=128,type=float,fill=zero", "--arg", "factor=2", "--arg", "n=100", "--dump-buffers", "out")
            self.assertEqual(self.floats("to"), tuple(2.0 * i if i < 100 else 0.0 for i in range(128)))

    def test_refusals(self):
        (self.folder / "new.ptx").write_text(PTX.replace("sm_75", "sm_90"))
        self.refused("new.ptx: PTX for sm_90 and later, which a100 (8.0) does not run", "new.ptx", "--machine=a100")
        (self.folder / "bad.ptx").write_text(PTX.replace("mul.f32", "mull.f32"))
        said = self.trace("bad.ptx", status=2)
        self.assertIn("ptxas: failed for bad.ptx", said)
        self.assertIn("line 10", said)


class WithoutToolkit(WithFolder):
    def test_says_where_it_was_looked_for(self):
        (self.folder / "k.ptx").write_text(PTX)
        (self.folder / "k.cu").write_text(STRUCTS)
        if not pathlib.Path("/usr/local/cuda/bin/ptxas").exists():
            self.refused("k.ptx: no ptxas in $CUDA_HOME/bin (/nowhere/bin), /usr/local/cuda/bin and $PATH, expected NVIDIA's CUDA toolkit", "k.ptx",
                         CUDA_HOME="/nowhere", PATH="/usr/bin:/bin")
        self.refused("--machine: no nvcc in $CUDA_HOME/bin (/nowhere/bin), /usr/local/cuda/bin and $PATH, expected NVIDIA's CUDA toolkit", "k.cu", "--machine",
                     CUDA_HOME="/nowhere", WARPSCOPE_PTXAS="/nowhere/ptxas")


class Ends(WithFolder):
    @staticmethod
    def product(n):
        return ("--global", f"{n},{n}", "--local", "16,16", *(word for number in range(3) for word in ("--arg", f"param_{number}=count={n * n},fill=zero")),
                "--arg", f"param_3={n}")

    def test_a_limit_of_instructions(self):
        """The recorded part can be looked at."""
        words = (CUBINS / "sm_80" / "mm_tiled.cubin", *self.product(256))
        said = self.trace(*words, "--limit-instructions", "20K", "-o", "k.wtrace", status=3)
        self.assertIn("without coming to an end (limit 20480); what is recorded is in k.wtrace.part (trace-view --partial k.wtrace.part)", said)
        self.run_tool("trace-view", "--partial", "k.wtrace.part")

    WAYS = CUBINS.parent / "executed" / "ways_sm80.cubin"
    LAUNCH = ("--global", 128, "--local", 64, "--arg", "param_0=count=128,type=uint,fill=random(5)", "--arg", "param_1=count=128,type=uint,fill=zero")

    def test_branches_to_anywhere(self):
        """One line and status 2 or 3, or a capture that can be read; tests/unit/machine/control_flow_test.cpp has more places."""
        code, draw, ends = self.WAYS.read_bytes(), random.Random(3), set()
        jumps = {0x947: 48, 0x949: 48, 0x943: 48, 0x944: 48, 0x950: 48, 0x945: 30}  # the opcode of a branch: bits of its target, from bit 34 on
        words = [at for at in range(0, len(code) - 16, 16) if int.from_bytes(code[at:at + 2], "little") & 0xfff in jumps]
        self.assertGreater(len(words), 10)
        for case in range(40):
            at = draw.choice(words)
            word = int.from_bytes(code[at:at + 16], "little")
            bits = jumps[word & 0xfff]
            target = draw.choice((-4, 0, 4 * draw.randrange(-40, 40), draw.randrange(-40, 40), draw.randrange(1 << bits))) % (1 << bits)
            word = word & ~(((1 << bits) - 1) << 34) | target << 34
            (self.folder / "changed.cubin").write_bytes(code[:at] + word.to_bytes(16, "little") + code[at + 16:])
            done = self.run_tool("trace-kernel", "changed.cubin", *self.LAUNCH, "--arg", "param_2=3", "--limit-instructions", "20K", "-o", "k.wtrace", status=None)
            with self.subTest(case=case, at=at, target=target):
                self.assertIn(done.returncode, (0, 2, 3), done.stderr)
                ends.add(done.returncode)
                if done.returncode:
                    self.assertEqual(sum(line.startswith("trace-kernel: ") and "inferred" not in line for line in done.stderr.splitlines()), 1, done.stderr)
                else:
                    self.run_tool("trace-check", "k.wtrace")
        self.assertIn(3, ends)

    def test_a_stack_that_is_too_small(self):
        said = self.trace(self.WAYS, *self.LAUNCH, "--arg", "param_2=1000", status=3)
        self.assertRegex(said, r"work-item .*local memory, which has \d+ bytes: the stack overflows")
        self.assertEqual(said.count("\n"), 1, said)

    def test_ctrl_c(self):
        words = [CUBINS / "sm_80" / "mm_tiled.cubin", *self.product(1024), "-o", "k.wtrace"]
        running = subprocess.Popen([BIN / "trace-kernel", *map(str, words)], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while not list(self.folder.glob("k.wtrace.part")) and running.poll() is None:
            time.sleep(0.02)
        time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
        self.assertEqual(running.returncode, -signal.SIGINT, said)
        self.assertRegex(said, r"interrupted after \d+ of 4096 work-groups; what is recorded is in k.wtrace.part")
        self.run_tool("trace-view", "--partial", "k.wtrace.part")


@unittest.skipUnless(NVCC, "no nvcc in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class ProgramsNeedsCudaToolkit(WithFolder):
    def test_the_code_that_a_gpu_runs(self):
        (self.folder / "app.cu").write_text(STRUCTS)
        codes = ("arch=compute_75,code=sm_75", "arch=compute_86,code=sm_86", "arch=compute_86,code=compute_86")
        subprocess.run([NVCC, "-lineinfo", "-w", *(word for code in codes for word in ("-gencode", code)), "-o", "app", "app.cu"], cwd=self.folder, check=True)
        launch = ("--kernel", "fill(float *)", "--global", 32, "--local", 32, "--arg", "o=count=32", "--dump-buffers", "out")
        for gpu, architecture in (("t4", "sm_75, ptxas"), ("a10", "sm_86, ptxas"), ("l4", "sm_86, ptxas"), ("h100", "sm_90, ptxas")):
            self.assertIn(f"machine code: {architecture}", self.trace("app", f"--machine={gpu}", *launch))
            self.assertEqual(self.floats("o"), (5.0,) * 32)
        self.refused("app: code for sm_75, sm_86, none of which a100 (8.0) runs", "app", "--machine=a100", *launch)

    def test_structs_variables_and_overloads(self):
        """By hand, member by member: 3 + 10 · 2 + 100 · 2.5 + 7 + i + 0.5 · 4 + 0.25."""
        (self.folder / "k.cu").write_text(STRUCTS)
        members = ("x.in.c=3", "x.in.v.x=1", "x.in.v.y=2", "x.in.v.z=0", "x.in.v.w=9", "x.d=2.5", "x.s=7", "x.a=count=32,fill=iota", "x.t.x=5", "x.t.y=6", "x.t.z=4",
                   "n=30", "out=count=32,fill=zero", "shift=9,0.25")
        for machine in ([], ["--machine"]):
            self.trace("k.cu", "--kernel", "sum", "--global", 32, "--local", 32, *(word for one in members for word in ("--arg", one)), *machine, "--dump-buffers", "out")
            self.assertEqual(self.floats("out"), tuple(282.25 + i if i < 30 else 0.0 for i in range(32)))
        self.trace("k.cu", "--kernel", "fill(float *)", "--global", 32, "--local", 32, "--arg", "o=count=32", "--machine", "--dump-buffers", "out")
        self.assertEqual(self.floats("o"), (5.0,) * 32)


@unittest.skipUnless(NVCC, "no nvcc in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class CompilersNeedsCudaToolkit(WithFolder):
    def test_options_for_nvcc(self):
        (self.folder / "k.cu").write_text("__global__ void k(int *o) {\n#ifdef TWO\n  o[threadIdx.x] = 2;\n#else\n  o[threadIdx.x] = 1;\n#endif\n}\n")
        words = ("k.cu", "--machine", "--global", 32, "--local", 32, "--arg", "o=count=32", "--dump-buffers", "out")
        self.trace(*words, "--nvcc-options", "-DTWO -Xptxas -O1")
        self.assertEqual((self.folder / "out" / "o.bin").read_bytes(), struct.pack("<32I", *[2] * 32))
        self.refused("-arch is set by trace-kernel, expected --machine=sm_NN", *words, "--nvcc-options", "-arch=sm_80")
        self.assertIn("nvcc: failed for k.cu", self.trace(*words, "--nvcc-options", "--nonsense", status=2))

    def test_options_that_both_compilers_have(self):
        for folder in ("one", "two"):
            (self.folder / folder).mkdir()
            (self.folder / folder / f"{folder}.h").write_text(f"#define {folder.upper()} {len(folder)}\n")
        (self.folder / "k.cu").write_text("#include <one.h>\n__global__ void k(int *o) { o[threadIdx.x] = ONE + TWO + 10 * GIVEN + 100 * SET; }\n")
        words = ("k.cu", "--global", 32, "--local", 32, "--arg", "o=count=32", "--dump-buffers", "out", "-D", "GIVEN=4", "--build-options", "-I one -isystem two -include two.h -D SET=5")
        for machine in ([], ["--machine"]):
            self.trace(*words, *machine)
            self.assertEqual((self.folder / "out" / "o.bin").read_bytes(), struct.pack("<32I", *[546] * 32))

    def test_opencl(self):
        """Local memory from the host, next to the kernel's own; and a built-in without code here."""
        (self.folder / "k.cl").write_text("kernel void k(global float *o, local float *a, local float4 *b, float f) {\n  local char own[3];\n  int i = get_local_id(0);\n"
                                          "  own[i % 3] = 1;\n  a[i] = i;\n  b[i] = (float4)(i * f);\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
                                          "  o[get_global_id(0)] = a[63 - i] + b[63 - i].y + own[i % 3];\n}\n")
        said = self.trace("k.cl", "--machine=sm_80", "--global", 128, "--local", 64, "--arg", "o=count=128,fill=zero", "--arg", "a=260", "--arg", "b=1024", "--arg", "f=2", "--dump-buffers", "out")
        self.assertEqual(self.floats("o"), tuple(3.0 * (63 - i % 64) + 1 for i in range(128)))
        self.assertRegex(said, r"machine code: sm_80, ptxas [0-9.]+, PTX by clang 15, not NVIDIA's OpenCL compiler")
        (self.folder / "d.cl").write_text("kernel void k(global int *o) { o[0] = get_work_dim(); }\n")
        self.refused("d.cl: get_work_dim() is not known to machine code", "d.cl", "--machine", "--global", 1, "--arg", "o=count=1")
        self.refused("--nvcc-options: k.cl is compiled by clang, expected a .cu or a .ptx", "k.cl", "--machine", "--nvcc-options", "-O1")

    def test_what_clang_does_not_compile(self):
        """Then names are the source's, types those of mangled names."""
        (self.folder / "k.cu").write_text("__global__ void k(float *to, float factor, int n) {\n  __nv_atomic_fetch_add(&to[0], 0.0f, __NV_ATOMIC_RELAXED);\n"
                                          "  if (threadIdx.x < n) to[threadIdx.x] = factor * threadIdx.x;\n}\n")
        said = self.trace("k.cu", "--machine", "--global", 32, "--local", 32, "--arg", "to=count=32,fill=zero", "--arg", "factor=3", "--arg", "n=20", "--dump-buffers", "out")
        self.assertIn("Warpscope's clang does not compile k.cu", said)
        self.assertEqual(self.floats("to"), tuple(3.0 * i if i < 20 else 0.0 for i in range(32)))

    def test_shared_arrays_have_names(self):
        """By hand: of 64 work-items 2 warps store floats to `tile` and doubles to `sums`: 1 and 2 accesses of 128 bytes each."""
        (self.folder / "k.cu").write_text("namespace ns {\n__global__ void k(float *o) {\n  __shared__ char odd[33];\n  __shared__ float tile[64];\n  __shared__ double sums[64];\n"
                                          "  int i = threadIdx.x;\n  odd[i % 33] = i;\n  tile[i] = o[i];\n  sums[i] = 2 * o[i];\n  __syncthreads();\n"
                                          "  o[i] = tile[63 - i] + sums[63 - i] + odd[i % 7];\n}\n}\n")
        for architecture in ("sm_80", "sm_90"):
            self.trace("k.cu", f"--machine={architecture}", "--global", 64, "--local", 64, "--arg", "o=count=64", "-o", "k.wtrace")
            self.run_tool("trace-check", "k.wtrace")
            shown = self.run_tool("trace-view", "k.wtrace").stdout
            for name, size in (("odd", 33), ("tile", 256), ("sums", 512)):
                self.assertRegex(shown, rf"\b{name}\b[^\n]*\b{size}\b")

    def test_variables_that_the_file_initialises(self):
        """They are buffers with names, texts among them; a block of jumps only does no arithmetic. By hand: table, pair, text, by i."""
        (self.folder / "k.cu").write_text("#include <cstdio>\n__device__ int table[8] = {5, 6, 7, 8};\nnamespace ns { static __device__ const int pair[2] = {100, 200}; }\n"
                                          "__global__ void k(int *o) {\n  int i = threadIdx.x;\n  o[i] = table[i % 8] + ns::pair[i % 2] + \"text\"[i % 4];\n"
                                          "  if (i == 3) printf(\"%d\\n\", o[i]);\n}\n")
        for architecture, gpu in (("sm_75", "t4"), ("sm_90", "h100")):
            said = self.trace("k.cu", f"--machine={architecture}", "--global", 32, "--local", 32, "--arg", "o=count=32", "-o", "k.wtrace", "--dump-buffers", "out")
            self.assertNotIn("outside", said)
            table, pair = (5, 6, 7, 8, 0, 0, 0, 0), (100, 200)
            self.assertEqual(struct.unpack("<32i", (self.folder / "out" / "o.bin").read_bytes()), tuple(table[i % 8] + pair[i % 2] + b"text"[i % 4] for i in range(32)))
            self.run_tool("trace-check", "k.wtrace")
            shown = self.run_tool("trace-view", "k.wtrace").stdout
            self.assertRegex(shown, r"array table: global, 32 bytes")
            self.assertRegex(shown, r"array pair: global, 8 bytes")
            self.run_tool("warpscope", "k.wtrace", "--gpu", gpu, "--no-plots", "-o", "report")


if __name__ == "__main__":
    unittest.main()
