// One time step of a two-dimensional FDTD scheme in a single launch: a cell's new electric fields, and with its right and
// lower neighbours' new fields, computed again here, its new magnetic field. Courant factor 1/2.
__kernel void fdtd(__global const float* ex, __global const float* ey, __global const float* hz, __global float* new_ex,
                   __global float* new_ey, __global float* new_hz, int width) {
  const int x = get_global_id(0) + 1;
  const int y = get_global_id(1) + 1;
  const int here = y * width + x;
  const int right = here + 1;
  const int below = here + width;
  const float h = hz[here];
  const float ex_here = ex[here] - 0.5f * (h - hz[here - width]);
  const float ey_here = ey[here] - 0.5f * (h - hz[here - 1]);
  const float ex_below = ex[below] - 0.5f * (hz[below] - h);
  const float ey_right = ey[right] - 0.5f * (hz[right] - h);
  new_ex[here] = ex_here;
  new_ey[here] = ey_here;
  new_hz[here] = h - 0.7f * (ex_below - ex_here + ey_right - ey_here);
}
