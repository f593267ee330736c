// Warps that each read lines of their own again and again, more of them than an L1 has, and whether some of them run ahead.
//   rounds warps      one load of a warp at a time: misses of each warp and round, by their time, and when a round ended
//   rounds batches    1 to 32 loads of a warp on their way: launches for ncu, since time does not tell their misses
#include <cstdio>
#include <cstring>
#include <vector>

#include "micro.cuh"

using Word = unsigned;
constexpr int kWarp = 32, kLineWords = 32,
              kMissCycles = 110;  // a hit takes about 40 cycles, a miss more than 200
constexpr int kRounds = 17;

__device__ inline Word load(const Word* at) {
  Word value;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
__device__ inline bool misses(const Word* at, Word* sink) {
  const long long before = now();
  if (load(at) == 0xdeadbeef) atomicAdd(sink, 1);  // waits for the load
  return now() - before > kMissCycles;
}
/// `mine`: misses and clock of each warp and round. Lines of a warp are every `warps`-th; all lanes read a line at once.
__global__ void rounds(Word* data, int lines, int count, Word* missed, unsigned long long* ended,
                       Word* sink) {
  const int warp = static_cast<int>(threadIdx.x) / kWarp, warps = static_cast<int>(blockDim.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  __syncthreads();
  const long long start = now();
  for (int round = 0; round < count; ++round) {
    Word mine = 0;
    for (int i = warp; i < lines; i += warps) mine += misses(data + i * kLineWords + lane, sink);
    if (lane == 0) {
      atomicExch(missed + warp * count + round, mine);
      atomicExch(ended + warp * count + round, static_cast<unsigned long long>(now() - start));
    }
  }
}

static void warps_of_their_own(Word* data) {
  std::printf("rounds,lines,warps,warp,misses of each round,clock at its end\n");
  check(cudaFuncSetAttribute(rounds, cudaFuncAttributePreferredSharedMemoryCarveout, 14), "carve-out");
  for (const int lines : {1728, 1792, 1856, 1920, 2048, 2304, 2816})
    for (const int warps : {1, 2, 4, 8, 16, 32}) {
      Word *missed = device_array<Word>(static_cast<std::size_t>(warps) * kRounds),
           *sink = device_array<Word>(1);
      auto* ended = device_array<unsigned long long>(static_cast<std::size_t>(warps) * kRounds);
      rounds<<<1, warps * kWarp>>>(data, lines, kRounds, missed, ended, sink);
      check(cudaDeviceSynchronize(), "rounds");
      std::vector<Word> m(static_cast<std::size_t>(warps) * kRounds);
      std::vector<unsigned long long> e(m.size());
      check(cudaMemcpy(m.data(), missed, m.size() * sizeof(Word), cudaMemcpyDeviceToHost), "read");
      check(cudaMemcpy(e.data(), ended, e.size() * sizeof(unsigned long long), cudaMemcpyDeviceToHost),
            "read");
      for (int warp = 0; warp < warps; ++warp) {
        std::printf("rounds,%d,%d,%d", lines, warps, warp);
        for (int r = 0; r < kRounds; ++r) std::printf(",%u", m[static_cast<std::size_t>(warp * kRounds + r)]);
        for (int r = 0; r < kRounds; ++r)
          std::printf(",%llu", e[static_cast<std::size_t>(warp * kRounds + r)]);
        std::printf("\n");
      }
    }
}

/// As rounds(), each warp with `Batch` loads on their way at once.
template <int Batch>
__global__ void batches(Word* data, int lines, int count, Word* sink) {
  const int warp = static_cast<int>(threadIdx.x) / kWarp, warps = static_cast<int>(blockDim.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  Word sum = 0;
  for (int round = 0; round < count; ++round)
    for (int first = warp; first < lines; first += warps * Batch) {
      Word values[Batch];
#pragma unroll
      for (int i = 0; i < Batch; ++i) values[i] = load(data + (first + i * warps) * kLineWords + lane);
#pragma unroll
      for (int i = 0; i < Batch; ++i) sum += values[i];
      if (sum == 0xdeadbeef) atomicAdd(sink, 1);
    }
}

template <int Batch>
static void print_batches(Word* data, Word* sink, int warps) {
  check(cudaFuncSetAttribute(batches<Batch>, cudaFuncAttributePreferredSharedMemoryCarveout, 14),
        "carve-out");
  for (const int lines : {1536, 1792, 2048, 2304, 2560}) {
    std::printf("batches,%d,%d,%d\n", lines, warps, Batch);
    batches<Batch><<<1, warps * kWarp>>>(data, lines, kRounds, sink);
    check(cudaDeviceSynchronize(), "batches");
  }
}

int main(int count, char** words) {
  constexpr std::size_t kAligned = std::size_t{1} << 20;
  const auto memory = reinterpret_cast<std::size_t>(device_array<Word>(kAligned));
  Word* data = reinterpret_cast<Word*>((memory + kAligned - 1) / kAligned * kAligned);
  if (count == 2 && !std::strcmp(words[1], "warps")) {
    warps_of_their_own(data);
  } else if (count == 2 && !std::strcmp(words[1], "batches")) {
    Word* sink = device_array<Word>(1);
    for (const int warps : {1, 2, 8}) {
      print_batches<1>(data, sink, warps);
      print_batches<2>(data, sink, warps);
      print_batches<4>(data, sink, warps);
      print_batches<8>(data, sink, warps);
      print_batches<16>(data, sink, warps);
      print_batches<32>(data, sink, warps);
    }
  } else {
    return std::fprintf(stderr, "expected warps or batches\n"), 2;
  }
}
