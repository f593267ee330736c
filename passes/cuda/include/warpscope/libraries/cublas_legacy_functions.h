// The functions of cuBLAS before handles that exist for each real type: name, parameters, and the
// arguments of the successor behind its handle. Included by whoever defines
//   WARPSCOPE_REAL  the type
//   WARPSCOPE_VOID(name, parameters, arguments)   cublas<t><name>, which returns nothing
//   WARPSCOPE_VALUE(name, parameters, arguments)  cublas<t><name>, which returns a number
//   WARPSCOPE_INDEX(name, parameters, arguments)  cublasI<t><name>, which returns an index
// clang-format off
#define WARPSCOPE_IN const WARPSCOPE_REAL *
#define WARPSCOPE_OUT WARPSCOPE_REAL *

WARPSCOPE_INDEX(amax, (int n, WARPSCOPE_IN x, int incx), (n, x, incx, &result))
WARPSCOPE_INDEX(amin, (int n, WARPSCOPE_IN x, int incx), (n, x, incx, &result))
WARPSCOPE_VALUE(asum, (int n, WARPSCOPE_IN x, int incx), (n, x, incx, &result))
WARPSCOPE_VALUE(nrm2, (int n, WARPSCOPE_IN x, int incx), (n, x, incx, &result))
WARPSCOPE_VALUE(dot, (int n, WARPSCOPE_IN x, int incx, WARPSCOPE_IN y, int incy), (n, x, incx, y, incy, &result))
WARPSCOPE_VOID(axpy, (int n, WARPSCOPE_REAL alpha, WARPSCOPE_IN x, int incx, WARPSCOPE_OUT y, int incy), (n, &alpha, x, incx, y, incy))
WARPSCOPE_VOID(copy, (int n, WARPSCOPE_IN x, int incx, WARPSCOPE_OUT y, int incy), (n, x, incx, y, incy))
WARPSCOPE_VOID(swap, (int n, WARPSCOPE_OUT x, int incx, WARPSCOPE_OUT y, int incy), (n, x, incx, y, incy))
WARPSCOPE_VOID(scal, (int n, WARPSCOPE_REAL alpha, WARPSCOPE_OUT x, int incx), (n, &alpha, x, incx))
WARPSCOPE_VOID(rot, (int n, WARPSCOPE_OUT x, int incx, WARPSCOPE_OUT y, int incy, WARPSCOPE_REAL c, WARPSCOPE_REAL s), (n, x, incx, y, incy, &c, &s))
WARPSCOPE_VOID(gemv, (char trans, int m, int n, WARPSCOPE_REAL alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN x, int incx, WARPSCOPE_REAL beta, WARPSCOPE_OUT y, int incy), (operation(trans), m, n, &alpha, A, lda, x, incx, &beta, y, incy))
WARPSCOPE_VOID(ger, (int m, int n, WARPSCOPE_REAL alpha, WARPSCOPE_IN x, int incx, WARPSCOPE_IN y, int incy, WARPSCOPE_OUT A, int lda), (m, n, &alpha, x, incx, y, incy, A, lda))
WARPSCOPE_VOID(symv, (char uplo, int n, WARPSCOPE_REAL alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN x, int incx, WARPSCOPE_REAL beta, WARPSCOPE_OUT y, int incy), (triangle(uplo), n, &alpha, A, lda, x, incx, &beta, y, incy))
WARPSCOPE_VOID(syr, (char uplo, int n, WARPSCOPE_REAL alpha, WARPSCOPE_IN x, int incx, WARPSCOPE_OUT A, int lda), (triangle(uplo), n, &alpha, x, incx, A, lda))
WARPSCOPE_VOID(trmv, (char uplo, char trans, char diag, int n, WARPSCOPE_IN A, int lda, WARPSCOPE_OUT x, int incx), (triangle(uplo), operation(trans), diagonal(diag), n, A, lda, x, incx))
WARPSCOPE_VOID(trsv, (char uplo, char trans, char diag, int n, WARPSCOPE_IN A, int lda, WARPSCOPE_OUT x, int incx), (triangle(uplo), operation(trans), diagonal(diag), n, A, lda, x, incx))
WARPSCOPE_VOID(gemm, (char transa, char transb, int m, int n, int k, WARPSCOPE_REAL alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN B, int ldb, WARPSCOPE_REAL beta, WARPSCOPE_OUT C, int ldc), (operation(transa), operation(transb), m, n, k, &alpha, A, lda, B, ldb, &beta, C, ldc))
WARPSCOPE_VOID(symm, (char side, char uplo, int m, int n, WARPSCOPE_REAL alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN B, int ldb, WARPSCOPE_REAL beta, WARPSCOPE_OUT C, int ldc), (left_or_right(side), triangle(uplo), m, n, &alpha, A, lda, B, ldb, &beta, C, ldc))
WARPSCOPE_VOID(syrk, (char uplo, char trans, int n, int k, WARPSCOPE_REAL alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_REAL beta, WARPSCOPE_OUT C, int ldc), (triangle(uplo), operation(trans), n, k, &alpha, A, lda, &beta, C, ldc))
WARPSCOPE_VOID(syr2k, (char uplo, char trans, int n, int k, WARPSCOPE_REAL alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN B, int ldb, WARPSCOPE_REAL beta, WARPSCOPE_OUT C, int ldc), (triangle(uplo), operation(trans), n, k, &alpha, A, lda, B, ldb, &beta, C, ldc))
WARPSCOPE_VOID(trmm, (char side, char uplo, char trans, char diag, int m, int n, WARPSCOPE_REAL alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_OUT B, int ldb), (left_or_right(side), triangle(uplo), operation(trans), diagonal(diag), m, n, &alpha, A, lda, B, ldb, B, ldb))
WARPSCOPE_VOID(trsm, (char side, char uplo, char trans, char diag, int m, int n, WARPSCOPE_REAL alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_OUT B, int ldb), (left_or_right(side), triangle(uplo), operation(trans), diagonal(diag), m, n, &alpha, A, lda, B, ldb))

#undef WARPSCOPE_IN
#undef WARPSCOPE_OUT
#undef WARPSCOPE_REAL
#undef WARPSCOPE_VOID
#undef WARPSCOPE_VALUE
#undef WARPSCOPE_INDEX
// clang-format on
