// Sparse matrix times vector, ELLPACK with row lengths: element k of all rows lies side by side.
// Vazquez, Fernandez, Garzon: A new approach for sparse matrix vector product on NVIDIA GPUs, CCPE 23(8), 2011.
__kernel void spmv_ell(__global const uint* length, __global const uint* column, __global const float* value,
                       __global const float* x, __global float* y) {
  const uint row = get_global_id(0);
  const uint rows = get_global_size(0);
  const uint count = length[row];
  float sum = 0.0f;
  for (uint k = 0; k < count; ++k) sum += value[k * rows + row] * x[column[k * rows + row]];
  y[row] = sum;
}
