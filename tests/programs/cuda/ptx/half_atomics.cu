// Additions to numbers of 16 bits in memory, in C++ and in PTX. Prints "ok".
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>

__global__ void add(__half* one, __half2* pair, __nv_bfloat16* bfloat, __nv_bfloat162* bfloats, __half2* in_ptx) {
  __shared__ __half2 sum;
  if (threadIdx.x == 0) sum = __floats2half2_rn(0, 0);
  __syncthreads();
  atomicAdd(one, __float2half(0.5f));
  atomicAdd(pair, __floats2half2_rn(1, -2));
  atomicAdd(bfloat, __float2bfloat16(0.25f));
  atomicAdd(bfloats, __floats2bfloat162_rn(-1, 0.5f));
  atomicAdd(&sum, __floats2half2_rn(2, 0));
  const __half2 two = __floats2half2_rn(2, 4);
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(in_ptx), "r"(*(const unsigned int*)&two) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(in_ptx, sum);
}

int main() {
  __half *one, host;
  __half2* pairs;
  __nv_bfloat16* bfloat;
  __nv_bfloat162* bfloats;
  if (cudaMallocManaged(&one, 2) || cudaMallocManaged(&pairs, 8) || cudaMallocManaged(&bfloat, 2) || cudaMallocManaged(&bfloats, 4)) return 1;
  *one = host = 0.0f;
  pairs[0] = pairs[1] = __floats2half2_rn(0, 0);
  *bfloat = 0.0f;
  *bfloats = __floats2bfloat162_rn(0, 0);
  add<<<2, 64>>>(one, pairs, bfloat, bfloats, pairs + 1);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  // 128 threads; the blocks' sums are 64 * 2 each.
  const bool right = float(*one) == 64 && float(pairs[0].x) == 128 && float(pairs[0].y) == -256 && float(*bfloat) == 32 &&
                     float(bfloats->x) == -128 && float(bfloats->y) == 64 && float(pairs[1].x) == 2 * 128 + 2 * 128 && float(pairs[1].y) == 4 * 128;
  puts(right ? "ok" : "wrong");
}
