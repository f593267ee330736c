// A level of a breadth-first search: a queue by atomics, indices that depend on loads.
__global__ void cu_frontier(const int *row, const int *column, int *level, const int *queue, int *next, int *tail, int n,
                            int depth) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n)
    return;
  const int v = queue[t];
  for (int e = row[v]; e < row[v + 1]; ++e) {
    const int u = column[e];
    if (level[u] < 0) {
      level[u] = depth;
      next[atomicAdd(tail, 1)] = u;
    }
  }
}
