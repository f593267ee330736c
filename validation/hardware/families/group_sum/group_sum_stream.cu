// Each of n elements of `out` gets the sum of the 32 elements of `in` that its warp has: one load per thread, sums by warp
// shuffles.
__global__ void group_sum_stream(const float* in, float* out, unsigned int n) {
  const unsigned int id = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = id < n ? in[id] : 0.0f;
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  if (id < n) out[id] = sum;
}
