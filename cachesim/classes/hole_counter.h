#pragma once
// Counts the marked times up to a time, and marks times: a bit per time, and over the bits a tree of counters
// whose nodes fill one cache line of the host. Counter k of a node holds the marks of its children before
// child k, so a count reads one counter per level and a mark changes one node per level, without a branch:
// with 2^26 times five nodes, where a binary indexed tree would touch some twenty scattered counters.
#include <array>
#include <cstdint>
#include <vector>

#include "cachesim/classes/huge_pages.h"

namespace warpscope {

class HoleCounter {
 public:
  static constexpr std::uint64_t kMaxTimes = std::uint64_t{1} << 31;

  /// No time below `times` is marked. `times` is a multiple of 2048, at most kMaxTimes.
  void reset(std::uint64_t times);
  /// Marked times up to and including `time`.
  [[nodiscard]] std::uint64_t count(std::uint32_t time) const;
  /// The same before, and then marks `time`, which was not marked.
  std::uint64_t count_and_mark(std::uint32_t time);
  /// Brings near what count_and_mark(time) needs.
  void prefetch(std::uint32_t time) const {
    __builtin_prefetch(&bits_[time / kBits], 1);
    __builtin_prefetch(&leaves_[time / kTimesPerLeaf], 1);
  }

 private:
  static constexpr std::uint32_t kBits = 64;
  static constexpr std::uint32_t kLeafFan = 32, kFan = 16;
  static constexpr std::uint32_t kTimesPerLeaf = kBits * kLeafFan;
  struct alignas(64) Leaf {
    std::array<std::uint16_t, kLeafFan> before{};  ///< holes before each word, at most 31 * 64
  };
  struct alignas(64) Node {
    std::array<std::uint32_t, kFan> before{};
  };

  std::vector<std::uint64_t, HugePageAllocator<std::uint64_t>> bits_;
  std::vector<Leaf, HugePageAllocator<Leaf>> leaves_;
  std::vector<std::vector<Node>> levels_;  ///< from the level above the leaves up to a single node
};

}  // namespace warpscope
