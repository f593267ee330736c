// Honest: all lanes of a warp have its sum, and store it; one store would do.
__global__ void lanes(const float* in, float* out, unsigned n) {
  __shared__ float part[1];
  float own = 0;
  for (unsigned i = threadIdx.x; i < n; i += 32) own += in[blockIdx.x * n + i];
  for (unsigned distance = 16; distance != 0; distance /= 2) own += __shfl_xor_sync(0xffffffff, own, distance);
  part[0] = own;
  __syncwarp();
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
