// Which lines of an L1 share a set, how many ways a set has, and what it evicts: from the time of single loads, without a profiler.
//   sets cyclic SHARED_BYTES    hits and misses of N lines or sectors that are loaded in turn
//   sets groups SHARED_BYTES    132 lines; of each the lines that share its set, and hits and misses of random loads of these
// One thread of a core loads; lists are read past the L1, results are written by atomics, which leave no line in it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "micro.cuh"

using Word = unsigned;
constexpr int kLineWords = 32;
constexpr int kMissCycles = 110;  // a hit takes about 40 cycles, a miss more than 200

__device__ inline int timed(const Word* at, Word* sink) {
  unsigned before, after;
  Word value;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(before)::"memory");
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  if (value == 0xdeadbeef) atomicAdd(sink, 1);  // waits for the load
  asm volatile("mov.u32 %0, %%clock;" : "=r"(after)::"memory");
  return static_cast<int>(after - before);
}
__device__ inline Word past_l1(const Word* at) {
  Word value;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
__device__ inline void touch(const Word* at, Word* sink) {
  Word value;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  if (value == 0xdeadbeef) atomicAdd(sink, 1);
}

// Bit n of `bits`: access n missed. `histogram`: of the latencies, 8 cycles each.
__global__ void cyclic(const Word* data, int step_words, int places, int rounds, Word* bits, Word* histogram,
                       Word* sink) {
  if (threadIdx.x != 0) return;
  Word word = 0;
  int number = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int place = 0; place < places; ++place, ++number) {
      const int cycles = timed(data + static_cast<long long>(place) * step_words, sink);
      if (cycles > kMissCycles) word |= 1u << (number % 32);
      if (number % 32 == 31) {
        atomicOr(bits + number / 32, word);
        atomicAdd(histogram + min(cycles / 8, 127), 1);
        word = 0;
      }
    }
  }
  atomicOr(bits + number / 32, word);
}

static Word* device_words(std::size_t count) {
  Word* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(Word)), "memory");
  check(cudaMemset(memory, 0, count * sizeof(Word)), "memory");
  return memory;
}
static std::vector<Word> read(const Word* from, std::size_t count) {
  std::vector<Word> words(count);
  check(cudaMemcpy(words.data(), from, count * sizeof(Word), cudaMemcpyDeviceToHost), "read");
  return words;
}

constexpr std::size_t kWords = std::size_t{8} << 20;  // 32 MiB

static Word* aligned_data() {
  Word* memory = device_words(2 * kWords);
  const auto address = reinterpret_cast<std::size_t>(memory), size = kWords * sizeof(Word);
  return reinterpret_cast<Word*>((address + size - 1) / size * size);
}

static void run_cyclic(int shared) {
  Word *data = aligned_data(), *sink = device_words(1);
  std::printf("base,%p\n", static_cast<void*>(data));
  check(cudaFuncSetAttribute(cyclic, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared memory");
  constexpr int kRounds = 10;
  for (int step : {32, 8, 24, 56, 64, 96})
    for (int bytes : {120, 140, 150, 156, 160, 180, 200, 212, 216, 218, 220, 222, 224, 225,
                      230, 235, 240, 244, 246, 249, 251, 254, 256, 257, 260, 280, 311, 352}) {
      if (step == 8 && bytes < 200) continue;
      const int places = step <= 32 ? bytes * 256 / step : bytes * 8;  // of a long step as many lines
      const std::size_t count = static_cast<std::size_t>(places) * kRounds / 32 + 1;
      Word *bits = device_words(count), *histogram = device_words(128);
      cyclic<<<1, 32, shared>>>(data, step, places, kRounds, bits, histogram, sink);
      check(cudaDeviceSynchronize(), "cyclic");
      std::printf("cyclic,%d,%d,%d,%d,", shared, step * 4, places, kRounds);
      for (Word word : read(bits, count)) std::printf("%08x", word);
      std::printf("\nhistogram,%d,%d", step * 4, places);
      const std::vector<Word> counted = read(histogram, 128);
      for (int i = 0; i < 128; ++i)
        if (counted[static_cast<std::size_t>(i)])
          std::printf(",%d:%u", i * 8, counted[static_cast<std::size_t>(i)]);
      std::printf("\n");
      cudaFree(bits);
      cudaFree(histogram);
    }
}

constexpr int kPool = 4096, kMost = 64, kSequence = 2048, kUsed = 12;

// `pool`: line numbers. `list`: scratch of kPool words per block. `found`: count, then lines, of each block. `bits`: of the sequence.
__global__ void groups(const Word* data, const Word* pool, Word* lists, Word* found, Word* bits, Word* sink) {
  if (threadIdx.x != 0) return;
  Word* list = lists + blockIdx.x * kPool;
  Word* mine = found + blockIdx.x * (kMost + 3);
  const Word x = past_l1(pool + kPool + blockIdx.x);
  const Word* at_x = data + static_cast<std::size_t>(x) * kLineWords;
  int count = kPool;
  for (int i = 0; i < kPool; ++i) atomicExch(list + i, past_l1(pool + i));
  __threadfence();

  // Whether the list without [from, to) evicts x.
  auto evicts = [&](int from, int to) {
    touch(at_x, sink);
    touch(at_x, sink);
    for (int i = 0; i < count; ++i) {
      if (i >= from && i < to) continue;
      touch(data + static_cast<std::size_t>(past_l1(list + i)) * kLineWords, sink);
    }
    return timed(at_x, sink) > kMissCycles;
  };
  atomicExch(mine + 1, evicts(0, 0));
  int parts = 12, failures = 0;
  while (count > 4 && failures < 3) {
    bool is_smaller = false;
    if (parts > count) parts = count;
    for (int part = 0; part < parts && !is_smaller; ++part) {
      const int from = static_cast<int>(static_cast<long long>(count) * part / parts),
                to = static_cast<int>(static_cast<long long>(count) * (part + 1) / parts);
      if (from == to || !evicts(from, to)) continue;
      for (int i = to; i < count; ++i) atomicExch(list + from + i - to, past_l1(list + i));
      __threadfence();
      count -= to - from;
      is_smaller = true;
    }
    if (!is_smaller) {
      if (parts == count) break;
      parts = parts * 2 < count ? parts * 2 : count;
      ++failures;
      if (parts == count) failures = 0;
    }
  }
  atomicExch(mine + 2, count);  // the ways, where every other line of the set is needed to evict x
  int stored = 0;
  for (int i = 0; i < count && i < kMost; ++i) atomicExch(mine + 3 + stored++, past_l1(list + i));
  if (count <= 24) {
    // Others of the pool that do the same as the first of the list.
    for (int i = 0; i < kPool && stored < kMost; ++i) {
      const Word candidate = past_l1(pool + i);
      bool is_there = candidate == x;
      for (int j = 0; j < count; ++j) is_there = is_there || past_l1(list + j) == candidate;
      if (is_there) continue;
      touch(at_x, sink);
      touch(at_x, sink);
      touch(data + static_cast<std::size_t>(candidate) * kLineWords, sink);
      for (int j = 1; j < count; ++j)
        touch(data + static_cast<std::size_t>(past_l1(list + j)) * kLineWords, sink);
      if (timed(at_x, sink) > kMissCycles) atomicExch(mine + 3 + stored++, candidate);
    }
  }
  atomicExch(mine, stored);
  __threadfence();
  // Random loads of x and the first lines that share its set.
  const int used = stored + 1 < kUsed ? stored + 1 : kUsed;
  Word state = 12345, word = 0;
  for (int n = 0; n < kSequence; ++n) {
    state = state * 1664525u + 1013904223u;
    const int chosen = static_cast<int>((state >> 16) % static_cast<Word>(used));
    const Word line = chosen == 0 ? x : past_l1(mine + 2 + chosen);
    if (timed(data + static_cast<std::size_t>(line) * kLineWords, sink) > kMissCycles) word |= 1u << (n % 32);
    if (n % 32 == 31) {
      atomicOr(bits + blockIdx.x * (kSequence / 32) + n / 32, word);
      word = 0;
    }
  }
}

static void run_groups(int shared) {
  constexpr int kBlocks = 132;
  Word *data = aligned_data(), *sink = device_words(1), *lists = device_words(kBlocks * kPool);
  Word *found = device_words(kBlocks * (kMost + 3)), *bits = device_words(kBlocks * kSequence / 32);
  std::vector<Word> pool(kPool + kBlocks);
  std::vector<bool> taken(kWords / kLineWords);
  unsigned long long state = 88172645463325252ull;
  for (Word& line : pool) {
    do {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      line = static_cast<Word>(state % (kWords / kLineWords));
    } while (taken[line]);
    taken[line] = true;
  }
  Word* on_device = device_words(pool.size());
  check(cudaMemcpy(on_device, pool.data(), pool.size() * sizeof(Word), cudaMemcpyHostToDevice), "pool");
  check(cudaFuncSetAttribute(groups, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), "shared memory");
  groups<<<kBlocks, 32, shared>>>(data, on_device, lists, found, bits, sink);
  check(cudaDeviceSynchronize(), "groups");
  const std::vector<Word> lines = read(found, kBlocks * (kMost + 3)),
                          missed = read(bits, kBlocks * kSequence / 32);
  std::printf("base,%p\n", static_cast<void*>(data));
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const Word* mine = &lines[block * (kMost + 3)];
    std::printf("group,%d,%u,%u,%u,%u", shared, pool[kPool + block], mine[1], mine[2], mine[0]);
    for (Word i = 0; i < mine[0]; ++i) std::printf(",%u", mine[3 + i]);
    std::printf("\nsequence,%u,", pool[kPool + block]);
    for (std::size_t i = 0; i < kSequence / 32; ++i)
      std::printf("%08x", missed[block * (kSequence / 32) + i]);
    std::printf("\n");
  }
}

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "expected cyclic or groups, and bytes of shared memory\n"), 2;
  if (!std::strcmp(words[1], "cyclic"))
    run_cyclic(std::atoi(words[2]));
  else
    run_groups(std::atoi(words[2]));
  return 0;
}
