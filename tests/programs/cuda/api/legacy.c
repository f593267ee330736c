/* cuBLAS before handles, each function of float and double with numbers small enough for a calculation by hand: x = (3 -4), y = (1 2),
   A = (1 2, 0 1) by columns, which is 1 0 above 2 1. */
#include <cublas.h>
#include <stdio.h>

static int wrong = 0;

static void check(const char* what, double first, double second, double expected_first, double expected_second) {
  const double a = first - expected_first, b = second - expected_second;
  if (a < 1e-6 && a > -1e-6 && b < 1e-6 && b > -1e-6) return;
  ++wrong;
  printf("%s: %g %g, expected %g %g\n", what, first, second, expected_first, expected_second);
}

#define SET() (x[0] = 3, x[1] = -4, y[0] = 1, y[1] = 2, a[0] = 1, a[1] = 2, a[2] = 0, a[3] = 1)
#define COPY_AB() (b[0] = 1, b[1] = 1, b[2] = 0, b[3] = 2)
#define LEVEL_1(T, I)                                                                          \
  SET();                                                                                       \
  check("amax, amin", cublasI##I##amax(2, x, 1), cublasI##I##amin(2, x, 1), 2, 1);             \
  check("asum, nrm2", cublas##T##asum(2, x, 1), cublas##T##nrm2(2, x, 1), 7, 5);               \
  check("dot", cublas##T##dot(2, x, 1, y, 1), 0, 3 - 8, 0);                                    \
  cublas##T##axpy(2, 2, x, 1, y, 1), check("axpy", y[0], y[1], 1 + 6, 2 - 8);                  \
  SET(), cublas##T##copy(2, x, 1, y, 1), check("copy", y[0], y[1], 3, -4);                     \
  SET(), cublas##T##swap(2, x, 1, y, 1), check("swap", x[0], y[0], 1, 3);                      \
  SET(), cublas##T##scal(2, -2, x, 1), check("scal", x[0], x[1], -6, 8);                       \
  SET(), cublas##T##rot(2, x, 1, y, 1, 0, 1), check("rot", x[1], y[1], 2, 4); /* x' = y, y' = -x */
#define LEVEL_2(T)                                                                                                   \
  SET(), cublas##T##gemv('n', 2, 2, 1, a, 2, x, 1, 10, y, 1), check("gemv", y[0], y[1], 3 + 10, 6 - 4 + 20);          \
  SET(), cublas##T##ger(2, 2, 1, x, 1, y, 1, a, 2), check("ger", a[1], a[3], 2 - 4, 1 - 8);                           \
  SET(), cublas##T##symv('l', 2, 1, a, 2, x, 1, 0, y, 1), check("symv", y[0], y[1], 3 - 8, 6 - 4);                    \
  SET(), cublas##T##syr('l', 2, 1, x, 1, a, 2), check("syr", a[1], a[3], 2 - 12, 1 + 16);                             \
  SET(), cublas##T##trmv('l', 'n', 'n', 2, a, 2, x, 1), check("trmv", x[0], x[1], 3, 6 - 4);                          \
  SET(), cublas##T##trsv('l', 'n', 'n', 2, a, 2, x, 1), check("trsv", x[0], x[1], 3, -4 - 6);
/* B = 1 0 above 1 2; A B = 1 0 above 3 2; the symmetric S = 1 2 above 2 1 has S B = 3 4 above 3 2. */
#define LEVEL_3(T)                                                                                                           \
  SET(), COPY_AB(), cublas##T##gemm('n', 'n', 2, 2, 2, 1, a, 2, b, 2, 0, c, 2), check("gemm", c[1], c[3], 3, 2);              \
  cublas##T##symm('l', 'l', 2, 2, 1, a, 2, b, 2, 0, c, 2), check("symm", c[1], c[2], 3, 4);                                   \
  cublas##T##syrk('l', 'n', 2, 2, 1, a, 2, 0, c, 2), check("syrk", c[1], c[3], 2, 5);                                         \
  cublas##T##syr2k('l', 'n', 2, 2, 1, a, 2, b, 2, 0, c, 2), check("syr2k", c[0], c[3], 2, 2 * (2 + 2));                       \
  cublas##T##trmm('l', 'l', 'n', 'n', 2, 2, 1, a, 2, b, 2), check("trmm", b[1], b[3], 3, 2);                                  \
  cublas##T##trsm('l', 'l', 'n', 'n', 2, 2, 1, a, 2, b, 2), check("trsm", b[1], b[3], 1, 2); /* back to B */

static void floats(float* x, float* y, float* a, float* b, float* c) {
  LEVEL_1(S, s)
  LEVEL_2(S)
  LEVEL_3(S)
}
static void doubles(double* x, double* y, double* a, double* b, double* c) {
  LEVEL_1(D, d)
  LEVEL_2(D)
  LEVEL_3(D)
}

int legacy_functions(void) {
  float* f[5];
  double* d[5];
  int i;
  check("before init", cublasAlloc(1, 4, (void**)f), cublasFree(NULL), CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_NOT_INITIALIZED);
  check("stream before init", cublasSetKernelStream(NULL), 0, CUBLAS_STATUS_NOT_INITIALIZED, 0), check("init", cublasInit(), 0, 0, 0);
  check("stream, nothing", cublasSetKernelStream(NULL), cublasAlloc(0, 4, (void**)f), 0, CUBLAS_STATUS_INVALID_VALUE);
  for (i = 0; i < 5; ++i) cudaMallocManaged((void**)&f[i], 16, cudaMemAttachGlobal), cudaMallocManaged((void**)&d[i], 32, cudaMemAttachGlobal);
  floats(f[0], f[1], f[2], f[3], f[4]), doubles(d[0], d[1], d[2], d[3], d[4]);
  check("no error", cublasGetError(), cublasFree(f[0]), 0, 0);
  cublasSgemv('x', 1, 1, 1, f[2], 1, f[2], 1, 0, f[1], 1); /* no such operation */
  check("no such operation", cublasGetError(), cublasShutdown(), CUBLAS_STATUS_INVALID_VALUE, 0);
  return wrong;
}
