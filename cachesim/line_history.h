#pragma once
// What is remembered of every line since a launch began: never referenced, removed by a store, referenced, or
// when it was referenced last. Numbers live in pages of neighbouring lines that a hash table finds, so memory
// follows the lines touched: 4 bytes per line of a dense buffer, at most a page for a line without
// neighbours.
#include <cstdint>
#include <span>
#include <vector>

#include "cachesim/huge_pages.h"
#include "cachesim/transaction.h"

namespace warpscope {

class LineHistory {
 public:
  using Time = std::uint32_t;

  LineHistory() { clear(); }
  /// Where the numbers of the transactions' lines are, for all(); stays the same until clear(). A line seen
  /// for the first time has the number 0. Throws InputError beyond 2^32 lines.
  void find(std::span<const Transaction> transactions, std::uint32_t* places);
  /// The numbers by place. Valid until the next find().
  std::span<Time> all() { return times_; }
  void clear();

 private:
  static constexpr int kPageBits = 6;
  static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t page = kNoPage;
    std::uint32_t first = 0;  ///< place of the page's first line
  };
  /// Neighbouring pages get neighbouring slots, so that dense buffers have no collisions; the upper bits
  /// spread pages that are a power of two apart.
  static std::size_t home(std::uint64_t page, int bits) {
    return (page ^ (page >> bits)) & ((std::uint64_t{1} << bits) - 1);
  }
  std::uint32_t find_or_add(std::uint64_t page);
  std::uint32_t add(std::uint64_t page, std::size_t slot);
  void grow();

  std::vector<Time, HugePageAllocator<Time>> times_;
  std::vector<Slot> slots_;
  int bits_ = 0;  ///< log2 of the number of slots
};

}  // namespace warpscope
