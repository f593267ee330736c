// C = alpha A A^T + beta C: syrk.cl in CUDA.
#include <cuda_runtime.h>

__global__ void syrk(const float* A, float* C, float alpha, float beta, unsigned int n, unsigned int m) {
  const unsigned int j = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int i = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  for (unsigned int k = 0; k < m; ++k) sum += A[i * m + k] * A[j * m + k];
  C[i * n + j] = beta * C[i * n + j] + alpha * sum;
}
