// y = alpha A x + beta B x: gesummv.cl in CUDA.
#include <cuda_runtime.h>

__global__ void gesummv(const float* A, const float* B, const float* x, float* y, float alpha, float beta,
                        unsigned int n) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = 0.0f;
  float b = 0.0f;
  for (unsigned int j = 0; j < n; ++j) {
    a += A[i * n + j] * x[j];
    b += B[i * n + j] * x[j];
  }
  y[i] = alpha * a + beta * b;
}
