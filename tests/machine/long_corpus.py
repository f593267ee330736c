"""Every .cu file of the repository as machine code, with NVIDIA's compiler: scripts/test --long machine-code.

nvcc and ptxas compile each for sm_75 to sm_90 at -O1 and -O3. Every instruction must be known, registers, stack, shared and constant bytes must
be what `ptxas -v` says, each hazard must be covered (machine/isa/hazards.h), and where nvdisasm 11.8 is found, the text must be its. Files that
nvcc refuses (they need headers of ours, or are refused on purpose) are counted. WARPSCOPE_CORPUS=FOLDER takes the .cu files of another
folder, such as a public suite.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "tests" / "endtoend"), str(SOURCE / "tests" / "machine"), str(SOURCE / "python")]
import disassembler  # noqa: E402
import ptxas_output  # noqa: E402
from support import BIN  # noqa: E402
from warpscope.base import cuda_tools  # noqa: E402

NVCC, PTXAS = cuda_tools.look("nvcc"), cuda_tools.look("ptxas")
VIRTUAL = {75: 75, 80: 75, 86: 75, 89: 75, 90: 90}  # architecture → that of the PTX
MACROS = ("-DBINS=256", "-DTILE=16")  # which kernels of benchmarks/ want
FIGURES = ("registers", "stack_bytes", "shared_bytes", "constant_bytes")


def sources():
    folder = os.environ.get("WARPSCOPE_CORPUS")
    if folder:
        return sorted(pathlib.Path(folder).rglob("*.cu"))
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "*.cu"], capture_output=True, text=True, check=True).stdout
    return [SOURCE / name for name in listed.split()]


def compile_one(folder, number, source):
    """(cubin, what ptxas said) of one file for every architecture and level that it compiles for."""
    made = []
    for virtual in sorted(set(VIRTUAL.values())):
        ptx = folder / f"{number}.{virtual}.ptx"
        words = [NVCC, "-std=c++17", "-w", f"-arch=compute_{virtual}", "-ptx", *MACROS, "-I", source.parent, "-I", SOURCE / "benchmarks", "-o", ptx, source]
        if subprocess.run(words, capture_output=True).returncode:
            continue
        for architecture in (name for name, of in VIRTUAL.items() if of == virtual):
            for level in (1, 3):
                cubin = folder / f"{number}.sm{architecture}.O{level}.cubin"
                done = subprocess.run([PTXAS, f"-arch=sm_{architecture}", f"-O{level}", "-v", "-o", cubin, ptx], capture_output=True, text=True)
                if done.returncode == 0 and ptxas_output.kernels_of(done.stdout + done.stderr):
                    made.append((cubin, done.stdout + done.stderr))
                else:  # also of host code only
                    cubin.unlink(missing_ok=True)
    return made


@unittest.skipUnless(NVCC and PTXAS, "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class CorpusNeedsCudaToolkit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="warpscope-corpus-")))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            made = list(pool.map(lambda pair: compile_one(cls.folder, *pair), enumerate(sources())))
        cls.cubins = [pair for pairs in made for pair in pairs]
        print(f"{len(cls.cubins)} cubins of {sum(map(bool, made))} of {len(made)} files")

    def test_there_are_some_needs_cuda_toolkit(self):
        self.assertGreaterEqual(len(self.cubins), 10)

    def test_instructions_are_known_and_resources_those_of_ptxas_needs_cuda_toolkit(self):
        kernels = instructions = 0
        for cubin, said in self.cubins:
            shown = json.loads(subprocess.run([BIN / "machine-code", cubin, "--json"], capture_output=True, text=True, check=True).stdout)
            functions = {one["name"]: one for one in shown["functions"]}
            instructions += sum(one["counts"]["instructions"] for one in shown["functions"])
            self.assertEqual(sum(one["counts"]["classes"].get("unknown", 0) for one in shown["functions"]), 0, cubin.name)
            for kernel, figures in ptxas_output.kernels_of(said).items():
                kernels += 1
                for key in FIGURES:
                    if figures[key]:
                        self.assertEqual(str(functions[kernel][key]), figures[key], f"{cubin.name} {kernel} {key}")
        print(f"{kernels} kernels, {instructions} instructions")

    def test_hazards_are_covered_needs_cuda_toolkit(self):
        done = subprocess.run([BIN.parent / "test-bin" / "machine_unit_test", "--gtest_filter=Hazards.Are*"], capture_output=True, text=True,
                              env={**os.environ, "WARPSCOPE_CUBINS": str(self.folder)})
        print(*(line for line in done.stdout.splitlines() if "hazards of" in line))
        self.assertEqual(done.returncode, 0, done.stdout)

    @unittest.skipUnless(disassembler.find(), "no nvdisasm of CUDA 11.8 in $CUDA_HOME/bin or on PATH")
    def test_text_is_that_of_nvdisasm_needs_cuda_toolkit(self):
        total = 0
        for cubin, _ in self.cubins:
            compared, found = disassembler.differences(BIN / "machine-code", disassembler.find(), cubin)
            self.assertEqual(found, [], cubin.name)
            total += compared
        print(f"{total} words as nvdisasm prints them")


if __name__ == "__main__":
    unittest.main()
