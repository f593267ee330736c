// Softmax of rows of `columns` floats, one row per block: maximum and sum in one pass, which corrects the sum when the maximum
// grows; then the quotients. WIDTH 4: x and y in float4. KEEP 1: the first pass keeps the row in shared memory, the second
// reads it there.
#include "../reduce.cuh"

#if WIDTH == 4
typedef float4 Element;
__device__ inline float max_of(float4 v) { return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)); }
__device__ inline float exp_sum(float4 v, float less) {
  return expf(v.x - less) + expf(v.y - less) + expf(v.z - less) + expf(v.w - less);
}
__device__ inline float4 result(float4 v, float less, float scale) {
  return make_float4(expf(v.x - less) * scale, expf(v.y - less) * scale, expf(v.z - less) * scale,
                     expf(v.w - less) * scale);
}
#else
typedef float Element;
__device__ inline float max_of(float v) { return v; }
__device__ inline float exp_sum(float v, float less) { return expf(v - less); }
__device__ inline float result(float v, float less, float scale) { return expf(v - less) * scale; }
#endif

__global__ void softmax_online(const Element* x, Element* y, unsigned int elements) {
  __shared__ float scratch[SCRATCH];
#if KEEP
  __shared__ Element row[COLUMNS / WIDTH];
#endif
  const Element* in = x + (size_t)blockIdx.x * elements;
  Element* out = y + (size_t)blockIdx.x * elements;
  float largest = -INFINITY;
  float sum = 0.0f;
  for (unsigned int i = threadIdx.x; i < elements; i += blockDim.x) {
    const Element value = in[i];
#if KEEP
    row[i] = value;
#endif
    const float before = largest;
    largest = fmaxf(largest, max_of(value));
    sum = sum * expf(before - largest) + exp_sum(value, largest);
  }
  const float of_row = block_max(largest, scratch);
  const float scale = 1.0f / block_sum(sum * expf(largest - of_row), scratch);
  for (unsigned int i = threadIdx.x; i < elements; i += blockDim.x) {
#if KEEP
    out[i] = result(row[i], of_row, scale);
#else
    out[i] = result(in[i], of_row, scale);
#endif
  }
}
