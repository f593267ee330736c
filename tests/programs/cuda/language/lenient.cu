// What nvcc takes without a word and clang refuses or warns of, and what nvcc's own headers bring. Includes nothing that
// declares assert.
#include <cstdio>

struct Pixel {
  unsigned char r, g, b, a;
};

__global__ void narrow(float4* out, Pixel* pixels, int n, unsigned u, double d) {
  const int i = threadIdx.x;
  assert(i < n);
  out[i] = {i, u, d, 1};
  const int2 pair = {u, d};
  pixels[i] = {i, pair.x, u + 1, pair.y};
}

// Each value is by hand: two of one size meet in the unsigned one, so -1 is the largest there; float meets double.
template <class T>
__host__ __device__ int mixed(T negative, unsigned T_zero, float f, double d) {
  int wrong = 0;
  wrong += min(negative, 5u) != 5u;
  wrong += max(negative, 5u) != 4294967295u;
  wrong += max(2u, negative) != 4294967295u;
  wrong += min(-1l, 7ul) != 7ul;
  wrong += max(7ul, -1l) != 18446744073709551615ul;
  wrong += min(-1ll, 7ull) != 7ull;
  wrong += max(-1ll, 7ull) != 18446744073709551615ull;
  wrong += min(-1ll, 7ll) != -1ll;
  wrong += max(T_zero, 3u) != 3u;
  wrong += min(f, d) != 0.1;
  wrong += max(d, f) != 0.25;
  wrong += max(f, 0.5f) != 0.5f;
  wrong += min(1.0, 2.0) != 1.0;
  wrong += max(f, nanf("")) != 0.25f;
  wrong += sizeof(max(f, d)) != 8 || sizeof(min(f, f)) != 4 || sizeof(min(1l, 1ul)) != 8;
  return wrong;
}
__global__ void mixed_on_device(int* wrong, float f, double d) { *wrong = mixed((int)threadIdx.x - 1, 0u, f, d); }

// clang-format off
static void launch_as_some_editors_write_it(int* wrong) { mixed_on_device << <1, 1 >> >(wrong, 0.25f, 0.1); }
// clang-format on

int main(int argc, char**) {
  assert(argc > 0);
  const float random = (float)rand() / RAND_MAX;
  const dim3 grid{argc}, block(32);
  float4* out;
  Pixel* pixels;
  int* device_wrong;
  cudaMallocManaged(&out, 32 * sizeof(float4));
  cudaMallocManaged(&pixels, 32 * sizeof(Pixel));
  cudaMallocManaged(&device_wrong, sizeof(int));
  narrow<<<grid, block>>>(out, pixels, 32, 300, 2.5);
  launch_as_some_editors_write_it(device_wrong);
  cudaDeviceSynchronize();
  int wrong = *device_wrong + mixed(-1, 0u, 0.25f, 0.1) + !(random >= 0 && random <= 1);
  for (int i = 0; i < 32; ++i) {
    wrong += out[i].x != i || out[i].y != 300 || out[i].z != 2.5f || out[i].w != 1;
    wrong += pixels[i].r != i || pixels[i].g != 300 - 256 || pixels[i].b != 301 - 256 || pixels[i].a != 2;
  }
  printf("%d wrong\n", wrong);
}
