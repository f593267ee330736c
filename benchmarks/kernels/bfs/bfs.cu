// One level of a breadth-first search: bfs.cl in CUDA.
#include <cuda_runtime.h>

__global__ void bfs(const unsigned int* begin, const unsigned int* degree, const unsigned int* neighbour,
                    const unsigned int* level, unsigned int* next_level, unsigned int depth) {
  const unsigned int vertex = blockIdx.x * blockDim.x + threadIdx.x;
  if (level[vertex] != depth) return;
  const unsigned int first = begin[vertex];
  const unsigned int end = first + degree[vertex];
  for (unsigned int k = first; k < end; ++k) {
    const unsigned int other = neighbour[k];
    if (level[other] == 0) next_level[other] = depth + 1;
  }
}
