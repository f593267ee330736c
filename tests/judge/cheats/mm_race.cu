// Cheat: a tile of B is shared without a barrier behind its use.
// Expected: race-local
__global__ void mm(const float* A, const float* B, float* C, unsigned width) {
  __shared__ float tile[8][8];
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (unsigned first = 0; first < width; first += 8) {
    tile[threadIdx.y][threadIdx.x] = B[(first + threadIdx.y) * width + x];
    __syncthreads();
    for (unsigned k = 0; k < 8; ++k) sum += A[y * width + first + k] * tile[k][threadIdx.x];
  }
  C[y * width + x] = sum;
}
