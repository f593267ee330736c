"""The functions of CUDA that our libraries export: wrapper/cuda/api.def has each of them, and each is called by a test."""
import re
import subprocess
import sys
import unittest

from support import BIN, SOURCE, ProgramTest, cuda_functions

PROGRAMS = SOURCE / "tests/programs/cuda/api"
LIBRARIES = BIN.parent / "lib/warpscope"
HEADERS = BIN.parent / "share/warpscope/cuda"
OTHER_NAMES = set(re.findall(r"^(\w+) = ", (SOURCE / "wrapper/cuda/releases/aliases.ld").read_text(), re.MULTILINE))


def exported(library):
    done = subprocess.run(["nm", "-D", "--defined-only", LIBRARIES / f"libwarpscope-{library}.so"], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in done.stdout.splitlines()} - OTHER_NAMES


class Table(unittest.TestCase):
    def test_it_has_what_the_libraries_export(self):
        found = set().union(*(exported(library) for library in ("cudart", "cublas", "cufft", "curand")))
        listed = [row[0] for row in cuda_functions()]
        self.assertEqual((sorted(found - set(listed)), sorted(set(listed) - found)), ([], []))
        self.assertEqual(len(listed), len(set(listed)))

    def test_each_function_has_a_test_that_looks(self):
        """Every test that the table names is one that sees to it that the functions are called."""
        text = "".join(path.read_text() for path in (SOURCE / "tests/programs").glob("test_cuda_*.py"))
        looking = set(re.findall(r'assert_calls\("([^"]+)"', text))
        self.assertEqual({row[4] for row in cuda_functions() if row[3] != "Internal"}, looking)

    def test_headers_exist(self):
        for header in {row[1] for row in cuda_functions() if row[3] != "Internal"}:
            self.assertTrue((HEADERS / header).is_file(), header)


class Calls(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment["PATH"] = f"{BIN}:{self.environment['PATH']}"
        self.environment.pop("WARPSCOPE_GPU", None)

    def run_program(self, *files_and_options):
        done = self.plain(BIN / "warpscope-nvcc", *files_and_options, "-o", "program")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.plain("./program")
        self.assertEqual(done.stdout, "0 wrong\n", done.stderr)
        return done

    def test_runtime(self):
        done = self.run_program(PROGRAMS / "runtime.cu")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_calls("api/runtime", "./program")

    def test_graphs(self):
        done = self.run_program(PROGRAMS / "graphs.cu")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_calls("api/graphs", "./program")

    def test_driver(self):
        done = self.run_program(PROGRAMS / "driver.cu", "-lcuda")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_calls("api/driver", "./program")

    def test_modules(self):
        cubin = SOURCE / "tests/unit/machine/data/saxpy_sm90.cubin"
        done = self.plain(BIN / "warpscope-nvcc", PROGRAMS / "driver_modules.cu", "-lcuda", "-o", "program")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.plain("./program", cubin)
        self.assertEqual((done.returncode, done.stdout), (3, "0 wrong\n"), done.stderr)  # a link of nothing
        self.assert_calls("api/driver_modules", "./program", cubin, status=3)

    def test_libraries(self):
        done = self.run_program(PROGRAMS / "libraries.cpp", PROGRAMS / "legacy.c", "-lcublas", "-lcufft", "-lcurand")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_calls("api/libraries", "./program")


class LibrariesOfPrograms(unittest.TestCase):
    def test_each_can_be_loaded_alone_and_whole(self):
        """Python loads libraries with all their symbols bound, and a program may have cuRAND without cuBLAS."""
        libraries = sorted((LIBRARIES / "replaced").iterdir())
        self.assertGreater(len(libraries), 10)
        for library in libraries:
            done = subprocess.run([sys.executable, "-c", "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW)", library], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
