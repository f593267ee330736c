// Indirect reads, where a thread reads is itself data: gather.cl in CUDA, for any type of data.
#include <cuda_runtime.h>

template <class T>
__global__ void gather(const unsigned int* __restrict__ idx, const T* __restrict__ data, T* out,
                       unsigned int per_item) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int items = gridDim.x * blockDim.x;
  T sum = 0;
  for (unsigned int k = 0; k < per_item; ++k) sum += __ldg(&data[idx[k * items + i]]);
  out[i] = sum;
}

template __global__ void gather<float>(const unsigned int*, const float*, float*, unsigned int);
