// A += u1 v1^T + u2 v2^T and x = z + beta A^T y in one pass over A: gemver.cl in CUDA.
#include <cuda_runtime.h>

__global__ void gemver(float* A, const float* u1, const float* v1, const float* u2, const float* v2, const float* y,
                       const float* z, float* x, float beta, unsigned int n) {
  const unsigned int j = blockIdx.x * blockDim.x + threadIdx.x;
  const float first = v1[j];
  const float second = v2[j];
  float sum = 0.0f;
  for (unsigned int i = 0; i < n; ++i) {
    const float element = A[i * n + j] + u1[i] * first + u2[i] * second;
    A[i * n + j] = element;
    sum += element * y[i];
  }
  x[j] = z[j] + beta * sum;
}
