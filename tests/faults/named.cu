// Barriers with numbers, and for parts of a block. Planted: the name begins with the code of the fault. Blocks of 128 threads.
#define SYNC(number, count) asm volatile("bar.sync " #number ", " #count ";" ::: "memory")
#define ARRIVE(number, count) asm volatile("bar.arrive " #number ", " #count ";" ::: "memory")

__global__ void clean_halves(int* out) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = t;
  if (t < 64)
    SYNC(1, 64);
  else
    SYNC(2, 64);
  out[blockIdx.x * 128 + t] = tile[t ^ 32];
}

__global__ void race_local_other_half(int* out) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = t;
  if (t < 64)
    SYNC(1, 64);
  else
    SYNC(2, 64);
  out[blockIdx.x * 128 + t] = tile[t ^ 64];
}

__global__ void clean_producer(int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t < 64) {
    tile[t] = t;
    ARRIVE(1, 128);
    SYNC(2, 128);
    tile[t] = 2 * t;
    ARRIVE(3, 128);
  } else {
    SYNC(1, 128);
    int sum = tile[t - 64];
    ARRIVE(2, 128);
    SYNC(3, 128);
    out[blockIdx.x * 64 + t - 64] = sum + tile[127 - t];
  }
}

__global__ void race_local_without_return(
    int* out) {  // the consumer may still read when the producer writes again
  __shared__ int tile[64];
  const int t = threadIdx.x;
  if (t < 64) {
    tile[t] = t;
    ARRIVE(1, 128);
    tile[t] = 2 * t;
    ARRIVE(3, 128);
  } else {
    SYNC(1, 128);
    int sum = tile[t - 64];
    SYNC(3, 128);
    out[blockIdx.x * 64 + t - 64] = sum + tile[127 - t];
  }
}

__global__ void race_local_arrived(int* out) {  // who only arrives knows of nobody
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = t;
  if (t < 64) {
    ARRIVE(1, 128);
    out[blockIdx.x * 128 + t] = tile[t + 64];
  } else {
    SYNC(1, 128);
    out[blockIdx.x * 128 + t] = tile[t - 64];
  }
}

__global__ void clean_chain(int* out) {  // warp by warp: each knows what the one before knew
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = t;
  if (t < 32) {
    ARRIVE(1, 64);
  } else if (t < 64) {
    SYNC(1, 64);
    ARRIVE(2, 64);
  } else if (t < 96) {
    SYNC(2, 64);
    out[blockIdx.x * 32 + t - 64] = tile[t] + tile[t - 64];
  }
}

__global__ void race_local_chain(int* out) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = t;
  if (t < 32) {
    ARRIVE(1, 64);
  } else if (t < 64) {
    ARRIVE(2, 64);  // before it knows of the first warp
    SYNC(1, 64);
  } else if (t < 96) {
    SYNC(2, 64);
    out[blockIdx.x * 32 + t - 64] = tile[t] + tile[t - 64];
  }
}

__global__ void clean_ring(int* out, int n) {
  __shared__ int slot[2][32];
  const int t = threadIdx.x;
  if (t < 32) {
    for (int i = 0; i < n; i += 2) {
      SYNC(3, 64);
      slot[0][t] = i + t;
      ARRIVE(1, 64);
      SYNC(4, 64);
      slot[1][t] = i * t;
      ARRIVE(2, 64);
    }
  } else if (t < 64) {
    int sum = 0;
    ARRIVE(3, 64);
    ARRIVE(4, 64);
    for (int i = 0; i < n; i += 2) {
      SYNC(1, 64);
      sum += slot[0][63 - t];
      if (i + 2 < n) ARRIVE(3, 64);
      SYNC(2, 64);
      sum += slot[1][63 - t];
      if (i + 2 < n) ARRIVE(4, 64);
    }
    out[blockIdx.x * 32 + t - 32] = sum;
  }
  __syncthreads();
}

__global__ void race_local_ring(int* out, int n) {  // one slot is given back too early
  __shared__ int slot[2][32];
  const int t = threadIdx.x;
  if (t < 32) {
    for (int i = 0; i < n; i += 2) {
      SYNC(3, 64);
      slot[0][t] = i + t;
      ARRIVE(1, 64);
      SYNC(4, 64);
      slot[1][t] = i * t;
      ARRIVE(2, 64);
    }
  } else if (t < 64) {
    int sum = 0;
    ARRIVE(3, 64);
    ARRIVE(4, 64);
    for (int i = 0; i < n; i += 2) {
      SYNC(1, 64);
      if (i + 2 < n) ARRIVE(3, 64);
      sum += slot[0][63 - t];
      SYNC(2, 64);
      sum += slot[1][63 - t];
      if (i + 2 < n) ARRIVE(4, 64);
    }
    out[blockIdx.x * 32 + t - 32] = sum;
  }
  __syncthreads();
}

__global__ void clean_dynamic(int* out) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  tile[t] = t;
  asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
  out[blockIdx.x * 128 + t] = tile[t ^ 32];
}

__global__ void uninitialised_other_half(int* out) {
  __shared__ int tile[128];
  const int t = threadIdx.x;
  if (t < 64) {
    tile[t] = t;
    ARRIVE(1, 128);
  } else {
    SYNC(1, 128);
    out[blockIdx.x * 64 + t - 64] = tile[t];
  }
}

__global__ void deadlock_count(int* out) {
  if (threadIdx.x < 64) SYNC(1, 96);
  out[threadIdx.x] = 1;
}
