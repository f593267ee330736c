// What all cores of a GPU get at once: validation/hardware/micro/README.md.
//   memory starts    work-groups that do next to nothing, one after the other: how many a cycle
//   memory warps     one work-group that does nothing: when its warps begin and end
//   memory random    loads of one sector, or of a whole line, at random places of a footprint
//   memory stores    stores of whole sectors and of parts of them
//   memory cores     the same of some of the cores
//   memory code      the first and the second pass over straight-line code
// Prints CSV: what,setting,value,unit. `random` and `stores` launch everything twice: line i of what they print is launches 2 i and 2 i + 1 of
// what a profiler writes; the second one finds in the L2 what the first has left there.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "micro.cuh"

static void print(const char* what, const char* setting, double value, const char* unit) {
  std::printf("%s,%s,%.6g,%s\n", what, setting, value, unit);
  std::fflush(stdout);
}

static int cores() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "properties");
  return properties.multiProcessorCount;
}

// --- time ---
__device__ inline long long nanoseconds() {
  long long time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}
__global__ void spin(long long cycles, long long* out) {
  const long long from = nanoseconds(), begin = now();
  while (now() - begin < cycles) {
  }
  out[0] = now() - begin;
  out[1] = nanoseconds() - from;
}
/// Cycles of a core per millisecond, under load.
static double clock_rate() {
  long long* out = device_array<long long>(2);
  long long read[2];
  for (int repeat = 0; repeat < 3; ++repeat) spin<<<1, 1>>>(20'000'000, out);
  check(cudaMemcpy(read, out, sizeof read, cudaMemcpyDeviceToHost), "clock");
  return 1e6 * static_cast<double>(read[0]) / static_cast<double>(read[1]);
}
/// Milliseconds between the events around what `launch` launches.
template <class Launch>
static double milliseconds(Launch launch) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "event");
  check(cudaEventCreate(&end), "event");
  check(cudaEventRecord(begin), "event");
  launch();
  check(cudaEventRecord(end), "event");
  check(cudaEventSynchronize(end), "launch");
  float took = 0;
  check(cudaEventElapsedTime(&took, begin, end), "time");
  return took;
}

// --- starts ---
__global__ void nothing(int* out) {
  if (out == nullptr) asm volatile("trap;");
}
__global__ void one_store(int* out) {
  out[static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x] = 1;
}
/// Keeps a core's shared memory until `stop` is not 0.
__global__ void occupy(volatile int* stop) {
  while (*stop == 0) {
  }
}

template <class Kernel>
static double cycles_per_group(Kernel kernel, int threads, int shared, double rate, int* out) {
  double took[2];
  const int groups[2] = {cores() * 64, cores() * 512};
  for (int which = 0; which < 2; ++which) {
    kernel<<<groups[which], threads, shared>>>(out);
    took[which] = 1e30;
    for (int repeat = 0; repeat < 5; ++repeat) {
      const double now = milliseconds([&] { kernel<<<groups[which], threads, shared>>>(out); });
      if (now < took[which]) took[which] = now;
    }
  }
  return (took[1] - took[0]) * rate / (groups[1] - groups[0]);
}

static void starts() {
  const double rate = clock_rate();
  print("clock", "", rate / 1e6, "GHz");
  int* out = device_array<int>(static_cast<std::size_t>(cores()) * 512 * 1024);
  check(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10), "shared");
  for (int threads : {32, 64, 128, 256, 512, 1024}) {
    char setting[96];
    std::snprintf(setting, sizeof setting, "%d work-items; nothing", threads);
    print("starts", setting, cycles_per_group(nothing, threads, 0, rate, out),
          "cycles of the GPU a work-group");
    std::snprintf(setting, sizeof setting, "%d work-items; a store each", threads);
    print("starts", setting, cycles_per_group(one_store, threads, 0, rate, out),
          "cycles of the GPU a work-group");
    std::snprintf(setting, sizeof setting, "%d work-items; nothing; two of them on a core", threads);
    print("starts", setting, cycles_per_group(nothing, threads, 100 << 10, rate, out),
          "cycles of the GPU a work-group");
    std::snprintf(setting, sizeof setting, "%d work-items; nothing; one of them on a core", threads);
    print("starts", setting, cycles_per_group(nothing, threads, 120 << 10, rate, out),
          "cycles of the GPU a work-group");
  }
  // With half of the cores, and three quarters, kept busy by another kernel.
  check(cudaFuncSetAttribute(occupy, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10), "shared");
  int* stop = nullptr;
  check(cudaHostAlloc(&stop, sizeof(int), cudaHostAllocMapped), "stop");
  cudaStream_t other;
  check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "stream");
  for (int busy : {cores() / 2, cores() * 3 / 4}) {
    *stop = 0;
    occupy<<<busy, 32, 200 << 10, other>>>(stop);
    for (int threads : {32, 256}) {
      char setting[96];
      std::snprintf(setting, sizeof setting, "%d work-items; nothing; four on each of %d cores", threads,
                    cores() - busy);
      print("starts", setting, cycles_per_group(nothing, threads, 48 << 10, rate, out),
            "cycles of the GPU a work-group");
    }
    *const_cast<volatile int*>(stop) = 1;
    check(cudaStreamSynchronize(other), "occupy");
  }
  for (int threads : {32, 256}) {
    char setting[96];
    std::snprintf(setting, sizeof setting, "%d work-items; nothing; four on each of %d cores", threads,
                  cores());
    print("starts", setting, cycles_per_group(nothing, threads, 48 << 10, rate, out),
          "cycles of the GPU a work-group");
  }
}

/// clocks[2 w], [2 w + 1]: the first and the last clock of warp w of the work-group on one core, which spends `cycles` in between.
__global__ void stay(long long cycles, long long* clocks) {
  const long long begin = now();
  while (now() - begin < cycles) {
  }
  if (threadIdx.x % 32 == 0) {
    long long* mine = clocks + (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32 * 2;
    mine[0] = begin;
    mine[1] = now();
  }
}
/// When the warps of one work-group begin, and how long all of them take; sm__cycles_active says what a core is busy with apart from that.
static void warps() {
  long long* clocks = device_array<long long>(64);
  for (int warps : {1, 2, 4, 8, 16, 32})
    for (int cycles : {0, 10000}) {
      for (int repeat = 0; repeat < 2; ++repeat) stay<<<1, warps * 32>>>(cycles, clocks);
      std::vector<long long> read(2 * warps);
      check(cudaMemcpy(read.data(), clocks, read.size() * sizeof(long long), cudaMemcpyDeviceToHost),
            "clocks");
      long long first = read[0], last_begin = read[0], last = read[1];
      for (int w = 0; w < warps; ++w) {
        first = std::min(first, read[2 * w]);
        last_begin = std::max(last_begin, read[2 * w]);
        last = std::max(last, read[2 * w + 1]);
      }
      char setting[96];
      std::snprintf(setting, sizeof setting, "%d warps; %d cycles each", warps, cycles);
      print("warps", setting, static_cast<double>(last_begin - first),
            "cycles from the first start to the last");
      print("warps", setting, static_cast<double>(last - first),
            "cycles from the first start to the last end");
    }
}

// --- random loads and stores ---
__device__ inline unsigned scramble(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ (x >> 16);
}

constexpr int kRounds = 16, kAtOnce = 8;

/// kLanes neighbouring work-items share a random place: 1 loads four bytes of one sector, 8 load 16 bytes each of one line. Past the L1.
template <int kLanes>
__global__ void load_random(const int4* data, unsigned places, long long* clocks, int* out) {
  const long long begin = now();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  int sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    int4 value[kAtOnce];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const unsigned number = (round * kAtOnce + i) * (threads / kLanes) + thread / kLanes;
      const unsigned long long place = (static_cast<unsigned long long>(scramble(number)) * places) >> 32;
      if (kLanes == 1)
        value[i].x = __ldcg(reinterpret_cast<const int*>(data + 2 * place));
      else
        value[i] = __ldcg(data + 8 * place + thread % 8);
    }
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) sum += value[i].x;
  }
  if (sum != 0) *out = sum;
  clocks[thread] = now() - begin;
}

/// Each work-item stores kBytes at the start of a random sector; with kLanes 8, eight of them fill one, four bytes each.
template <int kLanes, int kBytes>
__global__ void store_random(char* data, unsigned places, long long* clocks) {
  const long long begin = now();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int round = 0; round < kRounds * kAtOnce; ++round) {
    const unsigned number = round * (threads / kLanes) + thread / kLanes;
    const unsigned long long place = (static_cast<unsigned long long>(scramble(number)) * places) >> 32;
    char* at = data + 32 * place + thread % kLanes * kBytes;
    if (kBytes == 4) *reinterpret_cast<int*>(at) = round;
    if (kBytes == 16) *reinterpret_cast<int4*>(at) = make_int4(round, round, round, round);
  }
  clocks[thread] = now() - begin;
}
/// A warp stores a line, line after line; all of them, again and again.
__global__ void store_lines(int* data, unsigned words, long long* clocks) {
  const long long begin = now();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (int round = 0; round < kRounds * kAtOnce; ++round)
    data[(thread + round * threads) & (words - 1)] = round;
  clocks[thread] = now() - begin;
}

/// Sectors over the mean time of a work-item; all are resident at once. The second of two launches.
template <class Launch>
static void twice(const char* what, const char* name, int mib, double sectors, const long long* clocks,
                  std::size_t threads, Launch launch) {
  char setting[96];
  std::snprintf(setting, sizeof setting, "%s; %d MiB", name, mib);
  launch();
  launch();
  std::vector<long long> read(threads);
  check(cudaDeviceSynchronize(), setting);
  check(cudaMemcpy(read.data(), clocks, threads * sizeof read[0], cudaMemcpyDeviceToHost), "clocks");
  const auto sum = static_cast<double>(std::accumulate(read.begin(), read.end(), 0LL));
  print(what, setting, sectors * static_cast<double>(threads) / sum, "sectors a cycle");
}

static void random_loads() {
  const int groups = cores() * 2;
  const std::size_t threads = groups * 1024UL;
  const double loads = static_cast<double>(threads) * kRounds * kAtOnce;
  long long* clocks = device_array<long long>(threads);
  int4* data = device_array<int4>((1ULL << 30) / 16);
  int* out = device_array<int>(1);
  for (int mib : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64, 96, 128, 256, 1024}) {
    const unsigned sectors = static_cast<unsigned>(mib) << 15;
    twice("random", "a sector", mib, loads, clocks, threads,
          [&] { load_random<1><<<groups, 1024>>>(data, sectors, clocks, out); });
    twice("random", "a line", mib, loads / 2, clocks, threads,
          [&] { load_random<8><<<groups, 1024>>>(data, sectors / 4, clocks, out); });
  }
}

static void stores() {
  const int groups = cores() * 2;
  const std::size_t threads = groups * 1024UL;
  const double all = static_cast<double>(threads) * kRounds * kAtOnce;
  long long* clocks = device_array<long long>(threads);
  char* data = device_array<char>(1ULL << 30);
  for (int mib : {1, 4, 16, 32, 64, 256, 1024}) {
    const unsigned sectors = static_cast<unsigned>(mib) << 15;
    twice("stores", "4 bytes of a sector", mib, all, clocks, threads,
          [&] { store_random<1, 4><<<groups, 1024>>>(data, sectors, clocks); });
    twice("stores", "16 bytes of a sector", mib, all, clocks, threads,
          [&] { store_random<1, 16><<<groups, 1024>>>(data, sectors, clocks); });
    twice("stores", "a sector", mib, all / 8, clocks, threads,
          [&] { store_random<8, 4><<<groups, 1024>>>(data, sectors, clocks); });
    twice("stores", "lines in turn", mib, all / 8, clocks, threads, [&] {
      store_lines<<<groups, 1024>>>(reinterpret_cast<int*>(data), static_cast<unsigned>(mib) << 18, clocks);
    });
  }
}

/// With one work-group on each of some of the cores: whether a core or the memory is the limit.
static void some_cores() {
  const std::size_t most = cores() * 1024UL;
  int4* data = device_array<int4>((1ULL << 30) / 16);
  int* out = device_array<int>(1);
  long long* clocks = device_array<long long>(most);
  constexpr int kShared = 120 << 10;  // no other work-group fits next to it
  check(cudaFuncSetAttribute(load_random<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "shared");
  check(cudaFuncSetAttribute(load_random<8>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "shared");
  check(cudaFuncSetAttribute(store_lines, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "shared");
  check(cudaFuncSetAttribute(store_random<1, 4>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared),
        "shared");
  for (int groups : {1, 8, 33, 66, 99, cores()})
    for (int threads : {256, 1024})
      for (int mib : {1, 16, 32, 1024}) {
        const std::size_t all = static_cast<std::size_t>(groups) * threads;
        const double loads = static_cast<double>(all) * kRounds * kAtOnce;
        const unsigned sectors = static_cast<unsigned>(mib) << 15;
        char name[64];
        std::snprintf(name, sizeof name, "a sector; %d cores; %d work-items", groups, threads);
        twice("loads", name, mib, loads, clocks, all,
              [&] { load_random<1><<<groups, threads, kShared>>>(data, sectors, clocks, out); });
        std::snprintf(name, sizeof name, "a line; %d cores; %d work-items", groups, threads);
        twice("loads", name, mib, loads / 2, clocks, all,
              [&] { load_random<8><<<groups, threads, kShared>>>(data, sectors / 4, clocks, out); });
        std::snprintf(name, sizeof name, "4 bytes of a sector; %d cores; %d work-items", groups, threads);
        twice("stores", name, mib, loads, clocks, all, [&] {
          store_random<1, 4><<<groups, threads, kShared>>>(reinterpret_cast<char*>(data), sectors, clocks);
        });
        std::snprintf(name, sizeof name, "lines in turn; %d cores; %d work-items", groups, threads);
        twice("stores", name, mib, loads / 8, clocks, all, [&] {
          store_lines<<<groups, threads, kShared>>>(reinterpret_cast<int*>(data), sectors * 8, clocks);
        });
      }
}

// --- code ---
constexpr int kChunks = 64, kChunk = 64;  // instructions between two looks at the clock
__global__ void straight(float* out, long long* clocks, float b, float c, int passes) {
  float value[8];
  for (int i = 0; i < 8; ++i) value[i] = static_cast<float>(threadIdx.x + i);
  for (int pass = 0; pass < passes; ++pass) {
    long long times[kChunks + 1];
    times[0] = now();
#pragma unroll
    for (int chunk = 0; chunk < kChunks; ++chunk) {
#pragma unroll
      for (int step = 0; step < kChunk; ++step)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(value[step % 8]) : "f"(b), "f"(c));
      times[chunk + 1] = now();
    }
    if (threadIdx.x == 0)
      for (int chunk = 0; chunk < kChunks; ++chunk)
        clocks[(blockIdx.x * passes + pass) * kChunks + chunk] = times[chunk + 1] - times[chunk];
  }
  for (int i = 1; i < 8; ++i) value[0] += value[i];
  out[threadIdx.x] = value[0];
}

static void code() {
  float* out = device_array<float>(1024);
  constexpr int kPasses = 2;
  long long* clocks = device_array<long long>(kPasses * kChunks);
  for (int launch = 0; launch < 3; ++launch) {
    straight<<<1, 32>>>(out, clocks, 2, 3, kPasses);
    std::vector<long long> read(kPasses * kChunks);
    check(cudaMemcpy(read.data(), clocks, read.size() * sizeof(long long), cudaMemcpyDeviceToHost), "clocks");
    for (int pass = 0; pass < kPasses; ++pass)
      for (int chunk = 0; chunk < kChunks; ++chunk) {
        char setting[96];
        std::snprintf(setting, sizeof setting, "launch %d pass %d chunk %d", launch, pass, chunk);
        print("code", setting, static_cast<double>(read[pass * kChunks + chunk]),
              "cycles of 64 instructions");
      }
  }
}

int main(int count, char** words) {
  const char* mode = count > 1 ? words[1] : "";
  if (!std::strcmp(mode, "starts"))
    starts();
  else if (!std::strcmp(mode, "random"))
    random_loads();
  else if (!std::strcmp(mode, "stores"))
    stores();
  else if (!std::strcmp(mode, "cores"))
    some_cores();
  else if (!std::strcmp(mode, "warps"))
    warps();
  else if (!std::strcmp(mode, "code"))
    code();
  else
    return std::fprintf(stderr, "expected starts, warps, random, stores, cores or code\n"), 2;
  return 0;
}
