// One level of a breadth-first search: vertices of the frontier visit their neighbours. Levels are read from one array and
// written to another, so that the order of work-items does not matter; 0 = not seen yet.
__kernel void bfs(__global const uint* begin, __global const uint* degree, __global const uint* neighbour,
                  __global const uint* level, __global uint* next_level, uint depth) {
  const uint vertex = get_global_id(0);
  if (level[vertex] != depth) return;
  const uint first = begin[vertex];
  const uint end = first + degree[vertex];
  for (uint k = first; k < end; ++k) {
    const uint other = neighbour[k];
    if (level[other] == 0) next_level[other] = depth + 1;
  }
}
