"""Programs that load device code by the driver API, as Python's packages do."""
import pathlib
import sys
import unittest

import support

sys.path.append(str(support.SOURCE / "python"))
from warpscope.base import cuda_tools  # noqa: E402

PROGRAM = support.SOURCE / "tests/programs/cuda/driver/modules.py"
DATA = support.SOURCE / "tests/unit/machine/data"
FOLDER = support.BIN.parent / "lib/warpscope/driver"


NVRTC = next((path for nvcc in [cuda_tools.look("nvcc")] if nvcc for path in [pathlib.Path(nvcc).resolve().parents[1] / "lib64/libnvrtc.so"] if path.exists()), None)


class DriverModules(support.ProgramTest):
    # By hand: saxpy's items below 1,021 load x, y and the tile and store y, all 1,024 store the tile; spill's loads and stores are those of
    # its array and of what it spills, and one atomic.
    LAUNCHES = ["saxpy", "saxpy", "spill", "spill", "spill", "spill"]

    def test_untraced(self):
        self.environment["LD_LIBRARY_PATH"] = str(FOLDER)
        done = self.plain("/usr/bin/python3", PROGRAM, DATA / "saxpy_sm90.cubin")
        self.assertEqual((done.returncode, done.stdout), (3, "0 wrong\n"), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("an image whose header has 0 bytes", done.stderr)

    def test_python_finds_the_driver_when_it_is_traced(self):
        done = self.traced("/usr/bin/python3", PROGRAM, DATA / "saxpy_sm90.cubin")
        self.assertEqual((done.returncode, done.stdout), (3, "0 wrong\n"), done.stderr)
        self.check()
        launches = self.launches()
        self.assertEqual([launch["kernel"] for launch in launches], self.LAUNCHES)
        for launch in launches[:2]:
            self.assertEqual(launch["by_address_space"]["global"], {"loads": 2 * 1021, "stores": 1021, "atomics": 0})
            self.assertEqual(launch["by_address_space"]["local"], {"loads": 1021, "stores": 1024, "atomics": 0})
        self.assertEqual([launch["by_address_space"]["global"]["atomics"] for launch in launches[2:]], [1, 1, 1, 1])

    def test_a_script_is_pythons_too(self):
        script = self.folder / "run"
        script.write_text(f"#!/usr/bin/python3\nimport runpy, sys\nsys.argv[1:] = [{str(DATA / 'saxpy_sm90.cubin')!r}]\nrunpy.run_path({str(PROGRAM)!r})\n")
        script.chmod(0o755)
        self.assertEqual(self.traced("./run").stdout, "0 wrong\n")

    @unittest.skipUnless(NVRTC, "no libnvrtc in the lib64 of $CUDA_HOME, /usr/local/cuda or of the nvcc on PATH")
    def test_NeedsCudaToolkit_nvrtc(self):
        """NVIDIA's compiler at run time, of a program that nvcc links, and of one of another compiler, which loads the driver."""
        source = PROGRAM.parent / "compiled.cu"
        done = self.plain(support.BIN / "warpscope-nvcc", "--with-nvcc", source, "-lnvrtc", "-lcuda", "-o", "linked")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.plain("g++", "-x", "c++", source, f"-I{NVRTC.parents[1] / 'include'}", "-x", "none", NVRTC, NVRTC.parent / "stubs/libcuda.so", f"-Wl,-rpath,{NVRTC.parent}", "-o", "loaded")
        self.assertEqual(done.returncode, 0, done.stderr)
        for program in ("./linked", "./loaded"):
            with self.subTest(program=program):
                done = self.traced(program)
                self.assertEqual((done.returncode, done.stdout), (0, "0 wrong\n"), done.stderr)
                self.check()
                launches = self.launches()
                self.assertEqual([(launch["kernel"], launch["by_address_space"]["global"]["loads"]) for launch in launches], [("scale", 1000)] * 2)
                code = self.plain(support.BIN / "trace-view", "x.wtrace", "--sites")
                self.assertIn("scale.cu:4", code.stdout)

    def test_other_programs_keep_their_libraries(self):
        done = self.traced("/usr/bin/env")
        self.assertNotIn(str(FOLDER), done.stdout)
        self.assertIn(f"LD_LIBRARY_PATH={FOLDER}\n", self.traced("/usr/bin/python3", "-c", "import os; os.system('env')").stdout)

    @unittest.skipUnless(cuda_tools.look("ptxas"), "no ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
    def test_NeedsCudaToolkit_ptx(self):
        ptx = self.folder / "saxpy.ptx"
        done = self.plain(cuda_tools.find("nvcc"), "-arch=sm_80", "-ptx", DATA / "saxpy.cu", "-o", ptx)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.traced("/usr/bin/python3", PROGRAM, DATA / "saxpy_sm90.cubin", ptx)
        self.assertEqual((done.returncode, done.stdout), (3, "0 wrong\n"), done.stderr)
        self.assertEqual([launch["kernel"] for launch in self.launches()], [*self.LAUNCHES, "saxpy", "saxpy"])


if __name__ == "__main__":
    unittest.main()
