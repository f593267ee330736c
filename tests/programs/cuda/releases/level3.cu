// cuBLAS's products of complex matrices that are symmetric, Hermitian or triangles, and products in groups, against sums over all elements on the host. All
// numbers are small whole ones, so that results are exact.
#include <cublas_v2.h>

#include <complex>
#include <cstdio>
#include <vector>

static int wrong = 0;
static void expect(const char* what, bool right) {
  if (!right && wrong < 30) std::printf("wrong: %s\n", what);
  wrong += right ? 0 : 1;
}

struct Float {
  using Element = cuFloatComplex;
  using Real = float;
  static constexpr auto hemm = cublasChemm, symm = cublasCsymm;
  static constexpr auto syrk = cublasCsyrk;
  static constexpr auto syr2k = cublasCsyr2k;
  static constexpr auto her2k = cublasCher2k;
  static constexpr auto trmm = cublasCtrmm;
  static constexpr auto grouped = cublasSgemmGroupedBatched;
};
struct Double {
  using Element = cuDoubleComplex;
  using Real = double;
  static constexpr auto hemm = cublasZhemm, symm = cublasZsymm;
  static constexpr auto syrk = cublasZsyrk;
  static constexpr auto syr2k = cublasZsyr2k;
  static constexpr auto her2k = cublasZher2k;
  static constexpr auto trmm = cublasZtrmm;
  static constexpr auto grouped = cublasDgemmGroupedBatched;
};

constexpr int kLd = 6, kElements = kLd * kLd;
constexpr cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
constexpr cublasFillMode_t kTriangles[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
constexpr cublasSideMode_t kSides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};

static bool is_within(cublasFillMode_t uplo, int row, int column) { return uplo == CUBLAS_FILL_MODE_LOWER ? row >= column : row <= column; }

template <class F>
struct Test {
  using E = typename F::Element;
  using R = typename F::Real;
  using Z = std::complex<R>;

  cublasHandle_t handle;
  Z *a, *b, *c;
  const Z alpha{1, 2}, beta{-1, 1};

  explicit Test(cublasHandle_t of) : handle(of) {
    for (Z** one : {&a, &b, &c}) cudaMallocManaged(one, kElements * sizeof(Z));
  }
  static E* e(const Z* p) { return reinterpret_cast<E*>(const_cast<Z*>(p)); }
  void begin(int seed) {
    int number = seed;
    for (Z* one : {a, b, c})
      for (int i = 0; i < kElements; ++i, ++number) one[i] = Z((number * 7) % 5 - 2, (number * 3) % 7 - 3);
  }
  static Z op(const Z* m, cublasOperation_t trans, int row, int column) {
    if (trans == CUBLAS_OP_N) return m[column * kLd + row];
    return trans == CUBLAS_OP_T ? m[row * kLd + column] : std::conj(m[row * kLd + column]);
  }
  /// Element of the matrix of which a triangle is stored.
  static Z whole(const Z* m, cublasFillMode_t uplo, bool hermitian, int row, int column) {
    if (hermitian && row == column) return m[row * kLd + row].real();
    if (is_within(uplo, row, column)) return m[column * kLd + row];
    return hermitian ? std::conj(m[row * kLd + column]) : m[row * kLd + column];
  }
  /// All elements of C are what `wanted` says where `has`, and what they were elsewhere.
  template <class Has, class Wanted>
  void check(const char* what, const std::vector<Z>& was, Has has, Wanted wanted) {
    for (int column = 0; column < kLd; ++column)
      for (int row = 0; row < kLd; ++row) expect(what, c[column * kLd + row] == (has(row, column) ? wanted(row, column) : was[column * kLd + row]));
  }
  std::vector<Z> now() const { return {c, c + kElements}; }

  void sided() {
    const int m = 4, n = 3;
    for (const auto side : kSides)
      for (const auto uplo : kTriangles)
        for (const bool hermitian : {false, true}) {
          begin(3);
          const auto was = now();
          const auto function = hermitian ? F::hemm : F::symm;
          expect("status", function(handle, side, uplo, m, n, e(&alpha), e(a), kLd, e(b), kLd, e(&beta), e(c), kLd) == CUBLAS_STATUS_SUCCESS);
          check(hermitian ? "hemm" : "symm", was, [&](int row, int column) { return row < m && column < n; },
                [&](int row, int column) {
                  Z sum = 0;
                  for (int i = 0; i < (side == CUBLAS_SIDE_LEFT ? m : n); ++i)
                    sum += side == CUBLAS_SIDE_LEFT ? whole(a, uplo, hermitian, row, i) * b[column * kLd + i] : b[i * kLd + row] * whole(a, uplo, hermitian, i, column);
                  return alpha * sum + beta * was[column * kLd + row];
                });
        }
    expect("leading dimension", F::symm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 4, 3, e(&alpha), e(a), 3, e(b), kLd, e(&beta), e(c), kLd) == CUBLAS_STATUS_INVALID_VALUE);
    expect("no scalar", F::hemm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 4, 3, nullptr, e(a), kLd, e(b), kLd, e(&beta), e(c), kLd) == CUBLAS_STATUS_INVALID_VALUE);
  }

  void updates() {
    const int n = 4, k = 3;
    const R real_beta = 3;
    for (const auto uplo : kTriangles)
      for (const bool transposed : {false, true}) {
        const auto t = transposed ? CUBLAS_OP_T : CUBLAS_OP_N, h = transposed ? CUBLAS_OP_C : CUBLAS_OP_N;
        const auto other_t = transposed ? CUBLAS_OP_N : CUBLAS_OP_T, other_h = transposed ? CUBLAS_OP_N : CUBLAS_OP_C;
        const auto has = [&](int row, int column) { return row < n && column < n && is_within(uplo, row, column); };
        const auto product = [&](const Z* one, cublasOperation_t op_one, const Z* two, cublasOperation_t op_two, int row, int column) {
          Z sum = 0;
          for (int i = 0; i < k; ++i) sum += op(one, op_one, row, i) * op(two, op_two, i, column);
          return sum;
        };
        begin(5);
        auto was = now();
        expect("status", F::syrk(handle, uplo, t, n, k, e(&alpha), e(a), kLd, e(&beta), e(c), kLd) == CUBLAS_STATUS_SUCCESS);
        check("syrk", was, has, [&](int row, int column) { return alpha * product(a, t, a, other_t, row, column) + beta * was[column * kLd + row]; });
        begin(6);
        was = now();
        expect("status", F::syr2k(handle, uplo, t, n, k, e(&alpha), e(a), kLd, e(b), kLd, e(&beta), e(c), kLd) == CUBLAS_STATUS_SUCCESS);
        check("syr2k", was, has, [&](int row, int column) {
          return alpha * (product(a, t, b, other_t, row, column) + product(b, t, a, other_t, row, column)) + beta * was[column * kLd + row];
        });
        begin(7);
        was = now();
        expect("status", F::her2k(handle, uplo, h, n, k, e(&alpha), e(a), kLd, e(b), kLd, &real_beta, e(c), kLd) == CUBLAS_STATUS_SUCCESS);
        check("her2k", was, has, [&](int row, int column) {
          const Z old = row == column ? Z(was[column * kLd + row].real()) : was[column * kLd + row];
          return alpha * product(a, h, b, other_h, row, column) + std::conj(alpha) * product(b, h, a, other_h, row, column) + real_beta * old;
        });
      }
    expect("syrk of C", F::syrk(handle, kTriangles[0], CUBLAS_OP_C, n, k, e(&alpha), e(a), kLd, e(&beta), e(c), kLd) == CUBLAS_STATUS_INVALID_VALUE);
    expect("her2k of T", F::her2k(handle, kTriangles[0], CUBLAS_OP_T, n, k, e(&alpha), e(a), kLd, e(b), kLd, &real_beta, e(c), kLd) == CUBLAS_STATUS_INVALID_VALUE);
  }

  void triangles() {
    const int m = 4, n = 3;
    for (const auto side : kSides)
      for (const auto uplo : kTriangles)
        for (const auto trans : kOperations)
          for (const auto diag : {CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT})
            for (const bool in_place : {false, true}) {
              begin(8);
              if (in_place) std::copy(b, b + kElements, c);
              const auto was = now();
              const std::vector<Z> factor(b, b + kElements);
              expect("status", F::trmm(handle, side, uplo, trans, diag, m, n, e(&alpha), e(a), kLd, e(in_place ? c : b), kLd, e(c), kLd) == CUBLAS_STATUS_SUCCESS);
              const auto element = [&](int row, int column) {
                const bool turned = trans != CUBLAS_OP_N;
                if (row == column && diag == CUBLAS_DIAG_UNIT) return Z(1);
                return is_within(uplo, turned ? column : row, turned ? row : column) ? op(a, trans, row, column) : Z(0);
              };
              check("trmm", was, [&](int row, int column) { return row < m && column < n; },
                    [&](int row, int column) {
                      Z sum = 0;
                      for (int i = 0; i < (side == CUBLAS_SIDE_LEFT ? m : n); ++i)
                        sum += side == CUBLAS_SIDE_LEFT ? element(row, i) * factor[column * kLd + i] : factor[i * kLd + row] * element(i, column);
                      return alpha * sum;
                    });
            }
  }

  /// Two groups, of two products and of three.
  void groups() {
    R *matrices, **pointers;
    cudaMallocManaged(&matrices, 15 * kElements * sizeof(R)), cudaMallocManaged(&pointers, 15 * sizeof(R*));
    for (int i = 0; i < 15 * kElements; ++i) matrices[i] = R((i * 11) % 9 - 4);
    for (int i = 0; i < 15; ++i) pointers[i] = matrices + i * kElements;
    const std::vector<R> was(matrices, matrices + 15 * kElements);
    const cublasOperation_t ta[] = {CUBLAS_OP_N, CUBLAS_OP_T}, tb[] = {CUBLAS_OP_T, CUBLAS_OP_N};
    const int m[] = {3, 2}, n[] = {4, 5}, k[] = {2, 6}, ld[] = {kLd, kLd}, sizes[] = {2, 3};
    const R alphas[] = {2, -1}, betas[] = {1, 3};
    expect("groups", F::grouped(handle, ta, tb, m, n, k, alphas, pointers, ld, pointers + 5, ld, betas, pointers + 10, ld, 2, sizes) == CUBLAS_STATUS_SUCCESS);
    cudaDeviceSynchronize();
    for (int i = 0; i < 5; ++i) {
      const int g = i < 2 ? 0 : 1;
      const R *one = was.data() + i * kElements, *two = one + 5 * kElements, *old = one + 10 * kElements, *found = matrices + (10 + i) * kElements;
      for (int column = 0; column < kLd; ++column)
        for (int row = 0; row < kLd; ++row) {
          R wanted = old[column * kLd + row];
          if (row < m[g] && column < n[g]) {
            R sum = 0;
            for (int j = 0; j < k[g]; ++j)
              sum += (ta[g] == CUBLAS_OP_N ? one[j * kLd + row] : one[row * kLd + j]) * (tb[g] == CUBLAS_OP_N ? two[column * kLd + j] : two[j * kLd + column]);
            wanted = alphas[g] * sum + betas[g] * wanted;
          }
          expect("group", found[column * kLd + row] == wanted);
        }
    }
    cudaFree(matrices), cudaFree(pointers);
  }
};

template <class F>
static void all(cublasHandle_t handle) {
  Test<F> test(handle);
  test.sided();
  test.updates();
  test.triangles();
  test.groups();
}

int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  all<Float>(handle);
  all<Double>(handle);
  cublasDestroy(handle);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
