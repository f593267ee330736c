#pragma once
// Exact reuse distances: how many distinct lines were touched since the last touch of the same line.
//
// Every touch has a time. The last touch of every line is remembered in a hash table; times that are no
// longer anybody's last touch are holes. Lines touched after time t = lines known − (t + 1 − holes up to t),
// and a Fenwick tree over words of 64 times counts holes in O(log n). (The idea of Bennett and Kruskal, LRU
// Stack Processing, IBM J. Res. Dev. 19(4), 1975, DOI 10.1147/rd.194.0353.) When the times run out, holes are
// squeezed out and the rest renumbered; times are kept at four times the lines known or more, so that costs
// less than one step per touch. Memory: about 16 to 40 bytes per distinct line.
#include <cstdint>
#include <vector>

#include "traces/types.h"

namespace warpscope {

class ReuseDistance {
 public:
  static constexpr std::uint64_t kCold = ~std::uint64_t{0};

  ReuseDistance() { clear(); }
  /// Distance in distinct lines (0 = touched again at once), kCold for a first touch.
  std::uint64_t touch(LineAddr line);
  /// Brings the line's entry near; to be called some touches ahead.
  void prefetch(LineAddr line) const;
  void clear();

 private:
  struct Slot {
    std::uint64_t line_plus_one = 0;  ///< 0 = free
    std::uint32_t time = 0;
  };
  [[nodiscard]] std::size_t home(std::uint64_t line) const {
    return (line * 0x9E3779B97F4A7C15ull) >> shift_;
  }
  [[nodiscard]] std::uint64_t holes_up_to(std::uint32_t time) const;
  void make_hole(std::uint32_t time);
  void renumber();
  void grow_slots();
  void set_times(std::uint64_t times);

  std::vector<Slot> slots_;
  int shift_ = 0;
  std::uint64_t known_ = 0;  ///< distinct lines
  std::uint64_t now_ = 0;
  std::uint64_t times_ = 0;               ///< now_ stays below
  std::vector<std::uint64_t> holes_;      ///< one bit per time
  std::vector<std::uint32_t> hole_tree_;  ///< Fenwick tree over the words of holes_, 1-based
};

}  // namespace warpscope
