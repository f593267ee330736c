// cuBLASLt as the headers of this nvcc declare it: a product of matrices in the order of columns, with and without what is added to it.
#include <cublasLt.h>

#include <cstdio>

#include "../api/check.h"

/// Three products: matrices of A 7 elements apart, the same B for all, of C 5 apart, with one element between them that nobody writes.
static void batches(cublasLtHandle_t handle, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t of_a, cublasLtMatrixLayout_t of_b,
                    cublasLtMatrixLayout_t of_c) {
  const int count = 3, none = 0, fewer = 2;
  const long long strides[] = {7, 0, 5};
  const float one = 1, zero = 0;
  float *a, *b, *c;
  cudaMallocManaged(&a, 3 * 7 * sizeof(float)), cudaMallocManaged(&b, 6 * sizeof(float)), cudaMallocManaged(&c, 3 * 5 * sizeof(float));
  for (int i = 0; i < 21; ++i) a[i] = static_cast<float>(i * i % 11);
  for (int i = 0; i < 6; ++i) b[i] = static_cast<float>(3 - i);
  for (int i = 0; i < 15; ++i) c[i] = -1;
  const cublasLtMatrixLayout_t layouts[] = {of_a, of_b, of_c};
  for (int i = 0; i < 3; ++i) {
    status("count", cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count));
    status("stride", cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &strides[i], sizeof strides[i]));
  }
  status("no matrix", cublasLtMatrixLayoutSetAttribute(of_a, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &none, sizeof none), CUBLAS_STATUS_INVALID_VALUE);
  status("two bytes", cublasLtMatrixLayoutSetAttribute(of_a, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, 2), CUBLAS_STATUS_INVALID_VALUE);
  status("multiply", cublasLtMatmul(handle, product, &one, a, of_a, b, of_b, &zero, c, of_c, c, of_c, nullptr, nullptr, 0, nullptr));
  cudaDeviceSynchronize();
  for (int batch = 0; batch < count; ++batch) {
    for (int column = 0; column < 2; ++column)
      for (int row = 0; row < 2; ++row) {
        float sum = 0;
        for (int k = 0; k < 3; ++k) sum += a[7 * batch + 2 * k + row] * b[3 * column + k];
        expect("product of a batch", c[5 * batch + 2 * column + row] == sum);
      }
    expect("between", c[5 * batch + 4] == -1);
  }
  status("fewer", cublasLtMatrixLayoutSetAttribute(of_b, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &fewer, sizeof fewer));
  status("multiply", cublasLtMatmul(handle, product, &one, a, of_a, b, of_b, &zero, c, of_c, c, of_c, nullptr, nullptr, 0, nullptr),
         CUBLAS_STATUS_INVALID_VALUE);
}

int main() {
  // A is 2 x 3, B is 3 x 2.
  const float a[] = {1, 4, 2, 5, 3, 6}, b[] = {1, 2, 6, 2, 1, 8}, c[] = {1, 2, 3, 4}, one = 1, none = 0;
  float *A, *B, *C, result[4];
  cudaMalloc(&A, sizeof a), cudaMalloc(&B, sizeof b), cudaMalloc(&C, sizeof c);
  cudaMemcpy(A, a, sizeof a, cudaMemcpyDefault), cudaMemcpy(B, b, sizeof b, cudaMemcpyDefault), cudaMemcpy(C, c, sizeof c, cudaMemcpyDefault);
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t of_a, of_b, of_c;
  cublasLtMatmulPreference_t preference;
  status("create", cublasLtCreate(&handle));
  status("product", cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  const cublasOperation_t plain = CUBLAS_OP_N;
  status("as it is", cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_TRANSA, &plain, sizeof plain));
  status("A", cublasLtMatrixLayoutCreate(&of_a, CUDA_R_32F, 2, 3, 2)), status("B", cublasLtMatrixLayoutCreate(&of_b, CUDA_R_32F, 3, 2, 3));
  status("C", cublasLtMatrixLayoutCreate(&of_c, CUDA_R_32F, 2, 2, 2));
  const size_t bytes = 0;
  status("preference", cublasLtMatmulPreferenceCreate(&preference));
  status("no workspace", cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes));
  cublasLtMatmulHeuristicResult_t found;
  int count = 0;
  status("heuristic", cublasLtMatmulAlgoGetHeuristic(handle, product, of_a, of_b, of_c, of_c, preference, 1, &found, &count));
  expect("one way", count == 1 && found.state == CUBLAS_STATUS_SUCCESS);
  for (const float *beta : {&none, &one}) {
    status("multiply", cublasLtMatmul(handle, product, &one, A, of_a, B, of_b, beta, C, of_c, C, of_c, &found.algo, nullptr, 0, nullptr));
    cudaMemcpy(result, C, sizeof result, cudaMemcpyDefault);
    for (int column = 0; column < 2; ++column)
      for (int row = 0; row < 2; ++row) {
        float sum = 0;
        for (int k = 0; k < 3; ++k) sum += a[2 * k + row] * b[3 * column + k];
        expect("product", result[2 * column + row] == sum * (1 + *beta));  // the second time it is added to the first
      }
  }
  batches(handle, product, of_a, of_b, of_c);
  const int tiles = 3;  // CUBLASLT_ORDER_COL4_4R2_8C
  status("order of tiles", cublasLtMatrixLayoutSetAttribute(of_a, CUBLASLT_MATRIX_LAYOUT_ORDER, &tiles, sizeof tiles), CUBLAS_STATUS_NOT_SUPPORTED);
  cublasLtMatmulPreferenceDestroy(preference), cublasLtMatrixLayoutDestroy(of_a), cublasLtMatrixLayoutDestroy(of_b), cublasLtMatrixLayoutDestroy(of_c);
  status("done", cublasLtMatmulDescDestroy(product)), status("destroy", cublasLtDestroy(handle));
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
