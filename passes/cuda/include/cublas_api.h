#pragma once
// cuBLAS: the types, and the functions that know no element type. libwarpscope-cublas has them
// (wrapper/cuda/libraries/cublas). Meanings and numbers: cuBLAS Library.
#define CUBLAS_API_H_ // samples ask for it
#define CUBLASAPI
#define CUBLASWINAPI

#include "cuComplex.h"
#include "library_types.h"
#ifdef __cplusplus
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#endif
#include "warpscope/letters_away.h"

#define CUBLAS_VER_MAJOR 11
#define CUBLAS_VER_MINOR 7
#define CUBLAS_VER_PATCH 4
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 1000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

typedef struct cublasContext *cublasHandle_t;

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum {
  CUBLAS_FILL_MODE_LOWER,
  CUBLAS_FILL_MODE_UPPER,
  CUBLAS_FILL_MODE_FULL
} cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT } cublasSideMode_t;
typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef cudaDataType cublasDataType_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
// Which algorithm is asked for makes no difference.
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO1,
  CUBLAS_GEMM_ALGO2,
  CUBLAS_GEMM_ALGO3,
  CUBLAS_GEMM_ALGO4,
  CUBLAS_GEMM_ALGO5,
  CUBLAS_GEMM_ALGO6,
  CUBLAS_GEMM_ALGO7,
  CUBLAS_GEMM_ALGO8,
  CUBLAS_GEMM_ALGO9,
  CUBLAS_GEMM_ALGO10,
  CUBLAS_GEMM_ALGO11,
  CUBLAS_GEMM_ALGO12,
  CUBLAS_GEMM_ALGO13,
  CUBLAS_GEMM_ALGO14,
  CUBLAS_GEMM_ALGO15,
  CUBLAS_GEMM_ALGO16,
  CUBLAS_GEMM_ALGO17,
  CUBLAS_GEMM_ALGO18,
  CUBLAS_GEMM_ALGO19,
  CUBLAS_GEMM_ALGO20,
  CUBLAS_GEMM_ALGO21,
  CUBLAS_GEMM_ALGO22,
  CUBLAS_GEMM_ALGO23,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO1_TENSOR_OP,
  CUBLAS_GEMM_ALGO2_TENSOR_OP,
  CUBLAS_GEMM_ALGO3_TENSOR_OP,
  CUBLAS_GEMM_ALGO4_TENSOR_OP,
  CUBLAS_GEMM_ALGO5_TENSOR_OP,
  CUBLAS_GEMM_ALGO6_TENSOR_OP,
  CUBLAS_GEMM_ALGO7_TENSOR_OP,
  CUBLAS_GEMM_ALGO8_TENSOR_OP,
  CUBLAS_GEMM_ALGO9_TENSOR_OP,
  CUBLAS_GEMM_ALGO10_TENSOR_OP,
  CUBLAS_GEMM_ALGO11_TENSOR_OP,
  CUBLAS_GEMM_ALGO12_TENSOR_OP,
  CUBLAS_GEMM_ALGO13_TENSOR_OP,
  CUBLAS_GEMM_ALGO14_TENSOR_OP,
  CUBLAS_GEMM_ALGO15_TENSOR_OP
} cublasGemmAlgo_t;

// A function that programs call by two names: the header's, and the library's with _v2.
#define WARPSCOPE_CUBLAS_V2(name, parameters)                                                      \
  cublasStatus_t name##_v2 parameters;                                                             \
  cublasStatus_t name parameters __asm__(#name "_v2");

#ifdef __cplusplus
extern "C" {
#endif

WARPSCOPE_CUBLAS_V2(cublasCreate, (cublasHandle_t * handle))
WARPSCOPE_CUBLAS_V2(cublasDestroy, (cublasHandle_t handle))
WARPSCOPE_CUBLAS_V2(cublasGetVersion, (cublasHandle_t handle, int *version))
WARPSCOPE_CUBLAS_V2(cublasSetStream, (cublasHandle_t handle, cudaStream_t stream))
WARPSCOPE_CUBLAS_V2(cublasGetStream, (cublasHandle_t handle, cudaStream_t *stream))
WARPSCOPE_CUBLAS_V2(cublasSetWorkspace, (cublasHandle_t handle, void *memory, size_t bytes))
WARPSCOPE_CUBLAS_V2(cublasSetPointerMode, (cublasHandle_t handle, cublasPointerMode_t mode))
WARPSCOPE_CUBLAS_V2(cublasGetPointerMode, (cublasHandle_t handle, cublasPointerMode_t *mode))
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);

cublasStatus_t cublasSetVector(int n, int element_bytes, const void *x, int incx, void *device_y,
                               int incy);
cublasStatus_t cublasGetVector(int n, int element_bytes, const void *device_x, int incx, void *y,
                               int incy);
cublasStatus_t cublasSetVectorAsync(int n, int element_bytes, const void *x, int incx,
                                    void *device_y, int incy, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int element_bytes, const void *device_x, int incx,
                                    void *y, int incy, cudaStream_t stream);
cublasStatus_t cublasSetMatrix(int rows, int columns, int element_bytes, const void *A, int lda,
                               void *device_B, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int columns, int element_bytes, const void *device_A,
                               int lda, void *B, int ldb);
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int element_bytes, const void *A,
                                    int lda, void *device_B, int ldb, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int element_bytes, const void *device_A,
                                    int lda, void *B, int ldb, cudaStream_t stream);

#ifdef __cplusplus
} // extern "C"
#endif
#include "warpscope/letters_back.h"
