"""Whole CUDA programs as projects build them: nvcc by name, NVCC=, CMake, relocatable device code, libraries, the host's compiler."""
import shutil
import subprocess
import unittest

import support
from support import load_third as load_tests  # noqa: F401

CUDA = support.BIN.parent / "cuda"
PROJECTS = support.SOURCE / "tests" / "programs" / "cuda"


class CudaBuild(support.ProgramTest):
    """Each test has a copy of one project; cuda/bin is what PATH begins with, as its users have it."""

    def project(self, name):
        shutil.copytree(PROJECTS / name, self.folder, dirs_exist_ok=True)

    def setUp(self):
        super().setUp()
        left_out = ("NVCC", "CUDA", "WARPSCOPE", "MAKE", "MFLAGS", "LIBRARY_PATH")
        self.environment = {name: value for name, value in self.environment.items() if not name.startswith(left_out)}
        self.environment["PATH"] = f"{CUDA}/bin:{support.BIN}:/usr/bin:/bin"

    def run_all(self, *commands):
        for command in commands:
            done = self.plain(*command.split())
            self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def traffic(self):
        """(kernel, loads, stores, atomics) of each launch in x.wtrace."""
        return [(launch["kernel"], *(sum(space[kind] for space in launch["by_address_space"].values()) for kind in ("loads", "stores", "atomics")))
                for launch in self.launches()]


class Makefiles(CudaBuild):
    def test_nvcc_by_its_name(self):
        self.project("makefile")
        self.assertEqual(self.run_all("make", "./bench"), "all correct\n")
        rule = (self.folder / "histogram.d").read_text()
        self.assertTrue(rule.startswith("histogram.o: histogram.cu") and "bench.h" in rule, rule)
        (self.folder / "bench.h").touch()
        self.assertIn("-c histogram.cu", self.run_all("make -n"))

    def test_the_hosts_compiler_for_the_rest(self):
        self.project("makefile")
        self.run_all("make NVCC=warpscope-nvcc histogram.o transpose.o", f"g++ -c main.cpp -I{CUDA}/include",
                     f"g++ histogram.o transpose.o main.o -L{CUDA}/lib64 -lcudart -o linked_by_gcc")
        traced = self.assert_same_program("./linked_by_gcc")
        self.assertEqual(traced.stdout, "all correct\n")
        self.check()
        self.assertEqual([launch["kernel"] for launch in self.launches()], ["count_values", "transpose_tiles<float>"])


class CMake(CudaBuild):
    def configured(self, *options):
        self.run_all(f"cmake -S . -B build -DCMAKE_CUDA_COMPILER={CUDA}/bin/nvcc {' '.join(options)}")
        return (self.folder / "build" / "found.txt").read_text().split()

    def test_languages_libraries_and_separable_compilation(self):
        self.project("cmake")
        self.assertEqual(self.configured(), ["11.5.119", str(CUDA / "include"), "80"])
        self.assertEqual(self.run_all("cmake --build build", "build/blur"), "all correct\n")
        self.assertEqual(self.run_all("build/query"), "1 device, runtime 11050\n")
        self.assertEqual(self.configured("-DCMAKE_CUDA_ARCHITECTURES=75;80")[2], "75;80")
        self.assertIn("-arch compute_75 ", subprocess.run([CUDA / "bin/nvcc", "--dryrun", "--generate-code=arch=compute_75,code=[sm_75]", "x.cu"],
                                                          capture_output=True, text=True, check=False).stderr)


class HostCode(CudaBuild):
    def test_openmp_threads_and_device_lambdas(self):
        self.project("host")
        self.assertEqual(self.run_all("nvcc -O3 --extended-lambda -Xcompiler -fopenmp,-march=native -std=c++14 openmp.cu -o app -lpthread", "./app"),
                         "0 wrong, no error\n")

    def test_managed_variables(self):
        self.project("managed")
        self.run_all("nvcc -O2 -c managed.cu", f"g++ managed.o -L{CUDA}/lib64 -lcudart -o app", "nvcc -rdc=true managed.cu -o relocatable")
        self.assertEqual(self.assert_same_program("./app").stdout, "5 20 20 -2 7, no error\n")
        self.assertEqual(self.run_all("./relocatable"), "5 20 20 -2 7, no error\n")
        self.assertEqual(self.traffic(), [("add", 3 + 3, 3, 3)])  # weights and the pointer; numbers; total

    def test_a_shared_library_that_is_loaded_by_hand(self):
        self.project("plugin")
        self.run_all("nvcc -x cu -shared -Xcompiler -fPIC plugin.cpp -o libplugin.so", "gcc main.c -o app -ldl")
        self.assertEqual(self.assert_same_program("./app").stdout, "status 0, 0 wrong\n")
        self.assertEqual(self.traffic(), [("add_bias", 50 + 50, 50, 0)])


class UndefinedOnOneWay(CudaBuild):
    def test_a_variable_that_only_the_loop_sets(self):
        self.project("ghost_zone")
        self.run_all("nvcc ghost_zone.cu -o app")
        self.assertEqual(self.assert_same_program("./app").stdout, "all correct\n")


class Relocatable(CudaBuild):
    """70 points and 4 corners are in the balls, as the program's host part counts: a load of the weight and an atomic each."""

    def test_all_ways_to_link(self):
        self.project("relocatable")
        self.run_all("nvcc -rdc=true main.cu shapes.cu -o at_once",
                     "nvcc -dc main.cu shapes.cu", "nvcc main.o shapes.o -o from_objects",
                     "nvcc -lib shapes.o -o libshapes.a", "nvcc main.o -L. -lshapes -o from_library",
                     "nvcc -dlink main.o shapes.o -o linked.o", f"g++ main.o shapes.o linked.o -L{CUDA}/lib64 -lcudart -o by_hand")
        for program in ("at_once", "from_objects", "from_library", "by_hand"):
            self.assertEqual(self.run_all(f"./{program}"), "41070 of 41070: no error\n")

    def test_what_is_captured(self):
        self.project("relocatable")
        self.run_all("nvcc -rdc=true main.cu shapes.cu -o app")
        self.assert_same_program("./app")
        self.check()
        self.assertEqual(self.traffic(), [("count(int) in main.cu", 512 * 4 * 4 + 70, 0, 70), ("count(int) in shapes.cu", 8 * 4 + 4, 0, 4)])


if __name__ == "__main__":
    unittest.main()
