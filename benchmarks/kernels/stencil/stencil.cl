// One Jacobi step on a grid of nx x ny x nz cells, neighbours along three axes. The border stays as it is: a work-item's
// cell is one further in than its id, and the last work-items of a row have no cell.
#define CELL(x, y, z) ((x) + nx * ((y) + ny * (z)))

__kernel void naive_kernel(float c0, float c1, __global float* A0, __global float* Anext, int nx, int ny, int nz) {
  const int x = get_global_id(0) + 1;
  const int y = get_global_id(1) + 1;
  const int z = get_global_id(2) + 1;
  if (x < nx - 1) {
    const float neighbours = A0[CELL(x, y, z + 1)] + A0[CELL(x, y, z - 1)] + A0[CELL(x, y + 1, z)] +
                             A0[CELL(x, y - 1, z)] + A0[CELL(x + 1, y, z)] + A0[CELL(x - 1, y, z)];
    Anext[CELL(x, y, z)] = c1 * neighbours - c0 * A0[CELL(x, y, z)];
  }
}
