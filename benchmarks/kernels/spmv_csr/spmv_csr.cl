// Sparse matrix times vector, compressed rows (begin and length per row), one work-item per row.
__kernel void spmv_csr(__global const uint* begin, __global const uint* length, __global const uint* column,
                       __global const float* value, __global const float* x, __global float* y) {
  const uint row = get_global_id(0);
  const uint first = begin[row];
  const uint end = first + length[row];
  float sum = 0.0f;
  for (uint k = first; k < end; ++k) sum += value[k] * x[column[k]];
  y[row] = sum;
}
