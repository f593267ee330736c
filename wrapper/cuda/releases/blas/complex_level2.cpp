// cuBLAS's functions of matrices and vectors of complex elements, and rotations of them, for programs of NVIDIA's compiler: those of the BLAS, by its C interface.
#include <complex>
#include <string>
#include <type_traits>

#include "wrapper/cuda/libraries/cublas/blas.h"
#include "wrapper/cuda/libraries/cublas/call.h"
#include "wrapper/cuda/libraries/system_library.h"

namespace warpscope::cuda::cublas {
namespace {

/// Functions of one element type. Arguments as in the reference BLAS.
template <class T>
struct Matrix2 {
  using Real = typename T::value_type;
  using In = const void*;
  using Out = void*;
  using OfTriangle = void(int order, int uplo, int trans, int diag, int n, In a, int lda, Out x, int incx);
  using OfBand = void(int order, int uplo, int trans, int diag, int n, int k, In a, int lda, Out x, int incx);
  using OfPacked = void(int order, int uplo, int trans, int diag, int n, In a, Out x, int incx);

  void (*gbmv)(int order, int trans, int m, int n, int kl, int ku, In alpha, In a, int lda, In x, int incx,
               In beta, Out y, int incy);
  void (*hemv)(int order, int uplo, int n, In alpha, In a, int lda, In x, int incx, In beta, Out y, int incy);
  void (*hbmv)(int order, int uplo, int n, int k, In alpha, In a, int lda, In x, int incx, In beta, Out y,
               int incy);
  void (*hpmv)(int order, int uplo, int n, In alpha, In a, In x, int incx, In beta, Out y, int incy);
  void (*her)(int order, int uplo, int n, Real alpha, In x, int incx, Out a, int lda);
  void (*hpr)(int order, int uplo, int n, Real alpha, In x, int incx, Out a);
  void (*her2)(int order, int uplo, int n, In alpha, In x, int incx, In y, int incy, Out a, int lda);
  void (*hpr2)(int order, int uplo, int n, In alpha, In x, int incx, In y, int incy, Out a);
  OfTriangle *trmv, *trsv;
  OfBand *tbmv, *tbsv;
  OfPacked *tpmv, *tpsv;

  /// Throws MissingLibrary.
  static const Matrix2& get() {
    static const Matrix2 blas;
    return blas;
  }

 private:
  Matrix2() {
    const SystemLibrary library("cuBLAS", "libblas.so.3", "libblas3");
    const std::string prefix = std::is_same_v<Real, float> ? "cblas_c" : "cblas_z";
    library.find(gbmv, prefix + "gbmv");
    library.find(hemv, prefix + "hemv");
    library.find(hbmv, prefix + "hbmv");
    library.find(hpmv, prefix + "hpmv");
    library.find(her, prefix + "her");
    library.find(hpr, prefix + "hpr");
    library.find(her2, prefix + "her2");
    library.find(hpr2, prefix + "hpr2");
    library.find(trmv, prefix + "trmv");
    library.find(trsv, prefix + "trsv");
    library.find(tbmv, prefix + "tbmv");
    library.find(tbsv, prefix + "tbsv");
    library.find(tpmv, prefix + "tpmv");
    library.find(tpsv, prefix + "tpsv");
  }
};

/// Symmetric matrices of complex elements, which the BLAS does not have: one triangle of a stored matrix.
template <class T>
struct Symmetric {
  cublasFillMode_t uplo;
  int n, lda;
  [[nodiscard]] bool is_stored(int row, int column) const {
    return uplo == CUBLAS_FILL_MODE_LOWER ? row >= column : row <= column;
  }
  [[nodiscard]] std::size_t index(int row, int column) const {
    return is_stored(row, column) ? at(row, column, lda) : at(column, row, lda);
  }
  void multiply(T alpha, const T* a, const T* x, int incx, T beta, T* y, int incy) const {
    for (int row = 0; row < n; ++row) {
      T sum{};
      for (int column = 0; column < n; ++column)
        sum += a[index(row, column)] * x[start(n, incx) + static_cast<std::ptrdiff_t>(column) * incx];
      T& to = y[start(n, incy) + static_cast<std::ptrdiff_t>(row) * incy];
      to = alpha * sum + (beta == T{} ? T{} : beta * to);
    }
  }
  /// A += alpha (x yᵀ + y xᵀ), or alpha x xᵀ without y.
  void update(T alpha, const T* x, int incx, const T* y, int incy, T* a) const {
    const auto of = [this](const T* v, int inc, int i) {
      return v[start(n, inc) + static_cast<std::ptrdiff_t>(i) * inc];
    };
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < n; ++row) {
        if (!is_stored(row, column)) continue;
        const T sum = y == nullptr
                          ? of(x, incx, row) * of(x, incx, column)
                          : of(x, incx, row) * of(y, incy, column) + of(y, incy, row) * of(x, incx, column);
        a[at(row, column, lda)] += alpha * sum;
      }
  }
};

/// x' = c x + s y, y' = c y - conj(s) x.
template <class T, class S>
void rotate(int n, T* x, int incx, T* y, int incy, typename T::value_type c, S s) {
  const T sine = s;
  for (int i = 0; i < n; ++i) {
    T& of_x = x[start(n, incx) + static_cast<std::ptrdiff_t>(i) * incx];
    T& of_y = y[start(n, incy) + static_cast<std::ptrdiff_t>(i) * incy];
    const T first = c * of_x + sine * of_y;
    of_y = c * of_y - std::conj(sine) * of_x;
    of_x = first;
  }
}

}  // namespace
}  // namespace warpscope::cuda::cublas

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): the names that cuBLAS gives
namespace warpscope::cuda::cublas {
extern "C" {

/// y = alpha A x + beta y of a Hermitian matrix: what follows the sizes, and how the BLAS takes A.
#define WARPSCOPE_HERMITIAN(T, X, name, sizes, right, matrix)                                               \
  cublasStatus_t cublas##X##name##_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, sizes const T* x,     \
                                      int incx, const T* beta, T* y, int incy) {                            \
    const Scalar<T> a(h, alpha), b(h, beta);                                                                \
    return run(h,                                                                                           \
               is_one(uplo) && n >= 0 && incx != 0 && incy != 0 && (right) && a.is_given() && b.is_given(), \
               [=] {                                                                                        \
                 const T of_a = a.get(), of_y = b.get();                                                    \
                 Matrix2<T>::get().name(kColumns, number(uplo), n, matrix, x, incx, &of_y, y, incy);        \
               });                                                                                          \
  }
/// Triangles: x = op(A) x, or its solution.
#define WARPSCOPE_TRIANGLE(T, X, name, sizes, right, matrix)                                             \
  cublasStatus_t cublas##X##name##_v2(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,  \
                                      cublasDiagType_t diag, int n, sizes T* x, int incx) {              \
    return run(h, is_one(uplo) && is_one(trans) && is_one(diag) && n >= 0 && incx != 0 && (right), [=] { \
      Matrix2<T>::get().name(kColumns, number(uplo), number(trans), number(diag), n, matrix, x, incx);   \
    });                                                                                                  \
  }
#define WARPSCOPE_COMMA ,
#define WARPSCOPE_LEVEL2(T, X, R, REAL_ROT)                                                                  \
  WARPSCOPE_HERMITIAN(T, X, hemv,                                                                            \
                      const T* alpha WARPSCOPE_COMMA const T* A WARPSCOPE_COMMA int lda WARPSCOPE_COMMA,     \
                      fits(lda, n), &of_a WARPSCOPE_COMMA A WARPSCOPE_COMMA lda)                             \
  WARPSCOPE_HERMITIAN(T, X, hbmv,                                                                            \
                      int k WARPSCOPE_COMMA const T* alpha WARPSCOPE_COMMA const T* A                        \
                          WARPSCOPE_COMMA int lda WARPSCOPE_COMMA,                                           \
                      k >= 0 && fits(lda, k + 1),                                                            \
                      k WARPSCOPE_COMMA & of_a WARPSCOPE_COMMA A WARPSCOPE_COMMA lda)                        \
  WARPSCOPE_HERMITIAN(T, X, hpmv, const T* alpha WARPSCOPE_COMMA const T* A WARPSCOPE_COMMA, true,           \
                      &of_a WARPSCOPE_COMMA A)                                                               \
  WARPSCOPE_TRIANGLE(T, X, trmv, const T* A WARPSCOPE_COMMA int lda WARPSCOPE_COMMA, fits(lda, n),           \
                     A WARPSCOPE_COMMA lda)                                                                  \
  WARPSCOPE_TRIANGLE(T, X, trsv, const T* A WARPSCOPE_COMMA int lda WARPSCOPE_COMMA, fits(lda, n),           \
                     A WARPSCOPE_COMMA lda)                                                                  \
  WARPSCOPE_TRIANGLE(T, X, tbmv, int k WARPSCOPE_COMMA const T* A WARPSCOPE_COMMA int lda WARPSCOPE_COMMA,   \
                     k >= 0 && fits(lda, k + 1), k WARPSCOPE_COMMA A WARPSCOPE_COMMA lda)                    \
  WARPSCOPE_TRIANGLE(T, X, tbsv, int k WARPSCOPE_COMMA const T* A WARPSCOPE_COMMA int lda WARPSCOPE_COMMA,   \
                     k >= 0 && fits(lda, k + 1), k WARPSCOPE_COMMA A WARPSCOPE_COMMA lda)                    \
  WARPSCOPE_TRIANGLE(T, X, tpmv, const T* A WARPSCOPE_COMMA, true, A)                                        \
  WARPSCOPE_TRIANGLE(T, X, tpsv, const T* A WARPSCOPE_COMMA, true, A)                                        \
  cublasStatus_t cublas##X##gbmv_v2(cublasHandle_t h, cublasOperation_t trans, int m, int n, int kl, int ku, \
                                    const T* alpha, const T* A, int lda, const T* x, int incx,               \
                                    const T* beta, T* y, int incy) {                                         \
    const Scalar<T> a(h, alpha), b(h, beta);                                                                 \
    const bool right = is_one(trans) && are_sizes(m, n, kl, ku) && fits(lda, kl + ku + 1);                   \
    return run(h, right && incx != 0 && incy != 0 && a.is_given() && b.is_given(), [=] {                     \
      const T of_a = a.get(), of_y = b.get();                                                                \
      Matrix2<T>::get().gbmv(kColumns, number(trans), m, n, kl, ku, &of_a, A, lda, x, incx, &of_y, y, incy); \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##her_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const R* alpha,           \
                                   const T* x, int incx, T* A, int lda) {                                    \
    const Scalar<R> a(h, alpha);                                                                             \
    return run(h, is_one(uplo) && n >= 0 && incx != 0 && fits(lda, n) && a.is_given(),                       \
               [=] { Matrix2<T>::get().her(kColumns, number(uplo), n, a.get(), x, incx, A, lda); });         \
  }                                                                                                          \
  cublasStatus_t cublas##X##hpr_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const R* alpha,           \
                                   const T* x, int incx, T* A) {                                             \
    const Scalar<R> a(h, alpha);                                                                             \
    return run(h, is_one(uplo) && n >= 0 && incx != 0 && a.is_given(),                                       \
               [=] { Matrix2<T>::get().hpr(kColumns, number(uplo), n, a.get(), x, incx, A); });              \
  }                                                                                                          \
  cublasStatus_t cublas##X##her2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha,          \
                                    const T* x, int incx, const T* y, int incy, T* A, int lda) {             \
    const Scalar<T> a(h, alpha);                                                                             \
    return run(h, is_one(uplo) && n >= 0 && incx != 0 && incy != 0 && fits(lda, n) && a.is_given(), [=] {    \
      const T of_a = a.get();                                                                                \
      Matrix2<T>::get().her2(kColumns, number(uplo), n, &of_a, x, incx, y, incy, A, lda);                    \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##hpr2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha,          \
                                    const T* x, int incx, const T* y, int incy, T* A) {                      \
    const Scalar<T> a(h, alpha);                                                                             \
    return run(h, is_one(uplo) && n >= 0 && incx != 0 && incy != 0 && a.is_given(), [=] {                    \
      const T of_a = a.get();                                                                                \
      Matrix2<T>::get().hpr2(kColumns, number(uplo), n, &of_a, x, incx, y, incy, A);                         \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##symv_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha,          \
                                    const T* A, int lda, const T* x, int incx, const T* beta, T* y,          \
                                    int incy) {                                                              \
    const Scalar<T> a(h, alpha), b(h, beta);                                                                 \
    const bool right = is_one(uplo) && n >= 0 && incx != 0 && incy != 0 && fits(lda, n);                     \
    return run(h, right && a.is_given() && b.is_given(), [=] {                                               \
      Symmetric<T>{uplo, n, lda}.multiply(a.get(), A, x, incx, b.get(), y, incy);                            \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##syr_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha,           \
                                   const T* x, int incx, T* A, int lda) {                                    \
    const Scalar<T> a(h, alpha);                                                                             \
    return run(h, is_one(uplo) && n >= 0 && incx != 0 && fits(lda, n) && a.is_given(), [=] {                 \
      Symmetric<T>{uplo, n, lda}.update(a.get(), x, incx, nullptr, 1, A);                                    \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##syr2_v2(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* alpha,          \
                                    const T* x, int incx, const T* y, int incy, T* A, int lda) {             \
    const Scalar<T> a(h, alpha);                                                                             \
    return run(h, is_one(uplo) && n >= 0 && incx != 0 && incy != 0 && fits(lda, n) && a.is_given(), [=] {    \
      Symmetric<T>{uplo, n, lda}.update(a.get(), x, incx, y, incy, A);                                       \
    });                                                                                                      \
  }                                                                                                          \
  cublasStatus_t cublas##X##rot_v2(cublasHandle_t h, int n, T* x, int incx, T* y, int incy, const R* c,      \
                                   const T* s) {                                                             \
    const Scalar<R> cosine(h, c);                                                                            \
    const Scalar<T> sine(h, s);                                                                              \
    return run(h, cosine.is_given() && sine.is_given(),                                                      \
               [=] { rotate(n, x, incx, y, incy, cosine.get(), sine.get()); });                              \
  }                                                                                                          \
  cublasStatus_t cublas##REAL_ROT##_v2(cublasHandle_t h, int n, T* x, int incx, T* y, int incy, const R* c,  \
                                       const R* s) {                                                         \
    const Scalar<R> cosine(h, c), sine(h, s);                                                                \
    return run(h, cosine.is_given() && sine.is_given(),                                                      \
               [=] { rotate(n, x, incx, y, incy, cosine.get(), sine.get()); });                              \
  }
WARPSCOPE_LEVEL2(std::complex<float>, C, float, Csrot)
WARPSCOPE_LEVEL2(std::complex<double>, Z, double, Zdrot)
}
}  // namespace warpscope::cuda::cublas
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
