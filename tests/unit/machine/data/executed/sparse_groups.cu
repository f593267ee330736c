// Sparse products of four warps, sm_90a: an image is copied to shared memory, and what the descriptors name is multiplied once.
using u32 = unsigned;
using u64 = unsigned long long;

#define T8 "%0,%1,%2,%3,%4,%5,%6,%7"
#define C8(kind) "+" kind(d[0]), "+" kind(d[1]), "+" kind(d[2]), "+" kind(d[3]), "+" kind(d[4]), "+" kind(d[5]), "+" kind(d[6]), "+" kind(d[7])
#define KERNEL(name, type, kind, shape, last)                                                                                          \
  extern "C" __global__ void name(const uint4* from, u32 pieces, u64 of_a, u64 of_b, const u32* indices, const uint4* registers, type* out) { \
    extern __shared__ __align__(1024) uint4 image[];                                                                                  \
    const u32 t = threadIdx.x;                                                                                                        \
    for (u32 i = t; i < pieces; i += blockDim.x) image[i] = from[i];                                                                  \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                                      \
    __syncthreads();                                                                                                                  \
    type d[8];                                                                                                                        \
    for (u32 i = 0; i < 8; ++i) d[i] = static_cast<type>(i + t % 8);                                                                  \
    const u64 at = static_cast<u32>(__cvta_generic_to_shared(image)) >> 4, a = of_a + at, b = of_b + at;                              \
    const u32 e = indices[t];                                                                                                         \
    const uint4 r = registers[t];                                                                                                     \
    (void)a, (void)r;                                                                                                                 \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                                           \
    asm volatile("wgmma.mma_async.sp.sync.aligned." shape " {" T8 "}, " last : C8(kind) : "l"(a), "l"(b), "r"(e), "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w)); \
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");                                  \
    for (u32 i = 0; i < 8; ++i) out[t * 8 + i] = d[i];                                                                                \
  }
KERNEL(f16_first, float, "f", "m64n16k32.f32.f16.f16", "%8, %9, %10, 0, 1, 1, 1, 0, 0;")
KERNEL(f16_second, float, "f", "m64n16k32.f32.f16.f16", "%8, %9, %10, 1, 1, 1, -1, 0, 0;")
KERNEL(f16_registers, float, "f", "m64n16k32.f32.f16.f16", "{%11, %12, %13, %14}, %9, %10, 0, 1, 1, 1, 0;")
KERNEL(tf32, float, "f", "m64n16k16.f32.tf32.tf32", "%8, %9, %10, 1, 1, 1, 1;")
KERNEL(s8, int, "r", "m64n16k64.s32.s8.s8", "%8, %9, %10, 0, 1;")
KERNEL(e4m3, float, "f", "m64n16k64.f32.e4m3.e5m2", "%8, %9, %10, 0, 1, 1, 1;")
