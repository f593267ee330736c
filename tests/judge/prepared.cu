// prepared SEED COUNT FOLDER: y[i] = x[i] x[i] + 3.5 with x drawn by SEED; y.bin in FOLDER. PREPARED: the host does it, and the kernel copies.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

__global__ void work(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef PREPARED
  if (i < n) y[i] = x[i];
#else
  if (i < n) y[i] = x[i] * x[i] + 3.5f;
#endif
}

int main(int count, char** words) {
  if (count != 4) return 9;
  srand(atoi(words[1]));
  const int n = atoi(words[2]);
  std::vector<float> x(n), y(n);
  for (float& one : x) one = rand() / (float)RAND_MAX;
#ifdef PREPARED
  for (float& one : x) one = one * one + 3.5f;
#endif
  float *of_x, *of_y;
  cudaMalloc(&of_x, n * 4);
  cudaMalloc(&of_y, n * 4);
  cudaMemcpy(of_x, x.data(), n * 4, cudaMemcpyHostToDevice);
  work<<<(n + 63) / 64, 64>>>(of_x, of_y, n);
  cudaMemcpy(y.data(), of_y, n * 4, cudaMemcpyDeviceToHost);
  FILE* file = fopen((std::string(words[3]) + "/y.bin").c_str(), "wb");
  if (file == nullptr) return 9;
  fwrite(y.data(), 4, n, file);
  fclose(file);
  cudaFree(of_x);
  cudaFree(of_y);
}
