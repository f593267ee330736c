#include "scene.h"

__device__ int hits = 1000;
__constant__ Ball balls[4];

__device__ bool inside(const Ball& ball, float x, float y, float z) {
  const float dx = x - ball.x, dy = y - ball.y, dz = z - ball.z;
  return dx * dx + dy * dy + dz * dz < ball.radius * ball.radius;
}

// main.cu has a kernel and a variable of the same names.
static __device__ int weight = 10000;
static __global__ void count(int edge) {
  const int corner = threadIdx.x;
  const float at = static_cast<float>(edge);
  if (inside(balls[0], corner & 1 ? at : 0, corner & 2 ? at : 0, corner & 4 ? at : 0))
    atomicAdd(&hits, weight);
}

void count_corners() {
  count<<<1, 8>>>(2);
}
