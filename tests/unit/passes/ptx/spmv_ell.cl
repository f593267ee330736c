// Sparse matrix times vector, ELLPACK: columns of equal length, padded with -1.
kernel void spmv_ell(global const float* values, global const int* columns, global const float* x, global float* y,
                     int rows, int width) {
  const int row = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < width; ++k) {
    const int column = columns[k * rows + row];
    if (column >= 0) sum += values[k * rows + row] * x[column];
  }
  y[row] = sum;
}
