#pragma once
// What the L1s of a core do to the lines of its warps, for issue policies that ask for it (WatchesL1).
#include <cstdint>
#include <vector>

#include "timed/memory/l1.h"

namespace warpscope::timed {

struct L1Event {
  enum class Kind : std::uint8_t {
    Missed,   ///< `warp` looked up a line that was not there, nor on its way
    Evicted,  ///< a line left that `warp` had brought in
  };
  Kind kind = Kind::Missed;
  std::uint32_t warp = 0;  ///< number on the core
  LineAddr line;
};

class L1Watch {
 public:
  /// For `units` L1s.
  explicit L1Watch(std::size_t units);

  /// A look-up of `line` by `warp` in the L1 of `unit`. A warp that misses owns the line until it leaves; where the line
  /// takes its place only with its data, the last one that missed it.
  void looked_up(std::size_t unit, std::uint32_t warp, LineAddr line, const L1Outcome& outcome);
  /// Data came to the L1 of `unit`, for which a line may have left.
  void filled(std::size_t unit, const L1Outcome& outcome);
  /// In order; whoever has dealt with them empties it.
  std::vector<L1Event>& events() { return events_; }

 private:
  void evicted(LineTable& owners, LineAddr victim);

  std::vector<LineTable> owners_;  ///< indexed by unit: line → warp
  std::vector<L1Event> events_;
};

}  // namespace warpscope::timed
