#pragma once
// Exact reuse distances: how many distinct lines were touched since the last touch of the same line.
//
// Every touch has a time. The last touch of every line is remembered in a table; times that are no longer
// anybody's last touch are holes. Lines touched after time t = lines known − (t + 1 − holes up to t), and
// HoleCounter counts holes in O(log n). (The idea of Bennett and Kruskal, LRU Stack Processing, IBM J. Res.
// Dev. 19(4), 1975, DOI 10.1147/rd.194.0353.) When the times run out, holes are squeezed out and the rest
// renumbered; times are kept at four times the lines known or more, so that costs less than one step per
// touch. Memory: 5 to 10 bytes per distinct line if lines are in buffers, 40 to 80 if they are
// scattered over the whole address space, and up to 64 MiB more.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cachesim/classes/hole_counter.h"
#include "cachesim/classes/line_table.h"
#include "traces/base/types.h"

namespace warpscope {

class ReuseDistance {
 public:
  static constexpr std::uint64_t kCold = ~std::uint64_t{0};

  ReuseDistance() { clear(); }
  /// Touches lines in their order. Writes, for each, its distance in distinct lines (0 = touched again at
  /// once), kCold for a first touch. `distances` is as long as `lines`.
  void touch(std::span<const LineAddr> lines, std::span<std::uint64_t> distances);
  std::uint64_t touch(LineAddr line) {
    std::uint64_t distance = 0;
    touch({&line, 1}, {&distance, 1});
    return distance;
  }
  void clear();

 private:
  static constexpr std::uint32_t kNever = 0;
  /// Entries of the table that may be empty: 64 MiB.
  static constexpr std::size_t kFreeEntries = std::size_t{1} << 24;
  /// Lines whose table entries are brought near together: few enough to stay near until they are used.
  static constexpr std::size_t kBlock = 64;

  void touch_block(std::span<const LineAddr> lines, std::uint64_t* distances);
  std::uint64_t touch_entry(std::uint32_t& entry);
  void renumber();

  LineTable<std::uint32_t> last_{
      {.free_entries = kFreeEntries}};  ///< time of a line's last touch plus 1, kNever
  std::uint64_t known_ = 0;             ///< distinct lines
  std::uint64_t now_ = 0;
  std::uint64_t times_ = 0;  ///< now_ stays below
  HoleCounter holes_;
};

}  // namespace warpscope
