#pragma once
// OpenCL's words in CUDA, for the kernels of validation/hardware/families: validation/collect/opencl_source.py writes the rest.
// Work-item numbers have 32 bits, as in CUDA: OpenCL's 64 bits would be other arithmetic than that of a kernel written in CUDA.
#define __kernel __global__
#define __global
#define restrict __restrict__
#define CLK_LOCAL_MEM_FENCE
#define barrier(FLAGS) __syncthreads()
#define native_rsqrt(X) rsqrtf(X)

namespace hw {
/// A component of threadIdx, blockDim and so on.
template <class Sizes>
__device__ inline unsigned of(const Sizes& sizes, int dimension) {
  return dimension == 0 ? sizes.x : dimension == 1 ? sizes.y : sizes.z;
}
}  // namespace hw

__device__ inline unsigned get_local_id(int dimension) {
  return hw::of(threadIdx, dimension);
}
__device__ inline unsigned get_local_size(int dimension) {
  return hw::of(blockDim, dimension);
}
__device__ inline unsigned get_group_id(int dimension) {
  return hw::of(blockIdx, dimension);
}
__device__ inline unsigned get_num_groups(int dimension) {
  return hw::of(gridDim, dimension);
}
__device__ inline unsigned get_global_id(int dimension) {
  return get_group_id(dimension) * get_local_size(dimension) + get_local_id(dimension);
}
__device__ inline unsigned get_global_size(int dimension) {
  return get_num_groups(dimension) * get_local_size(dimension);
}

__device__ inline float4 make_float4(float all) {
  return make_float4(all, all, all, all);
}
__device__ inline float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__device__ inline float4 operator*(float a, float4 b) {
  return make_float4(a * b.x, a * b.y, a * b.z, a * b.w);
}
__device__ inline void operator+=(float4& a, float4 b) {
  a = a + b;
}
