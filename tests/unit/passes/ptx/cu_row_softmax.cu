#include <cuda_runtime.h>
// One block per row: two reductions through dynamic shared memory, fast math functions.
__global__ void cu_row_softmax(const float *in, float *out, int columns) {
  extern __shared__ float part[];
  const float *row = in + blockIdx.x * columns;
  float largest = -1e30f;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) largest = fmaxf(largest, row[c]);
  part[threadIdx.x] = largest;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
  }
  __syncthreads();
  largest = part[0];
  __syncthreads();
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += __expf(row[c] - largest);
  part[threadIdx.x] = sum;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    out[blockIdx.x * columns + c] = __expf(row[c] - largest) / part[0];
}
