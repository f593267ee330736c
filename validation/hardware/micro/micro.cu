// Small questions about an L1, to be put to a GPU under a profiler: validation/hardware/micro/README.md.
//   micro carveout   launches of one kernel with many sizes of block, shared memory and registers
//   micro stores     what stores and loads of the same lines do to each other
//   micro same       warps that read one line at the same time
//   micro order      no profiler: clock of every iteration of every warp of one block, as CSV
// Prints one line per launch, in the order of the profiler's launches.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "micro.cuh"

// --- carve-out ---
extern __shared__ int shared_words[];

__global__ void few_registers(int* out, int words) {
  if (words > 0) shared_words[threadIdx.x % words] = threadIdx.x;
  __syncthreads();
  if (words > 0 && shared_words[0] == -1) *out = 1;
}

template <int kCount>
__global__ void many_registers(int* out, int words, int rounds) {
  float value[kCount];
#pragma unroll
  for (int i = 0; i < kCount; ++i) value[i] = threadIdx.x * 0.5f + i;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) value[i] = value[i] * value[(i + 1) % kCount] + 1.0f;
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kCount; ++i) sum += value[i];
  if (words > 0) shared_words[threadIdx.x % words] = threadIdx.x;
  if (sum == 12345.0f) *out = 1;
}

template <class Kernel>
static void launch_carveout(const char* name, Kernel kernel, int grid, int block, int bytes) {
  int* out = device_array<int>(1);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "shared memory");
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, block, bytes), "occupancy");
  cudaFuncAttributes attributes;
  check(cudaFuncGetAttributes(&attributes, kernel), "attributes");
  if constexpr (sizeof(Kernel) == sizeof(void (*)(int*, int)) &&
                std::is_same<Kernel, void (*)(int*, int)>::value)
    kernel<<<grid, block, bytes>>>(out, bytes / 4);
  else
    kernel<<<grid, block, bytes>>>(out, bytes / 4, 2);
  if (cudaGetLastError() == cudaSuccess) {
    check(cudaDeviceSynchronize(), name);
    std::printf("carveout,%s,%d,%d,%d,%d,%d\n", name, grid, block, bytes, attributes.numRegs, resident);
  }
  cudaFree(out);
}

static void carveout() {
  const int sizes[] = {0,     1024,  2048,  3584,  4096,  7168,   8192,   12288,
                       16384, 24576, 32768, 49152, 65536, 102400, 163840, 232448};
  for (int block : {32, 128, 256, 512, 1024})
    for (int bytes : sizes) launch_carveout("few", few_registers, 4000, block, bytes);
  for (int grid : {1, 132, 264})
    for (int bytes : {0, 8192, 49152}) launch_carveout("few", few_registers, grid, 256, bytes);
  for (int block : {64, 128, 256, 512})
    for (int bytes : {0, 4096, 16384}) {
      launch_carveout("many48", many_registers<48>, 4000, block, bytes);
      launch_carveout("many96", many_registers<96>, 4000, block, bytes);
    }
}

static void more_carveout() {
  for (int block : {64, 96, 192, 320, 384, 448, 640, 768, 896, 1024})
    for (int bytes : {0, 512, 1024, 2048, 4096, 10240})
      launch_carveout("few", few_registers, 4000, block, bytes);
  for (int block : {32, 96, 192, 320, 384, 448, 640, 768, 896, 1024})
    for (int bytes : {0, 1024, 4096, 10240}) {
      launch_carveout("many24", many_registers<24>, 4000, block, bytes);
      launch_carveout("many48", many_registers<48>, 4000, block, bytes);
      launch_carveout("many96", many_registers<96>, 4000, block, bytes);
    }
}

// --- stores and loads of the same lines, by one warp ---
constexpr int kLines = 64, kLineWords = 32, kSectorWords = 8;

__device__ inline void wait() {
  const long long until = clock64() + 4000;
  while (clock64() < until) {
  }
}

// Lane l works on line step * 4 + l / 8, of sector `sector` word l % 8 (or word 0 of the sector only, `partial`).
__device__ inline int load_sector(const int* data, int sector, bool partial) {
  int sum = 0;
  for (int line = threadIdx.x / 8; line < kLines; line += 4) {
    const int at = line * kLineWords + sector * kSectorWords + (partial ? 0 : threadIdx.x % 8);
    int value;
    asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(value) : "l"(data + at) : "memory");
    sum += value;
  }
  return sum;
}
__device__ inline void store_sector(int* data, int sector, bool partial) {
  for (int line = threadIdx.x / 8; line < kLines; line += 4) {
    const int at = line * kLineWords + sector * kSectorWords + (partial ? 0 : threadIdx.x % 8);
    asm volatile("st.global.s32 [%0], %1;" : : "l"(data + at), "r"(line) : "memory");
  }
}
__device__ inline void add_sector(int* data, int sector, bool returns) {
  for (int line = threadIdx.x / 8; line < kLines; line += 4) {
    int* at = data + line * kLineWords + sector * kSectorWords + threadIdx.x % 8;
    if (returns) {
      int old;
      asm volatile("atom.global.add.s32 %0, [%1], 1;" : "=r"(old) : "l"(at) : "memory");
    } else {
      asm volatile("red.global.add.s32 [%0], 1;" : : "l"(at) : "memory");
    }
  }
}

// `steps`: L load, S store, P store of a part of the sector, A atomic with its result, R without; each with a sector.
struct Steps {
  char text[16];
};
__global__ void stores_and_loads(int* data, int* out, Steps steps) {
  int sum = 0;
  for (int i = 0; steps.text[i] != 0; i += 2) {
    const int sector = steps.text[i + 1] - '0';
    switch (steps.text[i]) {
      case 'L':
        sum += load_sector(data, sector, false);
        break;
      case 'S':
        store_sector(data, sector, false);
        break;
      case 'P':
        store_sector(data, sector, true);
        break;
      case 'A':
        add_sector(data, sector, true);
        break;
      default:
        add_sector(data, sector, false);
    }
    if (sum == 123456789) *out = sum;  // waits for the loads
    wait();
  }
}

static void stores() {
  int *data = device_array<int>(kLines * kLineWords), *out = device_array<int>(1);
  for (const char* text : {"L0",     "L0L0",   "L0L1",   "S0",     "S0S0",     "S0S1",     "S0L0",   "S0L1",
                           "L0S0",   "L0S1",   "L0S0L0", "L0S1L1", "L0S1L0",   "L0L1S2L2", "P0",     "P0P0",
                           "P0L0",   "L0P0L0", "P0L0L0", "A0",     "A0L0",     "L0A0L0",   "R0",     "R0L0",
                           "L0R0L0", "S0L0L0", "S0S0L0", "L0S0S0", "L0L1R0L1", "L0A1L0",   "S0R0S0", "R0S0",
                           "A0S0",   "P0S0L0", "S0P0L0", "P0L1L0", "L0P1L1"}) {
    Steps steps{};
    std::strncpy(steps.text, text, sizeof steps.text - 1);
    stores_and_loads<<<1, 32>>>(data, out, steps);
    check(cudaDeviceSynchronize(), "stores");
    std::printf("stores,%s\n", text);
  }
}

// --- warps that read one line at once; `lines` lines in turn ---
__global__ void same_line(const int* data, int* out, int lines, int apart) {
  int sum = 0;
  for (int line = 0; line < lines; ++line) {
    int value;
    asm volatile("ld.global.ca.s32 %0, [%1];"
                 : "=r"(value)
                 : "l"(data + static_cast<long long>(line) * kLineWords * apart + threadIdx.x % 32)
                 : "memory");
    sum += value;
    if (sum == 123456789) *out = sum;
  }
}
// As same_line, but all loads are in flight before the first is used.
__global__ void same_lines_in_flight(const int* data, int* out) {
  int value[8], sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    asm volatile("ld.global.ca.s32 %0, [%1];"
                 : "=r"(value[i])
                 : "l"(data + i * kLineWords + threadIdx.x % 32)
                 : "memory");
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += value[i];
  if (sum == 123456789) *out = sum;
}

static void same() {
  int *data = device_array<int>(1 << 20), *out = device_array<int>(1);
  for (int warps : {1, 2, 4, 8, 16, 32}) {
    same_line<<<1, warps * 32>>>(data, out, 64, 1);
    check(cudaDeviceSynchronize(), "same");
    std::printf("same,turn,%d,1\n", warps);
    same_lines_in_flight<<<1, warps * 32>>>(data, out);
    check(cudaDeviceSynchronize(), "same");
    std::printf("same,flight,%d,1\n", warps);
  }
  for (int blocks : {2, 4, 132}) {
    same_line<<<blocks, 1024>>>(data, out, 64, 1);
    check(cudaDeviceSynchronize(), "same");
    std::printf("same,turn,32,%d\n", blocks);
  }
}

// --- in which order warps issue ---
constexpr int kIterations = 64;

__global__ void order_alu(unsigned* clocks, float* out) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < kIterations; ++i) {
#pragma unroll
    for (int step = 0; step < 8; ++step) {  // independent, so that a warp could go on alone
      a = a * 1.5f + 1.0f;
      b = b * 1.5f + 1.0f;
      c = c * 1.5f + 1.0f;
      d = d * 1.5f + 1.0f;
    }
    unsigned now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
    if (threadIdx.x % 32 == 0) clocks[threadIdx.x / 32 * kIterations + i] = now;
  }
  if (a + b + c + d == 12345.0f) *out = a;
}

// `apart`: words between the lines of two iterations: 0 hits, 32 misses.
__global__ void order_loads(unsigned* clocks, const int* data, int* out, int apart) {
  int sum = 0;
  const int* mine = data + threadIdx.x / 32 * kIterations * 32 + threadIdx.x % 32;
  for (int i = 0; i < kIterations; ++i) {
    int value;
    asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(value) : "l"(mine + i * apart) : "memory");
    sum += value;
    unsigned now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");  // of the issue: the value is not waited for
    if (threadIdx.x % 32 == 0) clocks[threadIdx.x / 32 * kIterations + i] = now + (sum == 123456789);
  }
  if (sum == 123456789) *out = sum;
}
// Independent loads, eight at a time.
__global__ void order_batches(unsigned* clocks, const int* data, int* out) {
  int sum = 0;
  const int* mine = data + threadIdx.x / 32 * kIterations * 32 + threadIdx.x % 32;
  for (int i = 0; i < kIterations; i += 8) {
    int value[8];
    unsigned now[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(value[j]) : "l"(mine + (i + j) * 32) : "memory");
      asm volatile("mov.u32 %0, %%clock;" : "=r"(now[j])::"memory");
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += value[j];
    if (threadIdx.x % 32 == 0) {
#pragma unroll
      for (int j = 0; j < 8; ++j) clocks[threadIdx.x / 32 * kIterations + i + j] = now[j];
    }
  }
  if (sum == 123456789) *out = sum;
}

static void print_order(const char* name, int warps, unsigned* clocks) {
  std::vector<unsigned> read(static_cast<std::size_t>(warps) * kIterations);
  check(cudaDeviceSynchronize(), name);
  check(cudaMemcpy(read.data(), clocks, read.size() * sizeof(unsigned), cudaMemcpyDeviceToHost), name);
  unsigned first = read[0];
  for (unsigned one : read) first = static_cast<int>(one - first) < 0 ? one : first;
  for (int warp = 0; warp < warps; ++warp) {
    std::printf("order,%s,%d,%d", name, warps, warp);
    for (int i = 0; i < kIterations; ++i)
      std::printf(",%u", read[static_cast<std::size_t>(warp) * kIterations + i] - first);
    std::printf("\n");
  }
}

static void order() {
  unsigned* clocks = device_array<unsigned>(32 * kIterations);
  int *data = device_array<int>(32 * kIterations * 32), *out = device_array<int>(1);
  float* real = device_array<float>(1);
  for (int warps : {4, 16, 32}) {
    for (int repeat = 0; repeat < 2; ++repeat) {  // the first one also loads the code
      order_alu<<<1, warps * 32>>>(clocks, real);
      if (repeat) print_order("alu", warps, clocks);
      order_loads<<<1, warps * 32>>>(clocks, data, out, 0);
      if (repeat) print_order("hits", warps, clocks);
      order_loads<<<1, warps * 32>>>(clocks, data, out, 32);
      if (repeat) print_order("misses", warps, clocks);
      order_batches<<<1, warps * 32>>>(clocks, data, out);
      if (repeat) print_order("batches", warps, clocks);
      check(cudaDeviceSynchronize(), "order");
    }
  }
}

int main(int count, char** words) {
  const char* mode = count > 1 ? words[1] : "";
  if (!std::strcmp(mode, "carveout"))
    carveout();
  else if (!std::strcmp(mode, "carveout2"))
    more_carveout();
  else if (!std::strcmp(mode, "stores"))
    stores();
  else if (!std::strcmp(mode, "same"))
    same();
  else if (!std::strcmp(mode, "order"))
    order();
  else
    return std::fprintf(stderr, "expected carveout, stores, same or order\n"), 2;
  return 0;
}
