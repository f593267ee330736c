// cuBLAS's products of complex matrices that are symmetric, Hermitian or triangles, and products in groups, for programs of NVIDIA's compiler: those of the
// BLAS, by its C interface.
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

#include "wrapper/cuda/libraries/cublas/blas.h"
#include "wrapper/cuda/libraries/cublas/call.h"
#include "wrapper/cuda/libraries/cublas/product.h"
#include "wrapper/cuda/libraries/system_library.h"

namespace warpscope::cuda::cublas {
namespace {

/// Functions of one element type. Arguments as in the reference BLAS.
template <class T>
struct Matrix3 {
  using Real = typename T::value_type;
  using In = const void*;
  using Out = void*;
  using OfSide = void(int order, int side, int uplo, int m, int n, In alpha, In a, int lda, In b, int ldb,
                      In beta, Out c, int ldc);
  using OfTwo = void(int order, int uplo, int trans, int n, int k, In alpha, In a, int lda, In b, int ldb,
                     In beta, Out c, int ldc);

  OfSide *hemm, *symm;
  OfTwo* syr2k;
  void (*syrk)(int order, int uplo, int trans, int n, int k, In alpha, In a, int lda, In beta, Out c,
               int ldc);
  void (*her2k)(int order, int uplo, int trans, int n, int k, In alpha, In a, int lda, In b, int ldb,
                Real beta, Out c, int ldc);
  void (*trmm)(int order, int side, int uplo, int trans, int diag, int m, int n, In alpha, In a, int lda,
               Out b, int ldb);

  /// Throws MissingLibrary.
  static const Matrix3& get() {
    static const Matrix3 blas;
    return blas;
  }

 private:
  Matrix3() {
    const SystemLibrary library("cuBLAS", "libblas.so.3", "libblas3");
    const std::string prefix = std::is_same_v<Real, float> ? "cblas_c" : "cblas_z";
    library.find(hemm, prefix + "hemm");
    library.find(symm, prefix + "symm");
    library.find(syr2k, prefix + "syr2k");
    library.find(syrk, prefix + "syrk");
    library.find(her2k, prefix + "her2k");
    library.find(trmm, prefix + "trmm");
  }
};

/// cblas_sgemm and cblas_dgemm.
template <class T>
using Gemm = void(int order, int transa, int transb, int m, int n, int k, T alpha, const T* a, int lda,
                  const T* b, int ldb, T beta, T* c, int ldc);

template <class T>
Gemm<T>* gemm_of_blas() {
  static Gemm<T>* const found = [] {
    const SystemLibrary library("cuBLAS", "libblas.so.3", "libblas3");
    Gemm<T>* function = nullptr;
    library.find(function, std::is_same_v<T, float> ? "cblas_sgemm" : "cblas_dgemm");
    return function;
  }();
  return found;
}

/// A symmetric or Hermitian matrix on one side.
struct Sided {
  cublasSideMode_t side;
  cublasFillMode_t uplo;
  int m, n, lda, ldb, ldc;
  [[nodiscard]] bool is_right() const {
    return is_one(side) && is_one(uplo) && are_sizes(m, n) && fits(lda, side == CUBLAS_SIDE_LEFT ? m : n) &&
           fits(ldb, m) && fits(ldc, m);
  }
};

/// A triangle of a product with a transposed matrix. `other`: the operation that is not N, which the form allows.
struct Updated {
  cublasFillMode_t uplo;
  cublasOperation_t trans, other;
  int n, k, lda, ldb, ldc;
  [[nodiscard]] bool is_right() const {
    const int rows = rows_of(trans, n, k);
    return is_one(uplo) && (trans == CUBLAS_OP_N || trans == other) && are_sizes(n, k) && fits(lda, rows) &&
           fits(ldb, rows) && fits(ldc, n);
  }
};

/// Sizes and scalars of the groups, which the function reads when it is called.
template <class T>
struct Group {
  ProductSizes sizes;
  T alpha, beta;
  int count;
};

template <class T>
cublasStatus_t multiply_groups(cublasHandle_t handle, const std::vector<Group<T>>& groups, const T* const a[],
                               const T* const b[], T* const c[]) {
  bool right = true;
  for (const Group<T>& group : groups) right = right && group.sizes.is_right() && group.count >= 0;
  return run(handle, right && a != nullptr && b != nullptr && c != nullptr, [=] {
    std::size_t at = 0;
    for (const Group<T>& group : groups)
      for (int i = 0; i < group.count; ++i, ++at) {
        const ProductSizes& s = group.sizes;
        gemm_of_blas<T>()(kColumns, number(s.transa), number(s.transb), s.m, s.n, s.k, group.alpha, a[at],
                          s.lda, b[at], s.ldb, group.beta, c[at], s.ldc);
      }
  });
}

}  // namespace
}  // namespace warpscope::cuda::cublas

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names that cuBLAS gives
namespace warpscope::cuda::cublas {
extern "C" {

#define WARPSCOPE_SIDED(T, X, name)                                                                          \
  cublasStatus_t cublas##X##name##_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, int m, \
                                      int n, const T* alpha, const T* A, int lda, const T* B, int ldb,       \
                                      const T* beta, T* C, int ldc) {                                        \
    const Scalar<T> a(h, alpha), b(h, beta);                                                                 \
    const bool right = Sided{side, uplo, m, n, lda, ldb, ldc}.is_right() && a.is_given() && b.is_given();    \
    return run(h, right, [=] {                                                                               \
      const T of_a = a.get(), of_c = b.get();                                                                \
      Matrix3<T>::get().name(kColumns, number(side), number(uplo), m, n, &of_a, A, lda, B, ldb, &of_c, C,    \
                             ldc);                                                                           \
    });                                                                                                      \
  }
#define WARPSCOPE_LEVEL3(T, X, R)                                                                            \
  WARPSCOPE_SIDED(T, X, hemm)                                                                                \
  WARPSCOPE_SIDED(T, X, symm)                                                                                \
  cublasStatus_t cublas##X##syrk_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int n, \
                                    int k, const T* alpha, const T* A, int lda, const T* beta, T* C,         \
                                    int ldc) {                                                               \
    const Scalar<T> a(h, alpha), b(h, beta);                                                                 \
    const bool right = Updated{uplo, trans, CUBLAS_OP_T, n, k, lda, lda, ldc}.is_right();                    \
    return run(h, right && a.is_given() && b.is_given(), [=] {                                               \
      const T of_a = a.get(), of_c = b.get();                                                                \
      Matrix3<T>::get().syrk(kColumns, number(uplo), number(trans), n, k, &of_a, A, lda, &of_c, C, ldc);     \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##syr2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,       \
                                     int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb, \
                                     const T* beta, T* C, int ldc) {                                         \
    const Scalar<T> a(h, alpha), b(h, beta);                                                                 \
    const bool right = Updated{uplo, trans, CUBLAS_OP_T, n, k, lda, ldb, ldc}.is_right();                    \
    return run(h, right && a.is_given() && b.is_given(), [=] {                                               \
      const T of_a = a.get(), of_c = b.get();                                                                \
      Matrix3<T>::get().syr2k(kColumns, number(uplo), number(trans), n, k, &of_a, A, lda, B, ldb, &of_c, C,  \
                              ldc);                                                                          \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##her2k_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,       \
                                     int n, int k, const T* alpha, const T* A, int lda, const T* B, int ldb, \
                                     const R* beta, T* C, int ldc) {                                         \
    const Scalar<T> a(h, alpha);                                                                             \
    const Scalar<R> b(h, beta);                                                                              \
    const bool right = Updated{uplo, trans, CUBLAS_OP_C, n, k, lda, ldb, ldc}.is_right();                    \
    return run(h, right && a.is_given() && b.is_given(), [=] {                                               \
      const T of_a = a.get();                                                                                \
      Matrix3<T>::get().her2k(kColumns, number(uplo), number(trans), n, k, &of_a, A, lda, B, ldb, b.get(),   \
                              C, ldc);                                                                       \
    });                                                                                                      \
  }                                                                                                          \
  /* cuBLAS's form: B stays what it is, unless C is B. */                                                    \
  cublasStatus_t cublas##X##trmm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,          \
                                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n,            \
                                    const T* alpha, const T* A, int lda, const T* B, int ldb, T* C,          \
                                    int ldc) {                                                               \
    const Scalar<T> a(h, alpha);                                                                             \
    const bool right = Sided{side, uplo, m, n, lda, ldb, ldc}.is_right() && is_one(trans) && is_one(diag);   \
    return run(h, right && (B != C || ldb == ldc) && a.is_given(), [=] {                                     \
      for (int column = 0; column < n && B != C; ++column)                                                   \
        std::copy_n(B + at(0, column, ldb), m, C + at(0, column, ldc));                                      \
      const T of_a = a.get();                                                                                \
      Matrix3<T>::get().trmm(kColumns, number(side), number(uplo), number(trans), number(diag), m, n, &of_a, \
                             A, lda, C, ldc);                                                                \
    });                                                                                                      \
  }
WARPSCOPE_LEVEL3(std::complex<float>, C, float)
WARPSCOPE_LEVEL3(std::complex<double>, Z, double)

/// Sizes and scalars are on the host, one for each group; the arrays of pointers are in the device's memory.
#define WARPSCOPE_GROUPED(T, X)                                                                             \
  cublasStatus_t cublas##X##gemmGroupedBatched(                                                             \
      cublasHandle_t h, const cublasOperation_t transa[], const cublasOperation_t transb[], const int m[],  \
      const int n[], const int k[], const T alpha[], const T* const A[], const int lda[],                   \
      const T* const B[], const int ldb[], const T beta[], T* const C[], const int ldc[], int count,        \
      const int sizes[]) {                                                                                  \
    std::vector<Group<T>> groups;                                                                           \
    if (count < 0) return CUBLAS_STATUS_INVALID_VALUE;                                                      \
    groups.reserve(static_cast<std::size_t>(count));                                                        \
    for (int i = 0; i < count; ++i)                                                                         \
      groups.push_back(                                                                                     \
          {{transa[i], transb[i], m[i], n[i], k[i], lda[i], ldb[i], ldc[i]}, alpha[i], beta[i], sizes[i]}); \
    return multiply_groups(h, groups, A, B, C);                                                             \
  }
WARPSCOPE_GROUPED(float, S)
WARPSCOPE_GROUPED(double, D)
}
}  // namespace warpscope::cuda::cublas
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
