// Narrow integers and reals, functions of halves, signs: sm_80 and sm_90, and what has conditions on the architecture.
using u32 = unsigned;
using u16 = unsigned short;

extern "C" __global__ void held(const int* in, int* out) {
  const u32 t = threadIdx.x;
  short r[4];
  asm("cvt.sat.u8.s32 %0, %1;" : "=h"(r[0]) : "r"(in[t]));
  asm("cvt.sat.s8.s32 %0, %1;" : "=h"(r[1]) : "r"(in[t]));
  asm("cvt.sat.u16.s32 %0, %1;" : "=h"(r[2]) : "r"(in[t]));
  asm("cvt.sat.s16.s32 %0, %1;" : "=h"(r[3]) : "r"(in[t]));
  for (int i = 0; i < 4; ++i) out[t * 4 + i] = i == 2 ? static_cast<u16>(r[i]) : r[i];
}

extern "C" __global__ void packed(const int* a, const int* b, const u32* c, u32* out) {
  const u32 t = threadIdx.x;
#define PACK(place, type) asm("cvt.pack.sat." type ".s32.b32 %0, %1, %2, %3;" : "=r"(out[t * 8 + place]) : "r"(a[t]), "r"(b[t]), "r"(c[t]))
#define PACK2(place, type) asm("cvt.pack.sat." type ".s32 %0, %1, %2;" : "=r"(out[t * 8 + place]) : "r"(a[t]), "r"(b[t]))
  PACK(0, "u8");
  PACK(1, "s8");
  PACK2(2, "u16");
  PACK2(3, "s16");
  PACK(4, "u4");
  PACK(5, "s4");
  PACK(6, "u2");
  PACK(7, "s2");
}

extern "C" __global__ void rounded(const float* in, int* out) {
  const u32 t = threadIdx.x;
  u16 r[4];
  asm("cvt.rni.sat.u8.f32 %0, %1;" : "=h"(r[0]) : "f"(in[t]));
  asm("cvt.rzi.sat.u8.f32 %0, %1;" : "=h"(r[1]) : "f"(in[t]));
  asm("cvt.rmi.sat.u8.f32 %0, %1;" : "=h"(r[2]) : "f"(in[t]));
  asm("cvt.rpi.sat.u8.f32 %0, %1;" : "=h"(r[3]) : "f"(in[t]));
  for (int i = 0; i < 4; ++i) out[t * 4 + i] = r[i];
}

extern "C" __global__ void sums(const int* a, const int* b, int* out) {
  const u32 t = threadIdx.x;
  asm("add.sat.s32 %0, %1, %2;" : "=r"(out[t * 2]) : "r"(a[t]), "r"(b[t]));
  asm("sub.sat.s32 %0, %1, %2;" : "=r"(out[t * 2 + 1]) : "r"(a[t]), "r"(b[t]));
}

/// Of two halves: 2^x, tanh x; of bfloat16 on sm_90.
extern "C" __global__ void functions(const u32* in, u32* out) {
  const u32 t = threadIdx.x;
  asm("ex2.approx.f16x2 %0, %1;" : "=r"(out[t * 4]) : "r"(in[t]));
  asm("tanh.approx.f16x2 %0, %1;" : "=r"(out[t * 4 + 1]) : "r"(in[t]));
#if __CUDA_ARCH__ >= 900
  asm("ex2.approx.ftz.bf16x2 %0, %1;" : "=r"(out[t * 4 + 2]) : "r"(in[t]));
  asm("tanh.approx.bf16x2 %0, %1;" : "=r"(out[t * 4 + 3]) : "r"(in[t]));
#endif
}

extern "C" __global__ void clipped(const float* a, const float* b, u32* out) {
  const u32 t = threadIdx.x;
  u16 one;
  asm("cvt.rn.satfinite.f16.f32 %0, %1;" : "=h"(one) : "f"(a[t]));
  out[t * 4] = one;
  asm("cvt.rz.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(out[t * 4 + 1]) : "f"(a[t]), "f"(b[t]));
  asm("cvt.rn.satfinite.bf16x2.f32 %0, %1, %2;" : "=r"(out[t * 4 + 2]) : "f"(a[t]), "f"(b[t]));
  asm("cvt.rn.relu.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(out[t * 4 + 3]) : "f"(a[t]), "f"(b[t]));
}

/// Bits that both have, of three shapes; `in`: A, then B, then C of each lane.
extern "C" __global__ void bits(const u32* in, int* out) {
  const u32* a = in + threadIdx.x * 10;
  const u32* b = a + 4;
  int* c = out + threadIdx.x * 10;
  for (int i = 0; i < 10; ++i) c[i] = i;
  asm("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%0, %1}, {%2}, {%3}, {%0, %1};" : "+r"(c[0]), "+r"(c[1]) : "r"(a[0]), "r"(b[0]));
  asm("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+r"(c[2]), "+r"(c[3]), "+r"(c[4]), "+r"(c[5]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[6]), "+r"(c[7]), "+r"(c[8]), "+r"(c[9]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Barriers in shared memory: each phase is over when all threads have come; from round 2 on `leaving` have left.
extern "C" __global__ void tokens(const u32* in, u32* out, u32 leaving) {
  __shared__ unsigned long long barrier;
  __shared__ u32 box[256];
  const u32 t = threadIdx.x, at = static_cast<u32>(__cvta_generic_to_shared(&barrier));
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
  __syncthreads();
  u32 x = in[t];
  for (u32 round = 0; round < 6; ++round) {
    const u32 there = round < 3 ? blockDim.x : blockDim.x - leaving;
    if (t >= there) break;
    const bool leaves = round == 2 && t >= blockDim.x - leaving;
    box[(t + round) % there] = x;
    unsigned long long token;
    if (leaves)
      asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
    else
      asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
    u32 over = 0;
    while (!over)
      asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(at), "l"(token) : "memory");
    x = x * 5 + box[t];
    if (leaves) break;
    __syncwarp(__activemask());
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
    over = 0;
    while (!over)
      asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(at), "l"(token) : "memory");
  }
  out[t] = x;
}

/// Copies of words that a barrier waits for.
extern "C" __global__ void copies(const u32* in, u32* out) {
  __shared__ unsigned long long barrier;
  __shared__ u32 box[160];
  const u32 t = threadIdx.x, at = static_cast<u32>(__cvta_generic_to_shared(&barrier));
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(2 * blockDim.x) : "memory");
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<u32>(__cvta_generic_to_shared(box + t))), "l"(in + t) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory");
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at) : "memory");
  unsigned long long token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token) : "r"(at) : "memory");
  u32 over = 0;
  while (!over)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(at), "l"(token) : "memory");
  out[t] = box[blockDim.x - 1 - t];
}

#if __CUDA_ARCH__ >= 890
/// To E4M3 and E5M2, from singles and from halves, and back.
extern "C" __global__ void small(const float* a, const float* b, u32* out) {
  const u32 t = threadIdx.x;
  u16 r[6];
  u32 halves, back[2];
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r[0]) : "f"(a[t]), "f"(b[t]));
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r[1]) : "f"(a[t]), "f"(b[t]));
  asm("cvt.rn.satfinite.relu.e4m3x2.f32 %0, %1, %2;" : "=h"(r[2]) : "f"(a[t]), "f"(b[t]));
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(halves) : "f"(a[t]), "f"(b[t]));
  asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(r[3]) : "r"(halves));
  asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(r[4]) : "r"(halves));
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(back[0]) : "h"(static_cast<u16>(t | t << 8 ^ 0x8000)));
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(back[1]) : "h"(static_cast<u16>(t | t << 8 ^ 0x8000)));
  for (int i = 0; i < 5; ++i) out[t * 8 + i] = r[i];
  out[t * 8 + 5] = halves;
  out[t * 8 + 6] = back[0];
  out[t * 8 + 7] = back[1];
}
#endif

#if __CUDA_ARCH__ == 890
/// `in`: A (4 words), B (4), indices (1) of each lane.
extern "C" __global__ void products(const u32* in, float* out) {
  const u32* a = in + threadIdx.x * 9;
  const u32* b = a + 4;
  float* c = out + threadIdx.x * 16;
  for (int i = 0; i < 16; ++i) c[i] = static_cast<float>(i);
  asm("mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  asm("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  u32 h[2] = {0x3c004000, 0x40003c00};
  asm("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(h[0]), "+r"(h[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  c[8] = __uint_as_float(h[0]);
  c[9] = __uint_as_float(h[1]);
  asm("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, 0;"
      : "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(a[8]));
}
#endif

extern "C" __global__ void pairs(const u32* a, const u32* b, u32* out) {
  const u32 t = threadIdx.x;
  out[t * 3] = __vsub2(a[t], b[t]);
  out[t * 3 + 1] = __viaddmin_s16x2(a[t], __vneg2(b[t]), 0x00050005);
  out[t * 3 + 2] = __vmaxs2(__vneg2(a[t]), b[t]);
}

/// Of both halves of a word: rounded, as an integer, as a double.
extern "C" __global__ void whole(const u32* in, u32* out) {
  const u32 t = threadIdx.x;
  u16 both[2];
  asm("mov.b32 {%0, %1}, %2;" : "=h"(both[0]), "=h"(both[1]) : "r"(in[t]));
#pragma unroll
  for (u32 part = 0; part < 2; ++part) {
    u32* o = out + (t * 2 + part) * 7;
    const u16 x = both[part];
    u16 r[4];
    asm("cvt.rmi.f16.f16 %0, %1;" : "=h"(r[0]) : "h"(x));
    asm("cvt.rpi.f16.f16 %0, %1;" : "=h"(r[1]) : "h"(x));
    asm("cvt.rzi.f16.f16 %0, %1;" : "=h"(r[2]) : "h"(x));
    asm("cvt.rni.f16.f16 %0, %1;" : "=h"(r[3]) : "h"(x));
    for (int i = 0; i < 4; ++i) o[i] = r[i];
    asm("cvt.rni.s32.f16 %0, %1;" : "=r"(o[4]) : "h"(x));
    double wide;
    asm("cvt.f64.f16 %0, %1;" : "=d"(wide) : "h"(x));
    o[5] = __double2loint(wide), o[6] = __double2hiint(wide);
  }
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void tensor_floats(const float* in, u32* out) {
  const u32 t = threadIdx.x;
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(out[t * 3]) : "f"(in[t]));
  asm("cvt.rz.tf32.f32 %0, %1;" : "=r"(out[t * 3 + 1]) : "f"(in[t]));
  asm("cvt.rn.relu.tf32.f32 %0, %1;" : "=r"(out[t * 3 + 2]) : "f"(in[t]));
}

extern "C" __global__ void signs(const u32* a, const u32* b, u32* out) {
  const u32 t = threadIdx.x;
  asm("min.xorsign.abs.f16x2 %0, %1, %2;" : "=r"(out[t * 2]) : "r"(a[t]), "r"(b[t]));
  asm("max.xorsign.abs.bf16x2 %0, %1, %2;" : "=r"(out[t * 2 + 1]) : "r"(a[t]), "r"(b[t]));
}

/// 16 bytes in shared memory: each thread replaces what it expects, then one exchanges it.
extern "C" __global__ void wide(unsigned long long* out) {
  __shared__ alignas(16) unsigned long long box[2];
  const u32 t = threadIdx.x, at = static_cast<u32>(__cvta_generic_to_shared(box));
  if (t == 0) box[0] = 0, box[1] = 7;
  __syncthreads();
  const unsigned long long mine = t, next = t + 1, seven = 7;
  asm volatile("{ .reg .b128 e, n, o; mov.b128 e, {%1, %3}; mov.b128 n, {%2, %3}; atom.shared.cas.b128 o, [%0], e, n; }" ::"r"(at), "l"(mine), "l"(next), "l"(seven) : "memory");
  asm volatile("{ .reg .b128 e, n, o; mov.b128 e, {%1, %3}; mov.b128 n, {%2, %3}; atom.cas.b128 o, [%0], e, n; }" ::"l"(out), "l"(mine), "l"(next), "l"(seven) : "memory");
  __syncthreads();
  if (t == 0)
    asm volatile("{ .reg .b128 n, o; mov.b128 n, {%3, %4}; atom.shared.exch.b128 o, [%2], n; mov.b128 {%0, %1}, o; }" : "=l"(out[2]), "=l"(out[3]) : "r"(at), "l"(seven), "l"(mine) : "memory");
  if (t == 0) out[4] = box[0], out[5] = box[1];
}
#endif
