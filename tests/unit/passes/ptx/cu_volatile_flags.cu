#include <cuda_runtime.h>
// Volatile shared memory and pointers that a branch chooses.
__global__ void cu_volatile_flags(const int *in, int *out, int *other, int which) {
  __shared__ volatile int flags[64];
  flags[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int *target = which ? out : other;
  target[threadIdx.x] = flags[threadIdx.x ^ 1] + flags[threadIdx.x ^ 2];
}
