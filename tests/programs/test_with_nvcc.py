"""warpscope-nvcc --with-nvcc: projects that NVIDIA's nvcc compiles, and functions of the runtime as its headers have them."""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import unittest.mock

import support

sys.path.append(str(support.SOURCE / "python"))
from warpscope.base import cuda_tools  # noqa: E402

CUDA = support.BIN.parent / "cuda"
PROJECTS = support.SOURCE / "tests" / "programs" / "cuda"
NVCC = f"{support.BIN}/warpscope-nvcc --with-nvcc"

REPLACED = "trace-kernel: {}: Warpscope's libraries take the place of {}, in this process and its children: no GPU is used"
STATIC = ("trace-kernel: ./app: linked with CUDA's static runtime, which needs NVIDIA's driver: link with -cudart shared or by "
          "warpscope-nvcc --with-nvcc, the code stays the same; or run its kernels: trace-kernel ./app --machine=h100 --kernel NAME\n")


@unittest.skipUnless(cuda_tools.look("nvcc"), "no nvcc and ptxas in $CUDA_HOME/bin, /usr/local/cuda/bin or on PATH")
class OfNvccNeedsCudaToolkit(support.ProgramTest):
    def setUp(self):
        super().setUp()
        for name in [name for name in self.environment if name.startswith(("NVCC", "WARPSCOPE", "MAKE", "MFLAGS"))]:
            del self.environment[name]
        said = subprocess.run([cuda_tools.find("nvcc"), "--version"], capture_output=True, text=True, check=True).stdout
        self.release = re.search(r"release (\d+)", said)[1]

    def project(self, name):
        shutil.copytree(PROJECTS / name, self.folder, dirs_exist_ok=True)

    def succeed(self, *command, **options):
        done = self.plain(*command, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def assert_ours(self, program):
        """The program loads the runtime's library of the release, then the runtime, and nothing of NVIDIA's."""
        said = self.succeed("readelf", "-d", program).stdout
        needed = [pathlib.PurePath(path).name for path in re.findall(r"NEEDED\).*\[(.*)\]", said)]
        self.assertEqual(needed[:2], [f"libwarpscope-cudart-{self.release}.so", "libwarpscope-cudart.so"])
        self.assertFalse([name for name in needed if re.match(r"libcu(da|blas|fft|rand)", name)], needed)


class BuildsNeedsCudaToolkit(OfNvccNeedsCudaToolkit):
    def test_a_makefile(self):
        self.project("makefile")
        self.succeed("make", f"NVCC={NVCC}", "NVCCFLAGS=-O3 -arch=native -Xcompiler -Wall,-Wextra")
        self.assert_ours("bench")
        traced = self.assert_same_program("./bench")
        self.assertEqual(traced.stdout, "all correct\n")
        self.check()
        self.assertEqual([launch["kernel"].split("(")[0].split("<")[0].split()[-1] for launch in self.launches()], ["count_values", "transpose_tiles"])

    def test_nvml_of_a_toolkit_without_it(self):
        """The toolkit's own header, where it has one."""
        (self.folder / "ml.cu").write_text('#include <nvml.h>\n#include <cstdio>\n#include <cstring>\nint main() {\n  nvmlDevice_t device;\n  char name[96] = "";\n'
                                           '  cudaDeviceProp properties;\n  cudaGetDeviceProperties(&properties, 0);\n  nvmlInit();\n  nvmlDeviceGetHandleByIndex(0, &device);\n'
                                           '  nvmlDeviceGetName(device, name, sizeof(name));\n  std::puts(std::strcmp(name, properties.name) == 0 ? "the same" : name);\n}\n')
        (self.folder / "uuid.cu").write_text('#include <cuda.h>\n#include <nvml.h>\n#include <cstdio>\n#include <cstring>\nint main() {\n  nvmlDevice_t device, other;\n'
                                             '  char text[96] = "", expected[96] = "GPU";\n  CUuuid uuid;\n  cuInit(0);\n  cuDeviceGetUuid(&uuid, 0);\n'
                                             '  for (int i = 0; i < 16; ++i)\n    std::sprintf(expected + std::strlen(expected), std::strchr("\\1\\5\\7\\11\\13", i + 1) ? "-%02x" : "%02x", static_cast<unsigned char>(uuid.bytes[i]));\n'
                                             '  nvmlInit();\n  nvmlDeviceGetHandleByIndex(0, &device);\n  nvmlDeviceGetUUID(device, text, sizeof(text));\n'
                                             '  const int found = nvmlDeviceGetHandleByUUID(expected, &other), none = nvmlDeviceGetHandleByUUID("GPU-0", &other);\n'
                                             '  std::printf("%d %d %d %d\\n", std::strcmp(text, expected), found, other == device, none);\n}\n')
        self.succeed(*NVCC.split(), "uuid.cu", "-lcuda", "-lnvidia-ml", "-o", "uuid")
        self.assertEqual(self.succeed("./uuid").stdout, "0 0 1 6\n")  # 6: NVML_ERROR_NOT_FOUND
        self.succeed(*NVCC.split(), "-M", "ml.cu")
        self.succeed(*NVCC.split(), "ml.cu", "-lnvidia-ml", "-o", "ml")
        self.assertEqual(self.succeed("./ml").stdout, "the same\n")

    def test_a_kernel_that_only_prints(self):
        """It stores to its stack alone: there is no access to draw, and the rest of the report is there."""
        (self.folder / "hello.cu").write_text('#include <cstdio>\n__global__ void hello() { std::printf("hello %d\\n", threadIdx.x); }\n'
                                              'int main() {\n  hello<<<1, 2>>>();\n  cudaDeviceSynchronize();\n}\n')
        self.succeed(*NVCC.split(), "-arch=native", "hello.cu", "-o", "app")
        said = self.succeed(support.BIN / "warpscope", "--", "./app").stdout
        self.assertTrue(said.startswith("hello 0\nhello 1\n"), said)
        self.assertIn("What costs most", said)
        self.assertFalse(list((self.folder / "warpscope-app").rglob("*access_pattern*")))

    def test_sums_of_doubles_in_shared_memory(self):
        """A loop of compare and swap of 64 bits, both words of whose result are compared with 1: it ends once each lane has added. Sums of 0 to 99 are 4950."""
        (self.folder / "app.cu").write_text('#include <cstdio>\n__global__ void sum(double* of_all, int count) {\n  __shared__ double of_group;\n  const int i = threadIdx.x;\n'
                                            '  if (i == 0) of_group = 0;\n  __syncthreads();\n  if (i < count) atomicAdd(&of_group, i);\n  __syncthreads();\n'
                                            '  if (i == 0) atomicAdd(of_all, of_group);\n}\nint main() {\n  double* sums;\n  cudaMallocManaged(&sums, sizeof(double));\n  *sums = 0.5;\n'
                                            '  sum<<<2, 128>>>(sums, 100);\n  cudaDeviceSynchronize();\n  std::printf("%g\\n", *sums);\n}\n')
        for gpu in ("80", "90"):
            self.succeed(*NVCC.split(), f"-arch=sm_{gpu}", "app.cu", "-o", "app")
            self.assertEqual(self.succeed("timeout", "60", "./app").stdout, "9900.5\n", gpu)
        self.assertEqual(self.assert_same_program("./app").stdout, "9900.5\n")

    def test_the_version_after_a_fault(self):
        """The runtime's is a constant; the driver's is returned with the kernel's error, 700: cudaErrorIllegalAddress."""
        (self.folder / "app.cu").write_text('#include <cstdio>\n__global__ void store(int* p) { *p = 1; }\nint main() {\n  int runtime = 0, driver = 0;\n'
                                            '  store<<<1, 1>>>(nullptr);\n  const int fault = cudaDeviceSynchronize();\n  const int status = cudaRuntimeGetVersion(&runtime);\n'
                                            '  const int of_driver = cudaDriverGetVersion(&driver);\n'
                                            '  std::printf("%d %d %d %d\\n", fault, status, runtime == CUDART_VERSION, of_driver);\n}\n')
        for command in (NVCC.split(), [support.BIN / "warpscope-nvcc"]):
            self.succeed(*command, "app.cu", "-o", "app")
            self.assertEqual(self.plain("./app").stdout, "700 0 1 700\n")

    def test_relocatable_device_code(self):
        self.project("relocatable")
        self.succeed(*NVCC.split(), "-arch=native", "-dc", "main.cu", "shapes.cu")
        self.succeed(*NVCC.split(), "-arch=native", "main.o", "shapes.o", "-cudart", "static", "-o", "app")
        self.assert_ours("app")
        self.assertIn("no error", self.succeed("./app").stdout)
        # Without -arch, too: machine code of nvcc's own default is not that of the GPU.
        self.succeed(*NVCC.split(), "-rdc=true", "main.cu", "shapes.cu", "-o", "app")
        self.assertIn("no error", self.succeed("./app").stdout)
        self.succeed(*NVCC.split(), "-dc", "main.cu", "shapes.cu")
        self.succeed(*NVCC.split(), "main.o", "shapes.o", "-o", "app")
        self.assertIn("no error", self.succeed("./app").stdout)

    def test_kernels_that_launch_kernels(self):
        """Such a kernel is not run, and named; the others of its module are. 801: cudaErrorNotSupported."""
        (self.folder / "app.cu").write_text('#include <cstdio>\n__global__ void child(int* p) { p[threadIdx.x] = 5; }\n__global__ void parent(int* p) { child<<<1, 32>>>(p); }\n'
                                            '__global__ void alone(int* p) { p[0] = 7; }\nint main() {\n  int* p;\n  cudaMallocManaged(&p, 128);\n'
                                            '  alone<<<1, 1>>>(p);\n  const int first = cudaGetLastError();\n  parent<<<1, 1>>>(p);\n  const int second = cudaGetLastError();\n'
                                            '  std::printf("%d %d %d\\n", first, second, p[0]);\n}\n')
        self.succeed(*NVCC.split(), "-arch=sm_90", "-rdc=true", "app.cu", "-lcudadevrt", "-o", "app")
        for done in (self.plain("./app"), self.traced("./app")):
            self.assertEqual((done.returncode, done.stdout), (3, "0 801 7\n"), done.stderr)
            self.assertIn("kernel parent: it launches kernel child: kernels that launch kernels are not run\n", done.stderr)
        self.assertEqual([launch["kernel"] for launch in self.launches()], ["alone"])

    def test_cmake(self):
        self.project("cmake")
        self.environment["WARPSCOPE_WITH_NVCC"] = "1"
        self.environment["WARPSCOPE_CACHE"] = str(self.folder / "caches")  # with a toolkit's folder for CMake, whose CUDA::cudart is ours
        self.succeed("cmake", "-S", ".", "-B", "build", f"-DCMAKE_CUDA_COMPILER={CUDA}/bin/nvcc", "-DCMAKE_CUDA_RUNTIME_LIBRARY=Static",
                     "-DCMAKE_CUDA_ARCHITECTURES=native")
        self.succeed("cmake", "--build", "build", "--target", "blur", "query")
        self.assert_ours("build/blur")
        self.assert_ours("build/query")
        self.assertEqual(self.succeed("build/query").stdout, f"1 device, runtime {self.release}000\n")
        self.assertEqual(self.succeed("build/blur").stdout, "all correct\n")

    def test_messages_and_status_are_its_own(self):
        (self.folder / "a.cu").write_text("int main() { return undefined_here; }\n")
        nvcc = cuda_tools.find("nvcc")
        for words in (("a.cu",), ("--no-such-option", "a.cu"), ("absent.cu",), ("-arch=sm_99999", "a.cu")):
            ours, its = self.plain(*NVCC.split(), *words), self.plain(nvcc, *words)
            self.assertEqual((ours.returncode, ours.stdout, ours.stderr), (its.returncode, its.stdout, its.stderr))
            self.assertNotEqual(ours.returncode, 0)


class FunctionsNeedsCudaToolkit(OfNvccNeedsCudaToolkit):
    def test_what_a_release_has_changed(self):
        """Both default streams: with one for each thread, nvcc calls the functions by other names."""
        for stream in ("legacy", "per-thread"):
            self.succeed(*NVCC.split(), PROJECTS / "releases" / "host.cu", "-default-stream", stream, "-o", "host")
            done = self.plain("./host")
            self.assertEqual((done.returncode, done.stdout), (0, "0 wrong\n"), done.stderr)
            missing = ("cudaGraphicsUnregisterResource", "cudaImportExternalMemory")
            self.assertEqual(done.stderr, "".join(f"warpscope: {name}: not supported\n" for name in missing))

    def test_what_all_releases_have(self):
        """The programs that call every function of api.def, for our compiler too."""
        for program in ("runtime", "driver"):
            self.succeed(*NVCC.split(), "-arch=native", "-w", "-Xcompiler", "-w", PROJECTS / "api" / f"{program}.cu", "-o", program)
            done = self.plain(f"./{program}")
            self.assertEqual((done.returncode, done.stdout), (0, "0 wrong\n"), done.stderr)

    def test_driver_functions_of_its_headers(self):
        """Texture references are named, once."""
        for stream in ("legacy", "per-thread"):
            self.succeed(*NVCC.split(), "-arch=native", "-w", PROJECTS / "releases" / "driver.cu", "-lcuda", "-default-stream", stream, "-o", "driver")
            done = self.plain("./driver")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0 wrong\n", "warpscope: cuTexRefCreate: not supported\n"))
        self.assert_same_program("./driver")

    def test_every_function_of_the_libraries_links(self):
        """Those that ours do not have say so, in one line."""
        toolkit = pathlib.Path(cuda_tools.find("nvcc")).parents[1]
        (self.folder / "app.cu").write_text("#include <cublas_v2.h>\n#include <cufft.h>\n#include <cstdio>\nint main() {\n  size_t bytes;\n"
                                            "  std::printf(\"%d %d\\n\", cublasSetSmCountTarget(nullptr, 1), cufftGetSize1d(0, 1, CUFFT_C2C, 1, &bytes));\n}\n")
        self.succeed(*NVCC.split(), "app.cu", "-lcublas", "-lcufft", "-o", "app")
        done = self.plain("./app")
        self.assertEqual((done.stdout, done.stderr), ("15 16\n", "warpscope: cufftGetSize1d: not supported\nwarpscope: cublasSetSmCountTarget: not supported\n"))
        ours = {name for library in ("cudart", f"cudart-{self.release}", "cublas", "cublaslt", "cufft", "curand", "missing")
                for name in self.functions(support.BIN.parent / f"lib/warpscope/libwarpscope-{library}.so")}
        for header in ("cuda", "cublas_api", "cublasLt", "cufft", "curand"):
            declared = re.findall(r"\b(?:CUDAAPI|CUBLASWINAPI|CUFFTAPI|CURANDAPI)\s+(cu\w+) *\(", (toolkit / "include" / f"{header}.h").read_text(encoding="utf-8"))
            self.assertGreater(len(declared), 15)
            self.assertEqual(sorted(set(declared) - ours), [], header)

    def test_no_version_of_a_name_is_missing(self):
        """Numba and others look for NAME_v2 before NAME: what works under one name is not "not supported" under the other."""
        missing = set(re.findall(r"WARPSCOPE_MISSING\((\w+)\)", (support.SOURCE / "wrapper/cuda/releases/missing_driver.def").read_text(encoding="utf-8")))
        self.assertGreater(len(missing), 100)
        libraries = (support.BIN.parent / f"lib/warpscope/libwarpscope-cudart{part}.so" for part in ("", f"-{self.release}"))
        here = {name for library in libraries for name in self.functions(library)} - missing
        self.assertIn("cuCtxGetDevice_v2", here)
        self.assertEqual([name for name in sorted(missing) if re.sub(r"(_v\d+)?(_pt[ds][sz])?$", "", name) in here], [])

    def test_cublas_of_complex_elements(self):
        for name in ("complex", "level2", "level3"):
            self.succeed(*NVCC.split(), "-std=c++17", PROJECTS / "releases" / f"{name}.cu", "-lcublas", "-o", name)
            self.assertEqual(self.succeed(f"./{name}").stdout, "0 wrong\n")

    def test_tensor_maps_cubes_and_graphs(self):
        for name in ("tensors", "im2col", "mipmaps", "conditions", "cubes", "graph_forms", "graph_memory", "modules", "objects", "textures", "nodes"):
            self.succeed(*NVCC.split(), "-arch=sm_90", PROJECTS / "releases" / f"{name}.cu", "-lcuda", "-o", name)
            self.assertEqual(self.succeed(f"./{name}").stdout, "0 wrong\n")

    def test_what_a_capture_does_not_permit(self):
        for stream in ("legacy", "per-thread"):
            self.succeed(*NVCC.split(), "-arch=native", PROJECTS / "releases" / "captures.cu", "-default-stream", stream, "-o", "captures")
            self.assertEqual(self.succeed("./captures").stdout, "0 wrong\n")

    def test_ranges_of_its_nvtx(self):
        """NVIDIA's headers are all of NVTX that a program has; a tool that the user names comes first. Expected by hand, as in test_cuda_names."""
        toolkit = pathlib.Path(cuda_tools.find("nvcc")).parents[1]
        if not (toolkit / "include/nvtx3/nvToolsExt.h").exists():
            self.skipTest(f"{toolkit}: is here without NVTX: NeedsCudaToolkit")
        self.succeed(*NVCC.split(), "-std=c++17", "-I", toolkit / "include/nvtx3", PROJECTS / "runtime" / "names.cu", "-o", "names")
        # -2: no tool numbers the ranges, which is what the program prints where nobody traces it.
        self.assertEqual(self.succeed("./names").stdout.split(), ["-2", "1", "6"])
        traced = self.traced("./names")
        self.assertEqual(traced.stdout.split(), ["1", "1", "6"], traced.stderr)
        self.assertEqual([launch.get("range") for launch in self.launches()], [None, "solver", "solver/step 1", "whole", "whole/io:read", None])
        with unittest.mock.patch.dict(self.environment, NVTX_INJECTION64_PATH="/no/such/tool.so"):
            self.assertEqual(self.traced("./names").stdout.split(), ["-2", "1", "6"])
            self.assertEqual([launch.get("range") for launch in self.launches()], [None] * 6)

    def test_cublas_lt(self):
        for name in ("matmul", "epilogues"):
            self.succeed(*NVCC.split(), PROJECTS / "releases" / f"{name}.cu", "-lcublasLt", "-o", name)
            self.assertEqual(self.succeed(f"./{name}").stdout, "0 wrong\n")

    def test_every_function_of_the_shared_runtime_is_there(self):
        """What NVIDIA's library exports, ours do."""
        library = pathlib.Path(cuda_tools.find("nvcc")).parents[1] / "lib64" / f"libcudart.so.{self.release}"
        if not library.exists():
            self.skipTest(f"{library}: the toolkit is here without its runtime: NeedsCudaToolkit")
        exported = set()
        for name in (f"cudart-{self.release}", "cudart"):
            exported |= self.functions(support.BIN.parent / "lib/warpscope" / f"libwarpscope-{name}.so")
        internal = {"__cudaGetProcAddress", "__cudaRegisterUnifiedTable"}  # of no program that nvcc compiles
        self.assertEqual(self.functions(library) - exported - internal, set())

    def functions(self, library):
        said = self.succeed("nm", "-D", "--defined-only", library).stdout
        return {line.split()[2].split("@")[0] for line in said.splitlines() if line.split()[1] == "T"}


    def test_the_static_runtime_is_refused(self):
        (self.folder / "app.cu").write_text("__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaDeviceSynchronize() != cudaSuccess; }\n")
        self.succeed(cuda_tools.find("nvcc"), "app.cu", "-o", "app")
        done = self.traced("./app")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "", STATIC))
        self.assertFalse(list(self.folder.glob("*.wtrace*")))

    def test_a_program_with_the_shared_runtime(self):
        """Also where the program's RPATH says that the toolkit's comes first."""
        library = pathlib.Path(cuda_tools.find("nvcc")).parents[1] / "lib64"
        self.succeed(cuda_tools.find("nvcc"), PROJECTS / "releases" / "host.cu", "-cudart", "shared", "-Xlinker", f"-rpath,{library}", "-o", "host")
        done = self.traced("./host")
        self.assertEqual((done.returncode, done.stdout), (0, "0 wrong\n"), done.stderr)
        self.assertEqual(done.stderr.splitlines()[0], REPLACED.format("./host", f"libcudart.so.{self.release}"))


    def test_libraries_that_are_linked_by_hand(self):
        """The toolkit's folder comes first, as in CMake's old FindCUDA: a line says so, and a traced program gets ours."""
        library = pathlib.Path(cuda_tools.find("nvcc")).parents[1] / "lib64"
        if not (library / "libcublas.so").exists():
            self.skipTest(f"{library}: the toolkit is here without cuBLAS: NeedsCudaToolkit")
        (self.folder / "app.cu").write_text(
            "#include <cublas_v2.h>\n__global__ void k(float *x) { *x += 1; }\n"
            "int main() {\n  float *x, two = 2;\n  cublasHandle_t handle;\n  cudaMallocManaged(&x, 4);\n  *x = 3;\n"
            "  if (cublasCreate(&handle) || cublasSscal(handle, 1, &two, x, 1)) return 1;\n  k<<<1, 1>>>(x);\n"
            "  return cudaDeviceSynchronize() || *x != 7 ? 2 : 0;\n}\n")
        self.succeed(*NVCC.split(), "-c", "app.cu", "-o", "app.o")
        ours = CUDA / f"lib64-{self.release}"
        self.succeed("g++", "app.o", f"-L{library}", "-lcublas", f"-Wl,-rpath,{library}", ours / "libcudart.so", "-o", "app")
        done = self.plain("./app")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, rf"warpscope: {library}/libcublas.so.\d+, .*: NVIDIA's, which needs a GPU: link with -L{ours} in front of the toolkit's folder")
        done = self.traced("./app")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr.splitlines()[0], "Warpscope's libraries take the place of libcublas.so")
        self.succeed("g++", "app.o", f"-L{ours}", f"-L{library}", "-lcublas", "-lcudart", "-o", "app")
        self.assertEqual(self.succeed("./app").stderr, "")


class OtherReleases(support.ProgramTest):
    """Programs linked with a shared runtime that is made up: all of its functions return 999."""

    def build(self, release, soname):
        program = PROJECTS / "releases" / "shared.c"
        names = sorted(set(re.findall(r"\bcuda[A-Z]\w+(?=\()", program.read_text()))) + ["cudaGetDeviceProperties", "cudaGetDeviceProperties_v2"]
        (self.folder / "made_up.c").write_text("".join(f"int {name}(void) {{ return 999; }}\n" for name in names))
        (self.folder / "made_up.map").write_text(f"{soname} {{ global: *; }};\n")
        (self.folder / "lib").mkdir(exist_ok=True)
        library = self.folder / "lib" / soname
        for words in (["-shared", "-fPIC", "made_up.c", "-Wl,--version-script=made_up.map", f"-Wl,-soname,{soname}", "-o", library],
                      [f"-DRELEASE={release}", program, library, f"-Wl,-rpath,{library.parent}", "-Wl,--disable-new-dtags", "-o", "app"]):
            done = self.plain("gcc", *words)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_ours_takes_the_place_of_each(self):
        for release, soname in ((11, "libcudart.so.11.0"), (12, "libcudart.so.12"), (13, "libcudart.so.13")):
            self.build(release, soname)
            self.assertEqual(self.plain("./app").returncode, 1)
            for done in (self.traced("./app"), self.traced("./app", options=("--slowdown",))):
                self.assertEqual((done.returncode, done.stdout), (0, "0 wrong\n" * (2 if "--slowdown" in done.args else 1)), done.stderr)
                self.assertEqual(done.stderr.splitlines()[0], REPLACED.format("./app", soname))

    def test_other_programs_are_left_alone(self):
        done = self.traced("env")
        self.assertNotIn("LD_PRELOAD", done.stdout)
        self.assertNotIn("take the place", done.stderr)


if __name__ == "__main__":
    unittest.main()
