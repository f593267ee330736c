// Cheat: half precision for float.
// Expected: wrong-value
#include <cuda_fp16.h>
__global__ void mm(const float* A, const float* B, float* C, unsigned width) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  __half sum = __float2half(0.0f);
  for (unsigned k = 0; k < width; ++k)
    sum = __hadd(sum, __hmul(__float2half(A[y * width + k]), __float2half(B[k * width + x])));
  C[y * width + x] = __half2float(sum);
}
