// Which lines share a set of the L1: of every line tried, four lines of a pool of 4,096 that drive it out.
//   set_of low COUNT [MIB]    so many lines of up to 32 GiB, some in pairs that differ in one bit; the pool MIB from the start
//   set_of high COUNT         so many lines for each of the higher address bits, which alone tells them from the pool's
// CSV to stdout; the number of a line is its address / 128, in hexadecimal.
// A line that was loaded once goes when four others of its set are loaded, and so long as 1,600 lines are loaded in all no
// other one goes (validation/notes/h100.md). A fence empties the L1, so each trial begins with nothing in it.
#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "micro.cuh"

using Word = unsigned;
using Line = unsigned long long;
constexpr int kLineBits = 7, kPool = 4096, kLoaded = 1600, kWarp = 32, kMost = 12;
constexpr int kMissCycles = 110;  // a hit takes about 40 cycles, a miss more than 200
constexpr int kDraws = 40;        // of lines of the pool, until one drives the line out

__device__ inline Word* at(Line line) {
  return reinterpret_cast<Word*>(line << kLineBits);
}
__device__ inline Word load(Line line) {
  Word value;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(at(line)) : "memory");
  return value;
}
__device__ inline bool misses(Line line, Word* sink) {
  const long long before = now();
  if (load(line) == 0xdeadbeef) atomicAdd(sink, 1);  // waits for the load
  return now() - before > kMissCycles;
}

/// Whether the pool's lines in `list` without [from, to) drive x out. By all lanes of a warp; the L1 is empty before and after.
__device__ bool drives_out(Line x, Line pool, const unsigned short* list, int count, int from, int to,
                           Word* sink) {
  if (threadIdx.x == 0) misses(x, sink);
  __syncwarp();
  Word sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kWarp)
    if (i < from || i >= to) sum |= load(pool + list[i]);
  if (sum == 0xdeadbeef) atomicAdd(sink, 1);
  __syncwarp();
  const bool gone = __shfl_sync(~0u, threadIdx.x == 0 && misses(x, sink), 0);
  __threadfence();  // empties the L1
  __syncwarp();
  return gone;
}

/// kLoaded different lines of the pool, in another order for each `seed`.
__device__ void draw(unsigned short* list, Word seed) {
  const Word odd = seed * 2 + 1, add = seed * 0x9E3779B1u >> 7;
  for (int i = static_cast<int>(threadIdx.x); i < kLoaded; i += kWarp) {
    Word place = static_cast<Word>(i);
    for (int round = 0; round < 3; ++round) {
      place = place * odd + add & kPool - 1;
      place ^= place >> 5;
    }
    list[i] = static_cast<unsigned short>(place);
  }
  __syncwarp();
}

/// Leaves lines out as long as the others drive x out. Returns how many are left.
__device__ int reduce(Line x, Line pool, unsigned short* list, Word* sink) {
  int count = kLoaded, parts = 8;
  while (count > 1) {
    parts = min(parts, count);
    bool is_smaller = false;
    for (int part = 0; part < parts && !is_smaller; ++part) {
      const int from = count * part / parts, to = count * (part + 1) / parts;
      if (!drives_out(x, pool, list, count, from, to, sink)) continue;
      for (int i = static_cast<int>(threadIdx.x); from + i < count - (to - from); i += kWarp) {
        const unsigned short moved = list[to + i];
        __syncwarp(__activemask());
        list[from + i] = moved;
      }
      __syncwarp();
      count -= to - from;
      is_smaller = true;
    }
    if (is_smaller) continue;
    if (parts == count) break;
    parts *= 2;
  }
  return count;
}

/// Of each line x: how many draws it took, and how many lines and which drive it out; kMost + 2 words.
__global__ void set_of(const Line* lines, int count, Line pool, Word* found, Word* sink) {
  __shared__ unsigned short list[kLoaded];
  for (int number = static_cast<int>(blockIdx.x); number < count; number += static_cast<int>(gridDim.x)) {
    const Line x = lines[number];
    Word* mine = found + static_cast<long long>(number) * (kMost + 2);
    int draws = 0, left = 0;
    while (draws < kDraws && left == 0) {
      draw(list, static_cast<Word>(number * kDraws + draws++));
      if (drives_out(x, pool, list, kLoaded, 0, 0, sink)) left = reduce(x, pool, list, sink);
    }
    if (threadIdx.x == 0)
      atomicExch(mine, static_cast<Word>(draws)), atomicExch(mine + 1, static_cast<Word>(left));
    if (threadIdx.x < min(left, kMost)) atomicExch(mine + 2 + threadIdx.x, list[threadIdx.x]);
    __syncwarp();
  }
}

/// Of 2^bits bytes from `first` on: lines and all that differ from them in one bit, a quarter in all, then random lines.
static std::vector<Line> lines_of(Line first, int bits, std::size_t count) {
  std::vector<Line> lines;
  unsigned long long state = 88172645463325252ull;
  while (lines.size() < count) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const Line place = (state >> 8) % (Line{1} << (bits - kLineBits));
    lines.push_back(first + place);
    if (lines.size() < count / 4)
      for (int bit = 0; bit < bits - kLineBits; ++bit) lines.push_back(first + (place ^ Line{1} << bit));
  }
  lines.resize(count);
  return lines;
}

static void print_sets(const std::vector<Line>& lines, Line pool) {
  int cores = 0;
  check(cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, 0), "cores");
  Line* on_device = device_array<Line>(lines.size());
  check(cudaMemcpy(on_device, lines.data(), lines.size() * sizeof(Line), cudaMemcpyHostToDevice), "lines");
  Word *found = device_array<Word>(lines.size() * (kMost + 2)), *sink = device_array<Word>(1);
  check(cudaFuncSetAttribute(set_of, cudaFuncAttributePreferredSharedMemoryCarveout, 12), "carve-out");
  set_of<<<cores, kWarp>>>(on_device, static_cast<int>(lines.size()), pool, found, sink);
  check(cudaDeviceSynchronize(), "set_of");
  std::vector<Word> words(lines.size() * (kMost + 2));
  check(cudaMemcpy(words.data(), found, words.size() * sizeof(Word), cudaMemcpyDeviceToHost), "read");
  std::printf("pool,%llx\nline,draws,lines,their numbers in the pool\n", pool);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Word* mine = &words[i * (kMost + 2)];
    std::printf("%llx,%u,%u", lines[i], mine[0], mine[1]);
    for (Word n = 0; n < std::min<Word>(mine[1], kMost); ++n) std::printf(",%u", mine[2 + n]);
    std::printf("\n");
  }
}

static void low(std::size_t count, Line pool_mib) {
  int bits = 36;
  void* memory = nullptr;
  while (bits > 26 && cudaMalloc(&memory, std::size_t{1} << bits) != cudaSuccess) --bits;
  cudaGetLastError();
  check(cudaMemset(memory, 0, std::size_t{1} << bits), "memory");
  --bits;  // an aligned half of the memory
  const Line size = Line{1} << (bits - kLineBits);
  const Line first = ((reinterpret_cast<Line>(memory) >> kLineBits) + size - 1) / size * size;
  print_sets(lines_of(first, bits, count), first + (pool_mib << (20 - kLineBits)));
}

static bool is_done(CUresult status, const char* what) {
  if (status != CUDA_SUCCESS) std::fprintf(stderr, "note: %s: error %d\n", what, static_cast<int>(status));
  return status == CUDA_SUCCESS;
}

/// 2 MiB at this address, or nothing there.
static bool map_at(CUdeviceptr wanted) {
  constexpr std::size_t kSize = 2 << 20;
  CUmemAllocationProp kind = {};
  kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemGenericAllocationHandle memory;
  CUdeviceptr address = 0;
  if (!is_done(cuMemAddressReserve(&address, kSize, kSize, wanted, 0), "address") || address != wanted)
    return false;
  CUmemAccessDesc access = {};
  access.location = kind.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return is_done(cuMemCreate(&memory, kSize, &kind, 0), "memory") &&
         is_done(cuMemMap(address, kSize, 0, memory, 0), "map") &&
         is_done(cuMemSetAccess(address, kSize, &access, 1), "access") &&
         is_done(cuMemsetD32(address, 0, kSize / 4), "zeros");
}

static void high(std::size_t count) {
  check(cudaFree(nullptr), "start");
  CUdeviceptr pool = 0;
  for (CUdeviceptr place = 1; place < 512 && pool == 0; ++place)
    if (map_at(place << 37)) pool = place << 37;
  if (pool == 0) return check(cudaErrorMemoryAllocation, "no address for the pool");
  std::vector<Line> lines;
  for (int bit = 30; bit < 47; ++bit)
    if (map_at(pool ^ CUdeviceptr{1} << bit))
      for (std::size_t n = 0; n < count; ++n)
        lines.push_back((pool ^ CUdeviceptr{1} << bit) >> kLineBits | (n * 0x9E3779B1u >> 8) % 16384);
  print_sets(lines, pool >> kLineBits);
}

int main(int count, char** words) {
  if (count >= 3 && !std::strcmp(words[1], "low"))
    low(std::strtoull(words[2], nullptr, 10), count > 3 ? std::strtoull(words[3], nullptr, 10) : 0);
  else if (count == 3 && !std::strcmp(words[1], "high"))
    high(std::strtoull(words[2], nullptr, 10));
  else
    return std::fprintf(stderr, "expected low or high, and how many lines\n"), 2;
}
