#pragma once
// What a BLAS does not have: sums of matrices, products with diagonals, and batches of small systems of equations.
#include <cmath>
#include <vector>

#include "wrapper/cuda/libraries/cublas/level3.h"

// NOLINTBEGIN(readability-identifier-naming): the names that cuBLAS gives
namespace warpscope::cuda::cublas {

/// C = alpha op(A) + beta op(B). C may be A or B if that is not transposed. What has the factor 0 is not read.
template <class T>
cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                    const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb, T* C, int ldc) {
  const Scalar<T> a(handle, alpha), b(handle, beta);
  const bool in_place =
      (C != A || (transa == CUBLAS_OP_N && lda == ldc)) && (C != B || (transb == CUBLAS_OP_N && ldb == ldc));
  const bool right = is_one(transa) && is_one(transb) && are_sizes(m, n) &&
                     fits(lda, rows_of(transa, m, n)) && fits(ldb, rows_of(transb, m, n)) && fits(ldc, m) &&
                     in_place;
  return run(handle, right && a.is_given() && b.is_given(), [=] {
    const T of_a = a.get(), of_b = b.get();
    const auto term = [](T factor, const T* matrix, cublasOperation_t trans, int ld, int row, int column) {
      if (factor == 0) return T{0};
      return factor * matrix[trans == CUBLAS_OP_N ? at(row, column, ld) : at(column, row, ld)];
    };
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < m; ++row)
        C[at(row, column, ldc)] =
            term(of_a, A, transa, lda, row, column) + term(of_b, B, transb, ldb, row, column);
  });
}

/// C = diag(x) A or A diag(x).
template <class T>
cublasStatus_t dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n, const T* A, int lda,
                    const T* x, int incx, T* C, int ldc) {
  const bool right =
      is_one(side) && are_sizes(m, n) && fits(lda, m) && fits(ldc, m) && (C != A || lda == ldc);
  return run(handle, right, [=] {
    const T* const first = x + start(side == CUBLAS_SIDE_LEFT ? m : n, incx);
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < m; ++row)
        C[at(row, column, ldc)] =
            A[at(row, column, lda)] *
            first[static_cast<std::ptrdiff_t>(side == CUBLAS_SIDE_LEFT ? row : column) * incx];
  });
}

/// P A = L U in place by elimination with exchanges of rows, as LAPACK's getrf: `pivots` count from 1; without them
/// rows are not exchanged. Returns the first column whose pivot is 0, from 1, or 0.
template <class T>
int factorise(int n, T* a, int lda, int* pivots) {
  int singular = 0;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int row = k + 1; row < n && pivots != nullptr; ++row)
      if (std::fabs(a[at(row, k, lda)]) > std::fabs(a[at(pivot, k, lda)])) pivot = row;
    if (pivots != nullptr) pivots[k] = pivot + 1;
    if (a[at(pivot, k, lda)] == 0) {
      if (singular == 0) singular = k + 1;
      continue;
    }
    for (int column = 0; column < n && pivot != k; ++column)
      std::swap(a[at(k, column, lda)], a[at(pivot, column, lda)]);
    for (int row = k + 1; row < n; ++row) a[at(row, k, lda)] /= a[at(k, k, lda)];
    for (int column = k + 1; column < n; ++column)
      for (int row = k + 1; row < n; ++row)
        a[at(row, column, lda)] -= a[at(row, k, lda)] * a[at(k, column, lda)];
  }
  return singular;
}

/// op(A) X = B in place of B, with A as factorise() left it.
template <class T>
void solve(cublasOperation_t trans, int n, int columns, const T* a, int lda, const int* pivots, T* b,
           int ldb) {
  const auto exchange = [&](int row) {
    for (int column = 0; column < columns && pivots != nullptr && pivots[row] - 1 != row; ++column)
      std::swap(b[at(row, column, ldb)], b[at(pivots[row] - 1, column, ldb)]);
  };
  const Triangle lower{
      CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, trans, CUBLAS_DIAG_UNIT, n, columns, lda, ldb};
  const Triangle upper{
      CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, trans, CUBLAS_DIAG_NON_UNIT, n, columns, lda, ldb};
  if (trans == CUBLAS_OP_N) {
    for (int row = 0; row < n; ++row) exchange(row);
    lower.solve(T{1}, a, b);
    upper.solve(T{1}, a, b);
    return;
  }
  upper.solve(T{1}, a, b);
  lower.solve(T{1}, a, b);
  for (int row = n - 1; row >= 0; --row) exchange(row);
}

template <class T>
cublasStatus_t getrfBatched(cublasHandle_t handle, int n, T* const A[], int lda, int* pivots, int* info,
                            int count) {
  return run(handle, are_sizes(n, count) && fits(lda, n), [=] {
    for (int i = 0; i < count; ++i)
      info[i] = factorise(n, A[i], lda, pivots == nullptr ? nullptr : pivots + at(0, i, n));
  });
}

/// `info` is the host's: 0, or the number of the first argument that is wrong as a negative number.
template <class T>
cublasStatus_t getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int columns,
                            const T* const A[], int lda, const int* pivots, T* const B[], int ldb, int* info,
                            int count) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (info == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const bool right[] = {is_one(trans), n >= 0, columns >= 0, true, fits(lda, n),
                        true,          true,   fits(ldb, n), true, count >= 0};
  const auto* const wrong = std::find(std::begin(right), std::end(right), false);
  *info = wrong == std::end(right) ? 0 : static_cast<int>(-1 - (wrong - right));
  return run(handle, *info == 0, [=] {
    for (int i = 0; i < count; ++i)
      solve(trans, n, columns, A[i], lda, pivots == nullptr ? nullptr : pivots + at(0, i, n), B[i], ldb);
  });
}

/// Inverses, out of place, of what getrfBatched() has factorised.
template <class T>
cublasStatus_t getriBatched(cublasHandle_t handle, int n, const T* const A[], int lda, const int* pivots,
                            T* const C[], int ldc, int* info, int count) {
  return run(handle, are_sizes(n, count) && fits(lda, n) && fits(ldc, n), [=] {
    for (int i = 0; i < count; ++i) {
      info[i] = 0;
      for (int k = n; k > 0; --k)
        if (A[i][at(k - 1, k - 1, lda)] == 0) info[i] = k;
      if (info[i] != 0) continue;
      for (int column = 0; column < n; ++column)
        for (int row = 0; row < n; ++row) C[i][at(row, column, ldc)] = row == column ? T{1} : T{0};
      solve(CUBLAS_OP_N, n, n, A[i], lda, pivots == nullptr ? nullptr : pivots + at(0, i, n), C[i], ldc);
    }
  });
}

}  // namespace warpscope::cuda::cublas
// NOLINTEND(readability-identifier-naming)
