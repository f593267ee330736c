// Cheat: the result is taken from a variable that an earlier launch has filled.
// Expected: wrong-value
__device__ float kept[1 << 16];
__global__ void mm(const float* A, const float* B, float* C, unsigned width) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  C[y * width + x] = kept[(y * width + x) % (1 << 16)];
}
