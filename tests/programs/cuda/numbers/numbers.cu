// bfloat16: every value there and back, rounding against a search for the nearest, and a sum as language models
// have it, with cached loads and a reduction of a warp. Complex numbers against the standard library's.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuComplex.h>
#include <cuda_bf16.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>
namespace cg = cooperative_groups;

__global__ void there_and_back(unsigned short* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __bfloat16_as_ushort(__float2bfloat16(__bfloat162float(__ushort_as_bfloat16((unsigned short)i))));
}
__global__ void round_all(const float* in, nv_bfloat16* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __stcs(reinterpret_cast<short*>(out) + i, (short)__bfloat16_as_ushort(in[i]));
}
__global__ void complex_numbers(const cuDoubleComplex* in, cuDoubleComplex* out) {
  const cuDoubleComplex a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
  cuDoubleComplex* own = out + 4 * threadIdx.x;
  own[0] = cuCmul(a, cuConj(b));
  own[1] = cuCdiv(a, b);
  own[2] = cuCfma(a, b, cuCsub(a, b));
  own[3] = make_cuDoubleComplex(cuCabs(a), cuCabsf(cuComplexDoubleToFloat(b)));
}
// Sixteen bytes at a time, past the caches.
__global__ void copy_streaming(const int4* in, int4* out) {
  const int i = threadIdx.x;
  __stcs(out + i, i % 2 ? __ldcs(in + i) : __ldcg(in + i));
}
__global__ void scale_rows(const nv_bfloat162* in, float* sums, int pairs, nv_bfloat16 factor) {
  const cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  const nv_bfloat162* row = in + blockIdx.x * pairs;
  float sum = 0;
  for (int i = threadIdx.x; i < pairs; i += 32) {
    const float2 v = __bfloat1622float2(row[i] * nv_bfloat162(factor, factor));
    sum += v.x + v.y;
  }
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  if (warp.thread_rank() == 0) sums[blockIdx.x] = sum;
}

static float value_of(unsigned short bits) {
  const unsigned wide = (unsigned)bits << 16;
  float value;
  memcpy(&value, &wide, 4);
  return value;
}
// By search: the finite value with the smallest distance, of two the even one.
static unsigned short nearest(float x) {
  unsigned best = 0;
  double least = INFINITY;
  for (unsigned sign = 0; sign < 2; ++sign)
    for (unsigned bits = 0; bits < 0x7f80; ++bits) {
      const double distance = std::fabs((double)value_of((unsigned short)(bits | sign << 15)) - x);
      if (distance < least || (distance == least && bits % 2 == 0 && sign == (std::signbit(x) ? 1u : 0u))) {
        least = distance;
        best = bits | sign << 15;
      }
    }
  return (unsigned short)best;
}

int main() {
  int wrong = 0;
  unsigned short* codes;
  cudaMallocManaged(&codes, 65536 * 2);
  there_and_back<<<256, 256>>>(codes);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < 65536; ++i) wrong += std::isnan(value_of((unsigned short)i)) ? !std::isnan(value_of(codes[i])) : codes[i] != i;
  float* numbers;
  cudaMallocManaged(&numbers, 256 * 4);
  for (int i = 0; i < 256; ++i) numbers[i] = (i % 2 ? -1.0f : 1.0f) * std::ldexp(1.0f + i / 253.0f, i % 60 - 30);
  numbers[0] = value_of(0x3f80) + 0x1p-8f;   // half way, to 1.0
  numbers[1] = value_of(0x3f81) + 0x1p-8f;   // half way, up to the even one
  round_all<<<2, 128>>>(numbers, reinterpret_cast<nv_bfloat16*>(codes));
  cudaDeviceSynchronize();
  for (int i = 0; i < 256; ++i) wrong += codes[i] != nearest(numbers[i]);
  cuDoubleComplex* complex;
  cudaMallocManaged(&complex, (64 + 128) * sizeof(*complex));
  for (int i = 0; i < 64; ++i) complex[i] = make_cuDoubleComplex(std::ldexp(i - 31.5, i % 5), std::ldexp(7.25 - i, -(i % 3)));
  complex_numbers<<<1, 32>>>(complex, complex + 64);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; ++i) {
    const std::complex<double> a(complex[2 * i].x, complex[2 * i].y), b(complex[2 * i + 1].x, complex[2 * i + 1].y);
    const std::complex<double> expected[] = {a * std::conj(b), a / b, a * b + (a - b), {std::abs(a), std::abs(b)}};
    for (int k = 0; k < 4; ++k) {
      const cuDoubleComplex got = complex[64 + 4 * i + k];
      wrong += std::abs(expected[k] - std::complex<double>(got.x, got.y)) > (k == 3 ? 1e-6 : 1e-14) * std::abs(expected[k]);
    }
  }
  int4* copies;
  cudaMallocManaged(&copies, 256 * 4);
  copy_streaming<<<1, 64>>>(reinterpret_cast<const int4*>(numbers), copies);
  cudaDeviceSynchronize();
  wrong += memcmp(copies, numbers, 256 * 4) != 0;
  const int pairs = 50;
  for (int i = 0; i < 2 * 2 * pairs; ++i) codes[i] = nearest((float)(i % 9));
  scale_rows<<<2, 32>>>(reinterpret_cast<nv_bfloat162*>(codes), numbers, pairs, 0.5f);
  cudaDeviceSynchronize();
  for (int row = 0; row < 2; ++row) {
    float sum = 0;
    for (int i = 0; i < 2 * pairs; ++i) sum += 0.5f * ((row * 2 * pairs + i) % 9);
    wrong += numbers[row] != sum;
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
