// Products of four warps, sm_90a. Each kernel copies an image to shared memory and multiplies what its descriptors name, `steps` times, each time a
// step of the depth further; then each thread writes its registers.
using u32 = unsigned;
using u64 = unsigned long long;

__device__ void fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void finish() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

/// A descriptor of the launch counts from the image's beginning.
__device__ u64 placed(u64 descriptor, const void* image) {
  return descriptor + (static_cast<u32>(__cvta_generic_to_shared(image)) >> 4);
}

#define C4(kind, i) "+" kind(d[i]), "+" kind(d[i + 1]), "+" kind(d[i + 2]), "+" kind(d[i + 3])
#define C8(kind, i) C4(kind, i), C4(kind, i + 4)
#define C16(kind, i) C8(kind, i), C8(kind, i + 8)
#define T4 "%0,%1,%2,%3"
#define T8 T4 ",%4,%5,%6,%7"
#define T12 T8 ",%8,%9,%10,%11"
#define T16 T12 ",%12,%13,%14,%15"
#define T24 T16 ",%16,%17,%18,%19,%20,%21,%22,%23"
#define T32 T24 ",%24,%25,%26,%27,%28,%29,%30,%31"

#define BEGIN(type, count)                                                                        \
  extern __shared__ __align__(1024) uint4 image[];                                                \
  const u32 t = threadIdx.x;                                                                      \
  for (u32 i = t; i < pieces; i += blockDim.x) image[i] = from[i];                                \
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                    \
  __syncthreads();                                                                                \
  type d[count];                                                                                  \
  for (u32 i = 0; i < count; ++i) d[i] = static_cast<type>(i + t);                                \
  const u64 a = placed(of_a, image), b = placed(of_b, image);                                     \
  fence();                                                                                        \
  _Pragma("unroll 1") for (u32 step = 0; step < steps; ++step) {                                  \
    const u64 x = a + step * step_a, y = b + step * step_b;                                       \
    const int adds = step != 0 || keeps != 0;
#define END(count)                                                 \
  }                                                                \
  finish();                                                        \
  for (u32 i = 0; i < count; ++i) out[t * count + i] = d[i];
#define ARGUMENTS const uint4 *from, u32 pieces, u64 of_a, u64 of_b, u32 step_a, u32 step_b, u32 steps, u32 keeps

/// Sums that begin with the thread's number and that of the register, if `keeps`.
extern "C" __global__ void f16(ARGUMENTS, float* out) {
  BEGIN(float, 32)
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" T32 "}, %32, %33, p, 1, 1, 0, 0; }"
               : C16("f", 0), C16("f", 16)
               : "l"(x), "l"(y), "r"(adds));
  END(32)
}
extern "C" __global__ void bf16_transposed(ARGUMENTS, float* out) {
  BEGIN(float, 12)
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %14, 0; wgmma.mma_async.sync.aligned.m64n24k16.f32.bf16.bf16 {" T12 "}, %12, %13, p, -1, 1, 1, 1; }"
               : C8("f", 0), C4("f", 8)
               : "l"(x), "l"(y), "r"(adds));
  END(12)
}
/// Halves as sums, two in a register.
extern "C" __global__ void f16_sums(ARGUMENTS, u32* out) {
  BEGIN(u32, 8)
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n32k16.f16.f16.f16 {" T8 "}, %8, %9, p, 1, -1, 0, 1; }"
               : C8("r", 0)
               : "l"(x), "l"(y), "r"(adds));
  END(8)
}
extern "C" __global__ void tf32(ARGUMENTS, float* out) {
  BEGIN(float, 4)
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {" T4 "}, %4, %5, p, 1, 1; }"
               : C4("f", 0)
               : "l"(x), "l"(y), "r"(adds));
  END(4)
}
extern "C" __global__ void bytes(ARGUMENTS, int* out) {
  BEGIN(int, 24)
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %26, 0; wgmma.mma_async.sync.aligned.m64n48k32.s32.s8.u8 {" T24 "}, %24, %25, p; }"
               : C16("r", 0), C8("r", 16)
               : "l"(x), "l"(y), "r"(adds));
  END(24)
}
extern "C" __global__ void fp8(ARGUMENTS, float* out) {
  BEGIN(float, 8)
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %10, 0; wgmma.mma_async.sync.aligned.m64n16k32.f32.e4m3.e5m2 {" T8 "}, %8, %9, p, 1, 1; }"
               : C8("f", 0)
               : "l"(x), "l"(y), "r"(adds));
  END(8)
}
extern "C" __global__ void bits(ARGUMENTS, int* out) {
  BEGIN(int, 4)
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {" T4 "}, %4, %5, p; }"
               : C4("r", 0)
               : "l"(x), "l"(y), "r"(adds));
  END(4)
}
/// A in registers: the first pieces of the image are those of each thread.
extern "C" __global__ void registers(ARGUMENTS, float* out) {
  BEGIN(float, 8)
  const uint4 r = image[step * 128 + t];
  fence();
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %13, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {" T8 "}, {%8, %9, %10, %11}, %12, p, -1, 1, 1; }"
               : C8("f", 0)
               : "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w), "l"(y + 0 * x), "r"(adds));
  finish();
  END(8)
}
/// Warps that give registers back and get some.
extern "C" __global__ void __launch_bounds__(384, 1) resized(u32* out) {
  if (threadIdx.x < 128)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  else
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  out[threadIdx.x] = threadIdx.x * 3;
}
