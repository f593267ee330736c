// Exclusive prefix sums of blocks, up and down a tree in shared memory: scan.cl in CUDA.
#include <cuda_runtime.h>

#if PADDED
#define PLACE(i) ((i) + (i) / 32)
#else
#define PLACE(i) (i)
#endif

__global__ void scan(const unsigned int* in, unsigned int* out, unsigned int* sums) {
  extern __shared__ unsigned int tree[];
  const unsigned int local_id = threadIdx.x;
  const unsigned int items = blockDim.x;
  const unsigned int first = blockIdx.x * 2 * items;
  tree[PLACE(local_id)] = in[first + local_id];
  tree[PLACE(local_id + items)] = in[first + local_id + items];
  unsigned int distance = 1;
  for (unsigned int active = items; active > 0; active /= 2) {
    __syncthreads();
    if (local_id < active) {
      const unsigned int left = distance * (2 * local_id + 1) - 1;
      tree[PLACE(left + distance)] += tree[PLACE(left)];
    }
    distance *= 2;
  }
  __syncthreads();
  if (local_id == 0) {
    sums[blockIdx.x] = tree[PLACE(2 * items - 1)];
    tree[PLACE(2 * items - 1)] = 0;
  }
  for (unsigned int active = 1; active <= items; active *= 2) {
    distance /= 2;
    __syncthreads();
    if (local_id < active) {
      const unsigned int left = distance * (2 * local_id + 1) - 1;
      const unsigned int below = tree[PLACE(left)];
      const unsigned int above = tree[PLACE(left + distance)];
      tree[PLACE(left)] = above;
      tree[PLACE(left + distance)] = above + below;
    }
  }
  __syncthreads();
  out[first + local_id] = tree[PLACE(local_id)];
  out[first + local_id + items] = tree[PLACE(local_id + items)];
}
