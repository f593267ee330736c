#pragma once
extern __constant__ float weights[3];
__device__ float weighted(float left, float middle, float right);
