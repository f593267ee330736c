// q = A p and s = A^T r in one loop: bicg.cl in CUDA.
#include <cuda_runtime.h>

__global__ void bicg(const float* A, const float* p, const float* r, float* q, float* s, unsigned int n) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  float row = 0.0f;
  float column = 0.0f;
  for (unsigned int j = 0; j < n; ++j) {
    row += A[i * n + j] * p[j];
    column += A[j * n + i] * r[j];
  }
  q[i] = row;
  s[i] = column;
}
