#pragma once
// The BLAS that Debian's alternatives choose (libblas.so.3), by its C interface. Not the Fortran interface: what
// functions return, and the lengths of character arguments, differ between Fortran compilers.
#include <cublas_v2.h>

namespace warpscope::cuda::cublas {

/// CBLAS_ORDER, CBLAS_TRANSPOSE and so on, as the C interface numbers them.
constexpr int kColumns = 102;
constexpr int number(cublasOperation_t trans) {
  return trans == CUBLAS_OP_N ? 111 : trans == CUBLAS_OP_T ? 112 : 113;
}
constexpr int number(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_UPPER ? 121 : 122;
}
constexpr int number(cublasDiagType_t diag) {
  return diag == CUBLAS_DIAG_UNIT ? 132 : 131;
}
constexpr int number(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_RIGHT ? 142 : 141;
}

/// Functions of one element type; arguments as in the reference BLAS.
template <class T>
struct Blas {
  using In = const T*;
  using Out = T*;

  void (*axpy)(int n, T alpha, In x, int incx, Out y, int incy);
  void (*copy)(int n, In x, int incx, Out y, int incy);
  void (*swap)(int n, Out x, int incx, Out y, int incy);
  void (*scal)(int n, T alpha, Out x, int incx);
  T (*dot)(int n, In x, int incx, In y, int incy);
  T (*nrm2)(int n, In x, int incx);
  T (*asum)(int n, In x, int incx);
  void (*rot)(int n, Out x, int incx, Out y, int incy, T c, T s);
  void (*rotg)(Out a, Out b, Out c, Out s);
  void (*rotm)(int n, Out x, int incx, Out y, int incy, In parameters);
  void (*rotmg)(Out d1, Out d2, Out x1, T y1, Out parameters);

  void (*gemv)(int order, int trans, int m, int n, T alpha, In a, int lda, In x, int incx, T beta, Out y,
               int incy);
  void (*gbmv)(int order, int trans, int m, int n, int kl, int ku, T alpha, In a, int lda, In x, int incx,
               T beta, Out y, int incy);
  void (*ger)(int order, int m, int n, T alpha, In x, int incx, In y, int incy, Out a, int lda);
  void (*symv)(int order, int uplo, int n, T alpha, In a, int lda, In x, int incx, T beta, Out y, int incy);
  void (*sbmv)(int order, int uplo, int n, int k, T alpha, In a, int lda, In x, int incx, T beta, Out y,
               int incy);
  void (*spmv)(int order, int uplo, int n, T alpha, In a, In x, int incx, T beta, Out y, int incy);
  void (*syr)(int order, int uplo, int n, T alpha, In x, int incx, Out a, int lda);
  void (*spr)(int order, int uplo, int n, T alpha, In x, int incx, Out a);
  void (*syr2)(int order, int uplo, int n, T alpha, In x, int incx, In y, int incy, Out a, int lda);
  void (*spr2)(int order, int uplo, int n, T alpha, In x, int incx, In y, int incy, Out a);
  void (*trmv)(int order, int uplo, int trans, int diag, int n, In a, int lda, Out x, int incx);
  void (*tbmv)(int order, int uplo, int trans, int diag, int n, int k, In a, int lda, Out x, int incx);
  void (*tpmv)(int order, int uplo, int trans, int diag, int n, In a, Out x, int incx);
  void (*trsv)(int order, int uplo, int trans, int diag, int n, In a, int lda, Out x, int incx);
  void (*tbsv)(int order, int uplo, int trans, int diag, int n, int k, In a, int lda, Out x, int incx);
  void (*tpsv)(int order, int uplo, int trans, int diag, int n, In a, Out x, int incx);

  void (*gemm)(int order, int transa, int transb, int m, int n, int k, T alpha, In a, int lda, In b, int ldb,
               T beta, Out c, int ldc);
  void (*symm)(int order, int side, int uplo, int m, int n, T alpha, In a, int lda, In b, int ldb, T beta,
               Out c, int ldc);
  void (*syrk)(int order, int uplo, int trans, int n, int k, T alpha, In a, int lda, T beta, Out c, int ldc);
  void (*syr2k)(int order, int uplo, int trans, int n, int k, T alpha, In a, int lda, In b, int ldb, T beta,
                Out c, int ldc);
  void (*trsm)(int order, int side, int uplo, int trans, int diag, int m, int n, T alpha, In a, int lda,
               Out b, int ldb);
  void (*trmm)(int order, int side, int uplo, int trans, int diag, int m, int n, T alpha, In a, int lda,
               Out b, int ldb);

  /// Throws MissingLibrary.
  static const Blas& get();

 private:
  Blas();
};

}  // namespace warpscope::cuda::cublas
