"""CUDA kernels that are refused, each with one message."""
import unittest

from cuda_test import CudaTest


class Refusals(CudaTest):
    def test_a_file_without_a_kernel(self):
        self.write("__device__ int f(int a) { return a; }\ntemplate <class T> __global__ void k(T *a) { *a = 1; }\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1"), "^trace-kernel: k.cu: no kernel in this "
                            "file, expected a __global__ function")

    def test_a_file_that_does_not_compile(self):
        self.write("#include <cuda_runtime.h>\n\n__global__ void k(int *a) {\n  a[threadIdx.x] = b;\n}\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1"),
                            "k.cu: does not compile\nk.cu:4:20: error: use of undeclared identifier 'b'")

    def test_a_host_function_called_by_a_kernel(self):
        self.write("int f(int a) { return a; }\n__global__ void k(int *a) {\n  a[0] = f(1);\n}\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1"), "k.cu:3:10: error: no matching function for call to 'f'")

    def test_no_such_file(self):
        self.assert_refused(self.call("trace-kernel", "nothing.cu", "--global", "1"), "nothing.cu: cannot read")

    def test_no_compiler(self):
        self.write("__global__ void k(int *a) { *a = 1; }\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1", environment={"PATH": str(self.folder)}),
                            "clang-15: not found in PATH, expected the Debian package clang-15")

    def test_no_headers(self):
        self.write("__global__ void k(int *a) { *a = 1; }\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1",
                                      environment={"WARPSCOPE_CUDA_HEADERS": "nowhere"}),
                            "nowhere/cuda_runtime.h: not found, expected the CUDA headers")

    def test_inline_ptx(self):
        self.write("__global__ void k(int *a) {\n  int r;\n  asm(\"mapa.u32 %0, %0, 1;\" : \"=r\"(r));\n  a[0] = r;\n}\n")
        self.assert_refused(self.call("trace-kernel", "k.cu", "--global", "1"), "k.cu:3:3: inline PTX: mapa.u32", status=3)


if __name__ == "__main__":
    unittest.main()
