// Sparse matrix times vector, compressed rows, one thread per row: spmv_csr.cl in CUDA.
#include <cuda_runtime.h>

__global__ void spmv_csr(const unsigned int* begin, const unsigned int* length, const unsigned int* column,
                         const float* value, const float* x, float* y) {
  const unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int first = begin[row];
  const unsigned int end = first + length[row];
  float sum = 0.0f;
  for (unsigned int k = first; k < end; ++k) sum += value[k] * x[column[k]];
  y[row] = sum;
}
