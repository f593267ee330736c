// x1 += A y1, then x2 += A^T y2: mvt.cl in CUDA.
#include <cuda_runtime.h>

__global__ void mvt(const float* A, const float* y1, const float* y2, float* x1, float* x2, unsigned int n) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = x1[i];
  for (unsigned int j = 0; j < n; ++j) sum += A[i * n + j] * y1[j];
  x1[i] = sum;
  sum = x2[i];
  for (unsigned int j = 0; j < n; ++j) sum += A[j * n + i] * y2[j];
  x2[i] = sum;
}
