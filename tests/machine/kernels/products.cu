// Products of small whole numbers on tensor cores, fragments as the PTX ISA has them ("Matrix Fragments for mma"), and 8 x 8 matrices between lanes.
#include <cuda_fp16.h>

#define REALS "{%0,%1,%2,%3}"

__device__ float number(const unsigned* in, int place) {
  return (float)((int)(in[place] & 15u) - 8);
}
__device__ unsigned halves(float low, float high) {
  return __half_as_ushort(__float2half(low)) | (unsigned)__half_as_ushort(__float2half(high)) << 16;
}
__device__ unsigned brains(float low, float high) {
  return __float_as_uint(low) >> 16 | (__float_as_uint(high) & 0xffff0000u);
}

__global__ void products(const unsigned* in, float* out) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
#define A(row, k) number(in, (row)*16 + (k))
#define B(k, column) number(in, 256 + (k)*8 + (column))
  const auto write = [&](int base, const float* d) {
    for (int i = 0; i < 4; ++i) out[base + (g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
  };
  unsigned a[4], b[2], d[2] = {halves(1.0f, 2.0f), halves(3.0f, 4.0f)};
  for (int i = 0; i < 4; ++i) a[i] = halves(A(g + i % 2 * 8, 2 * t + i / 2 * 8), A(g + i % 2 * 8, 2 * t + 1 + i / 2 * 8));
  for (int i = 0; i < 2; ++i) b[i] = halves(B(2 * t + i * 8, g), B(2 * t + 1 + i * 8, g));
  float c[4] = {0.5f, 1.5f, 2.5f, 3.5f};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " REALS ", {%4,%5}, {%6}, " REALS ";"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  write(0, c);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  for (int i = 0; i < 4; ++i) c[i] = __half2float(__ushort_as_half((unsigned short)(d[i / 2] >> i % 2 * 16)));
  write(128, c);
  unsigned turned;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(a[0]));
  for (int i = 0; i < 2; ++i) out[256 + g * 8 + 2 * t + i] = __half2float(__ushort_as_half((unsigned short)(turned >> i * 16)));
#if __CUDA_ARCH__ >= 800
  for (float& x : c) x = 0.25f;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " REALS ", {%4,%5,%6,%7}, {%8,%9}, " REALS ";"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  write(320, c);
  for (int i = 0; i < 4; ++i) a[i] = brains(A(g + i % 2 * 8, 2 * t + i / 2 * 8), A(g + i % 2 * 8, 2 * t + 1 + i / 2 * 8));
  for (int i = 0; i < 2; ++i) b[i] = brains(B(2 * t + i * 8, g), B(2 * t + 1 + i * 8, g));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " REALS ", {%4,%5,%6,%7}, {%8,%9}, " REALS ";"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  write(448, c);
  for (int i = 0; i < 4; ++i) a[i] = __float_as_uint(A(g + i % 2 * 8, t + i / 2 * 4));
  for (int i = 0; i < 2; ++i) b[i] = __float_as_uint(B(t + i * 4, g));
  for (float& x : c) x = -1.0f;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " REALS ", {%4,%5,%6,%7}, {%8,%9}, " REALS ";"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  write(576, c);
  double s[2] = {10.0, 20.0};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(s[0]), "+d"(s[1])
               : "d"((double)A(g, t)), "d"((double)B(t, g)));
  for (int i = 0; i < 2; ++i) out[704 + g * 8 + 2 * t + i] = (float)s[i];
#endif
#if __CUDA_ARCH__ >= 900
  double w[4] = {1.0, 2.0, 3.0, 4.0};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 " REALS ", {%4,%5,%6,%7}, {%8,%9}, " REALS ";"
               : "+d"(w[0]), "+d"(w[1]), "+d"(w[2]), "+d"(w[3])
               : "d"((double)A(g, t)), "d"((double)A(g + 8, t)), "d"((double)A(g, t + 4)), "d"((double)A(g + 8, t + 4)),
                 "d"((double)B(t, g)), "d"((double)B(t + 4, g)));
  for (int i = 0; i < 4; ++i) c[i] = (float)w[i];
  write(768, c);
  __shared__ __align__(16) unsigned tile[64];
  const unsigned at = (unsigned)__cvta_generic_to_shared(&tile[lane % 16 * 4]);
  const unsigned x[2] = {halves(A(g, 2 * t), A(g, 2 * t + 1)), halves(A(g + 8, 2 * t), A(g + 8, 2 * t + 1))};
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(at), "r"(x[0]), "r"(x[1]) : "memory");
  __syncwarp();
  for (int i = 0; i < 4; ++i)
    out[896 + lane * 4 + i] = __half2float(__ushort_as_half((unsigned short)(tile[lane * 2 + i / 2] >> i % 2 * 16)));
#endif
}
