// y = A^T (A x). A work-group multiplies its rows by x, then its rows' transposed by what it got: y comes as one partial
// vector per work-group.
__kernel void atax(__global const float* A, __global const float* x, __global float* y, __local float* product, uint n) {
  const uint local_id = get_local_id(0);
  const uint items = get_local_size(0);
  const uint i = get_global_id(0);
  float sum = 0.0f;
  for (uint j = 0; j < n; ++j) sum += A[i * n + j] * x[j];
  product[local_id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first = get_group_id(0) * items;
  for (uint j = local_id; j < n; j += items) {
    float part = 0.0f;
    for (uint k = 0; k < items; ++k) part += A[(first + k) * n + j] * product[k];
    y[get_group_id(0) * n + j] = part;
  }
}
