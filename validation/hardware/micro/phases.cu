// Which of several warps issues, and when work-groups copy: validation/hardware/micro/README.md.
//   phases warps     warps with arithmetic, or with loads of shared memory between: when each reaches a quarter, a half, …
//   phases starts    from the end of a work-group to the start of the next at its place
//   phases copies    work-groups that copy a tile, meet and compute, as a convolution does: when each does what
// Prints CSV. No profiler is needed. Clocks are those of the warp's core, from the first of the core's that are printed.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "micro.cuh"

__device__ inline unsigned core_number() {
  unsigned core;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(core));
  return core;
}
__device__ inline unsigned warp_place() {
  unsigned place;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(place));
  return place;
}

// --- warps ---
constexpr int kPoints = 9;  // the start and eight eighths
struct WarpTimes {
  unsigned core, place;
  long long clocks[kPoints];
};

// kChains independent chains of additions and multiplications; a load of shared memory after every kLoadEvery of them (0: none).
template <int kChains, int kLoadEvery>
__global__ void compute(WarpTimes* times, float* out, float b, float c) {
  __shared__ float words[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = static_cast<float>(i);
  float value[kChains];
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) value[chain] = static_cast<float>(threadIdx.x + chain);
  __syncthreads();
  long long clocks[kPoints];
  clocks[0] = now();
#pragma unroll
  for (int point = 1; point < kPoints; ++point) {
    for (int round = 0; round < 8; ++round) {
#pragma unroll
      for (int step = 0; step < 64; ++step) {
        float operand = b;
        if (kLoadEvery > 0 && step % (kLoadEvery > 0 ? kLoadEvery : 1) == 0) {
          const int at = (threadIdx.x + step + round) % 1024;
          asm volatile("ld.shared.f32 %0, [%1];"
                       : "=f"(operand)
                       : "r"(static_cast<unsigned>(__cvta_generic_to_shared(words + at))));
        }
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(value[step % kChains]) : "f"(operand), "f"(c));
      }
    }
    clocks[point] = now();
  }
#pragma unroll
  for (int chain = 1; chain < kChains; ++chain) value[0] += value[chain];
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  out[thread] = value[0];
  if (threadIdx.x % 32 != 0) return;
  WarpTimes& mine = times[thread / 32];
  mine.core = core_number();
  mine.place = warp_place();
#pragma unroll
  for (int point = 0; point < kPoints; ++point) mine.clocks[point] = clocks[point];
}

// Prints the warps of the core of warp 0.
static void print_warps(const char* name, int blocks, int warps, const WarpTimes* device) {
  std::vector<WarpTimes> all(static_cast<std::size_t>(blocks) * warps);
  check(cudaDeviceSynchronize(), name);
  check(cudaMemcpy(all.data(), device, all.size() * sizeof(WarpTimes), cudaMemcpyDeviceToHost), name);
  const unsigned core = all[0].core;
  long long first = all[0].clocks[0];
  for (const WarpTimes& one : all)
    if (one.core == core) first = std::min(first, one.clocks[0]);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].core != core) continue;
    std::printf("%s,%d,%zu,%zu,%u", name, warps, i / warps, i % warps, all[i].place);
    for (long long clock : all[i].clocks) std::printf(",%lld", clock - first);
    std::printf("\n");
  }
}

template <int kChains, int kLoadEvery>
static void compute_with(const char* name, int cores) {
  WarpTimes* times = device_array<WarpTimes>(1 << 14);
  float* out = device_array<float>(1 << 19);
  const int shapes[][2] = {{1, 4},          {1, 16},        {1, 32},        {cores * 2, 32},
                           {cores * 16, 1}, {cores * 8, 4}, {cores * 24, 1}};
  for (const auto& shape : shapes)
    for (int repeat = 0; repeat < 2; ++repeat) {  // the first one also loads the code
      compute<kChains, kLoadEvery><<<shape[0], shape[1] * 32>>>(times, out, 1.5f, 0.5f);
      check(cudaDeviceSynchronize(), name);
      if (repeat) print_warps(name, shape[0], shape[1], times);
    }
  cudaFree(times);
  cudaFree(out);
}

static void warps(int cores) {
  std::printf("kernel,warps,work_group,warp,place,start,1,2,3,4,5,6,7,8\n");
  compute_with<1, 0>("fma, 1 chain", cores);
  compute_with<2, 0>("fma, 2 chains", cores);
  compute_with<4, 0>("fma, 4 chains", cores);
  compute_with<8, 0>("fma, 8 chains", cores);
  compute_with<8, 8>("fma, 8 chains, a load for 8", cores);
  compute_with<8, 2>("fma, 8 chains, a load for 2", cores);
  compute_with<1, 1>("fma, 1 chain, a load for 1", cores);
}

// --- copies: validation/hardware/families/convolution with clocks ---
constexpr int kFilter = 15, kSize = 4096, kPitch = kSize + kFilter - 1;
__constant__ float filter[kFilter * kFilter];
struct Phases {
  unsigned core, place;
  long long start, copied, met, computed;
};

// kGuarded: a branch around each load, as of variants whose tiles do not divide the image. The image is large enough without.
template <int kWide, int kHigh, int kTileX, int kTileY, bool kGuarded>
__global__ void convolve(const float* in, float* out, Phases* phases) {
  constexpr int kOutputsX = kWide * kTileX, kOutputsY = kHigh * kTileY;
  constexpr int kCopiedX = kOutputsX + kFilter - 1, kCopiedY = kOutputsY + kFilter - 1;
  __shared__ float tile[kCopiedY][kCopiedX];
  const long long start = now();
  const int tx = threadIdx.x % kWide, ty = threadIdx.x / kWide;
  const int left = blockIdx.x * kOutputsX, top = blockIdx.y * kOutputsY;
  for (int y = ty; y < kCopiedY; y += kHigh)
#pragma unroll 4
    for (int x = tx; x < kCopiedX; x += kWide)
      if (!kGuarded || (left + x < kPitch && top + y < kPitch))
        tile[y][x] = in[(top + y) * kPitch + left + x];
  const long long copied = now();
  __syncthreads();
  const long long met = now();
  float sum[kTileY][kTileX] = {};
#pragma unroll 1
  for (int i = 0; i < kFilter; ++i)
#pragma unroll
    for (int j = 0; j < kFilter; ++j)
#pragma unroll
      for (int b = 0; b < kTileY; ++b)
#pragma unroll
        for (int a = 0; a < kTileX; ++a)
          sum[b][a] += tile[ty + b * kHigh + i][tx + a * kWide + j] * filter[i * kFilter + j];
#pragma unroll
  for (int b = 0; b < kTileY; ++b)
#pragma unroll
    for (int a = 0; a < kTileX; ++a) {
      const int x = left + tx + a * kWide, y = top + ty + b * kHigh;
      if (x < kSize && y < kSize) out[y * kSize + x] = sum[b][a];
    }
  const long long computed = now();
  if (threadIdx.x % 32 != 0) return;
  const int group = blockIdx.y * gridDim.x + blockIdx.x;
  phases[group * ((kWide * kHigh + 31) / 32) + threadIdx.x / 32] = {core_number(), warp_place(), start,
                                                                    copied,        met,          computed};
}

// Prints every warp that one of `kept` cores ran.
template <int kWide, int kHigh, int kTileX, int kTileY, bool kGuarded>
static void copies_of(const float* in, float* out, unsigned kept) {
  const dim3 grid((kSize + kWide * kTileX - 1) / (kWide * kTileX),
                  (kSize + kHigh * kTileY - 1) / (kHigh * kTileY));
  const std::size_t warps = (kWide * kHigh + 31) / 32,
                    count = static_cast<std::size_t>(grid.x) * grid.y * warps;
  Phases* device = device_array<Phases>(count);
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &resident, convolve<kWide, kHigh, kTileX, kTileY, kGuarded>, kWide * kHigh, 0),
        "occupancy");
  for (int repeat = 0; repeat < 2; ++repeat)
    convolve<kWide, kHigh, kTileX, kTileY, kGuarded><<<grid, kWide * kHigh>>>(in, out, device);
  check(cudaDeviceSynchronize(), "convolve");
  std::vector<Phases> all(count);
  check(cudaMemcpy(all.data(), device, count * sizeof(Phases), cudaMemcpyDeviceToHost), "phases");
  for (unsigned core = 0; core < kept; ++core) {
    long long first = -1;
    for (const Phases& one : all)
      if (one.core == core && (first < 0 || one.start < first)) first = one.start;
    for (std::size_t i = 0; i < count; ++i)
      if (all[i].core == core)
        std::printf("%dx%d-t%dx%d%s,%d,%u,%zu,%zu,%u,%lld,%lld,%lld,%lld\n", kWide, kHigh, kTileX, kTileY,
                    kGuarded ? "" : "-free", resident, core, i / warps, i % warps, all[i].place,
                    all[i].start - first, all[i].copied - first, all[i].met - first, all[i].computed - first);
  }
  cudaFree(device);
}

static void copies() {
  float *in = device_array<float>(static_cast<std::size_t>(kPitch + 256) * kPitch),
        *out = device_array<float>(static_cast<std::size_t>(kSize) * kSize);
  std::printf("variant,resident,core,work_group,warp,place,start,copied,met,computed\n");
  copies_of<1, 32, 8, 3, true>(in, out, 3);
  copies_of<1, 32, 8, 3, false>(in, out, 3);
  copies_of<2, 32, 8, 1, true>(in, out, 3);
  copies_of<2, 32, 8, 1, false>(in, out, 3);
  copies_of<4, 32, 7, 1, true>(in, out, 3);
  copies_of<4, 32, 7, 1, false>(in, out, 3);
  copies_of<8, 16, 1, 2, true>(in, out, 3);
  copies_of<8, 16, 1, 2, false>(in, out, 3);
  copies_of<32, 4, 2, 4, true>(in, out, 3);
  copies_of<32, 4, 2, 4, false>(in, out, 3);
  copies_of<64, 4, 1, 2, true>(in, out, 3);
  copies_of<64, 4, 1, 2, false>(in, out, 3);
}

// --- work-groups: from the end of one to the start of the next at its place ---
__global__ void group_times(long long* times, int spin) {
  const long long begin = now();
  long long end = begin;
  while (end - begin < spin * static_cast<long long>(1 + blockIdx.x % 7)) end = now();
  if (threadIdx.x % 32 != 0) return;
  long long* mine = times + (static_cast<long long>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32) * 3;
  mine[0] = core_number(), mine[1] = begin, mine[2] = end;
}
// Of core 0: the k-th start after the resident ones follows the k-th end.
static void starts(int cores) {
  std::printf("what,setting,value,unit\n");
  for (int warps : {1, 4, 8, 32})
    for (int spin : {0, 2000}) {
      const int groups = cores * 400;
      long long* times = device_array<long long>(static_cast<std::size_t>(groups) * warps * 3);
      for (int repeat = 0; repeat < 2; ++repeat) group_times<<<groups, warps * 32>>>(times, spin);
      int resident = 0;
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, group_times, warps * 32, 0),
            "occupancy");
      std::vector<long long> all(static_cast<std::size_t>(groups) * warps * 3), begins, ends, gaps;
      check(cudaDeviceSynchronize(), "groups");
      check(cudaMemcpy(all.data(), times, all.size() * sizeof(long long), cudaMemcpyDeviceToHost), "times");
      for (std::size_t group = 0; group < static_cast<std::size_t>(groups); ++group) {
        const long long* first = all.data() + group * warps * 3;
        if (first[0] != 0) continue;
        begins.push_back(first[1]), ends.push_back(first[2]);
        for (int warp = 1; warp < warps; ++warp) {
          begins.back() = std::min(begins.back(), first[warp * 3 + 1]);
          ends.back() = std::max(ends.back(), first[warp * 3 + 2]);
        }
      }
      std::sort(begins.begin(), begins.end());
      std::sort(ends.begin(), ends.end());
      for (std::size_t i = 0; i + resident < begins.size(); ++i)
        gaps.push_back(begins[i + resident] - ends[i]);
      std::sort(gaps.begin(), gaps.end());
      char setting[96];
      std::snprintf(setting, sizeof setting, "%d warps %d resident; work of %d cycles or more", warps,
                    resident, spin);
      std::printf("next_group_least,%s,%.6g,cycles\n", setting, static_cast<double>(gaps.front()));
      std::printf("next_group_median,%s,%.6g,cycles\n", setting, static_cast<double>(gaps[gaps.size() / 2]));
      std::printf("groups_per_core,%s,%.6g,cycles each\n", setting,
                  static_cast<double>(ends.back() - begins.front()) / static_cast<double>(begins.size()));
      cudaFree(times);
    }
}

int main(int count, char** words) {
  const char* mode = count > 1 ? words[1] : "";
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "properties");
  if (!std::strcmp(mode, "warps"))
    warps(properties.multiProcessorCount);
  else if (!std::strcmp(mode, "copies"))
    copies();
  else if (!std::strcmp(mode, "starts"))
    starts(properties.multiProcessorCount);
  else
    return std::fprintf(stderr, "expected warps, copies or starts\n"), 2;
  return 0;
}
