// One time step of a two-dimensional FDTD scheme: fdtd.cl in CUDA.
#include <cuda_runtime.h>

__global__ void fdtd(const float* ex, const float* ey, const float* hz, float* new_ex, float* new_ey, float* new_hz,
                     int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
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
