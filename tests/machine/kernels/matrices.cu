// What sm_80 brought for tiles in shared memory: copies that do not go through registers, matrices to registers, products of integers.
#include <cuda_runtime.h>

__device__ int part(int i) {
  return i * 7 - 90;
}

__global__ void matrices(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[256];
  const int i = threadIdx.x;
  for (int k = i; k < 256; k += 32) tile[k] = 0x01010101u * k;
  __syncthreads();
  const unsigned at = (unsigned)__cvta_generic_to_shared(&tile[i * 4]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(in + i * 4));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at + 512), "l"(in + i * 4));
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  unsigned a[4], b[2], c;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(b[0]), "=r"(b[1])
               : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(c) : "r"(at + 512));
  int r[4] = {part(i), i, -i, 7}, q[2] = {part(i), 3};
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+r"(q[0]), "+r"(q[1])
               : "r"(a[0]), "r"(b[1]));
  const unsigned values[] = {a[0],
                             a[1],
                             a[2],
                             a[3],
                             b[0],
                             b[1],
                             c,
                             tile[128 + i * 4],
                             tile[128 + i * 4 + 1],
                             tile[128 + i * 4 + 3],
                             (unsigned)r[0],
                             (unsigned)r[1],
                             (unsigned)r[2],
                             (unsigned)r[3],
                             (unsigned)q[0],
                             (unsigned)q[1]};
  for (int k = 0; k < 16; ++k) out[i * 16 + k] = values[k];
}
