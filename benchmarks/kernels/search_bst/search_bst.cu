// Predecessor search in a binary search tree without pointers: search_bst.cl in CUDA.
#include <cuda_runtime.h>

__global__ void search_bst(const unsigned int* tree, const unsigned int* query, unsigned int* found) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int q = query[i];
  unsigned int node = 1;
  for (unsigned int level = 0; level < LEVELS; ++level) {
    const unsigned int stored = tree[node];
    const unsigned int key = ((2 * stored + 1) << (LEVELS - 1 - level)) - (1u << LEVELS);
    node = 2 * node + (key <= q ? 1 : 0);
  }
  found[i] = node - (1u << LEVELS);
}
