// As planted.cl; all run with 256 threads in blocks of 64.
__global__ void out_of_bounds_shared(int *out) {
  __shared__ int a[64];
  a[threadIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = a[threadIdx.x + (blockIdx.x == 3)];
}
__global__ void race_warp_rounds(int *out) {
  __shared__ int a[64];
  a[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) a[threadIdx.x] += a[threadIdx.x + step];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = a[0];
}
__global__ void race_warp_reduce(int *out) {
  __shared__ int a[64];
  a[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 32) {
    a[threadIdx.x] += a[threadIdx.x + 32];
    a[threadIdx.x] += a[threadIdx.x + 16];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = a[0];
}
__global__ void race_global_ticket(int *out, int *part, unsigned *count) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x;
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = part[threadIdx.x];
}
// Fences and atomics of a block are none for another one.
__global__ void race_global_block_fence(int *out, int *part, unsigned *count) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x;
    __threadfence_block();
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = part[threadIdx.x];
}
__global__ void race_global_block_counter(int *out, int *part, int *count) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicAdd_block(count, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = part[threadIdx.x];
}
__global__ void race_global_block_atomic(int *out) { atomicAdd_block(out, 1); }
__global__ void race_global_block_exchange(int *out) {
  if (threadIdx.x == 0) atomicCAS_block(out, 0, 7);
}
__global__ void clean_block_atomic(int *out) { atomicAdd_block(out + blockIdx.x, 1); }
__global__ void clean_block_atomic_shared(int *out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd_block(&sum, 1);
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
__global__ void race_global_atomic_and_store(int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = 0;
  atomicAdd(out, 1);
}
__global__ void uninitialised_tail(int *out) {
  __shared__ int a[65];
  a[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = a[threadIdx.x + 1];
}
__global__ void divergent_barrier_two(int *out) {
  __shared__ int a[64];
  a[threadIdx.x] = threadIdx.x;
  int at = blockIdx.x * 64 + threadIdx.x;
  if (threadIdx.x < 32) {
    __syncthreads();
    out[at] = a[63 - threadIdx.x];
  } else {
    out[at] = 2;
    __syncthreads();
    a[threadIdx.x] = out[at] + 1;
  }
}
__global__ void early_exit_guard(int *out) {
  if (threadIdx.x >= 40) return;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = 1;
}
// All lanes have the sum, and store it: one store is enough, but nothing is wrong. Which it is, no address says.
__global__ void store_together_sums(int *out) {
  __shared__ int sums[2];
  int sum = threadIdx.x;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  sums[threadIdx.x / 32] = sum;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = sums[0] + sums[1];
}
__global__ void store_together_global(int *out) { out[(blockIdx.x * 64 + threadIdx.x) / 32] = threadIdx.x; }
// Lanes that are not at one place of a loop are not together.
__global__ void race_warp_turns(int *out, int turns) {
  __shared__ int places[64];
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) places[threadIdx.x / 32 * 32 + (threadIdx.x + turn) % 32] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = places[threadIdx.x];
}
__global__ void race_local_all_warps(int *out) {
  __shared__ int sum;
  int mine = threadIdx.x;
  for (int step = 16; step > 0; step /= 2) mine += __shfl_xor_sync(~0u, mine, step);
  sum = mine;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
__global__ void race_in_step_volatile(int *out) {
  __shared__ int a[64];
  a[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 32) {
    volatile int *v = a;
    v[threadIdx.x] += v[threadIdx.x + 32];
    v[threadIdx.x] += v[threadIdx.x + 16];
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = a[0];
}

__global__ void clean_reduce(int *out) {
  __shared__ int a[64];
  a[threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (threadIdx.x < step) a[threadIdx.x] += a[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = a[0];
}
__global__ void clean_shuffle(int *out) {
  int v = threadIdx.x;
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
  if (threadIdx.x % 32 == 0) atomicAdd(out + blockIdx.x, v);
}
__global__ void clean_warp(int *out) {
  __shared__ int a[64];
  a[threadIdx.x] = threadIdx.x;
  __syncwarp();
  int other = a[threadIdx.x ^ 1];
  __syncwarp();
  a[threadIdx.x] = other + 1;
  out[blockIdx.x * 64 + threadIdx.x] = a[threadIdx.x];
}
__global__ void clean_ticket(int *out, int *part, unsigned *count) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = part[threadIdx.x];
}
__global__ void clean_ticket_again(int *out, int *part, unsigned *count) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    out[0] = part[0] + part[1] + part[2] + part[3];
    *count = 0;
  }
}
__global__ void clean_two_variables(int *out) {
  __shared__ int a, b;
  if (threadIdx.x == 0) a = b = 0;
  __syncthreads();
  atomicAdd(&a, 1);
  atomicAdd(&b, 2);
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = a + b;
}
__global__ void clean_ticket_of_all(int *out, int *part, unsigned *count) {
  __shared__ bool last;
  part[blockIdx.x * 64 + threadIdx.x] = blockIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(count, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (last) out[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 64] + part[threadIdx.x + 128];
}
__global__ void clean_look_back(int *out, int *part, unsigned *count) {
  volatile int *sum = part, *flag = part + 128;
  __shared__ int before;
  if (threadIdx.x == 0) {
    int total = 0;
    if (blockIdx.x > 0) {
      while (flag[blockIdx.x - 1] == 0) {}
      __threadfence();
      total = sum[blockIdx.x - 1];
    }
    sum[blockIdx.x] = total + 1;
    __threadfence();
    flag[blockIdx.x] = 1;
    before = total;
  }
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = before;
}
__global__ void clean_ballot(int *out) {
  unsigned who = __ballot_sync(0xffffffff, threadIdx.x % 3 == 0);
  if (threadIdx.x % 3 == 0) {
    int v = __shfl_sync(who, threadIdx.x, __ffs(who) - 1);
    out[blockIdx.x * 64 + threadIdx.x] = v;
  }
}
__global__ void clean_dynamic(int *out) {
  extern __shared__ int a[];
  a[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = a[63 - threadIdx.x];
}
__global__ void clean_device_flag(int *out, volatile int *part) {
  if (threadIdx.x == 0) part[0] = 1;
  out[blockIdx.x * 64 + threadIdx.x] = 1;
}
