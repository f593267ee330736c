// cuBLAS's functions of complex elements, against sums on the host. All numbers are small whole ones, so that results are exact.
#include <cublas_v2.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

static int wrong = 0;
static void expect(const char* what, bool right) {
  if (!right) std::printf("wrong: %s\n", what);
  wrong += right ? 0 : 1;
}

struct Float {
  using Element = cuFloatComplex;
  using Real = float;
  static constexpr auto axpy = cublasCaxpy;
  static constexpr auto scal = cublasCscal;
  static constexpr auto real_scal = cublasCsscal;
  static constexpr auto dotu = cublasCdotu, dotc = cublasCdotc;
  static constexpr auto nrm2 = cublasScnrm2, asum = cublasScasum;
  static constexpr auto amax = cublasIcamax, amin = cublasIcamin;
  static constexpr auto copy = cublasCcopy;
  static constexpr auto swap = cublasCswap;
  static constexpr auto gemv = cublasCgemv;
  static constexpr auto geru = cublasCgeru, gerc = cublasCgerc;
  static constexpr auto gemm = cublasCgemm, gemm3m = cublasCgemm3m;
  static constexpr auto strided = cublasCgemmStridedBatched;
  static constexpr auto batched = cublasCgemmBatched;
  static constexpr auto herk = cublasCherk;
  static constexpr auto trsm = cublasCtrsm;
};
struct Double {
  using Element = cuDoubleComplex;
  using Real = double;
  static constexpr auto axpy = cublasZaxpy;
  static constexpr auto scal = cublasZscal;
  static constexpr auto real_scal = cublasZdscal;
  static constexpr auto dotu = cublasZdotu, dotc = cublasZdotc;
  static constexpr auto nrm2 = cublasDznrm2, asum = cublasDzasum;
  static constexpr auto amax = cublasIzamax, amin = cublasIzamin;
  static constexpr auto copy = cublasZcopy;
  static constexpr auto swap = cublasZswap;
  static constexpr auto gemv = cublasZgemv;
  static constexpr auto geru = cublasZgeru, gerc = cublasZgerc;
  static constexpr auto gemm = cublasZgemm, gemm3m = cublasZgemm3m;
  static constexpr auto strided = cublasZgemmStridedBatched;
  static constexpr auto batched = cublasZgemmBatched;
  static constexpr auto herk = cublasZherk;
  static constexpr auto trsm = cublasZtrsm;
};

template <class F>
struct Test {
  using E = typename F::Element;
  using R = typename F::Real;
  using Z = std::complex<R>;

  cublasHandle_t handle;

  static Z* managed(int count, int seed) {
    Z* memory;
    cudaMallocManaged(&memory, count * sizeof(Z));
    for (int i = 0; i < count; ++i) memory[i] = Z((i * 7 + seed) % 5 - 2, (i * 3 + 2 * seed) % 7 - 3);
    return memory;
  }
  static E* e(const Z* p) { return reinterpret_cast<E*>(const_cast<Z*>(p)); }
  static Z op(const Z* m, cublasOperation_t trans, int row, int column, int ld) {
    if (trans == CUBLAS_OP_N) return m[column * ld + row];
    return trans == CUBLAS_OP_T ? m[row * ld + column] : std::conj(m[row * ld + column]);
  }

  void vectors() {
    Z *x = managed(12, 1), *y = managed(12, 2), a(2, -3), u, c;
    const std::vector<Z> was(y, y + 12);
    expect("axpy", F::axpy(handle, 6, e(&a), e(x), 2, e(y), 1) == CUBLAS_STATUS_SUCCESS);
    bool same = true;
    Z sum_u, sum_c;
    R squares = 0, sizes = 0;
    int largest = 0;
    const auto size = [&](int i) { return std::abs(x[i].real()) + std::abs(x[i].imag()); };
    for (int i = 0; i < 6; ++i) same &= y[i] == was[i] + a * x[2 * i];
    expect("axpy", same && y[6] == was[6]);
    for (int i = 0; i < 12; ++i) {
      sum_u += x[i] * y[i];
      sum_c += std::conj(x[i]) * y[i];
      squares += std::norm(x[i]);
      sizes += size(i);
      if (size(i) > size(largest)) largest = i;
    }
    F::dotu(handle, 12, e(x), 1, e(y), 1, e(&u));
    F::dotc(handle, 12, e(x), 1, e(y), 1, e(&c));
    expect("dot", u == sum_u && c == sum_c);
    R norm, sum;
    int place = 0;
    F::nrm2(handle, 12, e(x), 1, &norm);
    F::asum(handle, 12, e(x), 1, &sum);
    F::amax(handle, 12, e(x), 1, &place);
    expect("norms", std::abs(norm * norm - squares) < R(1e-4) && sum == sizes && place == largest + 1);
    const Z first = x[3];
    const R three = 3;
    F::scal(handle, 12, e(&a), e(x), 1);
    F::real_scal(handle, 12, &three, e(x), 1);
    expect("scal", x[3] == a * first * R(3));
    F::swap(handle, 12, e(x), 1, e(y), 1);
    expect("swap", y[3] == a * first * R(3));
    F::copy(handle, 12, e(y), 1, e(x), 1);
    expect("copy", x[3] == y[3]);
    expect("no scalar", F::scal(handle, 12, nullptr, e(x), 1) == CUBLAS_STATUS_INVALID_VALUE);
  }

  /// 3 × 4 times 4 × 2, of all kinds of operands.
  void products() {
    const int m = 3, n = 2, k = 4, ld = 5;
    const Z alpha(1, 2), beta(-1, 1);
    Z *a = managed(3 * 25, 3), *b = managed(3 * 25, 4), *c = managed(3 * 25, 5);
    Z** lists;
    cudaMallocManaged(&lists, 9 * sizeof(Z*));
    for (const auto ta : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
      for (const auto tb : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})
        for (int way = 0; way < 4; ++way) {
          const std::vector<Z> was(c, c + 75);
          const int count = way < 2 ? 1 : 3;
          for (int i = 0; i < 3; ++i) lists[i] = a + 25 * i, lists[3 + i] = b + 25 * i, lists[6 + i] = c + 25 * i;
          if (way < 2)
            (way == 0 ? F::gemm : F::gemm3m)(handle, ta, tb, m, n, k, e(&alpha), e(a), ld, e(b), ld, e(&beta), e(c), ld);
          else if (way == 2)
            F::strided(handle, ta, tb, m, n, k, e(&alpha), e(a), ld, 25, e(b), ld, 25, e(&beta), e(c), ld, 25, 3);
          else
            F::batched(handle, ta, tb, m, n, k, e(&alpha), (const E**)lists, ld, (const E**)(lists + 3), ld, e(&beta), (E**)(lists + 6), ld, 3);
          bool same = true;
          for (int i = 0; i < count; ++i)
            for (int row = 0; row < m; ++row)
              for (int column = 0; column < n; ++column) {
                Z sum = beta * was[25 * i + column * ld + row];
                for (int l = 0; l < k; ++l) sum += alpha * op(a + 25 * i, ta, row, l, ld) * op(b + 25 * i, tb, l, column, ld);
                same &= c[25 * i + column * ld + row] == sum;
              }
          expect("product", same && c[4] == was[4]);
          for (int i = 0; i < 75; ++i) c[i] = was[i];
        }
    expect("leading dimension", F::gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, e(&alpha), e(a), 2, e(b), ld, e(&beta), e(c), ld) == CUBLAS_STATUS_INVALID_VALUE);
  }

  void others() {
    const int m = 3, n = 4, ld = 5;
    const Z alpha(2, 1), beta(1, -1), one(1, 0);
    Z *a = managed(25, 6), *x = managed(5, 7), *y = managed(5, 8);
    std::vector<Z> was(y, y + 5);
    F::gemv(handle, CUBLAS_OP_C, m, n, e(&alpha), e(a), ld, e(x), 1, e(&beta), e(y), 1);
    bool same = true;
    for (int column = 0; column < n; ++column) {
      Z sum = beta * was[column];
      for (int row = 0; row < m; ++row) sum += alpha * std::conj(a[column * ld + row]) * x[row];
      same &= y[column] == sum;
    }
    expect("gemv", same);
    was.assign(a, a + 25);
    F::geru(handle, m, n, e(&alpha), e(x), 1, e(y), 1, e(a), ld);
    F::gerc(handle, m, n, e(&beta), e(x), 1, e(y), 1, e(a), ld);
    same = true;
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < n; ++column)
        same &= a[column * ld + row] == was[column * ld + row] + alpha * x[row] * y[column] + beta * x[row] * std::conj(y[column]);
    expect("ger", same);
    // A triangle with ones times a known matrix, solved again; and A A* of it.
    Z *left = managed(25, 1), *right = managed(25, 2), *square = managed(25, 3);
    const std::vector<Z> known(right, right + 25);
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < m; ++row)
        for (int l = 0; l < row; ++l) right[column * ld + row] += left[l * ld + row] * known[column * ld + l];
    F::trsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, m, n, e(&one), e(left), ld, e(right), ld);
    same = true;
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < m; ++row) same &= right[column * ld + row] == known[column * ld + row];
    expect("trsm", same);
    const R two = 2, none = 0;
    F::herk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, m, n, &two, e(left), ld, &none, e(square), ld);
    Z sum;
    for (int l = 0; l < n; ++l) sum += two * left[l * ld + 2] * std::conj(left[l * ld + 1]);
    expect("herk", square[ld + 2] == sum);
    expect("herk of a transposed one", F::herk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, m, n, &two, e(left), ld, &none, e(square), ld) == CUBLAS_STATUS_INVALID_VALUE);
  }
};

template <class F>
static void test() {
  Test<F> one;
  expect("no handle", F::scal(nullptr, 0, nullptr, nullptr, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
  cublasCreate(&one.handle);
  one.vectors();
  one.products();
  one.others();
  cublasDestroy(one.handle);
}

int main() {
  test<Float>();
  test<Double>();
  std::printf("%d wrong\n", wrong);
}
