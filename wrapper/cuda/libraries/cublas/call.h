#pragma once
// What cuBLAS's functions have in common: the handle, scalars on the host or on the device, and checks of arguments.
#include <cublas_v2.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "wrapper/cuda/library_calls.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
};

namespace warpscope::cuda::cublas {

/// alpha or beta: in pointer mode "host" its value when the function is called, else its value when the work is done.
template <class T>
class Scalar {
 public:
  Scalar(cublasHandle_t handle, const T* pointer) : pointer_(pointer) {
    if (handle == nullptr || pointer == nullptr || handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) return;
    value_ = *pointer;
    is_value_ = true;
  }
  [[nodiscard]] bool is_given() const { return pointer_ != nullptr; }
  [[nodiscard]] T get() const { return is_value_ ? value_ : *pointer_; }

 private:
  const T* pointer_;
  T value_{};
  bool is_value_ = false;
};

/// A function's work, if its arguments are right.
template <class Work>
cublasStatus_t run(cublasHandle_t handle, bool arguments_are_right, const Work& work) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!arguments_are_right) return CUBLAS_STATUS_INVALID_VALUE;
  const bool done = warpscopeSubmit(handle->stream, "cuBLAS", work) == cudaSuccess;
  return done ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// The same for a function with a result. In pointer mode "host" the program reads it next, so a stream that is
/// captured cannot have the work: as with every wait for it, its capture becomes invalid.
template <class Work>
cublasStatus_t run_for_result(cublasHandle_t handle, const void* result, const Work& work) {
  if (handle != nullptr && result != nullptr && handle->pointer_mode == CUBLAS_POINTER_MODE_HOST &&
      cudaStreamSynchronize(handle->stream) != cudaSuccess)
    return CUBLAS_STATUS_EXECUTION_FAILED;
  return run(handle, result != nullptr, work);
}

// --- arguments ---

inline bool is_one(cublasOperation_t trans) {
  return trans == CUBLAS_OP_N || trans == CUBLAS_OP_T || trans == CUBLAS_OP_C;
}
inline bool is_one(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}
inline bool is_one(cublasDiagType_t diag) {
  return diag == CUBLAS_DIAG_UNIT || diag == CUBLAS_DIAG_NON_UNIT;
}
inline bool is_one(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}
/// Whether none of the sizes is negative.
template <class... Sizes>
bool are_sizes(Sizes... sizes) {
  return ((sizes >= 0) && ...);
}
/// Whether a leading dimension is as large as the columns.
inline bool fits(int ld, int rows) {
  return ld >= std::max(1, rows);
}
/// The rows that a matrix has in memory if it has `rows` × `columns` as an operand.
inline int rows_of(cublasOperation_t trans, int rows, int columns) {
  return trans == CUBLAS_OP_N ? rows : columns;
}

/// Element (row, column) of a matrix stored by columns.
inline std::size_t at(int row, int column, int ld) {
  return static_cast<std::size_t>(column) * static_cast<std::size_t>(ld) + static_cast<std::size_t>(row);
}
/// Where the first element of a vector is: a negative step begins at the other end.
inline std::ptrdiff_t start(int n, int inc) {
  return inc < 0 ? -static_cast<std::ptrdiff_t>(n - 1) * inc : 0;
}

}  // namespace warpscope::cuda::cublas
