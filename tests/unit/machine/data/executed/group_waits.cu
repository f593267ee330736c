// Products of four warps whose B the first thread overwrites as soon as it has waited for them: all four have read it by then.
using u32 = unsigned;
using u64 = unsigned long long;

__device__ u32 shared_address(const void* at) {
  return static_cast<u32>(__cvta_generic_to_shared(at));
}

/// Without a pattern; all elements of a matrix are the same, so that it does not matter where they are.
__device__ u64 descriptor(const void* at) {
  return shared_address(at) >> 4 | u64{128 >> 4} << 16 | u64{256 >> 4} << 32;
}

/// A is ones, B of round r is r + 1: each element of the result is the sum of 16 (r + 1).
extern "C" __global__ void overwritten(u32 rounds, float* out) {
  __shared__ __align__(1024) unsigned short a[64 * 16], b[8 * 16];
  __shared__ u64 is_there;
  const u32 t = threadIdx.x;
  for (u32 i = t; i < 64 * 16; i += 128) a[i] = 0x3c00;
  if (t == 0) {
    for (u32 i = 0; i < 8 * 16; ++i) b[i] = 0x3c00;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&is_there)) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[4] = {};
  for (u32 round = 0; round < rounds; ++round) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(descriptor(a)), "l"(descriptor(b)));
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (t == 0) {
      // 2, 3, 4 … as halves, up to 8.
      const u32 next = round + 2, exponent = 31 - __clz(next);
      for (u32 i = 0; i < 8 * 16; ++i)
        b[i] = static_cast<unsigned short>((15 + exponent) << 10 | (next << (10 - exponent) & 0x3ff));
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      asm volatile("{.reg .b64 token; mbarrier.arrive.shared.b64 token, [%0];}" ::"r"(shared_address(&is_there)) : "memory");
    }
    u32 over = 0;
    while (over == 0)
      asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                   : "=r"(over)
                   : "r"(shared_address(&is_there)), "r"(round & 1)
                   : "memory");
  }
  for (u32 i = 0; i < 4; ++i) out[t * 4 + i] = d[i];
}
