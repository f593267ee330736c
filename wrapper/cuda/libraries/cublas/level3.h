#pragma once
// Matrices, and batches of them.
#include "wrapper/cuda/libraries/cublas/blas.h"
#include "wrapper/cuda/libraries/cublas/call.h"
#include "wrapper/cuda/libraries/cublas/product.h"

// NOLINTBEGIN(readability-identifier-naming): the names that cuBLAS gives
namespace warpscope::cuda::cublas {

struct Product : ProductSizes {
  template <class T>
  void compute(T alpha, const T* a, const T* b, T beta, T* c) const {
    Blas<T>::get().gemm(kColumns, number(transa), number(transb), m, n, k, alpha, a, lda, b, ldb, beta, c,
                        ldc);
  }
};

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                    int k, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,
                    int ldc) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const Product product{transa, transb, m, n, k, lda, ldb, ldc};
  return run(handle, product.is_right() && a.is_given() && b.is_given(),
             [=] { product.compute(a.get(), A, B, b.get(), C); });
}

/// The arrays of pointers are in the device's memory, and are read when the work is done.
template <class T>
cublasStatus_t gemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                           int n, int k, const T* alpha, const T* const A[], int lda, const T* const B[],
                           int ldb, const T* beta, T* const C[], int ldc, int count) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const Product product{transa, transb, m, n, k, lda, ldb, ldc};
  return run(handle, product.is_right() && count >= 0 && a.is_given() && b.is_given(), [=] {
    for (int i = 0; i < count; ++i) product.compute(a.get(), A[i], B[i], b.get(), C[i]);
  });
}

template <class T>
cublasStatus_t gemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                  int m, int n, int k, const T* alpha, const T* A, int lda,
                                  long long stride_a, const T* B, int ldb, long long stride_b, const T* beta,
                                  T* C, int ldc, long long stride_c, int count) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const Product product{transa, transb, m, n, k, lda, ldb, ldc};
  return run(handle, product.is_right() && count >= 0 && a.is_given() && b.is_given(), [=] {
    for (int i = 0; i < count; ++i)
      product.compute(a.get(), A + i * stride_a, B + i * stride_b, b.get(), C + i * stride_c);
  });
}

template <class T>
cublasStatus_t symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,
                    const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const bool right = is_one(side) && is_one(uplo) && are_sizes(m, n) &&
                     fits(lda, side == CUBLAS_SIDE_LEFT ? m : n) && fits(ldb, m) && fits(ldc, m);
  return run(handle, right && a.is_given() && b.is_given(), [=] {
    Blas<T>::get().symm(kColumns, number(side), number(uplo), m, n, a.get(), A, lda, B, ldb, b.get(), C, ldc);
  });
}

template <class T>
cublasStatus_t syrk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                    const T* alpha, const T* A, int lda, const T* beta, T* C, int ldc) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const bool right =
      is_one(uplo) && is_one(trans) && are_sizes(n, k) && fits(lda, rows_of(trans, n, k)) && fits(ldc, n);
  return run(handle, right && a.is_given() && b.is_given(), [=] {
    Blas<T>::get().syrk(kColumns, number(uplo), number(trans), n, k, a.get(), A, lda, b.get(), C, ldc);
  });
}

template <class T>
cublasStatus_t syr2k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k,
                     const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const int rows = rows_of(trans, n, k);
  const bool right =
      is_one(uplo) && is_one(trans) && are_sizes(n, k) && fits(lda, rows) && fits(ldb, rows) && fits(ldc, n);
  return run(handle, right && a.is_given() && b.is_given(), [=] {
    Blas<T>::get().syr2k(kColumns, number(uplo), number(trans), n, k, a.get(), A, lda, B, ldb, b.get(), C,
                         ldc);
  });
}

/// What products and solutions with a triangle have in common.
struct Triangle {
  cublasSideMode_t side;
  cublasFillMode_t uplo;
  cublasOperation_t trans;
  cublasDiagType_t diag;
  int m, n, lda, ldb;

  [[nodiscard]] bool is_right() const {
    return is_one(side) && is_one(uplo) && is_one(trans) && is_one(diag) && are_sizes(m, n) &&
           fits(lda, side == CUBLAS_SIDE_LEFT ? m : n) && fits(ldb, m);
  }
  template <class T>
  void solve(T alpha, const T* a, T* b) const {
    Blas<T>::get().trsm(kColumns, number(side), number(uplo), number(trans), number(diag), m, n, alpha, a,
                        lda, b, ldb);
  }
  template <class T>
  void multiply(T alpha, const T* a, T* b) const {
    Blas<T>::get().trmm(kColumns, number(side), number(uplo), number(trans), number(diag), m, n, alpha, a,
                        lda, b, ldb);
  }
};

template <class T>
cublasStatus_t trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha, const T* A,
                    int lda, T* B, int ldb) {
  const Scalar<T> a(handle, alpha);
  const Triangle triangle{side, uplo, trans, diag, m, n, lda, ldb};
  return run(handle, triangle.is_right() && a.is_given(), [=] { triangle.solve(a.get(), A, B); });
}

template <class T>
cublasStatus_t trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                           cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,
                           const T* const A[], int lda, T* const B[], int ldb, int count) {
  const Scalar<T> a(handle, alpha);
  const Triangle triangle{side, uplo, trans, diag, m, n, lda, ldb};
  return run(handle, triangle.is_right() && count >= 0 && a.is_given(), [=] {
    for (int i = 0; i < count; ++i) triangle.solve(a.get(), A[i], B[i]);
  });
}

/// cuBLAS's form: B stays what it is, unless C is B.
template <class T>
cublasStatus_t trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha, const T* A,
                    int lda, const T* B, int ldb, T* C, int ldc) {
  const Scalar<T> a(handle, alpha);
  const Triangle triangle{side, uplo, trans, diag, m, n, lda, ldc};
  const bool right = triangle.is_right() && fits(ldb, m) && (B != C || ldb == ldc) && a.is_given();
  return run(handle, right, [=] {
    for (int column = 0; column < n && B != C; ++column)
      std::copy_n(B + at(0, column, ldb), m, C + at(0, column, ldc));
    triangle.multiply(a.get(), A, C);
  });
}

}  // namespace warpscope::cuda::cublas
// NOLINTEND(readability-identifier-naming)
