"""Every row of the table of what CUDA programs cannot do here: a small program gets what the row says."""
import os
import re
import unittest

from support import BIN, SOURCE, ProgramTest

PAGE = SOURCE / "docs/tools/cuda-programs.md"
COMPILE, NOT_RUN = "does not compile", "the kernel is not run"
MAIN = "#include <cstdio>\nint main() {{ int *p; cudaMalloc(&p, 4096); {}; printf(\"%s\\n\", cudaGetErrorName(cudaGetLastError())); }}\n"
LAUNCH = MAIN.format("k<<<1, 32>>>(p)")
# By the row's first cell: the program, and what its compiler says if it does not compile.
PROGRAMS = {
    "inline PTX beyond [the list](#inline-ptx)": ("__global__ void k(int *p) { asm(\"mapa.u32 %0, %0, 1;\" : \"=r\"(p[threadIdx.x])); }\n" + LAUNCH, ""),
    "colours of borders, sRGB; filtering and fractions of linear memory": (MAIN.format(
        "cudaResourceDesc r = {}; cudaTextureDesc t = {}; cudaTextureObject_t o; r.resType = cudaResourceTypeLinear; "
        "r.res.linear = {p, cudaCreateChannelDesc<int>(), 4096}; t.filterMode = cudaFilterModeLinear; cudaCreateTextureObject(&o, &r, &t, 0)"), ""),
    "mipmaps, cube textures, gathers, levels of detail": (
        "__global__ void k(int *p) { *p = texCubemap<int>((cudaTextureObject_t)p, 0, 0, 0); }\n" + LAUNCH, "'texCubemap'"),
    "`cudaGetTextureReference`, `cudaGetTextureObjectResourceDesc`, `cudaMemRangeGetAttribute`": (
        MAIN.format("int advice; cudaMemRangeGetAttribute(&advice, 4, 1, p, 4096)"), "'cudaMemRangeGetAttribute'"),
    "graph nodes of external semaphores, conditional ones": (MAIN.format(
        "cudaGraph_t g; cudaGraphNode_t n; cudaGraphAddExternalSemaphoresWaitNode(&n, g, 0, 0, 0)"), "'cudaGraphAddExternalSemaphoresWaitNode'"),
    "inter-process memory and events": (MAIN.format("cudaIpcMemHandle_t h; cudaIpcGetMemHandle(&h, p)"), ""),
    "a variable's name in quotes as symbol, as before CUDA 5": (
        "__constant__ int c;\n" + MAIN.format("cudaMemcpyToSymbol(\"c\", &p, 4)"), ""),
    "a second device": (MAIN.format("cudaSetDevice(1)"), ""),
    "textures of modules": (
        "#include <cuda.h>\n" + MAIN.format("CUtexref t; CUmodule m; cuModuleGetTexRef(&t, m, 0)"), "'CUtexref'"),
    "arrays, virtual memory, pools of the driver API": ("#include <cuda.h>\n" + MAIN.format("CUarray a"), "'CUarray'"),
    "NVRTC": ("#include <nvrtc.h>\n" + MAIN.format(""), "nvrtc.h"),
    "kernels that launch kernels": ("__global__ void c(int *p) {}\n__global__ void k(int *p) { c<<<1, 1>>>(p); }\n" + LAUNCH, "__global__ function"),
    "fragments of 4 bits and of 1 bit": (
        "#include <mma.h>\nusing namespace nvcuda::wmma;\n__global__ void k(int *p) { fragment<matrix_a, 8, 8, 32, experimental::precision::u4, "
        "row_major> f; }\n" + LAUNCH, "'experimental'"),
    "tiles of more than 32 threads, groups of several grids": (
        "#include <cooperative_groups.h>\n__global__ void k(int *p) { cooperative_groups::this_multi_grid().sync(); }\n" + LAUNCH, "'this_multi_grid'"),
    "complex numbers and annotated pointers of libcu++": ("#include <cuda/std/complex>\n" + MAIN.format(""), "cannot overload"),
    "MRG32k3a, MTGP32 and quasi-random generators in kernels": (
        "#include <curand_kernel.h>\n__global__ void k(int *p) { curandStateMRG32k3a_t s; }\n" + LAUNCH, "'curandStateMRG32k3a_t'"),
    "quasi-random generators of cuRAND": (
        "#include <curand.h>\n#include <cstdio>\nint main() { curandGenerator_t g; "
        "puts(curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_TYPE_ERROR ? \"CURAND_STATUS_TYPE_ERROR\" : \"?\"); }\n", ""),
    "complex numbers in cuBLAS": (
        "#include <cublas_v2.h>\n" + MAIN.format("cuComplex c; cublasHandle_t h; cublasCscal(h, 1, &c, &c, 1)"), "'cublasCscal'"),
    "cuSOLVER, cuSPARSE, cuDNN and other libraries": ("#include <cusparse.h>\n" + MAIN.format(""), "cusparse.h"),
}


def rows():
    """First and second cells of the table."""
    section = PAGE.read_text(encoding="utf-8").partition("## What there is not")[2]
    return [tuple(cell.strip() for cell in line.strip("|").split("|"))
            for line in section.splitlines() if line.startswith("| ") and not line.startswith("| feature")]


class Refused(ProgramTest):
    def test_table(self):
        self.environment["PATH"] = f"{BIN}:{os.environ['PATH']}"
        self.assertEqual([feature for feature, _ in rows()], list(PROGRAMS), "a program for every row")
        for feature, what in rows():
            with self.subTest(feature):
                self.check_row(*PROGRAMS[feature], what)

    def check_row(self, program, message, what):
        (self.folder / "row.cu").write_text(program)
        built = self.plain(BIN / "warpscope-nvcc", "row.cu", "-o", "row", "-lcurand")
        if what.startswith(COMPILE):
            self.assertNotEqual(built.returncode, 0)
            self.assertRegex(built.stderr, "error: .*" + re.escape(message))
            return
        self.assertEqual(built.returncode, 0, built.stderr)
        done = self.plain("./row")
        error = "cudaErrorNotSupported" if what == NOT_RUN else what.strip("`")
        self.assertEqual(done.stdout, error + "\n", done.stderr)
        if what == NOT_RUN:
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, r"row\.cu:\d+:\d+: .*: kernel 'k' is not run")


if __name__ == "__main__":
    unittest.main()
