// Kernels that may do something else in another run, and such as do not, one cause each; others print, and end with a fault.
#include <cstdio>
using u32 = unsigned;

__device__ u32 number() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void in_place(u32* values) {
  values[number()] += 1;
}

/// What other work-items of the same work-group wrote.
extern "C" __global__ void mirrored(u32* values, u32* out) {
  values[number()] = number();
  __syncthreads();
  out[number()] = reinterpret_cast<volatile u32*>(values)[blockIdx.x * blockDim.x + blockDim.x - 1 - threadIdx.x];
}

/// Counts with atomics, and nobody has what they return.
extern "C" __global__ void counts(u32* values, float* sum) {
  __shared__ u32 mine;
  if (threadIdx.x == 0) mine = 0;
  __syncthreads();
  atomicAdd(&mine, threadIdx.x);
  atomicAdd(&values[threadIdx.x], 1);
  atomicAdd(sum, 0.1f * static_cast<float>(number()));
  __syncthreads();
  if (threadIdx.x == 0) values[blockDim.x + blockIdx.x] = mine;
}

/// Bytes, the four of a word by different work-groups.
extern "C" __global__ void bytes(unsigned char* values) {
  const u32 place = threadIdx.x * gridDim.x + blockIdx.x;
  values[place] = static_cast<unsigned char>(values[place] + 1);
}

extern "C" __global__ void clocks(long long* values, u32 wide) {
  const long long begin = wide ? clock64() : clock();
  values[number()] = begin;
}

extern "C" __global__ void cores(u32* values, u32 warps) {
  u32 which;
  if (warps)
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(which));
  else
    asm volatile("mov.u32 %0, %%smid;" : "=r"(which));
  values[number()] = which;
}

/// A place for each work-item: in the order in which they come.
extern "C" __global__ void tickets(u32* next, u32* values, u32 swaps) {
  u32 ticket;
  if (swaps) {
    do ticket = *static_cast<volatile u32*>(next);
    while (atomicCAS(next, ticket, ticket + 1) != ticket);
  } else {
    ticket = atomicAdd(next, 1);
  }
  values[ticket] = number();
}

/// The same in the memory of a work-group.
extern "C" __global__ void shared_tickets(u32* values) {
  __shared__ u32 next;
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  values[blockIdx.x * blockDim.x + atomicAdd(&next, 1)] = threadIdx.x;
}

/// What the work-group before wrote; `sums`: by atomics.
extern "C" __global__ void neighbours(u32* values, u32* out, u32 sums) {
  if (sums)
    atomicAdd(&values[number()], number());
  else
    values[number()] = number();
  __syncthreads();
  const u32 other = blockIdx.x == 0 ? number() : number() - blockDim.x;
  out[number()] = reinterpret_cast<volatile u32*>(values)[other];
}

/// Waits for a word that no work-group but the last one writes.
extern "C" __global__ void waits(u32* word, u32* out) {
  if (blockIdx.x == gridDim.x - 1) {
    *static_cast<volatile u32*>(word) = 1;
  } else if (threadIdx.x == 0) {
    while (*static_cast<volatile u32*>(word) == 0) {
    }
  }
  out[number()] = threadIdx.x;
}

/// Prints from the middle of each work-group; work-group `last` and those behind it write where nothing is.
extern "C" __global__ void prints(u32* values, u32 last) {
  if (threadIdx.x == 33) printf("work-group %u\n", blockIdx.x);
  values[blockIdx.x >= last ? number() + (1u << 28) : number()] = threadIdx.x;
}
