#pragma once
// Exact reuse distances: how many distinct lines were touched since the last touch of the same line.
//
// Every touch has a time. The last touch of every line is remembered in a hash table; times that are no
// longer anybody's last touch are holes. Lines touched after time t = lines known − (t + 1 − holes up to t),
// and HoleCounter counts holes in O(log n). (The idea of Bennett and Kruskal, LRU Stack Processing, IBM J.
// Res. Dev. 19(4), 1975, DOI 10.1147/rd.194.0353.) When the times run out, holes are squeezed out and the
// rest renumbered; times are kept at four times the lines known or more, so that costs less than one step per
// touch. Memory: about 20 to 40 bytes per distinct line.
#include <cstdint>
#include <vector>

#include "cachesim/hole_counter.h"
#include "cachesim/huge_pages.h"
#include "traces/types.h"

namespace warpscope {

class ReuseDistance {
 public:
  static constexpr std::uint64_t kCold = ~std::uint64_t{0};

  ReuseDistance() { clear(); }
  /// Distance in distinct lines (0 = touched again at once), kCold for a first touch.
  std::uint64_t touch(LineAddr line);
  /// Brings near what a touch of the line needs: first its entry, and when that has come, some touches later,
  /// what the entry's time needs. Both are advice.
  void prefetch_entry(LineAddr line) const { __builtin_prefetch(&slots_[home(line.value())], 1); }
  void prefetch_time(LineAddr line) const {
    const Slot& slot = slots_[home(line.value())];
    if (slot.line_plus_one == line.value() + 1) holes_.prefetch(slot.time);
  }
  void clear();

 private:
  struct Slot {
    std::uint64_t line_plus_one = 0;  ///< 0 = free
    std::uint32_t time = 0;
  };
  [[nodiscard]] std::size_t home(std::uint64_t line) const {
    return (line * 0x9E3779B97F4A7C15ull) >> shift_;
  }
  void renumber();
  void grow_slots();

  std::vector<Slot, HugePageAllocator<Slot>> slots_;
  int shift_ = 0;
  std::uint64_t known_ = 0;  ///< distinct lines
  std::uint64_t now_ = 0;
  std::uint64_t times_ = 0;  ///< now_ stays below
  HoleCounter holes_;
};

}  // namespace warpscope
