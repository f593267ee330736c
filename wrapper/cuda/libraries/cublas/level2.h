#pragma once
// A matrix and vectors. Matrices are general, in bands (b), or packed triangles (p).
#include "wrapper/cuda/libraries/cublas/blas.h"
#include "wrapper/cuda/libraries/cublas/call.h"

// NOLINTBEGIN(readability-identifier-naming): the names that cuBLAS gives
namespace warpscope::cuda::cublas {

template <class T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha, const T* A,
                    int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const bool right = is_one(trans) && are_sizes(m, n) && fits(lda, m) && incx != 0 && incy != 0;
  return run(handle, right && a.is_given() && b.is_given(), [=] {
    Blas<T>::get().gemv(kColumns, number(trans), m, n, a.get(), A, lda, x, incx, b.get(), y, incy);
  });
}

template <class T>
cublasStatus_t gbmv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl, int ku,
                    const T* alpha, const T* A, int lda, const T* x, int incx, const T* beta, T* y,
                    int incy) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const bool right =
      is_one(trans) && are_sizes(m, n, kl, ku) && fits(lda, kl + ku + 1) && incx != 0 && incy != 0;
  return run(handle, right && a.is_given() && b.is_given(), [=] {
    Blas<T>::get().gbmv(kColumns, number(trans), m, n, kl, ku, a.get(), A, lda, x, incx, b.get(), y, incy);
  });
}

template <class T>
cublasStatus_t ger(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y,
                   int incy, T* A, int lda) {
  const Scalar<T> a(handle, alpha);
  const bool right = are_sizes(m, n) && fits(lda, m) && incx != 0 && incy != 0 && a.is_given();
  return run(handle, right, [=] { Blas<T>::get().ger(kColumns, m, n, a.get(), x, incx, y, incy, A, lda); });
}

// --- symmetric ---

template <class T>
cublasStatus_t symv(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* A, int lda,
                    const T* x, int incx, const T* beta, T* y, int incy) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const bool right = is_one(uplo) && are_sizes(n) && fits(lda, n) && incx != 0 && incy != 0;
  return run(handle, right && a.is_given() && b.is_given(), [=] {
    Blas<T>::get().symv(kColumns, number(uplo), n, a.get(), A, lda, x, incx, b.get(), y, incy);
  });
}

template <class T>
cublasStatus_t sbmv(cublasHandle_t handle, cublasFillMode_t uplo, int n, int k, const T* alpha, const T* A,
                    int lda, const T* x, int incx, const T* beta, T* y, int incy) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const bool right = is_one(uplo) && are_sizes(n, k) && fits(lda, k + 1) && incx != 0 && incy != 0;
  return run(handle, right && a.is_given() && b.is_given(), [=] {
    Blas<T>::get().sbmv(kColumns, number(uplo), n, k, a.get(), A, lda, x, incx, b.get(), y, incy);
  });
}

template <class T>
cublasStatus_t spmv(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* AP,
                    const T* x, int incx, const T* beta, T* y, int incy) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const bool right = is_one(uplo) && are_sizes(n) && incx != 0 && incy != 0;
  return run(handle, right && a.is_given() && b.is_given(),
             [=] { Blas<T>::get().spmv(kColumns, number(uplo), n, a.get(), AP, x, incx, b.get(), y, incy); });
}

template <class T>
cublasStatus_t syr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx,
                   T* A, int lda) {
  const Scalar<T> a(handle, alpha);
  const bool right = is_one(uplo) && are_sizes(n) && fits(lda, n) && incx != 0 && a.is_given();
  return run(handle, right, [=] { Blas<T>::get().syr(kColumns, number(uplo), n, a.get(), x, incx, A, lda); });
}

template <class T>
cublasStatus_t spr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx,
                   T* AP) {
  const Scalar<T> a(handle, alpha);
  const bool right = is_one(uplo) && are_sizes(n) && incx != 0 && a.is_given();
  return run(handle, right, [=] { Blas<T>::get().spr(kColumns, number(uplo), n, a.get(), x, incx, AP); });
}

template <class T>
cublasStatus_t syr2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx,
                    const T* y, int incy, T* A, int lda) {
  const Scalar<T> a(handle, alpha);
  const bool right = is_one(uplo) && are_sizes(n) && fits(lda, n) && incx != 0 && incy != 0 && a.is_given();
  return run(handle, right,
             [=] { Blas<T>::get().syr2(kColumns, number(uplo), n, a.get(), x, incx, y, incy, A, lda); });
}

template <class T>
cublasStatus_t spr2(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x, int incx,
                    const T* y, int incy, T* AP) {
  const Scalar<T> a(handle, alpha);
  const bool right = is_one(uplo) && are_sizes(n) && incx != 0 && incy != 0 && a.is_given();
  return run(handle, right,
             [=] { Blas<T>::get().spr2(kColumns, number(uplo), n, a.get(), x, incx, y, incy, AP); });
}

// --- triangular: products (mv) and solutions (sv) ---

template <class T>
cublasStatus_t trmv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx) {
  const bool right =
      is_one(uplo) && is_one(trans) && is_one(diag) && are_sizes(n) && fits(lda, n) && incx != 0;
  return run(handle, right, [=] {
    Blas<T>::get().trmv(kColumns, number(uplo), number(trans), number(diag), n, A, lda, x, incx);
  });
}

template <class T>
cublasStatus_t trsv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx) {
  const bool right =
      is_one(uplo) && is_one(trans) && is_one(diag) && are_sizes(n) && fits(lda, n) && incx != 0;
  return run(handle, right, [=] {
    Blas<T>::get().trsv(kColumns, number(uplo), number(trans), number(diag), n, A, lda, x, incx);
  });
}

template <class T>
cublasStatus_t tbmv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, int n, int k, const T* A, int lda, T* x, int incx) {
  const bool right =
      is_one(uplo) && is_one(trans) && is_one(diag) && are_sizes(n, k) && fits(lda, k + 1) && incx != 0;
  return run(handle, right, [=] {
    Blas<T>::get().tbmv(kColumns, number(uplo), number(trans), number(diag), n, k, A, lda, x, incx);
  });
}

template <class T>
cublasStatus_t tbsv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, int n, int k, const T* A, int lda, T* x, int incx) {
  const bool right =
      is_one(uplo) && is_one(trans) && is_one(diag) && are_sizes(n, k) && fits(lda, k + 1) && incx != 0;
  return run(handle, right, [=] {
    Blas<T>::get().tbsv(kColumns, number(uplo), number(trans), number(diag), n, k, A, lda, x, incx);
  });
}

template <class T>
cublasStatus_t tpmv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, int n, const T* AP, T* x, int incx) {
  const bool right = is_one(uplo) && is_one(trans) && is_one(diag) && are_sizes(n) && incx != 0;
  return run(handle, right, [=] {
    Blas<T>::get().tpmv(kColumns, number(uplo), number(trans), number(diag), n, AP, x, incx);
  });
}

template <class T>
cublasStatus_t tpsv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, int n, const T* AP, T* x, int incx) {
  const bool right = is_one(uplo) && is_one(trans) && is_one(diag) && are_sizes(n) && incx != 0;
  return run(handle, right, [=] {
    Blas<T>::get().tpsv(kColumns, number(uplo), number(trans), number(diag), n, AP, x, incx);
  });
}

}  // namespace warpscope::cuda::cublas
// NOLINTEND(readability-identifier-naming)
