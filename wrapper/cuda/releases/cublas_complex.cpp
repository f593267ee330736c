// cuBLAS's functions of complex elements, for programs of NVIDIA's compiler: those of the BLAS, by its C interface.
#include <complex>
#include <string>
#include <type_traits>

#include "wrapper/cuda/libraries/cublas/blas.h"
#include "wrapper/cuda/libraries/cublas/call.h"
#include "wrapper/cuda/libraries/cublas/product.h"
#include "wrapper/cuda/libraries/system_library.h"

namespace warpscope::cuda::cublas {
namespace {

/// Functions of one element type; scalars are given by their address. Arguments as in the reference BLAS.
template <class T>
struct Complex {
  using Real = typename T::value_type;
  using In = const void*;
  using Out = void*;

  void (*axpy)(int n, In alpha, In x, int incx, Out y, int incy);
  void (*copy)(int n, In x, int incx, Out y, int incy);
  void (*swap)(int n, Out x, int incx, Out y, int incy);
  void (*scal)(int n, In alpha, Out x, int incx);
  void (*dotu)(int n, In x, int incx, In y, int incy, Out result);
  void (*dotc)(int n, In x, int incx, In y, int incy, Out result);
  Real (*nrm2)(int n, In x, int incx);
  Real (*asum)(int n, In x, int incx);
  void (*gemv)(int order, int trans, int m, int n, In alpha, In a, int lda, In x, int incx, In beta, Out y,
               int incy);
  void (*geru)(int order, int m, int n, In alpha, In x, int incx, In y, int incy, Out a, int lda);
  void (*gerc)(int order, int m, int n, In alpha, In x, int incx, In y, int incy, Out a, int lda);
  void (*gemm)(int order, int transa, int transb, int m, int n, int k, In alpha, In a, int lda, In b, int ldb,
               In beta, Out c, int ldc);
  void (*herk)(int order, int uplo, int trans, int n, int k, Real alpha, In a, int lda, Real beta, Out c,
               int ldc);
  void (*trsm)(int order, int side, int uplo, int trans, int diag, int m, int n, In alpha, In a, int lda,
               Out b, int ldb);

  /// Throws MissingLibrary.
  static const Complex& get() {
    static const Complex blas;
    return blas;
  }

 private:
  Complex() {
    const SystemLibrary library("cuBLAS", "libblas.so.3", "libblas3");
    constexpr bool kIsFloat = std::is_same_v<Real, float>;
    const std::string prefix = kIsFloat ? "cblas_c" : "cblas_z";
    const std::string of_result = kIsFloat ? "cblas_sc" : "cblas_dz";
    library.find(axpy, prefix + "axpy");
    library.find(copy, prefix + "copy");
    library.find(swap, prefix + "swap");
    library.find(scal, prefix + "scal");
    library.find(dotu, prefix + "dotu_sub");
    library.find(dotc, prefix + "dotc_sub");
    library.find(nrm2, of_result + "nrm2");
    library.find(asum, of_result + "asum");
    library.find(gemv, prefix + "gemv");
    library.find(geru, prefix + "geru");
    library.find(gerc, prefix + "gerc");
    library.find(gemm, prefix + "gemm");
    library.find(herk, prefix + "herk");
    library.find(trsm, prefix + "trsm");
  }
};

struct Product : ProductSizes {
  template <class T>
  void compute(T alpha, const T* a, const T* b, T beta, T* c) const {
    Complex<T>::get().gemm(kColumns, number(transa), number(transb), m, n, k, &alpha, a, lda, b, ldb, &beta,
                           c, ldc);
  }
};

/// A product with one pair of scalars, of `count` pairs of matrices that `pair(i)` gives.
template <class T, class Pair>
cublasStatus_t multiply(cublasHandle_t handle, const Product& product, const T* alpha, const T* beta,
                        int count, const Pair& pair) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  return run(handle, product.is_right() && count >= 0 && a.is_given() && b.is_given(), [=] {
    for (int i = 0; i < count; ++i) {
      const auto [one, other, into] = pair(i);
      product.compute(a.get(), one, other, b.get(), into);
    }
  });
}
template <class T>
struct Matrices {
  const T *a, *b;
  T* c;
};

/// The place of the first element whose |re| + |im| is extreme, from 1; 0 of none.
template <class T>
cublasStatus_t extreme(cublasHandle_t handle, int n, const T* x, int incx, int* result, bool is_largest) {
  return run_for_result(handle, result, [=] {
    const auto size = [=](int i) {
      const T& element = x[at(0, i, incx)];
      return std::abs(element.real()) + std::abs(element.imag());
    };
    int best = 0;
    for (int i = 1; i < n && incx > 0; ++i)
      if (is_largest ? size(i) > size(best) : size(i) < size(best)) best = i;
    *result = n < 1 || incx < 1 ? 0 : best + 1;
  });
}

}  // namespace
}  // namespace warpscope::cuda::cublas

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names that cuBLAS gives
namespace warpscope::cuda::cublas {
extern "C" {

/// The functions of type T, whose letter is X; R is the real type's, NORM the beginning of names of real results.
#define WARPSCOPE_COMPLEX(T, X, x_, R, NORM, REAL_SCAL)                                                      \
  cublasStatus_t cublas##X##axpy_v2(cublasHandle_t h, int n, const T* alpha, const T* x, int incx, T* y,     \
                                    int incy) {                                                              \
    const Scalar<T> a(h, alpha);                                                                             \
    return run(h, a.is_given(), [=] {                                                                        \
      const T factor = a.get();                                                                              \
      Complex<T>::get().axpy(n, &factor, x, incx, y, incy);                                                  \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##copy_v2(cublasHandle_t h, int n, const T* x, int incx, T* y, int incy) {         \
    return run(h, true, [=] { Complex<T>::get().copy(n, x, incx, y, incy); });                               \
  }                                                                                                          \
  cublasStatus_t cublas##X##swap_v2(cublasHandle_t h, int n, T* x, int incx, T* y, int incy) {               \
    return run(h, true, [=] { Complex<T>::get().swap(n, x, incx, y, incy); });                               \
  }                                                                                                          \
  cublasStatus_t cublas##X##scal_v2(cublasHandle_t h, int n, const T* alpha, T* x, int incx) {               \
    const Scalar<T> a(h, alpha);                                                                             \
    return run(h, a.is_given(), [=] {                                                                        \
      const T factor = a.get();                                                                              \
      Complex<T>::get().scal(n, &factor, x, incx);                                                           \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##REAL_SCAL##_v2(cublasHandle_t h, int n, const R* alpha, T* x, int incx) {           \
    const Scalar<R> a(h, alpha);                                                                             \
    return run(h, a.is_given(), [=] {                                                                        \
      const T factor = a.get();                                                                              \
      Complex<T>::get().scal(n, &factor, x, incx);                                                           \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##dotu_v2(cublasHandle_t h, int n, const T* x, int incx, const T* y, int incy,     \
                                    T* result) {                                                             \
    return run_for_result(h, result, [=] { Complex<T>::get().dotu(n, x, incx, y, incy, result); });          \
  }                                                                                                          \
  cublasStatus_t cublas##X##dotc_v2(cublasHandle_t h, int n, const T* x, int incx, const T* y, int incy,     \
                                    T* result) {                                                             \
    return run_for_result(h, result, [=] { Complex<T>::get().dotc(n, x, incx, y, incy, result); });          \
  }                                                                                                          \
  cublasStatus_t cublas##NORM##nrm2_v2(cublasHandle_t h, int n, const T* x, int incx, R* result) {           \
    return run_for_result(h, result,                                                                         \
                          [=] { *result = n < 1 || incx < 1 ? 0 : Complex<T>::get().nrm2(n, x, incx); });    \
  }                                                                                                          \
  cublasStatus_t cublas##NORM##asum_v2(cublasHandle_t h, int n, const T* x, int incx, R* result) {           \
    return run_for_result(h, result,                                                                         \
                          [=] { *result = n < 1 || incx < 1 ? 0 : Complex<T>::get().asum(n, x, incx); });    \
  }                                                                                                          \
  cublasStatus_t cublasI##x_##amax_v2(cublasHandle_t h, int n, const T* x, int incx, int* result) {          \
    return extreme(h, n, x, incx, result, true);                                                             \
  }                                                                                                          \
  cublasStatus_t cublasI##x_##amin_v2(cublasHandle_t h, int n, const T* x, int incx, int* result) {          \
    return extreme(h, n, x, incx, result, false);                                                            \
  }                                                                                                          \
  cublasStatus_t cublas##X##gemv_v2(cublasHandle_t h, cublasOperation_t trans, int m, int n, const T* alpha, \
                                    const T* A, int lda, const T* x, int incx, const T* beta, T* y,          \
                                    int incy) {                                                              \
    const Scalar<T> a(h, alpha), b(h, beta);                                                                 \
    const bool right = is_one(trans) && are_sizes(m, n) && fits(lda, m) && incx != 0 && incy != 0;           \
    return run(h, right && a.is_given() && b.is_given(), [=] {                                               \
      const T of_a = a.get(), of_y = b.get();                                                                \
      Complex<T>::get().gemv(kColumns, number(trans), m, n, &of_a, A, lda, x, incx, &of_y, y, incy);         \
    });                                                                                                      \
  }                                                                                                          \
  WARPSCOPE_RANK_ONE(T, X, geru)                                                                             \
  WARPSCOPE_RANK_ONE(T, X, gerc)                                                                             \
  cublasStatus_t cublas##X##gemm_v2(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb,    \
                                    int m, int n, int k, const T* alpha, const T* A, int lda, const T* B,    \
                                    int ldb, const T* beta, T* C, int ldc) {                                 \
    return multiply(h, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta, 1, [=](int) {                  \
      return Matrices<T>{A, B, C};                                                                           \
    });                                                                                                      \
  }                                                                                                          \
  decltype(cublas##X##gemm_v2) cublas##X##gemm3m __attribute__((alias("cublas" #X "gemm_v2")));              \
  cublasStatus_t cublas##X##gemmBatched(cublasHandle_t h, cublasOperation_t transa,                          \
                                        cublasOperation_t transb, int m, int n, int k, const T* alpha,       \
                                        const T* const A[], int lda, const T* const B[], int ldb,            \
                                        const T* beta, T* const C[], int ldc, int count) {                   \
    return multiply(h, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta, count, [=](int i) {            \
      return Matrices<T>{A[i], B[i], C[i]};                                                                  \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##gemmStridedBatched(                                                              \
      cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,             \
      const T* alpha, const T* A, int lda, long long step_a, const T* B, int ldb, long long step_b,          \
      const T* beta, T* C, int ldc, long long step_c, int count) {                                           \
    return multiply(h, {transa, transb, m, n, k, lda, ldb, ldc}, alpha, beta, count, [=](int i) {            \
      return Matrices<T>{A + i * step_a, B + i * step_b, C + i * step_c};                                    \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##herk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, \
                                    int k, const R* alpha, const T* A, int lda, const R* beta, T* C,         \
                                    int ldc) {                                                               \
    const Scalar<R> a(h, alpha), b(h, beta);                                                                 \
    const bool right = is_one(uplo) && (trans == CUBLAS_OP_N || trans == CUBLAS_OP_C) && are_sizes(n, k) &&  \
                       fits(lda, rows_of(trans, n, k)) && fits(ldc, n);                                      \
    return run(h, right && a.is_given() && b.is_given(), [=] {                                               \
      Complex<T>::get().herk(kColumns, number(uplo), number(trans), n, k, a.get(), A, lda, b.get(), C, ldc); \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##trsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,          \
                                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n,            \
                                    const T* alpha, const T* A, int lda, T* B, int ldb) {                    \
    const Scalar<T> a(h, alpha);                                                                             \
    const bool right = is_one(side) && is_one(uplo) && is_one(trans) && is_one(diag) && are_sizes(m, n) &&   \
                       fits(lda, side == CUBLAS_SIDE_LEFT ? m : n) && fits(ldb, m);                          \
    return run(h, right && a.is_given(), [=] {                                                               \
      const T factor = a.get();                                                                              \
      Complex<T>::get().trsm(kColumns, number(side), number(uplo), number(trans), number(diag), m, n,        \
                             &factor, A, lda, B, ldb);                                                       \
    });                                                                                                      \
  }
#define WARPSCOPE_RANK_ONE(T, X, name)                                                                      \
  cublasStatus_t cublas##X##name##_v2(cublasHandle_t h, int m, int n, const T* alpha, const T* x, int incx, \
                                      const T* y, int incy, T* A, int lda) {                                \
    const Scalar<T> a(h, alpha);                                                                            \
    return run(h, are_sizes(m, n) && fits(lda, m) && incx != 0 && incy != 0 && a.is_given(), [=] {          \
      const T factor = a.get();                                                                             \
      Complex<T>::get().name(kColumns, m, n, &factor, x, incx, y, incy, A, lda);                            \
    });                                                                                                     \
  }

WARPSCOPE_COMPLEX(std::complex<float>, C, c, float, Sc, Csscal)
WARPSCOPE_COMPLEX(std::complex<double>, Z, z, double, Dz, Zdscal)
}
}  // namespace warpscope::cuda::cublas
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
