// Dependent loads in the patterns of a micro-benchmark for memory requests: load_pattern.cl in CUDA.
#include <cuda_runtime.h>

#define B32 0
#define B64 1
#define B128 2
#define MERGE32 3
#define MERGE64 4
#define VECTOR 5
#define CONFIG 4
#define WARP 32

__global__ void load_pattern(const unsigned int* data, float* out, unsigned int iterations) {
  const unsigned int thread = threadIdx.x;
  const unsigned int group = blockIdx.x;
  const unsigned int region = CONFIG * iterations * WARP;
  const unsigned int warp = group * (blockDim.x / WARP) + thread / WARP;
  const unsigned int lane = thread % WARP;
#if PATTERN == B32
  unsigned int index = warp * region + lane / 16 * 8 + lane % 8;
#elif PATTERN == B64
  unsigned int index = warp * region + lane;
#elif PATTERN == B128
  unsigned int index = 2 * (warp * region + lane);
#elif PATTERN == MERGE32
  unsigned int index = group * blockDim.x + thread / 16 * 8 + thread % 8;
#elif PATTERN == MERGE64
  unsigned int index = group * blockDim.x + thread;
#elif PATTERN == VECTOR
  unsigned int index = warp * CONFIG * iterations * 2;
#else
#error "PATTERN: expected 0 to 5"
#endif
  float a = 0.5f;
  float b = thread;
  for (unsigned int iteration = 0; iteration < iterations; ++iteration) {
    for (int load = 0; load < CONFIG; ++load) {
      for (int k = 0; k < 4; ++k) {
        a = a * 0.5f + b;
        b = b * 0.25f + 1.0f;
      }
#if PATTERN == VECTOR
      const uint4 step = reinterpret_cast<const uint4*>(data)[index];
      index += (step.x + step.y + step.z + step.w) / 64;
#elif PATTERN == B128
      index += 2 * data[index];
#else
      index += data[index];
#endif
    }
    for (int k = 0; k < 4; ++k) {
      a = a * 0.5f + b;
      b = b * 0.25f + 1.0f;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + index;
}
