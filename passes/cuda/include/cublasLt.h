#pragma once
// cuBLASLt: products of matrices with descriptions as objects, by cublasGemmEx. Names, numbers and
// meanings: cuBLAS Library, "Using the cublasLt API". C++ only.
#include "cublas_v2.h"

#include <stdint.h>
#include <string.h>

#include "warpscope/letters_away.h"

typedef struct cublasLtContext *cublasLtHandle_t;
typedef enum {
  CUBLASLT_MATMUL_DESC_COMPUTE_TYPE = 0,
  CUBLASLT_MATMUL_DESC_SCALE_TYPE = 1,
  CUBLASLT_MATMUL_DESC_POINTER_MODE = 2,
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8
} cublasLtMatmulDescAttributes_t;
typedef enum {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_RELU_BIAS = 6,
  CUBLASLT_EPILOGUE_GELU = 32,
  CUBLASLT_EPILOGUE_GELU_BIAS = 36
} cublasLtEpilogue_t;
typedef enum {
  CUBLASLT_MATRIX_LAYOUT_TYPE = 0,
  CUBLASLT_MATRIX_LAYOUT_ORDER = 1,
  CUBLASLT_MATRIX_LAYOUT_ROWS = 2,
  CUBLASLT_MATRIX_LAYOUT_COLS = 3,
  CUBLASLT_MATRIX_LAYOUT_LD = 4,
  CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
  CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6
} cublasLtMatrixLayoutAttribute_t;
typedef enum { CUBLASLT_ORDER_COL = 0, CUBLASLT_ORDER_ROW = 1 } cublasLtOrder_t;
typedef enum { CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1 } cublasLtMatmulPreferenceAttributes_t;

struct cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute;
  cudaDataType scale;
  cublasOperation_t transa, transb;
  cublasLtEpilogue_t epilogue;
  const void *bias;
};
struct cublasLtMatrixLayoutOpaque_t {
  cudaDataType type;
  uint64_t rows, columns;
  int64_t ld;
  int32_t batch;  // number of matrices
  int64_t stride; // elements from one to the next
};
struct cublasLtMatmulPreferenceOpaque_t {
  size_t workspace;
};
typedef cublasLtMatmulDescOpaque_t *cublasLtMatmulDesc_t;
typedef cublasLtMatrixLayoutOpaque_t *cublasLtMatrixLayout_t;
typedef cublasLtMatmulPreferenceOpaque_t *cublasLtMatmulPreference_t;
struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};

static inline cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  return cublasCreate((cublasHandle_t *)handle);
}
static inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return cublasDestroy((cublasHandle_t)handle);
}
static inline size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }

static inline cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc,
                                                      cublasComputeType_t compute,
                                                      cudaDataType scale) {
  *desc = new cublasLtMatmulDescOpaque_t{
      compute, scale, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, nullptr};
  return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc) {
  delete desc;
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
static inline cublasStatus_t __warpscope_set(T *member, const void *value, size_t bytes) {
  if (value == nullptr || bytes != sizeof(T))
    return CUBLAS_STATUS_INVALID_VALUE;
  memcpy(member, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                               const void *value, size_t bytes) {
  switch (attribute) {
  case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE:
    return __warpscope_set(&desc->compute, value, bytes);
  case CUBLASLT_MATMUL_DESC_SCALE_TYPE:
    return __warpscope_set(&desc->scale, value, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSA:
    return __warpscope_set(&desc->transa, value, bytes);
  case CUBLASLT_MATMUL_DESC_TRANSB:
    return __warpscope_set(&desc->transb, value, bytes);
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    return __warpscope_set(&desc->epilogue, value, bytes);
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    return __warpscope_set(&desc->bias, value, bytes);
  default:
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
static inline cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                                        cudaDataType type, uint64_t rows,
                                                        uint64_t columns, int64_t ld) {
  *layout = new cublasLtMatrixLayoutOpaque_t{type, rows, columns, ld, 1, 0};
  return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}
// Orders of elements other than by columns are not supported.
static inline cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                 cublasLtMatrixLayoutAttribute_t attribute, const void *value,
                                 size_t bytes) {
  int32_t order = CUBLASLT_ORDER_COL, batch = 0;
  switch (attribute) {
  case CUBLASLT_MATRIX_LAYOUT_TYPE:
    return __warpscope_set(&layout->type, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_ORDER:
    if (__warpscope_set(&order, value, bytes) != CUBLAS_STATUS_SUCCESS)
      return CUBLAS_STATUS_INVALID_VALUE;
    return order == CUBLASLT_ORDER_COL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
  case CUBLASLT_MATRIX_LAYOUT_ROWS:
    return __warpscope_set(&layout->rows, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_COLS:
    return __warpscope_set(&layout->columns, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_LD:
    return __warpscope_set(&layout->ld, value, bytes);
  case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
    if (__warpscope_set(&batch, value, bytes) != CUBLAS_STATUS_SUCCESS || batch < 1)
      return CUBLAS_STATUS_INVALID_VALUE;
    layout->batch = batch;
    return CUBLAS_STATUS_SUCCESS;
  case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
    return __warpscope_set(&layout->stride, value, bytes);
  default:
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
static inline cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  *preference = new cublasLtMatmulPreferenceOpaque_t{0};
  return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t
cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                     cublasLtMatmulPreferenceAttributes_t attribute,
                                     const void *value, size_t bytes) {
  return attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
             ? __warpscope_set(&preference->workspace, value, bytes)
             : CUBLAS_STATUS_NOT_SUPPORTED;
}
// There is one way to compute; it needs no workspace.
static inline cublasStatus_t
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                               cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                               cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int requested,
                               cublasLtMatmulHeuristicResult_t results[], int *returned) {
  if (requested < 1)
    return CUBLAS_STATUS_INVALID_VALUE;
  results[0] = cublasLtMatmulHeuristicResult_t{};
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

static inline size_t __warpscope_bytes_of(cudaDataType type) {
  return type == CUDA_R_64F                          ? 8
         : type == CUDA_R_16F || type == CUDA_R_16BF ? 2
         : type == CUDA_R_8I                         ? 1
                                                     : 4;
}
// Both zeros of the type that sums have: the sign is the highest bit.
static inline bool __warpscope_is_zero(const void *value, size_t bytes) {
  uint64_t bits = 0;
  memcpy(&bits, value, bytes);
  return bits << (65 - 8 * bytes) == 0;
}
// D gets what the product is added to: C, or the bias in every column.
static inline bool __warpscope_prepare(const cublasLtMatmulDescOpaque_t &desc, const void *c,
                                       const cublasLtMatrixLayoutOpaque_t &from, void *d,
                                       const cublasLtMatrixLayoutOpaque_t &to, bool adds_c,
                                       cudaStream_t stream) {
  const size_t element = __warpscope_bytes_of(to.type), bytes = to.rows * element;
  if (adds_c)
    return c == d || cudaMemcpy2DAsync(d, to.ld * element, c, from.ld * element, bytes, to.columns,
                                       cudaMemcpyDeviceToDevice, stream) == cudaSuccess;
  for (uint64_t i = 0; desc.epilogue == CUBLASLT_EPILOGUE_BIAS && i < to.columns; ++i)
    if (cudaMemcpyAsync((char *)d + i * to.ld * element, desc.bias, bytes, cudaMemcpyDeviceToDevice,
                        stream) != cudaSuccess)
      return false;
  return true;
}
// Where the matrix of a number in a batch is, in a matrix that is given by its first one.
static inline size_t __warpscope_batch_offset(const cublasLtMatrixLayoutOpaque_t &of, int number) {
  return (size_t)of.stride * __warpscope_bytes_of(of.type) * number;
}
// One product. The other epilogues, and a bias with a C that counts, are not supported.
static inline cublasStatus_t __warpscope_product(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                                 const void *alpha, const void *A,
                                                 cublasLtMatrixLayout_t a, const void *B,
                                                 cublasLtMatrixLayout_t b, const void *beta,
                                                 const void *C, cublasLtMatrixLayout_t c, void *D,
                                                 cublasLtMatrixLayout_t d, cudaStream_t stream) {
  const bool has_bias = desc->epilogue == CUBLASLT_EPILOGUE_BIAS;
  const float one = 1;
  const size_t sum_bytes = __warpscope_bytes_of(desc->scale);
  bool is_known = desc->scale == CUDA_R_32F || desc->scale == CUDA_R_64F;
  is_known |= desc->scale == CUDA_R_16F && desc->compute == CUBLAS_COMPUTE_16F;
  if (!is_known || (has_bias && desc->scale != CUDA_R_32F) || c->type != d->type ||
      (!has_bias && desc->epilogue != CUBLASLT_EPILOGUE_DEFAULT))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool adds_c = !__warpscope_is_zero(beta, sum_bytes);
  if (has_bias && adds_c)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!__warpscope_prepare(*desc, C, *c, D, *d, adds_c, stream))
    return CUBLAS_STATUS_INVALID_VALUE;
  cublasSetStream((cublasHandle_t)handle, stream);
  const bool is_turned = desc->transa != CUBLAS_OP_N;
  return cublasGemmEx((cublasHandle_t)handle, desc->transa, desc->transb, (int)d->rows,
                      (int)d->columns, (int)(is_turned ? a->rows : a->columns), alpha, A, a->type,
                      (int)a->ld, B, b->type, (int)b->ld, has_bias ? &one : beta, D, d->type,
                      (int)d->ld, desc->compute, CUBLAS_GEMM_DEFAULT);
}
static inline cublasStatus_t
cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *A,
               cublasLtMatrixLayout_t a, const void *B, cublasLtMatrixLayout_t b, const void *beta,
               const void *C, cublasLtMatrixLayout_t c, void *D, cublasLtMatrixLayout_t d,
               const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t stream) {
  if (a->batch != d->batch || b->batch != d->batch || c->batch != d->batch)
    return CUBLAS_STATUS_INVALID_VALUE;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < d->batch && status == CUBLAS_STATUS_SUCCESS; ++i)
    status =
        __warpscope_product(handle, desc, alpha, (const char *)A + __warpscope_batch_offset(*a, i),
                            a, (const char *)B + __warpscope_batch_offset(*b, i), b, beta,
                            (const char *)C + __warpscope_batch_offset(*c, i), c,
                            (char *)D + __warpscope_batch_offset(*d, i), d, stream);
  return status;
}
#include "warpscope/letters_back.h"
