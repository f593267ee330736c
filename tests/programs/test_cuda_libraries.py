"""cuBLAS, cuFFT and cuRAND as CUDA programs call them: results, errors, what a trace says, and the ways to link them."""
import os
import shutil
import unittest

from support import BIN, SOURCE, ProgramTest
from support import load_third as load_tests  # noqa: F401

PROGRAMS = SOURCE / "tests/programs/cuda/libraries"
CUDA = BIN.parent / "cuda"
ALL = ("-lcublas", "-lcufft", "-lcurand")


class Libraries(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        self.environment.pop("WARPSCOPE_GPU", None)

    def build(self, name, *options):
        done = self.plain(BIN / "warpscope-nvcc", PROGRAMS / f"{name}.cu", "-o", name, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return f"./{name}"

    def test_blas_against_loops(self):
        program = self.build("blas", "-lcublas")
        self.assert_calls("libraries/blas", program)
        done = self.plain(program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0 wrong\n", ""))

    def test_blas_rules(self):
        program = self.build("blas_rules", "-lcublas")
        self.assert_calls("libraries/blas_rules", program)
        done = self.plain(program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0 wrong, cudaSuccess\n", ""))
        traced = self.traced(program)
        self.assertEqual((traced.returncode, traced.stdout), (0, "0 wrong, cudaSuccess\n"), traced.stderr)
        self.assertEqual(traced.stderr.count("cuBLAS's own algorithms run on the CPU and are not traced; kernels are"), 1)
        # The kernel in the graph, twice; by hand: 32 threads.
        self.assertEqual([(launch["kernel"], launch["loads"], launch["stores"]) for launch in self.launches()], [("add_one", 32, 32)] * 2)

    def test_cublas_lt(self):
        done = self.plain(self.build("lt", "-lcublasLt"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0 wrong\n", ""))

    def test_random_numbers(self):
        program = self.build("random", "-lcurand")
        self.assert_calls("libraries/random", program)
        done = self.plain(program)
        self.assertEqual((done.returncode, done.stdout), (0, "0 wrong, cudaSuccess\n"), done.stderr)
        self.assertEqual(done.stderr, "warpscope: cuRAND: quasi-random generators (Sobol) are not here; expected a pseudo-random one\n")

    def test_transforms_against_sums(self):
        program = self.build("fft", "-lcufft")
        self.assert_calls("libraries/fft", program)
        done = self.plain(program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0 wrong, cudaSuccess\n", ""))

    def test_without_a_blas(self):
        done = self.plain(BIN / "warpscope-nvcc", PROGRAMS / "projects/saxpy.c", "-o", "saxpy", *ALL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (self.folder / "libblas.so.3").write_text("not a library\n")
        self.environment["LD_LIBRARY_PATH"] = str(self.folder)
        done = self.plain("./saxpy")
        self.assertEqual((done.returncode, done.stdout), (1, ""))  # what it returns if there is no handle
        self.assertRegex(done.stderr, r"^warpscope: cuBLAS needs libblas\.so\.3: apt-get install libblas3 \(.*\)\n$")

    def test_a_library_that_there_is_not(self):
        done = self.plain(BIN / "warpscope-nvcc", PROGRAMS / "projects/saxpy.c", *ALL, "-lcusparse")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot find -lcusparse", done.stderr)

    def test_ways_to_link(self):
        """The host's compiler, static names and a C program; and CMake's targets."""
        shutil.copytree(PROGRAMS / "projects", self.folder, dirs_exist_ok=True)
        self.environment["PATH"] = f"{CUDA}/bin:/usr/bin:/bin"
        for command in (f"gcc -Wall -Werror -I{CUDA}/include saxpy.c -o by_gcc -L{CUDA}/lib64 -lcublas -lcufft -lcurand",
                        "nvcc saxpy.c -o by_nvcc -lcublas_static -lcufft_static -lculibos -lcurand_static -L/usr/local/cuda/lib64 -lcudart",
                        f"gcc -Wall -Werror -I{CUDA}/include legacy.c -o legacy -L{CUDA}/lib64 -lcublas",
                        "cmake -S . -B build", "cmake --build build"):
            done = self.plain(*command.split())
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for program in "./by_gcc", "./by_nvcc", "build/saxpy":
            done = self.plain(program)
            self.assertEqual((done.returncode, done.stdout), (0, "y = 12, a number was made\n"), done.stderr)
        done = self.plain("./legacy")
        # (-7, -9) by the product; -9 - 2 * -7 = 5 by the solution; status 7 is CUBLAS_STATUS_INVALID_VALUE.
        self.assertEqual((done.returncode, done.stdout), (0, "-7 5, sum 11, largest at 2, 0, 7, 0\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
