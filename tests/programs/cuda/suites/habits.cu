// Habits of older suites: texture references bound by pointer, templates that ask for a type with `...`, a folder of
// another toolkit's headers on the command line.
#include <cstdio>
#include <type_traits>

texture<float, 1, cudaReadModeElementType> line;
texture<float, 2, cudaReadModeElementType> rows;

// libcu++'s way to ask: declared for all, called by nobody.
template <class T> struct has_scale {
  template <class U> static __host__ __device__ std::true_type ask(decltype(&U::scale));
  template <class U> static __host__ __device__ std::false_type ask(...);
  static constexpr bool value = decltype(ask<T>(nullptr))::value;
};
struct Doubled {
  float scale;
};

template <class T> __global__ void gather(float* out, int width, T how) {
  const int i = threadIdx.x;
  const float factor = has_scale<T>::value ? 2.0f : 1.0f;
  out[i] = factor * (tex1Dfetch(line, i) + tex2D(rows, i % width + 0.5f, i / width + 0.5f));
}

int main() {
  const int width = 8, height = 4, count = width * height;
  float *linear, *pitched, *out, host[count];
  size_t pitch;
  for (int i = 0; i < count; ++i) host[i] = i * 0.5f;
  cudaMalloc((void**)&linear, sizeof host);
  cudaMallocPitch((void**)&pitched, &pitch, width * sizeof(float), height);
  cudaMalloc((void**)&out, sizeof host);
  cudaMemcpy(linear, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy2D(pitched, pitch, host, width * sizeof(float), width * sizeof(float), height, cudaMemcpyHostToDevice);
  cudaChannelFormatDesc description = cudaCreateChannelDesc<float>();
  if (cudaBindTexture(NULL, &line, linear, &description, sizeof host) != cudaSuccess) return 1;
  if (cudaBindTexture2D(NULL, &rows, pitched, &description, width, height, pitch) != cudaSuccess) return 1;
  gather<<<1, count>>>(out, width, Doubled());
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += host[i] != 2.0f * i;
  std::printf(wrong == 0 ? "ok\n" : "%d wrong\n", wrong);
  return wrong != 0;
}
