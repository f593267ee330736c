// The same kernel through trace-kernel and as a program must give the same capture.
#include <vector>
#define N 64
__constant__ float coefficients[8];
__global__ void smooth(const float* __restrict__ in, float* out, int pitch, float scale) {
  __shared__ float tile[18][18];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y + 1][threadIdx.x + 1] = in[y * pitch + x];
  __syncthreads();
  float sum = 0;
  for (int i = -1; i <= 1; ++i) sum += coefficients[i + 1] * tile[threadIdx.y + 1][threadIdx.x + 1 + i];
  if (x > 0) out[x * pitch + y] = sum * scale;
}
int main() {
  std::vector<float> host(N * N, 1.0f);
  float *in, *out;
  cudaMalloc(&in, N * N * sizeof(float));
  cudaMalloc(&out, N * N * sizeof(float));
  cudaMemcpy(in, host.data(), N * N * sizeof(float), cudaMemcpyHostToDevice);
  smooth<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(in, out, N, 0.5f);
  return cudaDeviceSynchronize();
}
