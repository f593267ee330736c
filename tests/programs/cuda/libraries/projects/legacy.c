/* cuBLAS as it was before handles, in C: by hand. */
#include <cublas.h>
#include <stdio.h>

int main(void) {
  const double a[] = {1, 2, 3, 4}, x[] = {5, -6};
  double y[2], *device_a, *device_x, *device_y;
  cublasDscal(2, 2, NULL, 1);
  if (cublasGetError() != CUBLAS_STATUS_NOT_INITIALIZED) return 1;
  if (cublasInit() != CUBLAS_STATUS_SUCCESS) return 2;
  if (cublasAlloc(4, sizeof(double), (void**)&device_a) != CUBLAS_STATUS_SUCCESS) return 3;
  cublasAlloc(2, sizeof(double), (void**)&device_x);
  cublasAlloc(2, sizeof(double), (void**)&device_y);
  cublasSetMatrix(2, 2, sizeof(double), a, 2, device_a, 2);
  cublasSetVector(2, sizeof(double), x, 1, device_x, 1);
  cublasDgemv('T', 2, 2, 1, device_a, 2, device_x, 1, 0, device_y, 1); /* rows 1 2 and 3 4 times 5 -6 */
  cublasDtrsv('l', 'n', 'U', 2, device_a, 2, device_y, 1);             /* 1 0, 2 1 */
  cublasGetVector(2, sizeof(double), device_y, 1, y, 1);
  printf("%g %g, sum %g, largest at %d, ", y[0], y[1], cublasDasum(2, device_x, 1), cublasIdamax(2, device_x, 1));
  printf("%d, ", cublasGetError());
  cublasDtrsv('l', 'n', 'x', 2, device_a, 2, device_y, 1);
  printf("%d, ", cublasGetError());
  printf("%d\n", cublasGetError());
  cublasFree(device_a);
  return cublasShutdown() != CUBLAS_STATUS_SUCCESS;
}
