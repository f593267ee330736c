// Three-dimensional convolution with weights 1 2 1 in each direction, 27 neighbours; the border stays as it is.
__kernel void conv3d(__global const float* in, __global float* out, int nx, int ny, int nz) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  const int z = get_global_id(2);
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  float sum = 0.0f;
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        sum += (2 - dx * dx) * (2 - dy * dy) * (2 - dz * dz) * in[((z + dz) * ny + y + dy) * nx + x + dx];
  out[(z * ny + y) * nx + x] = sum / 64;
}
