// How long instructions and loads take, and how many a core takes at once: validation/hardware/micro/README.md.
//   times latency    one warp, every instruction needs the one before it
//   times rate       one core full of warps with independent instructions
//   times loads      bandwidths of a core and of the GPU; loads in flight
// Prints CSV: what,setting,value,unit. No profiler is needed.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "micro.cuh"

static void print(const char* what, const char* setting, double value, const char* unit) {
  std::printf("%s,%s,%.6g,%s\n", what, setting, value, unit);
}

// --- arithmetic: one instruction, `+` its operand that it also writes ---
#define OPERATION(NAME, TYPE, CONSTRAINT, TEXT)                              \
  struct NAME {                                                              \
    using Value = TYPE;                                                      \
    static constexpr const char* kName = #NAME;                              \
    static __device__ inline void apply(TYPE& a, TYPE b, TYPE c) {           \
      asm volatile(TEXT : "+" CONSTRAINT(a) : CONSTRAINT(b), CONSTRAINT(c)); \
    }                                                                        \
  };
OPERATION(fp32_add, float, "f", "add.rn.f32 %0, %0, %1;")
OPERATION(fp32_fma, float, "f", "fma.rn.f32 %0, %0, %1, %2;")
OPERATION(fp64_fma, double, "d", "fma.rn.f64 %0, %0, %1, %2;")
OPERATION(int_add, int, "r", "add.s32 %0, %0, %1;")
OPERATION(int_logic, int, "r", "lop3.b32 %0, %0, %1, %2, 0x96;")
OPERATION(int_shift, int, "r", "shf.l.wrap.b32 %0, %0, %1, %2;")
OPERATION(int_mad, int, "r", "mad.lo.s32 %0, %0, %1, %2;")
OPERATION(int_max, int, "r", "max.s32 %0, %0, %1;")
OPERATION(compare_select, int, "r", "{ .reg .pred p; setp.lt.s32 p, %0, %1; selp.s32 %0, %1, %2, p; }")
OPERATION(convert_twice, int, "r", "{ .reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rzi.s32.f32 %0, f; }")
OPERATION(special_ex2, float, "f", "ex2.approx.ftz.f32 %0, %0;")
OPERATION(special_rcp, float, "f", "rcp.approx.ftz.f32 %0, %0;")
OPERATION(special_sin, float, "f", "sin.approx.ftz.f32 %0, %0;")

constexpr int kSteps = 128, kRounds = 8;

// kChains independent chains; clocks[2 w], [2 w + 1]: start and end of warp w.
template <class Op, int kChains>
__global__ void chains(typename Op::Value* out, typename Op::Value b, typename Op::Value c,
                       long long* clocks) {
  typename Op::Value value[kChains];
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain)
    value[chain] = static_cast<typename Op::Value>(threadIdx.x + chain + 1);
  __syncthreads();
  long long begin = 0;
  for (int round = 0; round < kRounds; ++round) {
    if (round == 1) begin = now();  // the first one loads the code
#pragma unroll
    for (int step = 0; step < kSteps / kChains; ++step) {
#pragma unroll
      for (int chain = 0; chain < kChains; ++chain) Op::apply(value[chain], b, c);
    }
  }
  const long long end = now();
#pragma unroll
  for (int chain = 1; chain < kChains; ++chain) value[0] += value[chain];
  out[threadIdx.x] = value[0];
  if (threadIdx.x % 32 == 0) {
    clocks[threadIdx.x / 32 * 2] = begin;
    clocks[threadIdx.x / 32 * 2 + 1] = end;
  }
}

// Cycles from the first start to the last end.
static double span(const long long* device, int warps) {
  std::vector<long long> clocks(2 * warps);
  check(cudaDeviceSynchronize(), "kernel");
  check(cudaMemcpy(clocks.data(), device, clocks.size() * sizeof(long long), cudaMemcpyDeviceToHost),
        "clocks");
  long long first = clocks[0], last = clocks[1];
  for (int warp = 0; warp < warps; ++warp) {
    first = std::min(first, clocks[2 * warp]);
    last = std::max(last, clocks[2 * warp + 1]);
  }
  return static_cast<double>(last - first);
}

template <class Op>
static void latency_of(long long* clocks) {
  auto* out = device_array<typename Op::Value>(1024);
  chains<Op, 1><<<1, 32>>>(out, 3, 5, clocks);
  print("latency", Op::kName, span(clocks, 1) / (kSteps * (kRounds - 1)), "cycles");
  cudaFree(out);
}
template <class Op>
static void rate_of(long long* clocks) {
  auto* out = device_array<typename Op::Value>(1024);
  chains<Op, 8><<<1, 1024>>>(out, 3, 5, clocks);
  print("rate", Op::kName, 1024.0 * kSteps * (kRounds - 1) / span(clocks, 32), "lanes per cycle and core");
  cudaFree(out);
}
#define EACH_OPERATION(WHAT)                                                                          \
  WHAT<fp32_add>(clocks), WHAT<fp32_fma>(clocks), WHAT<fp64_fma>(clocks), WHAT<int_add>(clocks),      \
      WHAT<int_logic>(clocks), WHAT<int_shift>(clocks), WHAT<int_mad>(clocks), WHAT<int_max>(clocks), \
      WHAT<compare_select>(clocks), WHAT<convert_twice>(clocks), WHAT<special_ex2>(clocks),           \
      WHAT<special_rcp>(clocks), WHAT<special_sin>(clocks)

// --- latency of loads: each loads the place of the next ---
// kind 0: ld.ca, 1: ld.cg. `at`: the address of a word that holds the address of the next, so that nothing is added up.
__device__ inline unsigned long long follow(unsigned long long at, int kind) {
  unsigned long long next;
  if (kind == 0)
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
  else
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
  return next;
}
// hops[i]: cycles of hop i.
template <int kKind>
__global__ void chase(unsigned long long at, int count, unsigned short* hops, int* sink) {
  for (int i = 0; i < count; ++i) {
    const long long begin = now();
    at = follow(at, kKind);
    if (at == ~0ULL) atomicAdd(sink, 1);  // waits for the load
    hops[i] = static_cast<unsigned short>(min(now() - begin, 65535LL));
  }
}
template <int kKind>
__global__ void chase_plain(unsigned long long at, int count, long long* clocks, unsigned long long* out) {
  const long long begin = now();
#pragma unroll 16
  for (int i = 0; i < count; ++i) at = follow(at, kKind);
  if (at == ~0ULL) out[1] = at;  // waits for the last load
  clocks[1] = now();
  clocks[0] = begin;
}
__global__ void chase_shared(int count, long long* clocks, unsigned* out) {
  __shared__ unsigned next[256];
  for (int i = threadIdx.x; i < 256; i += 32)
    next[i] = static_cast<unsigned>(__cvta_generic_to_shared(next + (i + 33) % 256));
  __syncthreads();
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(next + threadIdx.x));
  const long long begin = now();
#pragma unroll 16
  for (int i = 0; i < count; ++i) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
  if (at == ~0U) out[threadIdx.x] = at;
  clocks[1] = now();
  clocks[0] = begin;
}

// A cycle through `lines` lines on the GPU, each `apart` words of 8 bytes from the one before; shuffled within windows of `window` lines.
static unsigned long long* cycle_of(std::size_t lines, std::size_t apart, std::size_t window) {
  unsigned long long* device = device_array<unsigned long long>(lines * apart);
  std::vector<std::size_t> order(lines);
  std::vector<unsigned long long> next(lines * apart);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);
  for (std::size_t from = 0; from < lines; from += window)
    std::shuffle(order.begin() + static_cast<long>(std::max<std::size_t>(from, 1)),
                 order.begin() + static_cast<long>(std::min(from + window, lines)), random);
  for (std::size_t i = 0; i < lines; ++i)
    next[order[i] * apart] = reinterpret_cast<unsigned long long>(device + order[(i + 1) % lines] * apart);
  check(cudaMemcpy(device, next.data(), next.size() * sizeof next[0], cudaMemcpyHostToDevice), "copy");
  return device;
}

// Prints the tenth, the half and the nine tenths of the hops of the last of `rounds` rounds.
static void chase_set(const char* what, std::size_t lines, std::size_t apart, std::size_t window, int kind,
                      int rounds) {
  unsigned long long* device = cycle_of(lines, apart, window);
  const int count = static_cast<int>(lines) * rounds;
  unsigned short* hops = device_array<unsigned short>(count);
  const auto first = reinterpret_cast<unsigned long long>(device);
  int* sink = device_array<int>(1);
  if (kind == 0)
    chase<0><<<1, 1>>>(first, count, hops, sink);
  else
    chase<1><<<1, 1>>>(first, count, hops, sink);
  check(cudaDeviceSynchronize(), what);
  std::vector<unsigned short> read(lines);
  check(cudaMemcpy(read.data(), hops + static_cast<std::size_t>(count) - lines,
                   lines * sizeof(unsigned short), cudaMemcpyDeviceToHost),
        "hops");
  std::sort(read.begin(), read.end());
  char setting[96];
  const char* names[] = {"a tenth", "median", "nine tenths"};
  for (int part = 0; part < 3; ++part) {
    std::snprintf(setting, sizeof setting, "%.3f MiB %s", static_cast<double>(lines * apart * 8) / 1048576,
                  names[part]);
    print(what, setting, read[std::min(lines - 1, lines * (part * 4 + 1) / 10)],
          "cycles with two reads of the clock");
  }
  cudaFree(device);
  cudaFree(hops);
}

static void latency() {
  long long* clocks = device_array<long long>(128);
  unsigned* out = device_array<unsigned>(1024);
  EACH_OPERATION(latency_of);
  chase_shared<<<1, 32>>>(1024, clocks, out);
  print("latency", "load_shared", span(clocks, 1) / 1024, "cycles");
  for (int kind : {0, 1}) {
    unsigned long long* device = cycle_of(64, 16, 64);
    const auto first = reinterpret_cast<unsigned long long>(device);
    for (int repeat = 0; repeat < 2; ++repeat) {
      if (kind == 0)
        chase_plain<0><<<1, 1>>>(first, 4096, clocks, device_array<unsigned long long>(2));
      else
        chase_plain<1><<<1, 1>>>(first, 4096, clocks, device_array<unsigned long long>(2));
    }
    print("latency", kind == 0 ? "load_l1" : "load_l2_8KiB", span(clocks, 1) / 4096, "cycles");
    cudaFree(device);
  }
  chase_set("chase_l1", 256, 16, 256, 0, 4);
  for (std::size_t mib : {1, 4, 8, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96})
    chase_set("chase_l2", mib * 8192, 16, mib * 8192, 1, 2);
  chase_set("chase_dram_2MiB_windows", 1 << 19, 64, 4096, 1, 1);
  chase_set("chase_dram_random", 1 << 19, 256, 1 << 19, 1, 1);
}

static void rate() {
  long long* clocks = device_array<long long>(128);
  EACH_OPERATION(rate_of);
}

// --- bandwidth ---
// Every work-item loads `rounds` times 8 values, all of them in flight: kind 0 L1, 1 L2 and below. `elements`: how many there are, a power of
// two. They are all 0, and what comes next needs them, so that no compiler can take the loads apart.
template <class T>
__global__ void read_all(const T* data, long long elements, int kind, int rounds, long long shift,
                         long long* clocks, int* out) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x + shift;
  int sum = 0;
  __syncthreads();
  const long long begin = now();
  for (int round = 0; round < rounds; ++round) {
    T value[8];
#pragma unroll
    for (int i = 0; i < 8; ++i, at += stride)
      value[i] = kind == 0 ? __ldca(data + (at & (elements - 1))) : __ldcg(data + (at & (elements - 1)));
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += reinterpret_cast<const int&>(value[i]);
    at += sum;
  }
  if (sum != 0) *out = sum;
  __syncthreads();
  const long long end = now();
  if (threadIdx.x == 0) clocks[blockIdx.x] = end - begin;
}

// Bytes per cycle: all bytes over the mean of the blocks' times; the second of two launches.
template <class T>
static void read_rate(const char* setting, const T* data, long long bytes, int kind, int blocks, int threads,
                      int rounds, long long shift = 0) {
  long long* clocks = device_array<long long>(blocks);
  int* out = device_array<int>(1);
  const long long elements = bytes / static_cast<long long>(sizeof(T));
  for (int repeat = 0; repeat < 2; ++repeat)
    read_all<T><<<blocks, threads>>>(data, elements, kind, rounds, repeat * shift, clocks, out);
  std::vector<long long> read(blocks);
  check(cudaDeviceSynchronize(), setting);
  check(cudaMemcpy(read.data(), clocks, read.size() * sizeof(long long), cudaMemcpyDeviceToHost), "clocks");
  const double mean = static_cast<double>(std::accumulate(read.begin(), read.end(), 0LL)) / blocks;
  const double moved = static_cast<double>(rounds) * 8 * sizeof(T) * threads * blocks;
  print("bandwidth", setting, moved / mean, "bytes per cycle");
  cudaFree(clocks);
  cudaFree(out);
}

// One core reads `rounds` times 8 × 16 bytes a work-item, every byte once: nothing is added up but one pointer. kind 0: ld.ca, 1: ld.cg.
template <int kKind>
__global__ void read_once(const int4* data, int rounds, long long* clocks, int* out) {
  const int4* at = data + threadIdx.x;
  int sum = 0;
  __syncthreads();
  const long long begin = now();
  for (int round = 0; round < rounds; ++round, at += 8 * 1024) {
    int4 value[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) value[i] = kKind == 0 ? __ldca(at + i * 1024) : __ldcg(at + i * 1024);
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += value[i].x;
    at += sum;  // 0: the next round waits for this one
  }
  if (sum != 0) *out = sum;
  __syncthreads();
  const long long end = now();
  if (threadIdx.x == 0) clocks[0] = end - begin;
}
template <int kKind>
static void one_core(const char* setting, const int4* data) {
  long long* clocks = device_array<long long>(1);
  long long took = 0;
  for (int repeat = 0; repeat < 3; ++repeat)
    read_once<kKind><<<1, 1024>>>(data, 32, clocks, device_array<int>(1));
  check(cudaDeviceSynchronize(), setting);
  check(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost), "clocks");
  print("bandwidth", setting, 32.0 * 8 * 16 * 1024 / static_cast<double>(took), "bytes per cycle");
}

// --- loads in flight: each warp has kLoads lines (or 32 sectors of lines of their own) on their way, and waits for all ---
template <int kLoads>
__global__ void in_flight(const int* data, long long words, int lane_words, int rounds, long long* clocks,
                          int* out) {
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const long long step = 32LL * lane_words;
  long long at = warp * kLoads * step + static_cast<long long>(threadIdx.x % 32) * lane_words;
  int sum = 0;
  __syncthreads();
  const long long begin = now();
  for (int round = 0; round < rounds; ++round, at += warps * kLoads * step) {
    int value[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) value[i] = __ldca(data + ((at + i * step) & (words - 1)));
#pragma unroll
    for (int i = 0; i < kLoads; ++i) sum += value[i];
    at += sum;  // 0: the next round waits for this one
  }
  if (sum != 0) *out = sum;
  const long long end = now();
  if (threadIdx.x % 32 == 0) {
    clocks[warp * 2] = begin;
    clocks[warp * 2 + 1] = end;
  }
}
template <int kLoads>
static void flights(const int* data, long long* clocks, int* out) {
  for (int lane_words : {1, 32})
    for (int warps : {1, 2, 4, 8, 16, 32}) {
      const int rounds = 16;
      const long long words = 1LL << 22;  // 16 MiB, in the L2 since the launch before
      for (int repeat = 0; repeat < 2; ++repeat)
        in_flight<kLoads><<<1, warps * 32>>>(data, words, lane_words, rounds, clocks, out);
      char setting[96];
      std::snprintf(setting, sizeof setting, "%d warps %d loads %s", warps, kLoads,
                    lane_words == 1 ? "of a line" : "of 32 lines");
      print("in_flight", setting, span(clocks, warps) / rounds, "cycles a round");
    }
}

static void loads() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "properties");
  const int cores = properties.multiProcessorCount;
  print("cores", properties.name, cores, "");
  const long long most = 4LL << 30;
  int* data = device_array<int>(most / 4);
  long long* clocks = device_array<long long>(128);
  int* out = device_array<int>(1);
  read_rate("one core; 16 KiB in the L1; 4 bytes a lane", data, 16 << 10, 0, 1, 1024, 64);
  read_rate("one core; 16 KiB in the L1; 16 bytes a lane", reinterpret_cast<int4*>(data), 16 << 10, 0, 1,
            1024, 64);
  one_core<0>("one core; 4 MiB of the L2 once; ld.ca", reinterpret_cast<int4*>(data));
  one_core<1>("one core; 4 MiB of the L2 once; ld.cg", reinterpret_cast<int4*>(data));
  for (long long mib : {8, 16, 24, 32, 40, 48, 64, 128}) {
    char setting[96];
    std::snprintf(setting, sizeof setting, "all cores; %lld MiB; 16 bytes a lane", mib);
    long long power = 1;
    while (power * 2 <= mib) power *= 2;
    if (power != mib) continue;
    read_rate(setting, reinterpret_cast<int4*>(data), mib << 20, 1, cores * 2, 1024,
              static_cast<int>(std::max(1LL, (mib << 20) / (cores * 2 * 1024LL * 16 * 8))) * 4, 1024LL * 17);
  }
  read_rate("all cores; 4 GiB from the DRAM; 16 bytes a lane", reinterpret_cast<int4*>(data), most, 1,
            cores * 2, 1024, static_cast<int>(most / (cores * 2 * 1024LL * 16 * 8)));
  flights<1>(data, clocks, out);
  flights<2>(data, clocks, out);
  flights<4>(data, clocks, out);
  flights<8>(data, clocks, out);
  flights<16>(data, clocks, out);
}

int main(int count, char** words) {
  const char* mode = count > 1 ? words[1] : "";
  if (!std::strcmp(mode, "latency"))
    latency();
  else if (!std::strcmp(mode, "rate"))
    rate();
  else if (!std::strcmp(mode, "loads"))
    loads();
  else
    return std::fprintf(stderr, "expected latency, rate or loads\n"), 2;
  return 0;
}
