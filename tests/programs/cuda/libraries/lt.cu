// cuBLASLt: a product of a turned matrix with a bias, and one that adds C to another D, against sums by hand.
#include <cublasLt.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <vector>

// 2 x 2 numbers of 16 bits, whose alpha and beta have 16 bits, too: 0.5 A B + beta C.
static int wrong_in_half(cublasLtHandle_t handle) {
  __half *a, *b, *c;
  cudaMallocManaged(&a, 8);
  cudaMallocManaged(&b, 8);
  cudaMallocManaged(&c, 8);
  for (int i = 0; i < 4; ++i) {
    a[i] = __float2half((float)i);
    b[i] = __float2half((float)(2 * i));
    c[i] = __float2half(1.0f);
  }
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t square;
  cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_16F, CUDA_R_16F);
  cublasLtMatrixLayoutCreate(&square, CUDA_R_16F, 2, 2, 2);
  const float expected[] = {2, 3, 6, 11};  // columns of [0 2; 1 3] [0 4; 2 6] / 2
  int wrong = 0;
  const __half alpha = __float2half(0.5f);
  for (float beta : {-0.0f, 1.0f}) {
    const __half half_beta = __float2half(beta);
    const float before = beta == 0 ? 0 : __half2float(c[0]) * beta;
    wrong += cublasLtMatmul(handle, product, &alpha, a, square, b, square, &half_beta, c, square, c, square, nullptr, nullptr, 0, 0) != CUBLAS_STATUS_SUCCESS;
    cudaDeviceSynchronize();
    wrong += __half2float(c[0]) != expected[0] + before;
    for (int i = 1; i < 4; ++i) wrong += __half2float(c[i]) != expected[i] * (beta == 0 ? 1 : 2);
  }
  cublasLtMatrixLayoutDestroy(square);
  cublasLtMatmulDescDestroy(product);
  return wrong;
}

int main() {
  const int m = 5, n = 7, k = 3;
  float *a, *b, *c, *d, *bias;
  cudaMallocManaged(&a, k * m * 4);
  cudaMallocManaged(&b, k * n * 4);
  cudaMallocManaged(&c, m * n * 4);
  cudaMallocManaged(&d, m * n * 4);
  cudaMallocManaged(&bias, m * 4);
  for (int i = 0; i < k * m; ++i) a[i] = (float)(i % 5 - 2);
  for (int i = 0; i < k * n; ++i) b[i] = (float)(i % 4);
  for (int i = 0; i < m * n; ++i) c[i] = (float)i;
  for (int i = 0; i < m; ++i) bias[i] = 100.0f * (float)i;
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t left, right, result;
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulHeuristicResult_t heuristic;
  const cublasOperation_t turned = CUBLAS_OP_T;
  const cublasLtEpilogue_t adds_bias = CUBLASLT_EPILOGUE_BIAS, none = CUBLASLT_EPILOGUE_DEFAULT;
  int found = 0, wrong = 0;
  wrong += cublasLtCreate(&handle) != CUBLAS_STATUS_SUCCESS;
  cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof(turned));
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &adds_bias, sizeof(adds_bias));
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
  cublasLtMatrixLayoutCreate(&left, CUDA_R_32F, k, m, k);
  cublasLtMatrixLayoutCreate(&right, CUDA_R_32F, k, n, k);
  cublasLtMatrixLayoutCreate(&result, CUDA_R_32F, m, n, m);
  cublasLtMatmulPreferenceCreate(&preference);
  cublasLtMatmulAlgoGetHeuristic(handle, product, left, right, result, result, preference, 1, &heuristic, &found);
  wrong += found != 1;
  const float alpha = 2, zero = 0, half = 0.5f;
  const auto multiply = [&](const float* beta) {
    return cublasLtMatmul(handle, product, &alpha, a, left, b, right, beta, c, result, d, result, &heuristic.algo, nullptr, 0, 0);
  };
  const auto check = [&](float of_bias, float of_c) {
    cudaDeviceSynchronize();
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float sum = 0;
        for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
        wrong += d[j * m + i] != 2 * sum + of_bias * bias[i] + of_c * c[j * m + i];
      }
  };
  wrong += multiply(&zero) != CUBLAS_STATUS_SUCCESS;
  check(1, 0);
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &none, sizeof(none));
  wrong += multiply(&half) != CUBLAS_STATUS_SUCCESS;
  check(0, 0.5f);
  wrong += wrong_in_half(handle);
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtMatrixLayoutDestroy(left);
  cublasLtMatrixLayoutDestroy(right);
  cublasLtMatrixLayoutDestroy(result);
  cublasLtMatmulDescDestroy(product);
  cublasLtDestroy(handle);
  printf("%d wrong\n", wrong);
}
