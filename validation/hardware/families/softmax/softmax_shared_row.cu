// Softmax of rows of COLUMNS floats, one row per block, kept in shared memory. LOADS 2: x is read for the maximum and again
// for the exponentials; LOADS 1: it is read once, into shared memory. WIDTH 4: all in float4.
#include "../reduce.cuh"

#if WIDTH == 4
typedef float4 Element;
__device__ inline float max_of(float4 v) { return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)); }
__device__ inline float sum_of(float4 v) { return v.x + v.y + v.z + v.w; }
__device__ inline float4 exp_of(float4 v, float less) {
  return make_float4(expf(v.x - less), expf(v.y - less), expf(v.z - less), expf(v.w - less));
}
__device__ inline float4 times(float4 v, float by) { return make_float4(v.x * by, v.y * by, v.z * by, v.w * by); }
#else
typedef float Element;
__device__ inline float max_of(float v) { return v; }
__device__ inline float sum_of(float v) { return v; }
__device__ inline float exp_of(float v, float less) { return expf(v - less); }
__device__ inline float times(float v, float by) { return v * by; }
#endif

__global__ void softmax_shared_row(const Element* x, Element* y) {
  __shared__ float scratch[SCRATCH];
  __shared__ Element row[COLUMNS / WIDTH];
  const unsigned int elements = COLUMNS / WIDTH;
  const Element* in = x + (size_t)blockIdx.x * elements;
  Element* out = y + (size_t)blockIdx.x * elements;
  float largest = -INFINITY;
  for (unsigned int i = threadIdx.x; i < elements; i += blockDim.x) {
    const Element value = in[i];
#if LOADS == 1
    row[i] = value;
#endif
    largest = fmaxf(largest, max_of(value));
  }
  largest = block_max(largest, scratch);
  float sum = 0.0f;
  for (unsigned int i = threadIdx.x; i < elements; i += blockDim.x) {
#if LOADS == 1
    const Element value = exp_of(row[i], largest);
#else
    const Element value = exp_of(in[i], largest);
#endif
    row[i] = value;
    sum += sum_of(value);
  }
  const float scale = 1.0f / block_sum(sum, scratch);
  for (unsigned int i = threadIdx.x; i < elements; i += blockDim.x) out[i] = times(row[i], scale);
}
