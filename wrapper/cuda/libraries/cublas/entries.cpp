// cuBLAS's functions of float and double, as programs call them.
#include "wrapper/cuda/libraries/cublas/extensions.h"
#include "wrapper/cuda/libraries/cublas/level1.h"
#include "wrapper/cuda/libraries/cublas/level2.h"
#include "wrapper/cuda/libraries/cublas/level3.h"

// NOLINTBEGIN(readability-identifier-naming): the names that cuBLAS gives
extern "C" {

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments are lists
#define WARPSCOPE_DEFINE(function, name, parameters, arguments) \
  cublasStatus_t function parameters { return warpscope::cuda::cublas::name arguments; }
// NOLINTEND(bugprone-macro-parentheses)

#define WARPSCOPE_REAL float
#define WARPSCOPE_BLAS(name, parameters, arguments) \
  WARPSCOPE_DEFINE(cublasS##name##_v2, name, parameters, arguments)
#define WARPSCOPE_INDEX(name, parameters, arguments) \
  WARPSCOPE_DEFINE(cublasIs##name##_v2, name, parameters, arguments)
#define WARPSCOPE_NEWER(name, parameters, arguments) \
  WARPSCOPE_DEFINE(cublasS##name, name, parameters, arguments)
#include <warpscope/libraries/cublas_functions.h>

#define WARPSCOPE_REAL double
#define WARPSCOPE_BLAS(name, parameters, arguments) \
  WARPSCOPE_DEFINE(cublasD##name##_v2, name, parameters, arguments)
#define WARPSCOPE_INDEX(name, parameters, arguments) \
  WARPSCOPE_DEFINE(cublasId##name##_v2, name, parameters, arguments)
#define WARPSCOPE_NEWER(name, parameters, arguments) \
  WARPSCOPE_DEFINE(cublasD##name, name, parameters, arguments)
#include <warpscope/libraries/cublas_functions.h>
}
// NOLINTEND(readability-identifier-naming)
