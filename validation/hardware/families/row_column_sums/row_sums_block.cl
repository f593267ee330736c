// Sums of the rows of a matrix of n x n floats, one row per work-group: work-items stride through the row, then a tree in
// local memory.
__kernel void row_sums_block(__global const float* A, __global float* sums, uint n, __local float* scratch) {
  const uint id = get_local_id(0);
  const uint row = get_group_id(0);
  float sum = 0.0f;
  for (uint i = id; i < n; i += get_local_size(0)) sum += A[row * n + i];
  scratch[id] = sum;
  for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < half_size) scratch[id] += scratch[id + half_size];
  }
  if (id == 0) sums[row] = scratch[0];
}
