#pragma once
// cuBLAS: functions of each element type.
#include "cublas_api.h"
#include "warpscope/letters_away.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WARPSCOPE_REAL float
#define WARPSCOPE_BLAS(name, parameters, arguments) WARPSCOPE_CUBLAS_V2(cublasS##name, parameters)
#define WARPSCOPE_INDEX(name, parameters, arguments) WARPSCOPE_CUBLAS_V2(cublasIs##name, parameters)
#define WARPSCOPE_NEWER(name, parameters, arguments) cublasStatus_t cublasS##name parameters;
#include "warpscope/libraries/cublas_functions.h"

#define WARPSCOPE_REAL double
#define WARPSCOPE_BLAS(name, parameters, arguments) WARPSCOPE_CUBLAS_V2(cublasD##name, parameters)
#define WARPSCOPE_INDEX(name, parameters, arguments) WARPSCOPE_CUBLAS_V2(cublasId##name, parameters)
#define WARPSCOPE_NEWER(name, parameters, arguments) cublasStatus_t cublasD##name parameters;
#include "warpscope/libraries/cublas_functions.h"

// Products of matrices whose elements have types of their own. Sums are of float, or of double
// and int where these are asked for.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *A, cudaDataType type_a, int lda, const void *B,
                            cudaDataType type_b, int ldb, const void *beta, void *C,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k, const void *alpha,
                                   const void *const A[], cudaDataType type_a, int lda,
                                   const void *const B[], cudaDataType type_b, int ldb,
                                   const void *beta, void *const C[], cudaDataType type_c, int ldc,
                                   int count, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void *alpha, const void *A, cudaDataType type_a,
                                          int lda, long long int stride_a, const void *B,
                                          cudaDataType type_b, int ldb, long long int stride_b,
                                          const void *beta, void *C, cudaDataType type_c, int ldc,
                                          long long int stride_c, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float *alpha,
                             const void *A, cudaDataType type_a, int lda, const void *B,
                             cudaDataType type_b, int ldb, const float *beta, void *C,
                             cudaDataType type_c, int ldc);
// Vectors of half, bfloat16, float or double. Those of the first three are computed as float, or
// double inside sums.
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void *x, cudaDataType type_x,
                           int incx, const void *y, cudaDataType type_y, int incy, void *result,
                           cudaDataType type_result, cudaDataType compute);
cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void *x, cudaDataType type_x,
                            int incx, const void *y, cudaDataType type_y, int incy, void *result,
                            cudaDataType type_result, cudaDataType compute);
cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void *x, cudaDataType type_x,
                            int incx, void *result, cudaDataType type_result, cudaDataType compute);
cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType type_alpha, const void *x, cudaDataType type_x, int incx,
                            void *y, cudaDataType type_y, int incy, cudaDataType compute);
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType type_alpha, void *x, cudaDataType type_x, int incx,
                            cudaDataType compute);
#ifdef __cplusplus
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa,
                           cublasOperation_t transb, int m, int n, int k, const __half *alpha,
                           const __half *A, int lda, const __half *B, int ldb, const __half *beta,
                           __half *C, int ldc);
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa,
                                  cublasOperation_t transb, int m, int n, int k,
                                  const __half *alpha, const __half *const A[], int lda,
                                  const __half *const B[], int ldb, const __half *beta,
                                  __half *const C[], int ldc, int count);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa,
                                         cublasOperation_t transb, int m, int n, int k,
                                         const __half *alpha, const __half *A, int lda,
                                         long long int stride_a, const __half *B, int ldb,
                                         long long int stride_b, const __half *beta, __half *C,
                                         int ldc, long long int stride_c, int count);

} // extern "C"

// Before release 11 the type of the sums was said as that of an element.
static inline cublasComputeType_t __warpscope_compute_type(cudaDataType type) {
  return type == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
         : type == CUDA_R_64F ? CUBLAS_COMPUTE_64F
         : type == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                              : CUBLAS_COMPUTE_32F;
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void *alpha, const void *A, cudaDataType type_a,
                                          int lda, const void *B, cudaDataType type_b, int ldb,
                                          const void *beta, void *C, cudaDataType type_c, int ldc,
                                          cudaDataType compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta,
                      C, type_c, ldc, __warpscope_compute_type(compute), algorithm);
}
static inline cublasStatus_t
cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                    int m, int n, int k, const void *alpha, const void *const A[],
                    cudaDataType type_a, int lda, const void *const B[], cudaDataType type_b,
                    int ldb, const void *beta, void *const C[], cudaDataType type_c, int ldc,
                    int count, cudaDataType compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb,
                             beta, C, type_c, ldc, count, __warpscope_compute_type(compute),
                             algorithm);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,
    const void *alpha, const void *A, cudaDataType type_a, int lda, long long int stride_a,
    const void *B, cudaDataType type_b, int ldb, long long int stride_b, const void *beta, void *C,
    cudaDataType type_c, int ldc, long long int stride_c, int count, cudaDataType compute,
    cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda,
                                    stride_a, B, type_b, ldb, stride_b, beta, C, type_c, ldc,
                                    stride_c, count, __warpscope_compute_type(compute), algorithm);
}
#endif
#include "warpscope/letters_back.h"
