// The functions of cuBLAS that exist for each real type: name, parameters, arguments. Included by
// whoever defines
//   WARPSCOPE_REAL  the type
//   WARPSCOPE_BLAS(name, parameters, arguments)    cublas<t><name>, which also has a name with _v2
//   WARPSCOPE_INDEX(name, parameters, arguments)   cublasI<t><name>, the same
//   WARPSCOPE_NEWER(name, parameters, arguments)   cublas<t><name>, which has one name
// clang-format off
#define WARPSCOPE_IN const WARPSCOPE_REAL *
#define WARPSCOPE_OUT WARPSCOPE_REAL *

// Level 1
WARPSCOPE_BLAS(axpy, (cublasHandle_t handle, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN x, int incx, WARPSCOPE_OUT y, int incy), (handle, n, alpha, x, incx, y, incy))
WARPSCOPE_BLAS(copy, (cublasHandle_t handle, int n, WARPSCOPE_IN x, int incx, WARPSCOPE_OUT y, int incy), (handle, n, x, incx, y, incy))
WARPSCOPE_BLAS(swap, (cublasHandle_t handle, int n, WARPSCOPE_OUT x, int incx, WARPSCOPE_OUT y, int incy), (handle, n, x, incx, y, incy))
WARPSCOPE_BLAS(scal, (cublasHandle_t handle, int n, WARPSCOPE_IN alpha, WARPSCOPE_OUT x, int incx), (handle, n, alpha, x, incx))
WARPSCOPE_BLAS(dot, (cublasHandle_t handle, int n, WARPSCOPE_IN x, int incx, WARPSCOPE_IN y, int incy, WARPSCOPE_OUT result), (handle, n, x, incx, y, incy, result))
WARPSCOPE_BLAS(nrm2, (cublasHandle_t handle, int n, WARPSCOPE_IN x, int incx, WARPSCOPE_OUT result), (handle, n, x, incx, result))
WARPSCOPE_BLAS(asum, (cublasHandle_t handle, int n, WARPSCOPE_IN x, int incx, WARPSCOPE_OUT result), (handle, n, x, incx, result))
WARPSCOPE_INDEX(amax, (cublasHandle_t handle, int n, WARPSCOPE_IN x, int incx, int *result), (handle, n, x, incx, result))
WARPSCOPE_INDEX(amin, (cublasHandle_t handle, int n, WARPSCOPE_IN x, int incx, int *result), (handle, n, x, incx, result))
WARPSCOPE_BLAS(rot, (cublasHandle_t handle, int n, WARPSCOPE_OUT x, int incx, WARPSCOPE_OUT y, int incy, WARPSCOPE_IN c, WARPSCOPE_IN s), (handle, n, x, incx, y, incy, c, s))
WARPSCOPE_BLAS(rotg, (cublasHandle_t handle, WARPSCOPE_OUT a, WARPSCOPE_OUT b, WARPSCOPE_OUT c, WARPSCOPE_OUT s), (handle, a, b, c, s))
WARPSCOPE_BLAS(rotm, (cublasHandle_t handle, int n, WARPSCOPE_OUT x, int incx, WARPSCOPE_OUT y, int incy, WARPSCOPE_IN parameters), (handle, n, x, incx, y, incy, parameters))
WARPSCOPE_BLAS(rotmg, (cublasHandle_t handle, WARPSCOPE_OUT d1, WARPSCOPE_OUT d2, WARPSCOPE_OUT x1, WARPSCOPE_IN y1, WARPSCOPE_OUT parameters), (handle, d1, d2, x1, y1, parameters))

// Level 2
WARPSCOPE_BLAS(gemv, (cublasHandle_t handle, cublasOperation_t trans, int m, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN x, int incx, WARPSCOPE_IN beta, WARPSCOPE_OUT y, int incy), (handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy))
WARPSCOPE_BLAS(gbmv, (cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl, int ku, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN x, int incx, WARPSCOPE_IN beta, WARPSCOPE_OUT y, int incy), (handle, trans, m, n, kl, ku, alpha, A, lda, x, incx, beta, y, incy))
WARPSCOPE_BLAS(ger, (cublasHandle_t handle, int m, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN x, int incx, WARPSCOPE_IN y, int incy, WARPSCOPE_OUT A, int lda), (handle, m, n, alpha, x, incx, y, incy, A, lda))
WARPSCOPE_BLAS(symv, (cublasHandle_t handle, cublasFillMode_t uplo, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN x, int incx, WARPSCOPE_IN beta, WARPSCOPE_OUT y, int incy), (handle, uplo, n, alpha, A, lda, x, incx, beta, y, incy))
WARPSCOPE_BLAS(sbmv, (cublasHandle_t handle, cublasFillMode_t uplo, int n, int k, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN x, int incx, WARPSCOPE_IN beta, WARPSCOPE_OUT y, int incy), (handle, uplo, n, k, alpha, A, lda, x, incx, beta, y, incy))
WARPSCOPE_BLAS(spmv, (cublasHandle_t handle, cublasFillMode_t uplo, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN AP, WARPSCOPE_IN x, int incx, WARPSCOPE_IN beta, WARPSCOPE_OUT y, int incy), (handle, uplo, n, alpha, AP, x, incx, beta, y, incy))
WARPSCOPE_BLAS(syr, (cublasHandle_t handle, cublasFillMode_t uplo, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN x, int incx, WARPSCOPE_OUT A, int lda), (handle, uplo, n, alpha, x, incx, A, lda))
WARPSCOPE_BLAS(spr, (cublasHandle_t handle, cublasFillMode_t uplo, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN x, int incx, WARPSCOPE_OUT AP), (handle, uplo, n, alpha, x, incx, AP))
WARPSCOPE_BLAS(syr2, (cublasHandle_t handle, cublasFillMode_t uplo, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN x, int incx, WARPSCOPE_IN y, int incy, WARPSCOPE_OUT A, int lda), (handle, uplo, n, alpha, x, incx, y, incy, A, lda))
WARPSCOPE_BLAS(spr2, (cublasHandle_t handle, cublasFillMode_t uplo, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN x, int incx, WARPSCOPE_IN y, int incy, WARPSCOPE_OUT AP), (handle, uplo, n, alpha, x, incx, y, incy, AP))
WARPSCOPE_BLAS(trmv, (cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, WARPSCOPE_IN A, int lda, WARPSCOPE_OUT x, int incx), (handle, uplo, trans, diag, n, A, lda, x, incx))
WARPSCOPE_BLAS(tbmv, (cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, int k, WARPSCOPE_IN A, int lda, WARPSCOPE_OUT x, int incx), (handle, uplo, trans, diag, n, k, A, lda, x, incx))
WARPSCOPE_BLAS(tpmv, (cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, WARPSCOPE_IN AP, WARPSCOPE_OUT x, int incx), (handle, uplo, trans, diag, n, AP, x, incx))
WARPSCOPE_BLAS(trsv, (cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, WARPSCOPE_IN A, int lda, WARPSCOPE_OUT x, int incx), (handle, uplo, trans, diag, n, A, lda, x, incx))
WARPSCOPE_BLAS(tbsv, (cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, int k, WARPSCOPE_IN A, int lda, WARPSCOPE_OUT x, int incx), (handle, uplo, trans, diag, n, k, A, lda, x, incx))
WARPSCOPE_BLAS(tpsv, (cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int n, WARPSCOPE_IN AP, WARPSCOPE_OUT x, int incx), (handle, uplo, trans, diag, n, AP, x, incx))

// Level 3
WARPSCOPE_BLAS(gemm, (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN B, int ldb, WARPSCOPE_IN beta, WARPSCOPE_OUT C, int ldc), (handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc))
WARPSCOPE_BLAS(symm, (cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN B, int ldb, WARPSCOPE_IN beta, WARPSCOPE_OUT C, int ldc), (handle, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc))
WARPSCOPE_BLAS(syrk, (cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN beta, WARPSCOPE_OUT C, int ldc), (handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc))
WARPSCOPE_BLAS(syr2k, (cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN B, int ldb, WARPSCOPE_IN beta, WARPSCOPE_OUT C, int ldc), (handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc))
WARPSCOPE_BLAS(trsm, (cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_OUT B, int ldb), (handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb))
WARPSCOPE_BLAS(trmm, (cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN B, int ldb, WARPSCOPE_OUT C, int ldc), (handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, C, ldc))

// Batches; what a BLAS does not have
WARPSCOPE_NEWER(gemmBatched, (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, WARPSCOPE_IN alpha, WARPSCOPE_IN const A[], int lda, WARPSCOPE_IN const B[], int ldb, WARPSCOPE_IN beta, WARPSCOPE_OUT const C[], int ldc, int count), (handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, count))
WARPSCOPE_NEWER(gemmStridedBatched, (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, long long int stride_a, WARPSCOPE_IN B, int ldb, long long int stride_b, WARPSCOPE_IN beta, WARPSCOPE_OUT C, int ldc, long long int stride_c, int count), (handle, transa, transb, m, n, k, alpha, A, lda, stride_a, B, ldb, stride_b, beta, C, ldc, stride_c, count))
WARPSCOPE_NEWER(trsmBatched, (cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int m, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN const A[], int lda, WARPSCOPE_OUT const B[], int ldb, int count), (handle, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, count))
WARPSCOPE_NEWER(geam, (cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, WARPSCOPE_IN alpha, WARPSCOPE_IN A, int lda, WARPSCOPE_IN beta, WARPSCOPE_IN B, int ldb, WARPSCOPE_OUT C, int ldc), (handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc))
WARPSCOPE_NEWER(dgmm, (cublasHandle_t handle, cublasSideMode_t side, int m, int n, WARPSCOPE_IN A, int lda, WARPSCOPE_IN x, int incx, WARPSCOPE_OUT C, int ldc), (handle, side, m, n, A, lda, x, incx, C, ldc))
WARPSCOPE_NEWER(getrfBatched, (cublasHandle_t handle, int n, WARPSCOPE_OUT const A[], int lda, int *pivots, int *info, int count), (handle, n, A, lda, pivots, info, count))
WARPSCOPE_NEWER(getrsBatched, (cublasHandle_t handle, cublasOperation_t trans, int n, int columns, WARPSCOPE_IN const A[], int lda, const int *pivots, WARPSCOPE_OUT const B[], int ldb, int *info, int count), (handle, trans, n, columns, A, lda, pivots, B, ldb, info, count))
WARPSCOPE_NEWER(getriBatched, (cublasHandle_t handle, int n, WARPSCOPE_IN const A[], int lda, const int *pivots, WARPSCOPE_OUT const C[], int ldc, int *info, int count), (handle, n, A, lda, pivots, C, ldc, info, count))

#undef WARPSCOPE_IN
#undef WARPSCOPE_OUT
#undef WARPSCOPE_REAL
#undef WARPSCOPE_BLAS
#undef WARPSCOPE_INDEX
#undef WARPSCOPE_NEWER
// clang-format on
