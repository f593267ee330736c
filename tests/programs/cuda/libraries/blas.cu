// cuBLAS against loops written here: every function, operation, side and triangle, with leading dimensions that are
// larger than the rows, steps of both signs, and NaN where nothing may be read.
#include <cublas_v2.h>

#include "check.h"

static cublasHandle_t handle;
static const cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static const cublasFillMode_t kTriangles[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasDiagType_t kDiagonals[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};
static const cublasSideMode_t kSides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
static void ok(const char* what, cublasStatus_t status) { expect(what, status, CUBLAS_STATUS_SUCCESS); }

// One name for both types.
#define BOTH(name)                                                       \
  template <class... T> cublasStatus_t name(float, T... arguments) {     \
    return cublasS##name(handle, arguments...);                          \
  }                                                                      \
  template <class... T> cublasStatus_t name(double, T... arguments) {    \
    return cublasD##name(handle, arguments...);                          \
  }
BOTH(axpy) BOTH(copy) BOTH(swap) BOTH(scal) BOTH(dot) BOTH(nrm2) BOTH(asum) BOTH(rot) BOTH(rotg) BOTH(rotm) BOTH(rotmg)
BOTH(gemv) BOTH(gbmv) BOTH(ger) BOTH(symv) BOTH(sbmv) BOTH(spmv) BOTH(syr) BOTH(spr) BOTH(syr2) BOTH(spr2)
BOTH(trmv) BOTH(tbmv) BOTH(tpmv) BOTH(trsv) BOTH(tbsv) BOTH(tpsv)
BOTH(gemm) BOTH(symm) BOTH(syrk) BOTH(syr2k) BOTH(trsm) BOTH(trmm) BOTH(geam) BOTH(dgmm)
BOTH(gemmBatched) BOTH(gemmStridedBatched) BOTH(trsmBatched) BOTH(getrfBatched) BOTH(getrsBatched) BOTH(getriBatched)
static cublasStatus_t amax(float, int n, const float* x, int step, int* at) { return cublasIsamax(handle, n, x, step, at); }
static cublasStatus_t amax(double, int n, const double* x, int step, int* at) { return cublasIdamax(handle, n, x, step, at); }
static cublasStatus_t amin(float, int n, const float* x, int step, int* at) { return cublasIsamin(handle, n, x, step, at); }
static cublasStatus_t amin(double, int n, const double* x, int step, int* at) { return cublasIdamin(handle, n, x, step, at); }

template <class T> constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
template <class T> constexpr double kError = sizeof(T) == 4 ? 2e-4 : 1e-11;

/// Element i of a vector of n with a step: a negative one begins at the other end.
static int place(int i, int n, int step) { return step > 0 ? i * step : (i - n + 1) * step; }

/// A matrix as an operand: what is left out of a triangle, and what is on its diagonal, come from the rule and not from memory.
template <class T> struct Matrix {
  const T* data;
  int ld;
  cublasOperation_t trans = CUBLAS_OP_N;
  enum { kFull, kLower, kUpper, kSymmetricLower, kSymmetricUpper } kind = kFull;
  bool has_ones = false;
  double operator()(int row, int column) const {
    if (trans != CUBLAS_OP_N) std::swap(row, column);
    if ((kind == kSymmetricLower && row < column) || (kind == kSymmetricUpper && row > column)) std::swap(row, column);
    if ((kind == kLower && row < column) || (kind == kUpper && row > column)) return 0;
    return has_ones && row == column ? 1 : data[row + column * ld];
  }
};
template <class T> Matrix<T> triangle(const T* data, int ld, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag) {
  return {data, ld, trans, uplo == CUBLAS_FILL_MODE_LOWER ? Matrix<T>::kLower : Matrix<T>::kUpper, diag == CUBLAS_DIAG_UNIT};
}
template <class T> Matrix<T> symmetric(const T* data, int ld, cublasFillMode_t uplo) {
  return {data, ld, CUBLAS_OP_N, uplo == CUBLAS_FILL_MODE_LOWER ? Matrix<T>::kSymmetricLower : Matrix<T>::kSymmetricUpper};
}
template <class A, class B> double product(const A& a, const B& b, int row, int column, int k) {
  double sum = 0;
  for (int i = 0; i < k; ++i) sum += a(row, i) * b(i, column);
  return sum;
}
/// What a function may not write: behind the rows of each column.
template <class T> void expect_gaps(const char* what, const Array<T>& got, const Array<T>& before, int rows, int columns, int ld) {
  for (int column = 0; column < columns; ++column)
    for (int row = rows; row < ld; ++row) expect(what, got[row + column * ld], before[row + column * ld]);
}
/// NaN where a triangle may not be read.
template <class T> void spoil(Array<T>& a, int n, int ld, cublasFillMode_t uplo, cublasDiagType_t diag = CUBLAS_DIAG_NON_UNIT) {
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < n; ++row)
      if ((uplo == CUBLAS_FILL_MODE_LOWER ? row < column : row > column) || (diag == CUBLAS_DIAG_UNIT && row == column))
        a[row + column * ld] = kNan<T>;
}
/// A triangle whose solutions do not grow.
template <class T> Array<T> some_triangle(int n, int ld, cublasFillMode_t uplo, cublasDiagType_t diag) {
  Array<T> a = some<T>(n * ld, 3);
  for (int i = 0; i < n * ld; ++i) a[i] /= 4;
  for (int i = 0; i < n; ++i) a[i + i * ld] = static_cast<T>(i % 2 == 0 ? 2 : -3);
  spoil(a, n, ld, uplo, diag);
  return a;
}

/// Sums of millions of terms keep their digits. By hand: 7 numbers 0 … 6 have the squares 91 and the sum 21.
template <class T> void long_vectors() {
  const T t{};
  const int sevens = 300000, n = 7 * sevens;
  Array<T> x(n, 0);
  for (int i = 0; i < n; ++i) x[i] = static_cast<T>(i % 2 == 0 ? i % 7 : -(i % 7));
  T dot_product = 0, norm = 0, sum = 0;
  ok("dot of a long vector", dot(t, n, x.data, 1, x.data, 1, &dot_product));
  ok("nrm2 of a long vector", nrm2(t, n, x.data, 1, &norm));
  ok("asum of a long vector", asum(t, n, x.data, 1, &sum));
  expect("dot of a long vector", dot_product, 91.0 * sevens, 1e-3);
  expect("nrm2 of a long vector", norm, std::sqrt(91.0 * sevens), 1e-3);
  expect("asum of a long vector", sum, 21.0 * sevens, 1e-3);
}

template <class T> void vectors() {
  const T t{};
  const int n = 7;
  for (int step_x : {1, 3, -2}) {
    for (int step_y : {1, -1, 2}) {
      const Array<T> x = some<T>(3 * n, 1), y = some<T>(3 * n, 2);
      const T alpha = static_cast<T>(1.5), c = static_cast<T>(0.6), s = static_cast<T>(0.8);
      Array<T> sum(y), copied(y), left(x), right(y), turned_x(x), turned_y(y);
      T dot_product = 0;
      ok("axpy", axpy(t, n, &alpha, x.data, step_x, sum.data, step_y));
      ok("copy", copy(t, n, x.data, step_x, copied.data, step_y));
      ok("swap", swap(t, n, left.data, step_x, right.data, step_y));
      ok("dot", dot(t, n, x.data, step_x, y.data, step_y, &dot_product));
      ok("rot", rot(t, n, turned_x.data, step_x, turned_y.data, step_y, &c, &s));
      double expected = 0;
      for (int i = 0; i < n; ++i) {
        const int at_x = place(i, n, step_x), at_y = place(i, n, step_y);
        expect("axpy", sum[at_y], y[at_y] + 1.5 * x[at_x], kError<T>);
        expect("copy", copied[at_y], x[at_x]);
        expect("swap, x", left[at_x], y[at_y]);
        expect("swap, y", right[at_y], x[at_x]);
        expect("rot, x", turned_x[at_x], 0.6 * x[at_x] + 0.8 * y[at_y], kError<T>);
        expect("rot, y", turned_y[at_y], 0.6 * y[at_y] - 0.8 * x[at_x], kError<T>);
        expected += static_cast<double>(x[at_x]) * y[at_y];
      }
      expect("dot", dot_product, expected, kError<T>);
    }
  }
  const Array<T> x = some<T>(2 * n, 1);
  Array<T> scaled(x);
  const T alpha = -2;
  T norm = -1, sum = -1;
  ok("scal", scal(t, n, &alpha, scaled.data, 2));
  ok("nrm2", nrm2(t, n, x.data, 2, &norm));
  ok("asum", asum(t, n, x.data, 2, &sum));
  double squares = 0, absolute = 0;
  for (int i = 0; i < 2 * n; ++i) {
    expect("scal", scaled[i], i % 2 == 0 ? -2 * x[i] : x[i]);
    if (i % 2 == 0) squares += static_cast<double>(x[i]) * x[i], absolute += std::fabs(x[i]);
  }
  expect("nrm2", norm, std::sqrt(squares), kError<T>);
  expect("asum", sum, absolute, kError<T>);
  int index = -1;
  ok("nrm2 of a step below 1", nrm2(t, n, x.data, -1, &norm));
  expect("nrm2 of a step below 1", norm, 0);
  ok("amax of nothing", amax(t, 0, x.data, 1, &index));
  expect("amax of nothing", index, 0);
  // By hand; the first of equal ones, counted from 1.
  Array<T> values(8, 0);
  const T given[] = {3, -5, 1, 5, -1, 4, 1, 2};
  for (int i = 0; i < 8; ++i) values[i] = given[i];
  ok("amax", amax(t, 8, values.data, 1, &index));
  expect("amax", index, 2);
  ok("amin", amin(t, 8, values.data, 1, &index));
  expect("amin", index, 3);
  ok("amax with a step", amax(t, 4, values.data, 2, &index));  // 3 1 -1 1
  expect("amax with a step", index, 1);
  // Givens: (3, 4) becomes (5, 0).
  T a = 3, b = 4, c = 0, s = 0;
  ok("rotg", rotg(t, &a, &b, &c, &s));
  expect("rotg, r", a, 5, kError<T>), expect("rotg, c", c, 0.6, kError<T>), expect("rotg, s", s, 0.8, kError<T>);
  // The modified rotation zeroes the second component: H (x1, y1) = (x1', 0).
  T d1 = 2, d2 = 3, x1 = 4, parameters[5] = {};
  const T y1 = 5;
  ok("rotmg", rotmg(t, &d1, &d2, &x1, &y1, parameters));
  Array<T> h_x(1, 4), h_y(1, 5);
  ok("rotm", rotm(t, 1, h_x.data, 1, h_y.data, 1, parameters));
  expect("rotm, x", h_x[0], x1, kError<T>), expect("rotm, y", h_y[0], 0, kError<T>);
}

template <class T> void pointer_modes() {
  const T t{};
  const Array<T> x = some<T>(5, 1), alpha(1, 3);
  Array<T> y = some<T>(5, 2), result(1, 0), expected(y);
  Array<int> index(1, 0);
  cublasPointerMode_t mode;
  ok("mode", cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  ok("mode", cublasGetPointerMode(handle, &mode));
  expect("mode", mode, CUBLAS_POINTER_MODE_DEVICE);
  ok("axpy, device", axpy(t, 5, alpha.data, x.data, 1, y.data, 1));
  ok("asum, device", asum(t, 5, y.data, 1, result.data));
  ok("amax, device", amax(t, 5, y.data, 1, index.data));
  double sum = 0;
  int largest = 0;
  for (int i = 0; i < 5; ++i) {
    expect("axpy, device", y[i], expected[i] + 3.0 * x[i], kError<T>);
    sum += std::fabs(y[i]);
    if (std::fabs(y[i]) > std::fabs(y[largest])) largest = i;
  }
  expect("asum, device", result[0], sum, kError<T>);
  expect("amax, device", index[0], largest + 1);
  ok("mode", cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
}

/// y = alpha op(A) x + beta y of a general matrix, of one in bands, and A + alpha x y'.
template <class T> void general_and_vector(cublasOperation_t trans, int step_x, int step_y, T beta) {
  const T t{}, alpha = static_cast<T>(0.75);
  const int m = 6, n = 4, ld = 8, kl = 2, ku = 1;
  const int rows = trans == CUBLAS_OP_N ? m : n, columns = trans == CUBLAS_OP_N ? n : m;
  const Array<T> a = some<T>(ld * n, 1), x = some<T>(2 * m, 2), y = some<T>(2 * m, 3);
  Array<T> got(y), banded(y), rank(a), bands(5 * n, kNan<T>);
  if (beta == 0)
    for (int i = 0; i < 2 * m; ++i) got[i] = banded[i] = kNan<T>;
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < m; ++row)
      if (row - column <= kl && column - row <= ku) bands[ku + row - column + column * 5] = a[row + column * ld];
  ok("gemv", gemv(t, trans, m, n, &alpha, a.data, ld, x.data, step_x, &beta, got.data, step_y));
  ok("gbmv", gbmv(t, trans, m, n, kl, ku, &alpha, bands.data, 5, x.data, step_x, &beta, banded.data, step_y));
  for (int row = 0; row < rows; ++row) {
    double sum = 0, of_bands = 0;
    for (int column = 0; column < columns; ++column) {
      const int i = trans == CUBLAS_OP_N ? row : column, j = trans == CUBLAS_OP_N ? column : row;
      const double term = static_cast<double>(a[i + j * ld]) * x[place(column, columns, step_x)];
      sum += term;
      if (i - j <= kl && j - i <= ku) of_bands += term;
    }
    const int at = place(row, rows, step_y);
    const double old = beta == 0 ? 0 : static_cast<double>(beta) * y[at];
    expect("gemv", got[at], 0.75 * sum + old, kError<T>);
    expect("gbmv", banded[at], 0.75 * of_bands + old, kError<T>);
  }
  if (trans != CUBLAS_OP_N) return;
  ok("ger", ger(t, m, n, &alpha, x.data, step_x, y.data, step_y, rank.data, ld));
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < m; ++row)
      expect("ger", rank[row + column * ld], a[row + column * ld] + 0.75 * x[place(row, m, step_x)] * y[place(column, n, step_y)], kError<T>);
  expect_gaps("ger, behind the rows", rank, a, m, n, ld);
}

/// Symmetric matrices of which one triangle is read: in full storage, in bands, packed.
template <class T> void symmetric_and_vector(cublasFillMode_t uplo, int step_x, int step_y) {
  const T t{}, alpha = static_cast<T>(0.5), beta = -1;
  const int n = 5, ld = 7, k = 2;
  const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
  Array<T> a = some<T>(ld * n, 1), bands((k + 2) * n, kNan<T>), packed(n * (n + 1) / 2);
  spoil(a, n, ld, uplo);
  const Array<T> x = some<T>(2 * n, 2), y = some<T>(2 * n, 3);
  int next = 0;
  for (int column = 0; column < n; ++column)
    for (int row = lower ? column : 0; row < (lower ? n : column + 1); ++row) {
      packed[next++] = a[row + column * ld];
      if (std::abs(row - column) <= k) bands[(lower ? row - column : k + row - column) + column * (k + 2)] = a[row + column * ld];
    }
  Array<T> full(y), banded(y), from_packed(y), rank(a), rank2(a), packed_rank(packed), packed_rank2(packed);
  ok("symv", symv(t, uplo, n, &alpha, a.data, ld, x.data, step_x, &beta, full.data, step_y));
  ok("sbmv", sbmv(t, uplo, n, k, &alpha, bands.data, k + 2, x.data, step_x, &beta, banded.data, step_y));
  ok("spmv", spmv(t, uplo, n, &alpha, packed.data, x.data, step_x, &beta, from_packed.data, step_y));
  ok("syr", syr(t, uplo, n, &alpha, x.data, step_x, rank.data, ld));
  ok("spr", spr(t, uplo, n, &alpha, x.data, step_x, packed_rank.data));
  ok("syr2", syr2(t, uplo, n, &alpha, x.data, step_x, y.data, step_y, rank2.data, ld));
  ok("spr2", spr2(t, uplo, n, &alpha, x.data, step_x, y.data, step_y, packed_rank2.data));
  const auto matrix = symmetric<T>(a, ld, uplo);
  next = 0;
  for (int i = 0; i < n; ++i) {
    double sum = 0, of_bands = 0;
    for (int j = 0; j < n; ++j) {
      const double term = matrix(i, j) * x[place(j, n, step_x)];
      sum += term;
      if (std::abs(i - j) <= k) of_bands += term;
    }
    const int at = place(i, n, step_y);
    expect("symv", full[at], 0.5 * sum - y[at], kError<T>);
    expect("spmv", from_packed[at], 0.5 * sum - y[at], kError<T>);
    expect("sbmv", banded[at], 0.5 * of_bands - y[at], kError<T>);
    for (int row = 0; row < n; ++row) {  // of column i
      const bool is_there = lower ? row >= i : row <= i;
      const double old = a[row + i * ld], x_row = x[place(row, n, step_x)], x_i = x[place(i, n, step_x)];
      const double y_row = y[place(row, n, step_y)], y_i = y[at];
      expect("syr", rank[row + i * ld], is_there ? old + 0.5 * x_row * x_i : old, kError<T>);
      expect("syr2", rank2[row + i * ld], is_there ? old + 0.5 * (x_row * y_i + y_row * x_i) : old, kError<T>);
      if (!is_there) continue;
      expect("spr", packed_rank[next], old + 0.5 * x_row * x_i, kError<T>);
      expect("spr2", packed_rank2[next++], old + 0.5 * (x_row * y_i + y_row * x_i), kError<T>);
    }
  }
}

/// Triangles: products, and solutions, which the product of the triangle gives back.
template <class T> void triangle_and_vector(cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int step) {
  const T t{};
  const int n = 5, ld = 6, k = 2;
  const bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
  const Array<T> a = some_triangle<T>(n, ld, uplo, diag), x = some<T>(2 * n, 2);
  Array<T> narrow(n * ld, 0), bands((k + 1) * n, kNan<T>), packed(n * (n + 1) / 2);
  int next = 0;
  for (int column = 0; column < n; ++column)
    for (int row = lower ? column : 0; row < (lower ? n : column + 1); ++row) {
      packed[next++] = a[row + column * ld];
      if (std::abs(row - column) > k) continue;
      narrow[row + column * ld] = a[row + column * ld];
      bands[(lower ? row - column : k + row - column) + column * (k + 1)] = a[row + column * ld];
    }
  Array<T> full(x), banded(x), from_packed(x), solved(x), solved_bands(x), solved_packed(x);
  ok("trmv", trmv(t, uplo, trans, diag, n, a.data, ld, full.data, step));
  ok("tbmv", tbmv(t, uplo, trans, diag, n, k, bands.data, k + 1, banded.data, step));
  ok("tpmv", tpmv(t, uplo, trans, diag, n, packed.data, from_packed.data, step));
  ok("trsv", trsv(t, uplo, trans, diag, n, a.data, ld, solved.data, step));
  ok("tbsv", tbsv(t, uplo, trans, diag, n, k, bands.data, k + 1, solved_bands.data, step));
  ok("tpsv", tpsv(t, uplo, trans, diag, n, packed.data, solved_packed.data, step));
  const auto matrix = triangle<T>(a, ld, uplo, trans, diag), band = triangle<T>(narrow, ld, uplo, trans, diag);
  for (int i = 0; i < n; ++i) {
    double sums[5] = {};
    for (int j = 0; j < n; ++j) {
      const int at = place(j, n, step);
      sums[0] += matrix(i, j) * x[at], sums[1] += band(i, j) * x[at];
      sums[2] += matrix(i, j) * solved[at], sums[3] += band(i, j) * solved_bands[at], sums[4] += matrix(i, j) * solved_packed[at];
    }
    const int at = place(i, n, step);
    expect("trmv", full[at], sums[0], kError<T>), expect("tpmv", from_packed[at], sums[0], kError<T>);
    expect("tbmv", banded[at], sums[1], kError<T>);
    expect("trsv", sums[2], x[at], kError<T>), expect("tbsv", sums[3], x[at], kError<T>), expect("tpsv", sums[4], x[at], kError<T>);
  }
}

template <class T> void general_products(cublasOperation_t transa, cublasOperation_t transb, T beta) {
  const T t{}, alpha = static_cast<T>(1.25);
  const int m = 5, n = 4, k = 6, ld = 9, count = 3;
  const Array<T> a = some<T>(ld * k * count, 1), b = some<T>(ld * k * count, 2), c = some<T>(ld * n * count, 3);
  Array<T> one(c), batched(c), strided(c);
  if (beta == 0)
    for (int i = 0; i < ld * n * count; ++i)
      if (i % ld < m) one[i] = batched[i] = strided[i] = kNan<T>;
  Array<const T*> as(count), bs(count);
  Array<T*> cs(count);
  for (int i = 0; i < count; ++i) as[i] = a + i * ld * k, bs[i] = b + i * ld * k, cs[i] = batched + i * ld * n;
  ok("gemm", gemm(t, transa, transb, m, n, k, &alpha, a.data, ld, b.data, ld, &beta, one.data, ld));
  ok("gemmBatched", gemmBatched(t, transa, transb, m, n, k, &alpha, as.data, ld, bs.data, ld, &beta, cs.data, ld, count));
  ok("gemmStridedBatched", gemmStridedBatched(t, transa, transb, m, n, k, &alpha, a.data, ld, (long long)ld * k, b.data, ld, (long long)ld * k, &beta,
                                              strided.data, ld, (long long)ld * n, count));
  for (int i = 0; i < count; ++i)
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < m; ++row) {
        const int at = row + column * ld + i * ld * n;
        const double sum = product(Matrix<T>{as[i], ld, transa}, Matrix<T>{bs[i], ld, transb}, row, column, k);
        const double expected = 1.25 * sum + (beta == 0 ? 0 : static_cast<double>(beta) * c[at]);
        if (i == 0) expect("gemm", one[at], expected, kError<T>);
        expect("gemmBatched", batched[at], expected, kError<T>);
        expect("gemmStridedBatched", strided[at], expected, kError<T>);
      }
  expect_gaps("gemm, behind the rows", one, c, m, n, ld);
  Array<T> added(c), in_place(a);
  const Array<T> unread(ld * m, kNan<T>);
  ok("geam", geam(t, transa, transb, m, n, &alpha, a.data, ld, &beta, beta == 0 ? unread.data : b.data, ld, added.data, ld));
  if (transa == CUBLAS_OP_N) ok("geam in place", geam(t, transa, transb, m, n, &alpha, in_place.data, ld, &beta, b.data, ld, in_place.data, ld));
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < m; ++row) {
      const double of_b = beta == 0 ? 0 : static_cast<double>(beta) * Matrix<T>{b, ld, transb}(row, column);
      const double expected = 1.25 * Matrix<T>{a, ld, transa}(row, column) + of_b;
      expect("geam", added[row + column * ld], expected, kError<T>);
      if (transa == CUBLAS_OP_N) expect("geam in place", in_place[row + column * ld], expected, kError<T>);
    }
}

template <class T> void symmetric_products(cublasFillMode_t uplo, cublasSideMode_t side, cublasOperation_t trans) {
  const T t{}, alpha = static_cast<T>(0.5), beta = 2;
  const int m = 5, n = 4, ld = 7, order = side == CUBLAS_SIDE_LEFT ? m : n;
  Array<T> a = some<T>(ld * 6, 1);
  const Array<T> b = some<T>(ld * 6, 2), c = some<T>(ld * 6, 3), full = some<T>(ld * 6, 1);
  spoil(a, order, ld, uplo);
  Array<T> got(c), square(c), square2(c);
  ok("symm", symm(t, side, uplo, m, n, &alpha, a.data, ld, b.data, ld, &beta, got.data, ld));
  ok("syrk", syrk(t, uplo, trans, n, m, &alpha, full.data, ld, &beta, square.data, ld));
  ok("syr2k", syr2k(t, uplo, trans, n, m, &alpha, full.data, ld, b.data, ld, &beta, square2.data, ld));
  const auto matrix = symmetric<T>(a, ld, uplo);
  const Matrix<T> other{b, ld};
  const cublasOperation_t back = trans == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < m; ++row) {
      const int at = row + column * ld;
      const double sum = side == CUBLAS_SIDE_LEFT ? product(matrix, other, row, column, m) : product(other, matrix, row, column, n);
      expect("symm", got[at], 0.5 * sum + 2.0 * c[at], kError<T>);
      if (row >= n) continue;
      const bool is_there = uplo == CUBLAS_FILL_MODE_LOWER ? row >= column : row <= column;
      const double once = product(Matrix<T>{full, ld, trans}, Matrix<T>{full, ld, back}, row, column, m);
      const double twice = product(Matrix<T>{full, ld, trans}, Matrix<T>{b, ld, back}, row, column, m) +
                           product(Matrix<T>{b, ld, trans}, Matrix<T>{full, ld, back}, row, column, m);
      expect("syrk", square[at], is_there ? 0.5 * once + 2.0 * c[at] : c[at], kError<T>);
      expect("syr2k", square2[at], is_there ? 0.5 * twice + 2.0 * c[at] : c[at], kError<T>);
    }
}

template <class T> void triangular_products(cublasFillMode_t uplo, cublasSideMode_t side, cublasOperation_t trans, cublasDiagType_t diag) {
  const T t{}, alpha = static_cast<T>(1.5);
  const int m = 5, n = 4, ld = 7, order = side == CUBLAS_SIDE_LEFT ? m : n;
  const Array<T> a = some_triangle<T>(order, ld, uplo, diag), b = some<T>(ld * n, 2);
  Array<T> out(ld * n, kNan<T>), in_place(b), solved(b), batched(b);
  Array<const T*> as(1);
  Array<T*> bs(1);
  as[0] = a, bs[0] = batched;
  ok("trmm", trmm(t, side, uplo, trans, diag, m, n, &alpha, a.data, ld, b.data, ld, out.data, ld));
  ok("trmm in place", trmm(t, side, uplo, trans, diag, m, n, &alpha, a.data, ld, in_place.data, ld, in_place.data, ld));
  ok("trsm", trsm(t, side, uplo, trans, diag, m, n, &alpha, a.data, ld, solved.data, ld));
  ok("trsmBatched", trsmBatched(t, side, uplo, trans, diag, m, n, &alpha, as.data, ld, bs.data, ld, 1));
  const auto matrix = triangle<T>(a, ld, uplo, trans, diag);
  const Matrix<T> given{b, ld}, solution{solved, ld}, batch{batched, ld};
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < m; ++row) {
      const auto times = [&](const Matrix<T>& other) {
        return side == CUBLAS_SIDE_LEFT ? product(matrix, other, row, column, m) : product(other, matrix, row, column, n);
      };
      const int at = row + column * ld;
      expect("trmm", out[at], 1.5 * times(given), kError<T>);
      expect("trmm in place", in_place[at], 1.5 * times(given), kError<T>);
      expect("trsm", times(solution), 1.5 * b[at], kError<T>);
      expect("trsmBatched", times(batch), 1.5 * b[at], kError<T>);
    }
}

template <class T> void diagonal_products() {
  const T t{};
  const int m = 5, n = 4, ld = 6;
  const Array<T> a = some<T>(ld * n, 1), x = some<T>(2 * m, 2);
  for (cublasSideMode_t side : kSides)
    for (int step : {1, -2}) {
      Array<T> got(ld * n, kNan<T>);
      ok("dgmm", dgmm(t, side, m, n, a.data, ld, x.data, step, got.data, ld));
      for (int column = 0; column < n; ++column)
        for (int row = 0; row < m; ++row) {
          const int at = side == CUBLAS_SIDE_LEFT ? place(row, m, step) : place(column, n, step);
          expect("dgmm", got[row + column * ld], static_cast<double>(a[row + column * ld]) * x[at], kError<T>);
        }
    }
}

/// Factors, solutions and inverses of a batch, with exchanges of rows and without; a singular matrix is named.
template <class T> void systems(bool with_pivots) {
  const T t{};
  const int n = 4, ld = 5, count = 3, columns = 2;
  Array<T> a = some<T>(ld * n * count, 1);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < n && !with_pivots; ++j) a[i * ld * n + j + j * ld] = static_cast<T>(9);
  for (int j = 0; j < n; ++j) a[2 * ld * n + j + 1 * ld] = 0;  // of the last one, column 2 is 0
  const Array<T> b = some<T>(ld * columns * count, 2);
  Array<T> factors(a), inverse(ld * n * count, kNan<T>);
  Array<T*> fs(count), xs(count), cs(count);
  Array<int> pivots(n * count, -1), info(count, -1);
  int* const exchanges = with_pivots ? pivots.data : nullptr;
  for (int i = 0; i < count; ++i) fs[i] = factors + i * ld * n, cs[i] = inverse + i * ld * n;
  ok("getrf", getrfBatched(t, n, fs.data, ld, exchanges, info.data, count));
  expect("getrf, info", info[0], 0), expect("getrf, info", info[1], 0), expect("getrf, info of a singular one", info[2], 2);
  for (cublasOperation_t trans : kOperations) {
    Array<T> x(b);
    int host_info = -1;
    for (int i = 0; i < count; ++i) xs[i] = x + i * ld * columns;
    ok("getrs", getrsBatched(t, trans, n, columns, (const T* const*)fs.data, ld, (const int*)exchanges, xs.data, ld, &host_info, 2));
    expect("getrs, info", host_info, 0);
    for (int i = 0; i < 2; ++i)
      for (int column = 0; column < columns; ++column)
        for (int row = 0; row < n; ++row)
          expect("getrs", product(Matrix<T>{a + i * ld * n, ld, trans}, Matrix<T>{xs[i], ld}, row, column, n), b[i * ld * columns + row + column * ld], 20 * kError<T>);
  }
  ok("getri", getriBatched(t, n, (const T* const*)fs.data, ld, (const int*)exchanges, cs.data, ld, info.data, count));
  expect("getri, info", info[0], 0), expect("getri, info of a singular one", info[2], 2);
  for (int i = 0; i < 2; ++i)
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < n; ++row)
        expect("getri", product(Matrix<T>{a + i * ld * n, ld}, Matrix<T>{cs[i], ld}, row, column, n), row == column, 20 * kError<T>);
}

template <class T> void all() {
  vectors<T>();
  long_vectors<T>();
  pointer_modes<T>();
  for (cublasOperation_t trans : kOperations)
    for (int step_x : {1, -2})
      for (int step_y : {1, 2, -1})
        for (T beta : {T{0}, T{-2}}) general_and_vector<T>(trans, step_x, step_y, beta);
  for (cublasOperation_t transa : kOperations)
    for (cublasOperation_t transb : kOperations)
      for (T beta : {T{0}, T{-2}}) general_products<T>(transa, transb, beta);
  for (cublasFillMode_t uplo : kTriangles) {
    for (int step : {1, 2, -1}) symmetric_and_vector<T>(uplo, step, -step);
    for (cublasOperation_t trans : kOperations) {
      for (cublasSideMode_t side : kSides) symmetric_products<T>(uplo, side, trans);
      for (cublasDiagType_t diag : kDiagonals) {
        for (int step : {1, -2}) triangle_and_vector<T>(uplo, trans, diag, step);
        for (cublasSideMode_t side : kSides) triangular_products<T>(uplo, side, trans, diag);
      }
    }
  }
  diagonal_products<T>();
  systems<T>(true);
  systems<T>(false);
}

int main() {
  ok("create", cublasCreate(&handle));
  all<float>();
  all<double>();
  ok("destroy", cublasDestroy(handle));
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
