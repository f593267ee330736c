// cuBLAS's products of one triangle with two matrices, of matrices and vectors in batches, and of any elements in groups, for programs of NVIDIA's compiler.
#include <complex>
#include <type_traits>
#include <vector>

#include "wrapper/cuda/libraries/cublas/blas.h"
#include "wrapper/cuda/libraries/cublas/call.h"
#include "wrapper/cuda/libraries/cublas/product.h"

namespace warpscope::cuda::cublas {
namespace {

template <class T>
T conjugate(const T& value) {
  return value;
}
template <class R>
std::complex<R> conjugate(const std::complex<R>& value) {
  return std::conj(value);
}

/// Element (row, column) of op(A).
template <class T>
T element(const T* a, int lda, cublasOperation_t trans, int row, int column) {
  const T found = trans == CUBLAS_OP_N ? a[at(row, column, lda)] : a[at(column, row, lda)];
  return trans == CUBLAS_OP_C ? conjugate(found) : found;
}

/// C = alpha op(A) op(B)ᵀ + beta C of one triangle. `is_hermitian`: op(B)ᴴ, and the diagonal has no imaginary part.
template <class T>
struct Triangle {
  cublasFillMode_t uplo;
  cublasOperation_t trans;
  int n, k, lda, ldb, ldc;
  bool is_hermitian;

  [[nodiscard]] bool is_right() const {
    const int rows = rows_of(trans, n, k);
    const cublasOperation_t other = is_hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
    const bool is_real = !std::is_class_v<T>;
    return is_one(uplo) && (trans == CUBLAS_OP_N || trans == other || (is_real && trans == CUBLAS_OP_C)) &&
           are_sizes(n, k) && fits(lda, rows) && fits(ldb, rows) && fits(ldc, n);
  }
  void compute(T alpha, const T* a, const T* b, T beta, T* c) const {
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < n; ++row) {
        if (uplo == CUBLAS_FILL_MODE_LOWER ? row < column : row > column) continue;
        T sum{};
        for (int i = 0; i < k; ++i) {
          const T other = element(b, ldb, trans, column, i);
          sum += element(a, lda, trans, row, i) * (is_hermitian ? conjugate(other) : other);
        }
        T& to = c[at(row, column, ldc)];
        to = alpha * sum + (beta == T{} ? T{} : beta * to);
        if constexpr (std::is_class_v<T>)
          if (is_hermitian && row == column) to = to.real();
      }
  }
};
template <class T, class Beta>
cublasStatus_t update(cublasHandle_t handle, const Triangle<T>& triangle, const T* alpha, const T* a,
                      const T* b, const Beta* beta, T* c) {
  const Scalar<T> of_product(handle, alpha);
  const Scalar<Beta> of_c(handle, beta);
  return run(handle, triangle.is_right() && of_product.is_given() && of_c.is_given(),
             [=] { triangle.compute(of_product.get(), a, b, of_c.get(), c); });
}

/// y = alpha op(A) x + beta y for each matrix and vectors that `triple(i)` gives. `Sum`: the type of alpha, beta and of the sums.
template <class Sum>
struct Vectors {
  cublasOperation_t trans;
  int m, n, lda, incx, incy, count;

  [[nodiscard]] bool is_right() const {
    return is_one(trans) && are_sizes(m, n, count) && fits(lda, m) && incx != 0 && incy != 0;
  }
  template <class A, class Y>
  void compute(Sum alpha, const A* a, const A* x, Sum beta, Y* y) const {
    const int rows = trans == CUBLAS_OP_N ? m : n, columns = trans == CUBLAS_OP_N ? n : m;
    for (int row = 0; row < rows; ++row) {
      Sum sum{};
      for (int column = 0; column < columns; ++column)
        sum += static_cast<Sum>(element(a, lda, trans, row, column)) *
               static_cast<Sum>(x[start(columns, incx) + static_cast<std::ptrdiff_t>(column) * incx]);
      Y& to = y[start(rows, incy) + static_cast<std::ptrdiff_t>(row) * incy];
      to = static_cast<Y>(alpha * sum + (beta == Sum{} ? Sum{} : beta * static_cast<Sum>(to)));
    }
  }
};
template <class Sum, class Triple>
cublasStatus_t multiply(cublasHandle_t handle, const Vectors<Sum>& vectors, const Sum* alpha, const Sum* beta,
                        const Triple& triple) {
  const Scalar<Sum> of_product(handle, alpha), of_y(handle, beta);
  return run(handle, vectors.is_right() && of_product.is_given() && of_y.is_given(), [=] {
    for (int i = 0; i < vectors.count; ++i) {
      const auto [a, x, y] = triple(i);
      vectors.compute(of_product.get(), a, x, of_y.get(), y);
    }
  });
}
template <class A, class Y>
struct Three {
  const A *a, *x;
  Y* y;
};

std::size_t scalar_bytes(cublasComputeType_t compute) {
  const bool is_half = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
  const bool is_double = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  return is_half ? 2 : is_double ? 8 : 4;
}

}  // namespace
}  // namespace warpscope::cuda::cublas

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names that cuBLAS gives
namespace warpscope::cuda::cublas {
extern "C" {

#define WARPSCOPE_RANK(T, X, name, B, is_hermitian)                                                       \
  cublasStatus_t cublas##X##name(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, \
                                 int k, const T* alpha, const T* A, int lda, const T* B_, int ldb,        \
                                 const B* beta, T* C, int ldc) {                                          \
    return update(h, Triangle<T>{uplo, trans, n, k, lda, ldb, ldc, is_hermitian}, alpha, A, B_, beta, C); \
  }
WARPSCOPE_RANK(float, S, syrkx, float, false)
WARPSCOPE_RANK(double, D, syrkx, double, false)
WARPSCOPE_RANK(std::complex<float>, C, syrkx, std::complex<float>, false)
WARPSCOPE_RANK(std::complex<double>, Z, syrkx, std::complex<double>, false)
WARPSCOPE_RANK(std::complex<float>, C, herkx, float, true)
WARPSCOPE_RANK(std::complex<double>, Z, herkx, double, true)

#define WARPSCOPE_GEMV(name, A_, Y_, Sum)                                                                  \
  cublasStatus_t cublas##name##gemvBatched(                                                                \
      cublasHandle_t h, cublasOperation_t trans, int m, int n, const Sum* alpha, const A_* const A[],      \
      int lda, const A_* const x[], int incx, const Sum* beta, Y_* const y[], int incy, int count) {       \
    return multiply(h, Vectors<Sum>{trans, m, n, lda, incx, incy, count}, alpha, beta, [=](int i) {        \
      return Three<A_, Y_>{A[i], x[i], y[i]};                                                              \
    });                                                                                                    \
  }                                                                                                        \
  cublasStatus_t cublas##name##gemvStridedBatched(cublasHandle_t h, cublasOperation_t trans, int m, int n, \
                                                  const Sum* alpha, const A_* A, int lda, long long of_a,  \
                                                  const A_* x, int incx, long long of_x, const Sum* beta,  \
                                                  Y_* y, int incy, long long of_y, int count) {            \
    return multiply(h, Vectors<Sum>{trans, m, n, lda, incx, incy, count}, alpha, beta, [=](int i) {        \
      return Three<A_, Y_>{A + i * of_a, x + i * of_x, y + i * of_y};                                      \
    });                                                                                                    \
  }
WARPSCOPE_GEMV(S, float, float, float)
WARPSCOPE_GEMV(D, double, double, double)
WARPSCOPE_GEMV(C, std::complex<float>, std::complex<float>, std::complex<float>)
WARPSCOPE_GEMV(Z, std::complex<double>, std::complex<double>, std::complex<double>)
WARPSCOPE_GEMV(HSH, __half, __half, float)
WARPSCOPE_GEMV(HSS, __half, float, float)
WARPSCOPE_GEMV(TST, __nv_bfloat16, __nv_bfloat16, float)
WARPSCOPE_GEMV(TSS, __nv_bfloat16, float, float)

/// Sizes and scalars are on the host, one for each group; the arrays of pointers are in the device's memory.
cublasStatus_t cublasGemmGroupedBatchedEx(cublasHandle_t h, const cublasOperation_t transa[],
                                          const cublasOperation_t transb[], const int m[], const int n[],
                                          const int k[], const void* alpha, const void* const A[],
                                          cudaDataType type_a, const int lda[], const void* const B[],
                                          cudaDataType type_b, const int ldb[], const void* beta,
                                          void* const C[], cudaDataType type_c, const int ldc[], int count,
                                          const int sizes[], cublasComputeType_t compute) {
  if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (count < 0 || alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const cublasPointerMode_t mode = std::exchange(h->pointer_mode, CUBLAS_POINTER_MODE_HOST);
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  std::size_t matrix = 0;
  for (int group = 0; group < count; ++group)
    for (int i = 0; i < sizes[group] && status == CUBLAS_STATUS_SUCCESS; ++i, ++matrix) {
      const std::size_t at = static_cast<std::size_t>(group) * scalar_bytes(compute);
      status = cublasGemmEx(h, transa[group], transb[group], m[group], n[group], k[group],
                            static_cast<const char*>(alpha) + at, A[matrix], type_a, lda[group], B[matrix],
                            type_b, ldb[group], static_cast<const char*>(beta) + at, C[matrix], type_c,
                            ldc[group], compute, CUBLAS_GEMM_DEFAULT);
    }
  h->pointer_mode = mode;
  return status;
}
}
}  // namespace warpscope::cuda::cublas
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
