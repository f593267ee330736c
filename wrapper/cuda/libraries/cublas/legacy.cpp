// cuBLAS as it was before handles: each function calls its successor with the process's one handle.
#include <cublas.h>

#include <cctype>
#include <stdexcept>

// NOLINTBEGIN(readability-identifier-naming): the names that cuBLAS gives
extern "C" {
#define WARPSCOPE_REAL float
#define WARPSCOPE_BLAS(name, parameters, arguments) cublasStatus_t cublasS##name##_v2 parameters;
#define WARPSCOPE_INDEX(name, parameters, arguments) cublasStatus_t cublasIs##name##_v2 parameters;
#define WARPSCOPE_NEWER(name, parameters, arguments)
#include <warpscope/libraries/cublas_functions.h>

#define WARPSCOPE_REAL double
#define WARPSCOPE_BLAS(name, parameters, arguments) cublasStatus_t cublasD##name##_v2 parameters;
#define WARPSCOPE_INDEX(name, parameters, arguments) cublasStatus_t cublasId##name##_v2 parameters;
#define WARPSCOPE_NEWER(name, parameters, arguments)
#include <warpscope/libraries/cublas_functions.h>
}

namespace {

cublasHandle_t the_handle = nullptr;  ///< null: not initialised
cublasStatus_t the_error = CUBLAS_STATUS_SUCCESS;

/// Remembers what went wrong in `function()`, or with a character that it is called with.
template <class Function>
void call(const Function& function) {
  cublasStatus_t status = CUBLAS_STATUS_INVALID_VALUE;
  try {
    status = function();
  } catch (const std::invalid_argument&) {
  }
  if (status != CUBLAS_STATUS_SUCCESS) the_error = status;
}

/// The value that a character stands for, of capitals, too.
template <class Value>
struct Choice {
  char character;
  Value value;
};
template <class Value, std::size_t Count>
Value chosen(char given, const Choice<Value> (&choices)[Count]) {
  for (const auto& choice : choices)
    if (std::tolower(static_cast<unsigned char>(given)) == choice.character) return choice.value;
  throw std::invalid_argument("unknown character");
}
cublasOperation_t operation(char trans) {
  return chosen<cublasOperation_t>(trans, {{'n', CUBLAS_OP_N}, {'t', CUBLAS_OP_T}, {'c', CUBLAS_OP_C}});
}
cublasFillMode_t triangle(char uplo) {
  return chosen<cublasFillMode_t>(uplo, {{'u', CUBLAS_FILL_MODE_UPPER}, {'l', CUBLAS_FILL_MODE_LOWER}});
}
cublasDiagType_t diagonal(char diag) {
  return chosen<cublasDiagType_t>(diag, {{'u', CUBLAS_DIAG_UNIT}, {'n', CUBLAS_DIAG_NON_UNIT}});
}
cublasSideMode_t left_or_right(char side) {
  return chosen<cublasSideMode_t>(side, {{'l', CUBLAS_SIDE_LEFT}, {'r', CUBLAS_SIDE_RIGHT}});
}

}  // namespace

extern "C" {

cublasStatus cublasInit() {
  return the_handle == nullptr ? cublasCreate_v2(&the_handle) : CUBLAS_STATUS_SUCCESS;
}
cublasStatus cublasShutdown() {
  const cublasStatus_t status = cublasDestroy_v2(the_handle);
  the_handle = nullptr;
  return status;
}
cublasStatus cublasGetError() {
  const cublasStatus_t error = the_error;
  the_error = CUBLAS_STATUS_SUCCESS;
  return error;
}
cublasStatus cublasAlloc(int n, int element_bytes, void** device_pointer) {
  if (the_handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n <= 0 || element_bytes <= 0 || device_pointer == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const cudaError_t error =
      cudaMalloc(device_pointer, static_cast<std::size_t>(n) * static_cast<std::size_t>(element_bytes));
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus cublasFree(void* device_pointer) {
  if (the_handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  return cudaFree(device_pointer) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INTERNAL_ERROR;
}
cublasStatus cublasSetKernelStream(cudaStream_t stream) {
  return cublasSetStream_v2(the_handle, stream);
}

// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments are lists
#define WARPSCOPE_CALL(function, arguments) \
  call([&] { return function(the_handle, WARPSCOPE_LIST arguments); })
#define WARPSCOPE_LIST(...) __VA_ARGS__
#define WARPSCOPE_RETURN(type, name, successor, parameters, arguments) \
  type name parameters {                                               \
    type result = 0;                                                   \
    WARPSCOPE_CALL(successor, arguments);                              \
    return result;                                                     \
  }
#define WARPSCOPE_RETURN_NOTHING(name, successor, parameters, arguments) \
  void name parameters { WARPSCOPE_CALL(successor, arguments); }
// NOLINTEND(bugprone-macro-parentheses)

#define WARPSCOPE_REAL float
#define WARPSCOPE_VOID(name, parameters, arguments) \
  WARPSCOPE_RETURN_NOTHING(cublasS##name, cublasS##name##_v2, parameters, arguments)
#define WARPSCOPE_VALUE(name, parameters, arguments) \
  WARPSCOPE_RETURN(float, cublasS##name, cublasS##name##_v2, parameters, arguments)
#define WARPSCOPE_INDEX(name, parameters, arguments) \
  WARPSCOPE_RETURN(int, cublasIs##name, cublasIs##name##_v2, parameters, arguments)
#include <warpscope/libraries/cublas_legacy_functions.h>

#define WARPSCOPE_REAL double
#define WARPSCOPE_VOID(name, parameters, arguments) \
  WARPSCOPE_RETURN_NOTHING(cublasD##name, cublasD##name##_v2, parameters, arguments)
#define WARPSCOPE_VALUE(name, parameters, arguments) \
  WARPSCOPE_RETURN(double, cublasD##name, cublasD##name##_v2, parameters, arguments)
#define WARPSCOPE_INDEX(name, parameters, arguments) \
  WARPSCOPE_RETURN(int, cublasId##name, cublasId##name##_v2, parameters, arguments)
#include <warpscope/libraries/cublas_legacy_functions.h>
}
// NOLINTEND(readability-identifier-naming)
