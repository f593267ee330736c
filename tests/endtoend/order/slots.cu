// slots.cubin: nvcc -cubin -arch=sm_80 -lineinfo slots.cu
extern "C" __global__ void slots(unsigned *out, unsigned *counter, unsigned *bins) {
  unsigned group = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  atomicAdd(&bins[(group + threadIdx.x) % 7], 1);
  if (threadIdx.x == 0) out[atomicAdd(counter, 1)] = group;
}

// A group waits for the one below it.
extern "C" __global__ void chain(unsigned *out, unsigned *flags) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x != 0)
    while (atomicAdd(&flags[blockIdx.x - 1], 0) == 0) {
    }
  out[blockIdx.x] = blockIdx.x == 0 ? 1 : out[blockIdx.x - 1] + 1;
  __threadfence();
  atomicExch(&flags[blockIdx.x], 1);
}
