// A row per warp, four values at a time.
__global__ void cu_layer_norm(const float4 *__restrict__ in, const float4 *__restrict__ weight,
                              const float4 *__restrict__ bias, float4 *__restrict__ out, int quads) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0, squares = 0;
  for (int i = lane; i < quads; i += 32) {
    const float4 v = in[row * quads + i];
    sum += v.x + v.y + v.z + v.w;
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    squares += __shfl_xor_sync(0xffffffffu, squares, distance);
  }
  const float mean = sum / (4 * quads), scale = rsqrtf(squares / (4 * quads) - mean * mean + 1e-5f);
  for (int i = lane; i < quads; i += 32) {
    const float4 v = in[row * quads + i], w = weight[i], b = bias[i];
    out[row * quads + i] = make_float4((v.x - mean) * scale * w.x + b.x, (v.y - mean) * scale * w.y + b.y,
                                       (v.z - mean) * scale * w.z + b.z, (v.w - mean) * scale * w.w + b.w);
  }
}
