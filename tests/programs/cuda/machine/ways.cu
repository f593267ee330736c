// A launch that is recorded in three ways.
#include <cstdio>
#include <vector>

__global__ void stencil(const float* in, float* out, int width, int height) {
  __shared__ float tile[8][33];
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  const float left = threadIdx.x != 0 ? tile[threadIdx.y][threadIdx.x - 1] : x != 0 ? in[y * width + x - 1] : 0;
  const float below = y + 1 < height ? in[(y + 1) * width + x] : 0;
  out[y * width + x] = tile[threadIdx.y][threadIdx.x] + 2 * left + 4 * below;
}

int main() {
  const int width = 256, height = 32, n = width * height;
  std::vector<float> host(n), got(n);
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i % 101);
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, sizeof(float) * n);
  cudaMalloc(&out, sizeof(float) * n);
  cudaMemcpy(in, host.data(), sizeof(float) * n, cudaMemcpyHostToDevice);
  stencil<<<dim3(8, 4), dim3(32, 8)>>>(in, out, width, height);
  cudaMemcpy(got.data(), out, sizeof(float) * n, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float left = x != 0 ? host[y * width + x - 1] : 0, below = y + 1 < height ? host[(y + 1) * width + x] : 0;
      wrong += got[y * width + x] != host[y * width + x] + 2 * left + 4 * below;
    }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
