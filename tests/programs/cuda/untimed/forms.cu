// Every form of products of a warp's matrices and of asynchronous copies, and a kernel without any.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cuda/barrier>

namespace cg = cooperative_groups;
namespace wmma = nvcuda::wmma;

__device__ void multiply(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
__global__ void fragments(const half* a, const half* b, float* c) {
  multiply(a, b, c);
}

__global__ void pipeline(const float* in, float* out) {
  __shared__ float tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void both(const half* a, const half* b, float* c) {
  __shared__ float tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], &c[256 + threadIdx.x], 4);
  __pipeline_wait_prior(0);
  __syncthreads();
  multiply(a, b, c);
  c[256 + threadIdx.x] = tile[31 - threadIdx.x];
}

__device__ void copy(unsigned to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
}
__global__ void inlined(const float* in, float* out) {
  __shared__ float tile[64];
  copy((unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]), &in[threadIdx.x]);
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;");
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void product(const unsigned* a, const unsigned* b, float* d) {
  const unsigned lane = threadIdx.x;
  float r0 = 0, r1 = 0, r2 = 0, r3 = 0;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(r0), "+f"(r1), "+f"(r2), "+f"(r3)
      : "r"(a[lane]), "r"(a[lane + 32]), "r"(a[lane + 64]), "r"(a[lane + 96]), "r"(b[lane]),
        "r"(b[lane + 32]));
  d[lane] = r0 + r1 + r2 + r3;
}

__global__ void of_group(const float* in, float* out) {
  __shared__ float tile[64];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof(float) * 64);
  cg::wait(block);
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void with_barrier(const float* in, float* out) {
  __shared__ float tile[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&arrived, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, tile, in, sizeof(float) * 64, arrived);
  arrived.arrive_and_wait();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void plain(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

#ifdef PROGRAM
int main() {
  half *a, *b;
  float *c, *in, *out;
  cudaMalloc(&a, 512), cudaMalloc(&b, 512), cudaMalloc(&c, 2048), cudaMalloc(&in, 256), cudaMalloc(&out, 256);
  plain<<<1, 64>>>(in, out);
  fragments<<<1, 32>>>(a, b, c);
  pipeline<<<1, 64>>>(in, out);
  return cudaDeviceSynchronize();
}
#endif
