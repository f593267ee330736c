// cuBLAS's copies between triangles that are stored whole and packed, and of vectors of any elements, for programs of NVIDIA's compiler (cuBLAS Library, "BLAS-like Extension").
#include <complex>
#include <cstring>
#include <vector>

#include "wrapper/cuda/libraries/cublas/call.h"
#include "wrapper/cuda/libraries/cublas/elements.h"

namespace warpscope::cuda::cublas {
namespace {

/// Calls `copy(packed element, element of the matrix)` for each element of a triangle, by columns.
template <class Copy>
void for_triangle(cublasFillMode_t uplo, int n, int lda, const Copy& copy) {
  std::size_t next = 0;
  for (int column = 0; column < n; ++column) {
    const bool is_lower = uplo == CUBLAS_FILL_MODE_LOWER;
    const int end = is_lower ? n : column + 1;
    for (int row = is_lower ? column : 0; row < end; ++row) copy(next++, at(row, column, lda));
  }
}

/// Element i of a vector.
std::size_t index_of(int n, int inc, int i) {
  return static_cast<std::size_t>(start(n, inc) + static_cast<std::ptrdiff_t>(i) * inc);
}
/// Also of complex numbers; 0: a type that is not supported.
std::size_t element_bytes(cudaDataType type) {
  return type == CUDA_C_32F ? 8 : type == CUDA_C_64F ? 16 : bytes_of(type);
}

}  // namespace
}  // namespace warpscope::cuda::cublas

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names that cuBLAS gives
namespace warpscope::cuda::cublas {
extern "C" {

#define WARPSCOPE_PACKED(T, X)                                                                           \
  cublasStatus_t cublas##X##tpttr(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* AP, T* A,     \
                                  int lda) {                                                             \
    return run(h, is_one(uplo) && n >= 0 && fits(lda, n), [=] {                                          \
      for_triangle(uplo, n, lda, [=](std::size_t packed, std::size_t whole) { A[whole] = AP[packed]; }); \
    });                                                                                                  \
  }                                                                                                      \
  cublasStatus_t cublas##X##trttp(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* A, int lda,   \
                                  T* AP) {                                                               \
    return run(h, is_one(uplo) && n >= 0 && fits(lda, n), [=] {                                          \
      for_triangle(uplo, n, lda, [=](std::size_t packed, std::size_t whole) { AP[packed] = A[whole]; }); \
    });                                                                                                  \
  }
WARPSCOPE_PACKED(float, S)
WARPSCOPE_PACKED(double, D)
WARPSCOPE_PACKED(std::complex<float>, C)
WARPSCOPE_PACKED(std::complex<double>, Z)

/// Both vectors have the same type.
cublasStatus_t cublasCopyEx(cublasHandle_t h, int n, const void* x, cudaDataType type, int incx, void* y,
                            cudaDataType type_y, int incy) {
  const std::size_t bytes = element_bytes(type);
  if (h != nullptr && (bytes == 0 || type != type_y)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return run(h, true, [=] {
    for (int i = 0; i < n; ++i)
      std::memcpy(static_cast<char*>(y) + index_of(n, incy, i) * bytes,
                  static_cast<const char*>(x) + index_of(n, incx, i) * bytes, bytes);
  });
}
cublasStatus_t cublasSwapEx(cublasHandle_t h, int n, void* x, cudaDataType type, int incx, void* y,
                            cudaDataType type_y, int incy) {
  const std::size_t bytes = element_bytes(type);
  if (h != nullptr && (bytes == 0 || type != type_y)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return run(h, true, [=] {
    for (int i = 0; i < n; ++i) {
      char* const first = static_cast<char*>(x) + index_of(n, incx, i) * bytes;
      std::swap_ranges(first, first + bytes, static_cast<char*>(y) + index_of(n, incy, i) * bytes);
    }
  });
}
/// Of real elements; computed in double, and rounded once.
cublasStatus_t cublasRotEx(cublasHandle_t h, int n, void* x, cudaDataType type, int incx, void* y,
                           cudaDataType type_y, int incy, const void* c, const void* s,
                           cudaDataType type_of_angle, cudaDataType /*execution*/) {
  if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (bytes_of(type) == 0 || type != type_y || bytes_of(type_of_angle) == 0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (c == nullptr || s == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const bool is_host = h->pointer_mode == CUBLAS_POINTER_MODE_HOST;
  const double cosine = is_host ? load(type_of_angle, c, 0) : 0,
               sine = is_host ? load(type_of_angle, s, 0) : 0;
  return run(h, true, [=] {
    const double by_c = is_host ? cosine : load(type_of_angle, c, 0),
                 by_s = is_host ? sine : load(type_of_angle, s, 0);
    for (int i = 0; i < n; ++i) {
      const std::size_t at_x = index_of(n, incx, i), at_y = index_of(n, incy, i);
      const double of_x = load(type, x, at_x), of_y = load(type, y, at_y);
      store(type, x, at_x, by_c * of_x + by_s * of_y);
      store(type, y, at_y, by_c * of_y - by_s * of_x);
    }
  });
}
}
}  // namespace warpscope::cuda::cublas
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
