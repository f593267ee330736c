// Kernels with and without races in shared memory; each writes what the host computes too, if it runs as its author meant.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

constexpr int kThreads = 128, kBlocks = 6, kTile = 16, kWidth = 64;

__device__ void fold(float *s, int t) { // to 64 elements, with barriers
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
}

// As before Volta, without volatile: the warp's threads exchange values, and nothing says so.
__global__ void bare(const float *in, float *out) {
  __shared__ float sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * kThreads + t];
  fold(sums, t);
  if (t < 32) {
    sums[t] += sums[t + 32]; // BARE
    sums[t] += sums[t + 16]; // BARE
    sums[t] += sums[t + 8];  // BARE
    sums[t] += sums[t + 4];  // BARE
    sums[t] += sums[t + 2];  // BARE
    sums[t] += sums[t + 1];  // BARE
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

// The same in a loop, which stays one.
__global__ void bare_loop(const float *in, float *out, int first) {
  __shared__ float sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * kThreads + t];
  fold(sums, t);
  if (t < 32)
    for (int step = first; step > 0; step /= 2) sums[t] += sums[t + step]; // LOOP
  if (t == 0) out[blockIdx.x] = sums[0];
}

__global__ void in_step(const float *in, float *out) {
  __shared__ float sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * kThreads + t];
  fold(sums, t);
  if (t < 32) {
    volatile float *last = sums;
    last[t] += last[t + 32];
    last[t] += last[t + 16];
    last[t] += last[t + 8];
    last[t] += last[t + 4];
    last[t] += last[t + 2];
    last[t] += last[t + 1];
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

__global__ void with_syncwarp(const float *in, float *out) {
  __shared__ float sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * kThreads + t];
  fold(sums, t);
  if (t < 32)
    for (int step = 32; step > 0; step /= 2) {
      const float other = sums[t + step];
      __syncwarp();
      sums[t] += other;
      __syncwarp();
    }
  if (t == 0) out[blockIdx.x] = sums[0];
}

// Half of a warp exchanges in pairs.
__global__ void with_masks(const float *in, float *out) {
  __shared__ float sums[kThreads];
  const int t = threadIdx.x, lane = t % 32;
  sums[t] = in[blockIdx.x * kThreads + t];
  if (lane < 16) {
    __syncwarp(0xffffu);
    const float other = sums[t ^ 1];
    __syncwarp(0xffffu);
    sums[t] += other;
  }
  __syncthreads();
  if (t == 0) {
    float all = 0;
    for (int i = 0; i < kThreads; ++i) all += i % 32 < 16 ? sums[i] / 2 : sums[i];
    out[blockIdx.x] = all;
  }
}

// The mask leaves out the threads that exchange with the others.
__global__ void wrong_masks(const float *in, float *out) {
  __shared__ float sums[kThreads];
  const int t = threadIdx.x, lane = t % 32;
  sums[t] = in[blockIdx.x * kThreads + t]; // MASKS
  if (lane < 16) __syncwarp(0xffffu);
  const float sum = sums[t] + sums[t ^ 16]; // MASKS
  __syncthreads();
  sums[t] = sum;
  __syncthreads();
  if (t == 0) {
    float all = 0;
    for (int i = 0; i < kThreads; ++i) all += sums[i];
    out[blockIdx.x] = all / 2;
  }
}

__global__ void shuffles(const float *in, float *out) {
  __shared__ float sums[kThreads / 32];
  const int t = threadIdx.x;
  float sum = in[blockIdx.x * kThreads + t];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t == 0) out[blockIdx.x] = sums[0] + sums[1] + sums[2] + sums[3];
}

// A shuffle between a store and a load of another thread orders them.
__global__ void ordered_by_shuffle(const float *in, float *out) {
  __shared__ float sums[kThreads];
  const int t = threadIdx.x;
  const float mine = in[blockIdx.x * kThreads + t];
  sums[t] = mine;
  const float next = __shfl_xor_sync(0xffffffffu, mine, 1);
  const float same = sums[t ^ 1];
  __syncthreads();
  sums[t] = same == next ? mine : -1;
  __syncthreads();
  if (t == 0) {
    float all = 0;
    for (int i = 0; i < kThreads; ++i) all += sums[i];
    out[blockIdx.x] = all;
  }
}

__global__ void histogram(const float *in, float *out) {
  __shared__ int bins[8];
  const int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[(int)in[blockIdx.x * kThreads + t] % 8], (int)in[blockIdx.x * kThreads + t]);
  __syncthreads();
  if (t == 0) {
    int all = 0;
    for (int i = 0; i < 8; ++i) all += bins[i];
    out[blockIdx.x] = all;
  }
}

// The barrier behind the atomics is missing.
__global__ void histogram_early(const float *in, float *out) {
  __shared__ int bins[8];
  const int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[(int)in[blockIdx.x * kThreads + t] % 8], (int)in[blockIdx.x * kThreads + t]); // EARLY
  if (t == 0) {
    int all = 0;
    for (int i = 0; i < 8; ++i) all += bins[i]; // EARLY
    out[blockIdx.x] = all;
  }
}

// All threads may set the flag, to the same value.
__global__ void flag(const float *in, float *out) {
  __shared__ int found;
  const int t = threadIdx.x;
  if (t == 0) found = 0;
  __syncthreads();
  if (in[blockIdx.x * kThreads + t] >= 0) found = 1; // FLAG
  __syncthreads();
  if (t == 0) {
    float all = 0;
    for (int i = 0; i < kThreads; ++i) all += in[blockIdx.x * kThreads + i];
    out[blockIdx.x] = found ? all : -1;
  }
}

// A lock orders what it guards; no trace shows how.
__global__ void guarded(const float *in, float *out) {
  __shared__ int lock;
  __shared__ float all;
  const int t = threadIdx.x;
  if (t == 0) lock = 0, all = 0;
  __syncthreads();
  for (bool done = false; !done;)
    if (atomicCAS(&lock, 0, 1) == 0) { // LOCK
      all += in[blockIdx.x * kThreads + t];
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  __syncthreads();
  if (t == 0) out[blockIdx.x] = all;
}

template <bool WithBarrier> __device__ void multiply(const float *a, const float *b, float *c) {
  __shared__ float ta[kTile][kTile], tb[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < kWidth; k += kTile) {
    ta[y][x] = a[(blockIdx.y * kTile + y) * kWidth + k + x]; // TILES
    tb[y][x] = b[(k + y) * kWidth + blockIdx.x * kTile + x]; // TILES
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += ta[y][i] * tb[i][x]; // TILES
    if (WithBarrier) __syncthreads();
  }
  c[(blockIdx.y * kTile + y) * kWidth + blockIdx.x * kTile + x] = sum;
}
__global__ void tiles(const float *a, const float *b, float *c) { multiply<true>(a, b, c); }
__global__ void tiles_early(const float *a, const float *b, float *c) { multiply<false>(a, b, c); }

static float in[kBlocks * kThreads], out[kBlocks];
static const char *only; // this kernel, or all

static void show(const char *name) {
  cudaDeviceSynchronize();
  bool right = true;
  for (int block = 0; block < kBlocks; ++block) {
    float sum = 0;
    for (int i = 0; i < kThreads; ++i) sum += in[block * kThreads + i];
    right = right && out[block] == sum;
  }
  printf("%s %s\n", name, right ? "right" : "wrong");
}

template <class... More> static void run(const char *name, void (*kernel)(const float *, float *, More...), More... more) {
  if (only && strcmp(only, name) != 0) return;
  float *device_in, *device_out;
  cudaMalloc(&device_in, sizeof in);
  cudaMalloc(&device_out, sizeof out);
  cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
  kernel<<<kBlocks, kThreads>>>(device_in, device_out, more...);
  cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost);
  show(name);
  cudaFree(device_in);
  cudaFree(device_out);
}

static void run_tiles() {
  if (only) return;
  float *matrices;
  cudaMalloc(&matrices, 3 * kWidth * kWidth * sizeof(float));
  cudaMemset(matrices, 0, 3 * kWidth * kWidth * sizeof(float));
  const dim3 blocks(kWidth / kTile, kWidth / kTile), threads(kTile, kTile);
  float *b = matrices + kWidth * kWidth, *c = b + kWidth * kWidth;
  tiles<<<blocks, threads>>>(matrices, b, c);
  tiles_early<<<blocks, threads>>>(matrices, b, c);
  cudaDeviceSynchronize();
  cudaFree(matrices);
}

int main(int count, char **words) {
  only = count > 1 ? words[1] : nullptr;
  for (int i = 0; i < kBlocks * kThreads; ++i) in[i] = (float)(i * 7 % 32);
  run("bare", bare);
  run("bare_loop", bare_loop, 32);
  run("in_step", in_step);
  run("with_syncwarp", with_syncwarp);
  run("with_masks", with_masks);
  run("wrong_masks", wrong_masks);
  run("shuffles", shuffles);
  run("ordered_by_shuffle", ordered_by_shuffle);
  run("histogram", histogram);
  run("histogram_early", histogram_early);
  run("flag", flag);
  run("guarded", guarded);
  run_tiles();
}
