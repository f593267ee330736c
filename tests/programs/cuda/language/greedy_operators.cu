// Expression templates whose operators take everything: nothing of the headers' own may fall to them.
#include <cstdio>

template <class L, class R>
struct Sum {
  L l;
  R r;
  __device__ float operator[](int i) const { return l[i] + r[i]; }
};
template <class L, class R>
struct Product {
  L l;
  R r;
  __device__ float operator[](int i) const { return l[i] * r[i]; }
};
struct Vector {
  const float* at;
  __device__ float operator[](int i) const { return at[i]; }
};
template <class L, class R>
__host__ __device__ Sum<L, R> operator+(L l, R r) {
  return {l, r};
}
template <class L, class R>
__host__ __device__ Product<L, R> operator*(L l, R r) {
  return {l, r};
}

template <class E>
__global__ void assign(E e, float* out) {
  const int i = (int)threadIdx.x;
  out[i] = e[i];
}

int main() {
  float *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(float));
  cudaMallocManaged(&out, 64 * sizeof(float));
  for (int i = 0; i < 64; ++i) in[i] = (float)i;
  const Vector v{in};
  assign<<<1, 64>>>(v + v * v, out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 64; ++i) wrong += out[i] != (float)(i + i * i);
  std::printf("%d wrong\n", wrong);
}
