#pragma once
struct Ball {
  float x, y, z, radius;
};

// Defined in shapes.cu, used in main.cu.
extern __device__ int hits;
extern __constant__ Ball balls[4];
__device__ bool inside(const Ball& ball, float x, float y, float z);
void count_corners();
