// Dependent loads in the patterns of a micro-benchmark for memory requests: a loaded value is the step to the next load.
// Dasgupta: CUDA Performance Analyzer, Georgia Tech 2011, appendix A. A work-group's warps have regions of their own, or,
// in the patterns that let requests merge, begin side by side and run through each other's lines.
#define B32 0
#define B64 1
#define B128 2
#define MERGE32 3
#define MERGE64 4
#define VECTOR 5
#define CONFIG 4
#define WARP 32

__kernel void load_pattern(__global const uint* data, __global float* out, uint iterations) {
  const uint thread = get_local_id(0);
  const uint group = get_group_id(0);
  const uint region = CONFIG * iterations * WARP;
  const uint warp = group * (get_local_size(0) / WARP) + thread / WARP;
  const uint lane = thread % WARP;
#if PATTERN == B32
  uint index = warp * region + lane / 16 * 8 + lane % 8;
#elif PATTERN == B64
  uint index = warp * region + lane;
#elif PATTERN == B128
  uint index = 2 * (warp * region + lane);
#elif PATTERN == MERGE32
  uint index = group * get_local_size(0) + thread / 16 * 8 + thread % 8;
#elif PATTERN == MERGE64
  uint index = group * get_local_size(0) + thread;
#elif PATTERN == VECTOR
  uint index = warp * CONFIG * iterations * 2;
#else
#error "PATTERN: expected 0 to 5"
#endif
  float a = 0.5f;
  float b = thread;
  for (uint iteration = 0; iteration < iterations; ++iteration) {
    for (int load = 0; load < CONFIG; ++load) {
      for (int k = 0; k < 4; ++k) {
        a = a * 0.5f + b;
        b = b * 0.25f + 1.0f;
      }
#if PATTERN == VECTOR
      const uint4 step = ((__global const uint4*)data)[index];
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
  out[get_global_id(0)] = a + b + index;
}
