// Functions of cuBLAS, cuFFT and cuRAND that the programs in ../libraries do not call: what they return and change, by hand, and an
// error that their documentation gives. legacy.c has cuBLAS before handles.
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>

#include <cstring>

#include "check.h"

extern "C" int legacy_functions(void);

namespace {

template <class T>
T* managed(int count) {
  T* memory = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&memory), static_cast<std::size_t>(count) * sizeof(T),
                    cudaMemAttachGlobal);
  return memory;
}

void blas_handles(cublasHandle_t handle) {
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
  const auto kInvalid = CUBLAS_STATUS_INVALID_VALUE;
  status("atomics", cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_ALLOWED)),
      status("atomics", cublasGetAtomicsMode(handle, &atomics));
  expect("atomics", atomics == CUBLAS_ATOMICS_ALLOWED),
      status("atomics of no handle", cublasSetAtomicsMode(nullptr, atomics), CUBLAS_STATUS_NOT_INITIALIZED);
  status("atomics of no handle", cublasGetAtomicsMode(nullptr, &atomics), CUBLAS_STATUS_NOT_INITIALIZED);
  status("memory to work in", cublasSetWorkspace(handle, nullptr, 0)),
      status("of no handle", cublasSetWorkspace(nullptr, nullptr, 0), CUBLAS_STATUS_NOT_INITIALIZED);
  expect("the runtime's version", cublasGetCudartVersion() == CUDART_VERSION),
      expect("a text", std::strlen(cublasGetStatusString(kInvalid)) > 0);
  float host[6] = {1, 2, 3, 4, 5, 6}, back[6] = {}, *device = managed<float>(6);
  status("vector", cublasSetVectorAsync(3, 4, host, 2, device, 1, nullptr)),
      status("vector", cublasGetVectorAsync(3, 4, device, 1, back, 1, nullptr));
  expect("1 3 5", back[0] == 1 && back[1] == 3 && back[2] == 5),
      status("step of 0", cublasSetVectorAsync(3, 4, host, 0, device, 1, nullptr), kInvalid);
  status("step of 0", cublasGetVectorAsync(3, 4, device, 1, back, 0, nullptr), kInvalid);
  status("matrix", cublasSetMatrixAsync(2, 2, 4, host, 3, device, 2, nullptr)),
      status("matrix", cublasGetMatrixAsync(2, 2, 4, device, 2, back, 3, nullptr));
  expect("1 2, 4 5", device[1] == 2 && device[2] == 4 && back[3] == 4 && back[4] == 5 && back[2] == 5);
  status("rows below 0", cublasSetMatrixAsync(-1, 2, 4, host, 3, device, 2, nullptr), kInvalid);
  status("elements of no bytes", cublasGetMatrixAsync(2, 2, 0, device, 2, back, 3, nullptr), kInvalid);
  cudaFree(device);
}

/// (1 2) and (3 4) as two products of 1 × 1: 2 · 1 · 3 + 10 and 2 · 2 · 4 + 10.
void blas_products(cublasHandle_t handle) {
  const auto N = CUBLAS_OP_N;
  const auto f32 = CUDA_R_32F;
  const auto sums = CUBLAS_COMPUTE_32F;
  const auto any = CUBLAS_GEMM_DEFAULT;
  const float two = 2, one = 1;
  float *a = managed<float>(2), *b = managed<float>(2), *c = managed<float>(2);
  const void *each_a[] = {a, a + 1}, *each_b[] = {b, b + 1};
  void* each_c[] = {c, c + 1};
  const auto set = [&] { a[0] = 1, a[1] = 2, b[0] = 3, b[1] = 4, c[0] = c[1] = 10; };
  set(), status("batch", cublasGemmBatchedEx(handle, N, N, 1, 1, 1, &two, each_a, f32, 1, each_b, f32, 1,
                                             &one, each_c, f32, 1, 2, sums, any));
  expect("batch", c[0] == 16 && c[1] == 26);
  set(), status("stride", cublasGemmStridedBatchedEx(handle, N, N, 1, 1, 1, &two, a, f32, 1, 1, b, f32, 1, 1,
                                                     &one, c, f32, 1, 1, 2, sums, any));
  expect("stride", c[0] == 16 && c[1] == 26);
  set(), status("sgemmEx", cublasSgemmEx(handle, N, N, 1, 1, 2, &two, a, f32, 1, b, f32, 2, &one, c, f32, 1)),
      expect("2 (1 · 3 + 2 · 4) + 10", c[0] == 32);
  status("no handle", cublasSgemmEx(nullptr, N, N, 1, 1, 2, &two, a, f32, 1, b, f32, 2, &one, c, f32, 1),
         CUBLAS_STATUS_NOT_INITIALIZED);
  status("count below 0",
         cublasGemmBatchedEx(handle, N, N, 1, 1, 1, &two, each_a, f32, 1, each_b, f32, 1, &one, each_c, f32,
                             1, -1, sums, any),
         CUBLAS_STATUS_INVALID_VALUE);
  status("rows below 0",
         cublasGemmStridedBatchedEx(handle, N, N, -1, 1, 1, &two, a, f32, 1, 1, b, f32, 1, 1, &one, c, f32, 1,
                                    1, 2, sums, any),
         CUBLAS_STATUS_INVALID_VALUE);
  float result = 0;
  set(), status("dot", cublasDotcEx(handle, 2, a, f32, 1, b, f32, 1, &result, f32, f32)),
      expect("1 · 3 + 2 · 4", result == 11);
  status("no handle", cublasDotcEx(nullptr, 2, a, f32, 1, b, f32, 1, &result, f32, f32),
         CUBLAS_STATUS_NOT_INITIALIZED);
  cudaFree(a), cudaFree(b), cudaFree(c);
}

void transforms() {
  std::size_t bytes = 9;
  int version = 0, major = 0;
  cufftHandle plan = -1;
  status("1d", cufftEstimate1d(8, CUFFT_C2C, 1, &bytes)),
      status("2d", cufftEstimate2d(8, 4, CUFFT_C2C, &bytes)),
      status("3d", cufftEstimate3d(8, 4, 2, CUFFT_C2C, &bytes));
  status("no points", cufftEstimate1d(0, CUFFT_C2C, 1, &bytes), CUFFT_INVALID_SIZE),
      status("no points", cufftEstimate2d(8, 0, CUFFT_C2C, &bytes), CUFFT_INVALID_SIZE);
  status("no points", cufftEstimate3d(8, 4, 0, CUFFT_C2C, &bytes), CUFFT_INVALID_SIZE);
  status("version", cufftGetVersion(&version)), status("major", cufftGetProperty(MAJOR_VERSION, &major)),
      expect("version", version / 1000 == major);
  status("version into null", cufftGetVersion(nullptr), CUFFT_INVALID_VALUE),
      status("no such property", cufftGetProperty(static_cast<libraryPropertyType>(9), &major),
             CUFFT_INVALID_VALUE);
  cufftComplex* data = managed<cufftComplex>(8);
  const auto run = [&](const char* what) {  // ones become their number at 0, and nothing elsewhere
    for (int i = 0; i < 8; ++i) data[i] = {1, 0};
    status(what, cufftSetAutoAllocation(plan, 0)), status(what, cufftSetWorkArea(plan, data)),
        status(what, cufftExecC2C(plan, data, data, CUFFT_FORWARD));
    expect(what, data[0].x == 8 && data[1].x == 0 && data[7].y == 0), status(what, cufftDestroy(plan));
  };
  status("create", cufftCreate(&plan)), status("2d", cufftMakePlan2d(plan, 2, 4, CUFFT_C2C, &bytes)),
      run("2d");
  status("create", cufftCreate(&plan)), status("3d", cufftMakePlan3d(plan, 2, 2, 2, CUFFT_C2C, &bytes)),
      run("3d");
  status("2d of no plan", cufftMakePlan2d(plan, 2, 4, CUFFT_C2C, &bytes), CUFFT_INVALID_PLAN),
      status("3d of no plan", cufftMakePlan3d(plan, 2, 2, 2, CUFFT_C2C, &bytes), CUFFT_INVALID_PLAN);
  status("no plan", cufftSetAutoAllocation(plan, 1), CUFFT_INVALID_PLAN),
      status("no plan", cufftSetWorkArea(plan, data), CUFFT_INVALID_PLAN);
  cudaFree(data);
}

void random_numbers() {
  int version = 0, major = 0;
  curandGenerator_t generator = nullptr;
  status("version", curandGetVersion(&version)), status("major", curandGetProperty(MAJOR_VERSION, &major)),
      expect("version", version / 1000 == major);
  status("no such property", curandGetProperty(static_cast<libraryPropertyType>(9), &major),
         CURAND_STATUS_OUT_OF_RANGE);
  status("generator", curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10)),
      status("seeds", curandGenerateSeeds(generator));
  status("destroy", curandDestroyGenerator(generator)),
      status("seeds of none", curandGenerateSeeds(nullptr), CURAND_STATUS_NOT_INITIALIZED);
}

}  // namespace

int main() {
  cublasHandle_t handle = nullptr;
  status("create", cublasCreate(&handle));
  blas_handles(handle), blas_products(handle), transforms(), random_numbers();
  status("destroy", cublasDestroy(handle));
  wrong += legacy_functions();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
