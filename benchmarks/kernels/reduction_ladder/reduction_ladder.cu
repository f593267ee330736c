// Sum per block in five steps: reduction_ladder.cl in CUDA.
#include <cuda_runtime.h>

#define DIVERGENT 0
#define STRIDED 1
#define SEQUENTIAL 2
#define ADD_TWO 3
#define ADD_MANY 4

__global__ void reduction_ladder(const float* in, float* out, unsigned int n) {
  extern __shared__ float scratch[];
  const unsigned int local_id = threadIdx.x;
  const unsigned int items = blockDim.x;
  const unsigned int group = blockIdx.x;
#if STEP == ADD_MANY
  float sum = 0.0f;
  for (unsigned int k = group * items + local_id; k < n; k += gridDim.x * items) sum += in[k];
  scratch[local_id] = sum;
#elif STEP == ADD_TWO
  scratch[local_id] = in[group * 2 * items + local_id] + in[group * 2 * items + items + local_id];
#else
  scratch[local_id] = in[group * items + local_id];
#endif
  __syncthreads();
#if STEP == DIVERGENT || STEP == STRIDED
  for (unsigned int distance = 1; distance < items; distance *= 2) {
#if STEP == DIVERGENT
    if (local_id % (2 * distance) == 0) scratch[local_id] += scratch[local_id + distance];
#else
    const unsigned int place = 2 * distance * local_id;
    if (place < items) scratch[place] += scratch[place + distance];
#endif
    __syncthreads();
  }
#else
  for (unsigned int distance = items / 2; distance > 0; distance /= 2) {
    if (local_id < distance) scratch[local_id] += scratch[local_id + distance];
    __syncthreads();
  }
#endif
  if (local_id == 0) out[group] = scratch[0];
}
