// cuBLAS's functions of complex matrices and vectors, rotations, triangles of products, products of matrices and vectors in batches and of any elements in groups, next to loops of
// the host over whole matrices.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#include "../api/check.h"

static cublasHandle_t handle;
static const int kSize = 5, kLd = 7, kBand = 2;

template <class T>
static T* memory(int count, int seed) {
  T* made;
  cudaMallocManaged(&made, count * sizeof(T));
  for (int i = 0; i < count; ++i) {
    const int re = (i * 7 + seed) % 11 - 5, im = (i * 5 + seed) % 7 - 3;
    made[i] = T(re * 0.25, im * 0.25);
  }
  return made;
}
template <class T>
static bool close(T got, std::complex<double> wanted) {
  return std::abs(std::complex<double>(got.real(), got.imag()) - wanted) < (sizeof(T) == 8 ? 1e-4 : 1e-12);
}

/// A whole matrix, and what a function stores of it.
template <class T>
struct Dense {
  std::vector<std::complex<double>> of = std::vector<std::complex<double>>(kSize * kSize);
  std::complex<double>& at(int row, int column) { return of[row * kSize + column]; }
  std::complex<double> get(int row, int column, cublasOperation_t trans) { return trans == CUBLAS_OP_N ? at(row, column) : trans == CUBLAS_OP_T ? at(column, row) : std::conj(at(column, row)); }
  /// Of one triangle by columns; kind: 'h' Hermitian, 's' symmetric, 't' a triangle, 'u' one with ones.
  static Dense of_triangle(const T* a, bool lower, char kind, bool packed = false, int band = kSize) {
    Dense made;
    int next = 0;
    for (int column = 0; column < kSize; ++column)
      for (int row = lower ? column : 0; row < (lower ? kSize : column + 1); ++row) {
        const int distance = std::abs(row - column);
        std::complex<double> value = packed ? a[next++] : band < kSize ? (distance <= band ? std::complex<double>(a[column * kLd + (lower ? distance : band - distance)]) : 0) : std::complex<double>(a[column * kLd + row]);
        if (row == column && kind == 'h') value = value.real();
        if (row == column && kind == 'u') value = 1;
        made.at(row, column) = value;
        if (row != column && (kind == 'h' || kind == 's')) made.at(column, row) = kind == 'h' ? std::conj(value) : value;
      }
    return made;
  }
};

template <class T>
static void same_product(const char* what, Dense<T> a, cublasOperation_t trans, std::complex<double> alpha, const std::vector<T>& x, std::complex<double> beta, const std::vector<T>& before, const T* y, int step) {
  for (int row = 0; row < kSize; ++row) {
    std::complex<double> sum = 0;
    for (int column = 0; column < kSize; ++column) sum += a.get(row, column, trans) * std::complex<double>(x[column]);
    expect(what, close(y[row * step], alpha * sum + beta * std::complex<double>(before[row * step])));
  }
}

#define FUNCTIONS(T, R, C, X, rot_of_real)                                                                                                                      \
  static C* as(T* of) { return reinterpret_cast<C*>(of); }                                                                                                       \
  static const C* as(const T* of) { return reinterpret_cast<const C*>(of); }                                                                                     \
  static void products_of(T, bool lower) {                                                                                                                       \
    const cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;                                                                       \
    T *a = memory<T>(64, 1), *x = memory<T>(kSize, 2), *y = memory<T>(2 * kSize, 3);                                                                             \
    const T alpha(2, -1), beta(0.5, 1);                                                                                                                          \
    const std::vector<T> of_x(x, x + kSize), start(y, y + 2 * kSize);                                                                                            \
    const auto begin = [&] { std::copy(start.begin(), start.end(), y); };                                                                                        \
    status("hemv", cublas##X##hemv(handle, uplo, kSize, as(&alpha), as(a), kLd, as(x), 1, as(&beta), as(y), 2)), cudaDeviceSynchronize();                        \
    same_product("hemv", Dense<T>::of_triangle(a, lower, 'h'), CUBLAS_OP_N, alpha, of_x, beta, start, y, 2), begin();                                            \
    status("symv", cublas##X##symv(handle, uplo, kSize, as(&alpha), as(a), kLd, as(x), 1, as(&beta), as(y), 2)), cudaDeviceSynchronize();                        \
    same_product("symv", Dense<T>::of_triangle(a, lower, 's'), CUBLAS_OP_N, alpha, of_x, beta, start, y, 2), begin();                                            \
    status("hbmv", cublas##X##hbmv(handle, uplo, kSize, kBand, as(&alpha), as(a), kLd, as(x), 1, as(&beta), as(y), 2)), cudaDeviceSynchronize();                 \
    same_product("hbmv", Dense<T>::of_triangle(a, lower, 'h', false, kBand), CUBLAS_OP_N, alpha, of_x, beta, start, y, 2), begin();                              \
    status("hpmv", cublas##X##hpmv(handle, uplo, kSize, as(&alpha), as(a), as(x), 1, as(&beta), as(y), 2)), cudaDeviceSynchronize();                             \
    same_product("hpmv", Dense<T>::of_triangle(a, lower, 'h', true), CUBLAS_OP_N, alpha, of_x, beta, start, y, 2), begin();                                      \
    Dense<T> band;                                                                                                                                               \
    for (int column = 0; column < kSize; ++column)                                                                                                               \
      for (int row = 0; row < kSize; ++row)                                                                                                                      \
        if (row - column <= 1 && column - row <= 2) band.at(row, column) = a[column * kLd + 2 + row - column];                                                   \
    for (cublasOperation_t trans : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {                                                                                    \
      status("gbmv", cublas##X##gbmv(handle, trans, kSize, kSize, 1, 2, as(&alpha), as(a), kLd, as(x), 1, as(&beta), as(y), 2)), cudaDeviceSynchronize();        \
      same_product("gbmv", band, trans, alpha, of_x, beta, start, y, 2), begin();                                                                                \
    }                                                                                                                                                            \
    status("no step", cublas##X##hemv(handle, uplo, kSize, as(&alpha), as(a), kLd, as(x), 0, as(&beta), as(y), 2), CUBLAS_STATUS_INVALID_VALUE);                 \
  }                                                                                                                                                              \
  static void triangles_of(T, bool lower) {                                                                                                                      \
    const cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;                                                                       \
    T *a = memory<T>(64, 1), *x = memory<T>(kSize, 2);                                                                                                           \
    for (int i = 0; i < 64; ++i) a[i] += T(a[i].real() == 0 && a[i].imag() == 0 ? 1 : 0, 0);                                                                     \
    const std::vector<T> start(x, x + kSize);                                                                                                                    \
    const T one(1), none(0);                                                                                                                                     \
    for (cublasOperation_t trans : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C})                                                                                      \
      for (cublasDiagType_t diag : {CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT}) {                                                                                   \
        const char kind = diag == CUBLAS_DIAG_UNIT ? 'u' : 't';                                                                                                  \
        status("trmv", cublas##X##trmv(handle, uplo, trans, diag, kSize, as(a), kLd, as(x), 1)), cudaDeviceSynchronize();                                        \
        same_product("trmv", Dense<T>::of_triangle(a, lower, kind), trans, one, start, none, start, x, 1);                                                       \
        status("trsv", cublas##X##trsv(handle, uplo, trans, diag, kSize, as(a), kLd, as(x), 1)), cudaDeviceSynchronize();                                        \
        for (int i = 0; i < kSize; ++i) expect("trsv", close(x[i], start[i])), x[i] = start[i];                                                                  \
        status("tbmv", cublas##X##tbmv(handle, uplo, trans, diag, kSize, kBand, as(a), kLd, as(x), 1)), cudaDeviceSynchronize();                                 \
        same_product("tbmv", Dense<T>::of_triangle(a, lower, kind, false, kBand), trans, one, start, none, start, x, 1);                                         \
        status("tbsv", cublas##X##tbsv(handle, uplo, trans, diag, kSize, kBand, as(a), kLd, as(x), 1)), cudaDeviceSynchronize();                                 \
        for (int i = 0; i < kSize; ++i) expect("tbsv", close(x[i], start[i])), x[i] = start[i];                                                                  \
        status("tpmv", cublas##X##tpmv(handle, uplo, trans, diag, kSize, as(a), as(x), 1)), cudaDeviceSynchronize();                                             \
        same_product("tpmv", Dense<T>::of_triangle(a, lower, kind, true), trans, one, start, none, start, x, 1);                                                 \
        status("tpsv", cublas##X##tpsv(handle, uplo, trans, diag, kSize, as(a), as(x), 1)), cudaDeviceSynchronize();                                             \
        for (int i = 0; i < kSize; ++i) expect("tpsv", close(x[i], start[i])), x[i] = start[i];                                                                  \
      }                                                                                                                                                          \
  }                                                                                                                                                              \
  static void updates_of(T, bool lower) {                                                                                                                        \
    const cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;                                                                       \
    T *x = memory<T>(kSize, 2), *y = memory<T>(kSize, 5);                                                                                                        \
    const T alpha(2, -1);                                                                                                                                        \
    const R factor = 3;                                                                                                                                          \
    const char* const names[] = {"her", "her2", "syr", "syr2", "hpr", "hpr2"};                                                                                   \
    for (int kind = 0; kind < 6; ++kind) {                                                                                                                       \
      T* a = memory<T>(64, 1);                                                                                                                                   \
      const bool packed = kind >= 4, hermitian = kind < 2 || packed;                                                                                             \
      Dense<T> wanted = Dense<T>::of_triangle(a, lower, hermitian ? 'h' : 's', packed);                                                                          \
      cublasStatus_t got = CUBLAS_STATUS_SUCCESS;                                                                                                                \
      if (kind == 0) got = cublas##X##her(handle, uplo, kSize, &factor, as(x), 1, as(a), kLd);                                                                   \
      if (kind == 1) got = cublas##X##her2(handle, uplo, kSize, as(&alpha), as(x), 1, as(y), 1, as(a), kLd);                                                     \
      if (kind == 2) got = cublas##X##syr(handle, uplo, kSize, as(&alpha), as(x), 1, as(a), kLd);                                                                \
      if (kind == 3) got = cublas##X##syr2(handle, uplo, kSize, as(&alpha), as(x), 1, as(y), 1, as(a), kLd);                                                     \
      if (kind == 4) got = cublas##X##hpr(handle, uplo, kSize, &factor, as(x), 1, as(a));                                                                        \
      if (kind == 5) got = cublas##X##hpr2(handle, uplo, kSize, as(&alpha), as(x), 1, as(y), 1, as(a));                                                          \
      status(names[kind], got), cudaDeviceSynchronize();                                                                                                         \
      Dense<T> after = Dense<T>::of_triangle(a, lower, hermitian ? 'h' : 's', packed);                                                                           \
      const auto of = [](T v) { return std::complex<double>(v); };                                                                                               \
      for (int row = 0; row < kSize; ++row)                                                                                                                      \
        for (int column = 0; column < kSize; ++column) {                                                                                                         \
          const auto xr = of(x[row]), xc = of(x[column]), yr = of(y[row]), yc = of(y[column]), al = of(alpha);                                                   \
          std::complex<double> more = kind == 2 ? al * xr * xc : kind == 3 ? al * (xr * yc + yr * xc) : 3.0 * xr * std::conj(xc);                                \
          if (kind == 1 || kind == 5) more = al * xr * std::conj(yc) + std::conj(al) * yr * std::conj(xc);                                                       \
          expect(names[kind], close(T(after.at(row, column)), wanted.at(row, column) + more));                                                                   \
        }                                                                                                                                                        \
    }                                                                                                                                                            \
  }                                                                                                                                                              \
  static void ranks_of(T, bool lower) {                                                                                                                          \
    const cublasFillMode_t uplo = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;                                                                       \
    const int depth = 3;                                                                                                                                         \
    const T alpha(2, -1), beta(0.5, 1);                                                                                                                          \
    const R real = 0.5;                                                                                                                                          \
    for (int turned = 0; turned < 2; ++turned)                                                                                                                   \
      for (int hermitian = 0; hermitian < 2; ++hermitian) {                                                                                                      \
        T *a = memory<T>(64, 1), *b = memory<T>(64, 4), *c = memory<T>(64, 3), *before = memory<T>(64, 3);                                                       \
        const cublasOperation_t trans = !turned ? CUBLAS_OP_N : hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;                                                           \
        status("rank", hermitian ? cublas##X##herkx(handle, uplo, trans, kSize, depth, as(&alpha), as(a), kLd, as(b), kLd, &real, as(c), kLd)                    \
                                 : cublas##X##syrkx(handle, uplo, trans, kSize, depth, as(&alpha), as(a), kLd, as(b), kLd, as(&beta), as(c), kLd));              \
        cudaDeviceSynchronize();                                                                                                                                 \
        for (int column = 0; column < kSize; ++column)                                                                                                           \
          for (int row = 0; row < kSize; ++row) {                                                                                                                \
            std::complex<double> sum = 0;                                                                                                                        \
            for (int k = 0; k < depth; ++k) {                                                                                                                    \
              std::complex<double> left = turned ? a[row * kLd + k] : a[k * kLd + row], right = turned ? b[column * kLd + k] : b[k * kLd + column];              \
              if (turned && hermitian) left = std::conj(left);                                                                                                   \
              if (!turned && hermitian) right = std::conj(right);                                                                                                \
              sum += left * right;                                                                                                                               \
            }                                                                                                                                                    \
            const std::complex<double> old = before[column * kLd + row];                                                                                         \
            std::complex<double> wanted = std::complex<double>(alpha) * sum + (hermitian ? std::complex<double>(real) : std::complex<double>(beta)) * old;       \
            if (lower ? row < column : row > column) wanted = old;                                                                                               \
            else if (hermitian && row == column) wanted = wanted.real();                                                                                         \
            expect("rank", close(c[column * kLd + row], wanted));                                                                                                \
          }                                                                                                                                                      \
      }                                                                                                                                                          \
  }                                                                                                                                                              \
  static void others_of(T) {                                                                                                                                     \
    T *x = memory<T>(kSize, 2), *y = memory<T>(kSize, 5);                                                                                                        \
    const std::vector<T> of_x(x, x + kSize), of_y(y, y + kSize);                                                                                                 \
    const R cosine = 0.6;                                                                                                                                        \
    const T sine(0, 0.8);                                                                                                                                        \
    status("rot", cublas##X##rot(handle, kSize, as(x), 1, as(y), 1, &cosine, as(&sine))), cudaDeviceSynchronize();                                               \
    for (int i = 0; i < kSize; ++i) expect("rot", close(x[i], of_x[i] * cosine + sine * of_y[i]) && close(y[i], of_y[i] * cosine - std::conj(sine) * of_x[i]));  \
    const R real = 0.8;                                                                                                                                          \
    std::copy(of_x.begin(), of_x.end(), x), std::copy(of_y.begin(), of_y.end(), y);                                                                              \
    status("rot by a real one", cublas##rot_of_real(handle, kSize, as(x), 1, as(y), 1, &cosine, &real)), cudaDeviceSynchronize();                                \
    for (int i = 0; i < kSize; ++i) expect("rot by a real one", close(x[i], of_x[i] * cosine + of_y[i] * real) && close(y[i], of_y[i] * cosine - of_x[i] * real)); \
    T* a = memory<T>(128, 1);                                                                                                                                    \
    T* results = memory<T>(32, 1);                                                                                                                               \
    const std::vector<T> before(results, results + 32);                                                                                                          \
    const T alpha(2, -1), beta(0.5, 1);                                                                                                                          \
    status("batches", cublas##X##gemvStridedBatched(handle, CUBLAS_OP_C, 4, 3, as(&alpha), as(a), kLd, 40, as(x), 1, 1, as(&beta), as(results), 2, 10, 2));      \
    cudaDeviceSynchronize();                                                                                                                                     \
    for (int batch = 0; batch < 2; ++batch)                                                                                                                      \
      for (int i = 0; i < 3; ++i) {                                                                                                                              \
        std::complex<double> sum = 0;                                                                                                                            \
        for (int k = 0; k < 4; ++k) sum += std::conj(std::complex<double>(a[batch * 40 + i * kLd + k])) * std::complex<double>(x[batch + k]);                    \
        expect("batches", close(results[batch * 10 + i * 2], std::complex<double>(alpha) * sum + std::complex<double>(beta) * std::complex<double>(before[batch * 10 + i * 2]))); \
      }                                                                                                                                                          \
  }
FUNCTIONS(std::complex<float>, float, cuComplex, C, Csrot)
FUNCTIONS(std::complex<double>, double, cuDoubleComplex, Z, Zdrot)

template <class T>
static void all_of() {
  for (bool lower : {false, true}) products_of(T(), lower), triangles_of(T(), lower), updates_of(T(), lower), ranks_of(T(), lower);
  others_of(T());
}

/// Two groups of half matrices, sums of float; y of an array of matrices; and a triangle of real elements.
static void real_ones() {
  __half *a, *b, *c;
  float *y, *triangle;
  cudaMallocManaged(&a, 256), cudaMallocManaged(&b, 256), cudaMallocManaged(&c, 256), cudaMallocManaged(&y, 256), cudaMallocManaged(&triangle, 256);
  for (int i = 0; i < 64; ++i) a[i] = __half(float(i % 5 - 2)), b[i] = __half(float(i % 7 - 3)), c[i] = __half(1.0f), y[i] = 1, triangle[i] = 9;
  const cublasOperation_t as_it_is[] = {CUBLAS_OP_N, CUBLAS_OP_N}, turned[] = {CUBLAS_OP_N, CUBLAS_OP_T};
  const int m[] = {2, 3}, n[] = {2, 1}, k[] = {3, 2}, lda[] = {2, 3}, ldb[] = {3, 1}, ldc[] = {2, 3}, sizes[] = {2, 1};
  const float alpha[] = {1, 2}, beta[] = {0, 1};
  void **of_a, **of_b, **of_c;
  cudaMallocManaged(&of_a, 3 * sizeof(void*)), cudaMallocManaged(&of_b, 3 * sizeof(void*)), cudaMallocManaged(&of_c, 3 * sizeof(void*));
  for (int i = 0; i < 3; ++i) of_a[i] = a + 8 * i, of_b[i] = b + 8 * i, of_c[i] = c + 8 * i;
  status("groups", cublasGemmGroupedBatchedEx(handle, as_it_is, turned, m, n, k, alpha, of_a, CUDA_R_16F, lda, of_b, CUDA_R_16F, ldb, beta, of_c, CUDA_R_16F, ldc, 2, sizes, CUBLAS_COMPUTE_32F));
  const __half* const of_matrices[] = {a, a + 8};
  float *results[] = {y, y + 8}, one = 1, two = 2;
  void** device;
  cudaMallocManaged(&device, 6 * sizeof(void*));
  for (int i = 0; i < 2; ++i) device[i] = const_cast<__half*>(of_matrices[i]), device[2 + i] = b + 8 * i, device[4 + i] = results[i];
  status("array", cublasHSSgemvBatched(handle, CUBLAS_OP_N, 3, 2, &two, reinterpret_cast<__half**>(device), 3, reinterpret_cast<__half**>(device + 2), 1, &one, reinterpret_cast<float**>(device + 4), 1, 2));
  float* points;
  cudaMallocManaged(&points, 64);
  for (int i = 0; i < 4; ++i) points[i] = float(i + 1);
  status("triangle", cublasSsyrkx(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 2, 2, &one, points, 2, points, 2, &two, triangle, 2));
  cudaDeviceSynchronize();
  for (int matrix = 0; matrix < 3; ++matrix) {
    const int group = matrix / 2;
    for (int column = 0; column < n[group]; ++column)
      for (int row = 0; row < m[group]; ++row) {
        float sum = beta[group];
        for (int i = 0; i < k[group]; ++i) sum += alpha[group] * float(a[8 * matrix + i * lda[group] + row]) * float(b[8 * matrix + (group == 0 ? column * 3 + i : i + column)]);
        expect("product of a group", float(c[8 * matrix + column * ldc[group] + row]) == sum);
      }
  }
  for (int matrix = 0; matrix < 2; ++matrix)
    for (int row = 0; row < 3; ++row) expect("product of an array", y[8 * matrix + row] == 1 + 2 * (float(a[8 * matrix + row]) * float(b[8 * matrix]) + float(a[8 * matrix + 3 + row]) * float(b[8 * matrix + 1])));
  expect("its lower triangle", triangle[0] == 1 + 9 + 18 && triangle[1] == 2 + 12 + 18 && triangle[3] == 4 + 16 + 18), expect("not the upper one", triangle[2] == 9);
}

/// Triangles to packed ones and back, and vectors of any type.
static void formats() {
  double *a, *packed;
  __half *x, *y;
  cudaMallocManaged(&a, 9 * sizeof(double)), cudaMallocManaged(&packed, 6 * sizeof(double)), cudaMallocManaged(&x, 16), cudaMallocManaged(&y, 16);
  for (int i = 0; i < 9; ++i) a[i] = i;
  status("to packed", cublasDtrttp(handle, CUBLAS_FILL_MODE_LOWER, 3, a, 3, packed)), cudaDeviceSynchronize();
  const double lower[] = {0, 1, 2, 4, 5, 8};
  for (int i = 0; i < 6; ++i) expect("packed", packed[i] == lower[i]), packed[i] = 10 + i;
  status("to whole", cublasDtpttr(handle, CUBLAS_FILL_MODE_UPPER, 3, packed, a, 3)), cudaDeviceSynchronize();
  const double upper[] = {10, 1, 2, 11, 12, 5, 13, 14, 15};
  for (int i = 0; i < 9; ++i) expect("whole", a[i] == upper[i]);
  for (int i = 0; i < 8; ++i) x[i] = __half(float(i)), y[i] = __half(-1.0f);
  status("copy", cublasCopyEx(handle, 3, x, CUDA_R_16F, 2, y, CUDA_R_16F, -1)), cudaDeviceSynchronize();
  expect("copied", float(y[0]) == 4 && float(y[1]) == 2 && float(y[2]) == 0 && float(y[3]) == -1);
  status("swap", cublasSwapEx(handle, 2, x, CUDA_R_16F, 1, y, CUDA_R_16F, 1)), cudaDeviceSynchronize();
  expect("swapped", float(x[0]) == 4 && float(x[1]) == 2 && float(y[0]) == 0 && float(y[1]) == 1);
  const float cosine = 0.5f, sine = 2;
  status("rotation", cublasRotEx(handle, 2, x, CUDA_R_16F, 1, y, CUDA_R_16F, 1, &cosine, &sine, CUDA_R_32F, CUDA_R_32F)), cudaDeviceSynchronize();
  expect("rotated", float(x[0]) == 2 && float(x[1]) == 3 && float(y[0]) == -8 && float(y[1]) == -3.5f);
}

/// Settings of release 13, and a product that is to be emulated.
static void emulation() {
#if CUDART_VERSION >= 13000
  status("strategy", cublasSetEmulationStrategy(handle, CUBLAS_EMULATION_STRATEGY_EAGER)), status("offset", cublasSetFixedPointEmulationMantissaBitOffset(handle, -3));
  cublasEmulationStrategy_t strategy = CUBLAS_EMULATION_STRATEGY_DEFAULT;
  int offset = 0;
  status("its strategy", cublasGetEmulationStrategy(handle, &strategy)), status("its offset", cublasGetFixedPointEmulationMantissaBitOffset(handle, &offset));
  expect("as set", strategy == CUBLAS_EMULATION_STRATEGY_EAGER && offset == -3);
  for (cublasMath_t mode : {CUBLAS_FP32_EMULATED_BF16X9_MATH, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH, CUBLAS_DEFAULT_MATH}) status("mode", cublasSetMathMode(handle, mode));
  status("no mode", cublasSetMathMode(handle, static_cast<cublasMath_t>(7)), CUBLAS_STATUS_INVALID_VALUE);
  double *numbers, alpha = 2, beta = 0;
  cudaMallocManaged(&numbers, 3 * sizeof(double));
  numbers[0] = 1.0 / 3, numbers[1] = 3e-9, numbers[2] = 0;
  status("product", cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &alpha, numbers, CUDA_R_64F, 1, numbers + 1, CUDA_R_64F, 1, &beta, numbers + 2, CUDA_R_64F, 1, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUBLAS_GEMM_DEFAULT));
  cudaDeviceSynchronize();
  expect("of doubles", std::fabs(numbers[2] - 2e-9) < 1e-24);
#endif
}

int main() {
  status("create", cublasCreate(&handle));
  all_of<std::complex<float>>();
  all_of<std::complex<double>>();
  real_ones();
  formats();
  emulation();
  status("destroy", cublasDestroy(handle));
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
