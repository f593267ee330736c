// What a kernel of Triton's does with its launcher's memory: 64 work-items in a cluster of two work-groups, shared memory that the launch gives, and 256
// bytes of global memory for each work-group behind the arguments. y[i] = x[i] of the neighbour in the work-group, twice.
extern "C" __global__ void pair_kernel(const float *x, float *y, int n, float *global_scratch) {
  extern __shared__ float global_smem[];
  const int i = blockIdx.x * 64 + threadIdx.x;
  global_smem[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  global_scratch[blockIdx.x * 64 + threadIdx.x] = global_smem[threadIdx.x ^ 1];
  if (i < n) y[i] = 2 * global_scratch[blockIdx.x * 64 + threadIdx.x];
}
