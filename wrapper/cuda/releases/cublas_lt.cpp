// cuBLASLt as NVIDIA's headers call it: functions of a library. Those of our own header are inline; numbers of attributes and the layout of results
// are the same ("Using the cublasLt API", 11.5 to 13.0), and descriptors are only pointers.
#include <cublasLt.h>

#include <cstdint>

/// Exports the header's function of that name.
#define WARPSCOPE_LT(function, parameters, arguments)                           \
  extern "C" cublasStatus_t warpscope_##function parameters __asm__(#function); \
  extern "C" cublasStatus_t warpscope_##function parameters { return function arguments; }

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses)
WARPSCOPE_LT(cublasLtCreate, (cublasLtHandle_t * handle), (handle))
WARPSCOPE_LT(cublasLtDestroy, (cublasLtHandle_t handle), (handle))
WARPSCOPE_LT(cublasLtMatmulDescCreate,
             (cublasLtMatmulDesc_t * desc, cublasComputeType_t compute, cudaDataType scale),
             (desc, compute, scale))
WARPSCOPE_LT(cublasLtMatmulDescDestroy, (cublasLtMatmulDesc_t desc), (desc))
WARPSCOPE_LT(cublasLtMatmulDescSetAttribute,
             (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const void* value,
              std::size_t bytes),
             (desc, attribute, value, bytes))
WARPSCOPE_LT(cublasLtMatrixLayoutCreate,
             (cublasLtMatrixLayout_t * layout, cudaDataType type, std::uint64_t rows, std::uint64_t columns,
              std::int64_t ld),
             (layout, type, rows, columns, ld))
WARPSCOPE_LT(cublasLtMatrixLayoutDestroy, (cublasLtMatrixLayout_t layout), (layout))
WARPSCOPE_LT(cublasLtMatmulPreferenceCreate, (cublasLtMatmulPreference_t * preference), (preference))
WARPSCOPE_LT(cublasLtMatmulPreferenceDestroy, (cublasLtMatmulPreference_t preference), (preference))
WARPSCOPE_LT(cublasLtMatmulPreferenceSetAttribute,
             (cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,
              const void* value, std::size_t bytes),
             (preference, attribute, value, bytes))
WARPSCOPE_LT(cublasLtMatmulAlgoGetHeuristic,
             (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
              cublasLtMatmulPreference_t preference, int requested, cublasLtMatmulHeuristicResult_t* results,
              int* returned),
             (handle, desc, a, b, c, d, preference, requested, results, returned))
WARPSCOPE_LT(cublasLtMatmul,
             (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void* alpha, const void* a,
              cublasLtMatrixLayout_t of_a, const void* b, cublasLtMatrixLayout_t of_b, const void* beta,
              const void* c, cublasLtMatrixLayout_t of_c, void* d, cublasLtMatrixLayout_t of_d,
              const cublasLtMatmulAlgo_t* algo, void* workspace, std::size_t bytes, cudaStream_t stream),
             (handle, desc, alpha, a, of_a, b, of_b, beta, c, of_c, d, of_d, algo, workspace, bytes, stream))
WARPSCOPE_LT(cublasLtMatrixLayoutSetAttribute,
             (cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, const void* value,
              std::size_t bytes),
             (layout, attribute, value, bytes))
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
