// y = A^T (A x), one partial y per block: atax.cl in CUDA.
#include <cuda_runtime.h>

__global__ void atax(const float* A, const float* x, float* y, unsigned int n) {
  extern __shared__ float product[];
  const unsigned int local_id = threadIdx.x;
  const unsigned int items = blockDim.x;
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (unsigned int j = 0; j < n; ++j) sum += A[i * n + j] * x[j];
  product[local_id] = sum;
  __syncthreads();
  const unsigned int first = blockIdx.x * items;
  for (unsigned int j = local_id; j < n; j += items) {
    float part = 0.0f;
    for (unsigned int k = 0; k < items; ++k) part += A[(first + k) * n + j] * product[k];
    y[blockIdx.x * n + j] = part;
  }
}
