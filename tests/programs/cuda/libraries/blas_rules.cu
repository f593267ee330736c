// What cuBLAS does besides arithmetic: errors, copies of vectors and matrices, half precision, streams and graphs.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>

#include "check.h"

static cublasHandle_t handle;
static void status(const char* what, cublasStatus_t got, cublasStatus_t expected = CUBLAS_STATUS_SUCCESS) { expect(what, got, expected); }

static void errors() {
  const Array<float> a(64, 1.f);
  Array<float> b(64, 1.f);
  const float one = 1;
  float result;
  const auto N = CUBLAS_OP_N;
  const auto kInvalid = CUBLAS_STATUS_INVALID_VALUE;
  status("no handle", cublasSaxpy(nullptr, 1, &one, a, 1, b, 1), CUBLAS_STATUS_NOT_INITIALIZED);
  status("no handle for a product", cublasSgemm(nullptr, N, N, 1, 1, 1, &one, a, 1, a, 1, &one, b, 1), CUBLAS_STATUS_NOT_INITIALIZED);
  status("destroy no handle", cublasDestroy(nullptr), CUBLAS_STATUS_NOT_INITIALIZED);
  status("create into null", cublasCreate(nullptr), kInvalid);
  status("m below 0", cublasSgemm(handle, N, N, -1, 1, 1, &one, a, 1, a, 1, &one, b, 1), kInvalid);
  status("k below 0", cublasSgemm(handle, N, N, 1, 1, -1, &one, a, 1, a, 1, &one, b, 1), kInvalid);
  status("lda below m", cublasSgemm(handle, N, N, 4, 4, 4, &one, a, 3, a, 4, &one, b, 4), kInvalid);
  status("lda as large as k, transposed", cublasSgemm(handle, CUBLAS_OP_T, N, 4, 4, 2, &one, a, 2, a, 2, &one, b, 4));
  status("ldc below m", cublasSgemm(handle, N, N, 4, 4, 4, &one, a, 4, a, 4, &one, b, 3), kInvalid);
  status("ld of 0", cublasSgemm(handle, N, N, 0, 0, 0, &one, a, 0, a, 1, &one, b, 1), kInvalid);
  status("no alpha", cublasSgemm(handle, N, N, 1, 1, 1, nullptr, a, 1, a, 1, &one, b, 1), kInvalid);
  status("no beta", cublasSgemm(handle, N, N, 1, 1, 1, &one, a, 1, a, 1, nullptr, b, 1), kInvalid);
  status("unknown operation", cublasSgemm(handle, static_cast<cublasOperation_t>(7), N, 1, 1, 1, &one, a, 1, a, 1, &one, b, 1), kInvalid);
  status("step of 0", cublasSgemv(handle, N, 2, 2, &one, a, 2, a, 0, &one, b, 1), kInvalid);
  status("full triangle", cublasSsyrk(handle, CUBLAS_FILL_MODE_FULL, N, 1, 1, &one, a, 1, &one, b, 1), kInvalid);
  status("no result", cublasSdot(handle, 1, a, 1, a, 1, nullptr), kInvalid);
  status("count below 0", cublasSgemmStridedBatched(handle, N, N, 1, 1, 1, &one, a, 1, 0, a, 1, 0, &one, b, 1, 0, -1), kInvalid);
  status("nothing to do", cublasSgemm(handle, N, N, 0, 0, 0, &one, nullptr, 1, nullptr, 1, &one, nullptr, 1));
  status("vector of size 0", cublasSdot(handle, 0, a, 1, a, 1, &result));
  expect("dot of nothing", result, 0);
  status("elements of no bytes", cublasSetVector(1, 0, &one, 1, b.data, 1), kInvalid);
  status("copy to the host's memory", cublasSetVector(1, 4, &one, 1, &result, 1), CUBLAS_STATUS_MAPPING_ERROR);
  status("unknown pointer mode", cublasSetPointerMode(handle, static_cast<cublasPointerMode_t>(5)), kInvalid);
  status("half and double", cublasGemmEx(handle, N, N, 1, 1, 1, &one, a, CUDA_R_16F, 1, a, CUDA_R_64F, 1, &one, b, CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
         CUBLAS_STATUS_NOT_SUPPORTED);
  expect("name", std::strcmp(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED), "CUBLAS_STATUS_NOT_SUPPORTED"), 0);
  (void)cudaGetLastError();
  int version = 0, major = 0;
  status("version", cublasGetVersion(handle, &version));
  status("property", cublasGetProperty(MAJOR_VERSION, &major));
  expect("version", version / 1000, major);
  status("math mode", cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
  cublasMath_t mode;
  status("math mode", cublasGetMathMode(handle, &mode));
  expect("math mode", mode, CUBLAS_TF32_TENSOR_OP_MATH);
}

static void copies() {
  float host[12], back[12], *device;
  cudaMalloc(&device, sizeof(host));
  for (int i = 0; i < 12; ++i) host[i] = static_cast<float>(i);
  cudaMemset(device, 0, sizeof(host));
  status("set vector", cublasSetVector(4, 4, host, 2, device, 3));
  status("get vector", cublasGetVector(12, 4, device, 1, back, 1));
  for (int i = 0; i < 12; ++i) expect("vector with steps", back[i], i % 3 == 0 ? 2 * (i / 3) : 0);
  status("set matrix", cublasSetMatrix(2, 3, 4, host, 4, device, 3));  // 0 1, 4 5, 8 9
  status("get matrix", cublasGetMatrix(2, 3, 4, device, 3, back, 2));
  for (int i = 0; i < 6; ++i) expect("matrix", back[i], i / 2 * 4 + i % 2);
  cudaFree(device);
}

/// Products of small whole numbers are exact in each type.
template <class T> static void exact_product(const char* what, cudaDataType type, cudaDataType type_c) {
  const int m = 3, n = 2, k = 4, lda = 5, ldc = 4;
  Array<T> a(lda * k), b(k * n);
  Array<float> c(ldc * n, -1.f);
  for (int i = 0; i < lda * k; ++i) a[i] = static_cast<T>(static_cast<float>(i % 7 - 3));
  for (int i = 0; i < k * n; ++i) b[i] = static_cast<T>(static_cast<float>(i % 5 - 2));
  const float alpha = 2, beta = 3;
  Array<T> narrow(ldc * n);
  for (int i = 0; i < ldc * n; ++i) narrow[i] = static_cast<T>(-1.f);
  void* const out = type == type_c ? static_cast<void*>(narrow.data) : c.data;
  status(what, cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, a, type, lda, b, type, k, &beta, out, type_c, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < ldc; ++row) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += static_cast<float>(a[row + i * lda]) * static_cast<float>(b[i + column * k]);
      const int at = row + column * ldc;
      expect(what, type == type_c ? static_cast<float>(narrow[at]) : c[at], row < m ? 2 * sum - 3 : -1);
    }
}

static void half_precision() {
  exact_product<__half>("half", CUDA_R_16F, CUDA_R_16F);
  exact_product<__half>("half to float", CUDA_R_16F, CUDA_R_32F);
  exact_product<__nv_bfloat16>("bfloat16", CUDA_R_16BF, CUDA_R_16BF);
  exact_product<float>("float", CUDA_R_32F, CUDA_R_32F);
  // 2049 ones: half cannot count beyond 2048, float can. 2049 rounds to 2048 at the end, 2 * 2049 to 4096 (steps of 4, ties to even).
  const int k = 2049;
  Array<__half> ones(k), result(2);
  for (int i = 0; i < k; ++i) ones[i] = __float2half(1.f);
  result[0] = result[1] = __float2half(NAN);
  const __half one = __float2half(1.f), zero = __float2half(0.f), three = __float2half(3.f);
  status("hgemm", cublasHgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, k, &one, ones, k, ones, k, &zero, result, 1));
  expect("sum of halves", __half2float(result[0]), 2048);
  status("hgemm batches", cublasHgemmStridedBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, k - 1, &three, ones, k, 0, ones, k, 1, &zero, result, 1, 1, 2));
  expect("batch of halves", __half2float(result[1]), 3 * 2048);
  const __half* const each[] = {ones.data, ones.data};
  __half* const sums[] = {result.data, result.data + 1};
  status("hgemm of pointers", cublasHgemmBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 3, &one, each, k, each, k, &zero, sums, 1, 2));
  expect("hgemm of pointers", __half2float(result[1]), 3);
  result[0] = __float2half(6144.f);
  Array<signed char> bytes(k, -128);
  Array<int> whole(1, 7);
  const int one_int = 1, zero_int = 0;
  status("int8", cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, k, &one_int, bytes, CUDA_R_8I, k, bytes, CUDA_R_8I, k, &zero_int, whole, CUDA_R_32I, 1,
                              CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
  expect("int8", whole[0], 128 * 128 * 2049);
  const float one_float = 1;
  status("the type of sums by an element's", cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 3, &one_float, ones, CUDA_R_16F, k, ones, CUDA_R_16F, k, &one_float, result,
                                                           CUDA_R_16F, 1, CUDA_R_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP));
  expect("the type of sums by an element's", __half2float(result[0]), 6144 + 4);  // 6147: steps of 4
}

/// Vectors of short types: sums are exact until the end. By hand: 3000 × (2 × 3) = 18000, which half holds in steps of 16.
static void mixed_vectors() {
  const int n = 3000;
  const __half two = __float2half(2.f), three = __float2half(3.f);
  Array<__half> x(2 * n), y(n), result(1);
  for (int i = 0; i < n; ++i) x[2 * i] = two, x[2 * i + 1] = __float2half(7.f), y[i] = three;
  const float half_factor = 0.5f;
  status("dot of halves", cublasDotEx(handle, n, x, CUDA_R_16F, 2, y, CUDA_R_16F, -1, result, CUDA_R_16F, CUDA_R_32F));
  expect("dot of halves", __half2float(result[0]), 18000);
  status("norm of halves", cublasNrm2Ex(handle, n, y, CUDA_R_16F, 1, result, CUDA_R_16F, CUDA_R_32F));
  expect("norm of halves", __half2float(result[0]), 164.375);  // √27000 = 164.317, in steps of 1/8
  status("axpy of halves", cublasAxpyEx(handle, n, &half_factor, CUDA_R_32F, x, CUDA_R_16F, 2, y, CUDA_R_16F, 1, CUDA_R_32F));
  expect("axpy of halves", __half2float(y[n - 1]), 4);
  status("scal of halves", cublasScalEx(handle, n, &half_factor, CUDA_R_32F, x, CUDA_R_16F, 2, CUDA_R_32F));
  expect("scal of halves", __half2float(x[2 * n - 2]), 1);
  expect("scal of halves, between", __half2float(x[2 * n - 1]), 7);
  status("dot of two types", cublasDotEx(handle, 1, x, CUDA_R_16F, 1, y, CUDA_R_32F, 1, result, CUDA_R_16F, CUDA_R_32F), CUBLAS_STATUS_NOT_SUPPORTED);
  status("sums of half", cublasDotEx(handle, 1, x, CUDA_R_16F, 1, y, CUDA_R_16F, 1, result, CUDA_R_16F, CUDA_R_16F), CUBLAS_STATUS_NOT_SUPPORTED);
}

__global__ void add_one(float* x) { x[threadIdx.x] += 1; }

/// What a captured stream is given is done when the graph is launched, with what is in memory then.
static void graphs() {
  cudaStream_t stream, found;
  cudaStreamCreate(&stream);
  status("stream", cublasSetStream(handle, stream));
  status("stream", cublasGetStream(handle, &found));
  expect("stream", found == stream, true);
  Array<float> x(32, 1.f), y(32, 0.f);
  float two = 2, sum = 0;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  add_one<<<1, 32, 0, stream>>>(x);
  status("in a capture", cublasSaxpy(handle, 32, &two, x, 1, y, 1));
  two = 100;  // the value at the call counts
  expect("end", cudaStreamEndCapture(stream, &graph), cudaSuccess);
  expect("not yet", y[5], 0);
  expect("instantiate", cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0), cudaSuccess);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  expect("two launches", y[5], 2 * 2 + 2 * 3);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  status("a result in a capture", cublasSasum(handle, 32, x, 1, &sum), CUBLAS_STATUS_EXECUTION_FAILED);
  expect("and its end", cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  cudaStreamDestroy(stream);
  status("stream that is no more", cublasSaxpy(handle, 32, &two, x, 1, y, 1), CUBLAS_STATUS_EXECUTION_FAILED);
  status("stream", cublasSetStream(handle, nullptr));
  (void)cudaGetLastError();
}

int main() {
  status("create", cublasCreate(&handle));
  errors();
  copies();
  half_precision();
  mixed_vectors();
  graphs();
  status("destroy", cublasDestroy(handle));
  std::printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
  return wrong != 0;
}
