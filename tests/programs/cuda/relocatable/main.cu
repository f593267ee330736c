// Counts points of a grid of 8 × 8 × 8 in four balls; device code of two files is linked.
#include <cstdio>

#include "scene.h"

static __device__ int weight = 1;

static __global__ void count(int edge) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  const int x = point % edge, y = point / edge % edge, z = point / (edge * edge);
  for (const Ball& ball : balls)
    if (inside(ball, static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)))
      atomicAdd(&hits, weight);
}

static bool inside_on_host(const Ball& ball, int x, int y, int z) {
  const float dx = static_cast<float>(x) - ball.x, dy = static_cast<float>(y) - ball.y,
              dz = static_cast<float>(z) - ball.z;
  return dx * dx + dy * dy + dz * dz < ball.radius * ball.radius;
}

int main() {
  const Ball scene[4] = {{0, 0, 0, 2.5f}, {7, 7, 7, 2}, {4, 4, 4, 1.5f}, {0, 7, 0, 3}};
  cudaMemcpyToSymbol(balls, scene, sizeof(scene));
  int expected = 1000;
  for (const Ball& ball : scene)
    for (int point = 0; point < 512; ++point)
      expected += inside_on_host(ball, point % 8, point / 8 % 8, point / 64);
  for (int corner = 0; corner < 8; ++corner)
    expected +=
        inside_on_host(scene[0], corner & 1 ? 2 : 0, corner & 2 ? 2 : 0, corner & 4 ? 2 : 0) ? 10000 : 0;
  count<<<8, 64>>>(8);
  count_corners();
  int counted = 0;
  const cudaError_t status = cudaMemcpyFromSymbol(&counted, hits, sizeof(counted));
  std::printf("%d of %d: %s\n", counted, expected, cudaGetErrorString(status));
  return counted == expected ? 0 : 1;
}
