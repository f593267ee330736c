// A round of a pairwise mergesort: merge_path.cl in CUDA.
#include <cuda_runtime.h>

__device__ unsigned int path(const unsigned int* a, unsigned int a_count, const unsigned int* b, unsigned int b_count,
                             unsigned int diagonal) {
  unsigned int least = diagonal > b_count ? diagonal - b_count : 0;
  unsigned int most = min(diagonal, a_count);
  while (least < most) {
    const unsigned int middle = (least + most) / 2;
    if (a[middle] <= b[diagonal - 1 - middle])
      least = middle + 1;
    else
      most = middle;
  }
  return least;
}

__global__ void merge_path(const unsigned int* a, const unsigned int* b, unsigned int* out, unsigned int a_count,
                           unsigned int b_count) {
  extern __shared__ unsigned int tile[];
  __shared__ unsigned int begins[2];
  const unsigned int local_id = threadIdx.x;
  const unsigned int items = blockDim.x;
  const unsigned int size = items * PER_ITEM;
  const unsigned int first = blockIdx.x * size;
  if (local_id < 2) begins[local_id] = path(a, a_count, b, b_count, first + local_id * size);
  __syncthreads();
  const unsigned int a_first = begins[0];
  const unsigned int a_length = begins[1] - a_first;
  const unsigned int b_first = first - a_first;
  const unsigned int b_length = size - a_length;
  for (unsigned int k = local_id; k < size; k += items)
    tile[k] = k < a_length ? a[a_first + k] : b[b_first + k - a_length];
  __syncthreads();
  const unsigned int diagonal = local_id * PER_ITEM;
  unsigned int least = diagonal > b_length ? diagonal - b_length : 0;
  unsigned int most = min(diagonal, a_length);
  while (least < most) {
    const unsigned int middle = (least + most) / 2;
    if (tile[middle] <= tile[a_length + diagonal - 1 - middle])
      least = middle + 1;
    else
      most = middle;
  }
  unsigned int from_a = least;
  unsigned int from_b = diagonal - least;
  unsigned int key[PER_ITEM];
  for (int k = 0; k < PER_ITEM; ++k) {
    bool takes_a = from_a < a_length;
    if (takes_a && from_b < b_length) takes_a = tile[from_a] <= tile[a_length + from_b];
    key[k] = tile[takes_a ? from_a : a_length + from_b];
    from_a += takes_a ? 1 : 0;
    from_b += takes_a ? 0 : 1;
  }
  __syncthreads();
  for (int k = 0; k < PER_ITEM; ++k) tile[diagonal + k] = key[k];
  __syncthreads();
  for (unsigned int k = local_id; k < size; k += items) out[first + k] = tile[k];
}
