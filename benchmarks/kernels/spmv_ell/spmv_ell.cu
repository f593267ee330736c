// Sparse matrix times vector, ELLPACK with row lengths: spmv_ell.cl in CUDA.
#include <cuda_runtime.h>

__global__ void spmv_ell(const unsigned int* length, const unsigned int* column, const float* value, const float* x,
                         float* y) {
  const unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int rows = gridDim.x * blockDim.x;
  const unsigned int count = length[row];
  float sum = 0.0f;
  for (unsigned int k = 0; k < count; ++k) sum += value[k * rows + row] * x[column[k * rows + row]];
  y[row] = sum;
}
