// Predecessor search in a tree whose nodes have 32 keys, by a warp per query: search_btree.cl in CUDA.
#include <cuda_runtime.h>

#define WIDTH 32

__device__ unsigned int descend(const unsigned int* keys, unsigned int node, unsigned int q, unsigned int* key,
                                unsigned int* child) {
  const unsigned int lane = threadIdx.x;
  key[lane] = keys[node * WIDTH + lane];
  if (lane == 0) key[WIDTH] = 0xffffffffu;
  __syncthreads();
  if (key[lane] <= q && q < key[lane + 1]) *child = node * WIDTH + lane;
  __syncthreads();
  return *child;
}

__global__ void search_btree(const unsigned int* root, const unsigned int* inner, const unsigned int* leaf,
                             const unsigned int* query, unsigned int* found) {
  __shared__ unsigned int key[WIDTH + 1];
  __shared__ unsigned int queries[WIDTH];
  __shared__ unsigned int child;
  const unsigned int i = blockIdx.x * WIDTH + threadIdx.x;
  const unsigned int lane = threadIdx.x;
  queries[lane] = query[i];
  unsigned int mine = 0;
  for (unsigned int k = 0; k < WIDTH; ++k) {
    __syncthreads();
    const unsigned int q = queries[k];
    unsigned int node = descend(root, 0, q, key, &child);
    node = descend(inner, node, q, key, &child);
    node = descend(leaf, node, q, key, &child);
    if (lane == k) mine = node;
  }
  found[i] = mine;
}
