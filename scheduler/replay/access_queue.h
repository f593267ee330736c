#pragma once
// Accesses that one warp will make, worked out ahead.
#include <cstdint>
#include <vector>

#include "scheduler/replay/pattern_dictionary.h"
#include "traces/stream/warp_access.h"

namespace warpscope {

/// A warp's cursors are scattered over its work-group's trace, and between two visits of a warp hundreds of
/// others have had their turn: working out several accesses per visit fetches that memory into the cache once
/// for all.
class AccessQueue {
 public:
  static constexpr std::size_t kAccesses = 32;
  static constexpr std::size_t kOffsets =
      256;  ///< of patterns that are not known; may be exceeded by one pattern

  [[nodiscard]] bool empty() const { return next_ == accesses_.size(); }
  [[nodiscard]] std::size_t left() const { return accesses_.size() - next_; }
  [[nodiscard]] bool full() const { return accesses_.size() >= kAccesses || offsets_.size() >= kOffsets; }
  void clear() {
    accesses_.clear();
    offsets_.clear();
    next_ = 0;
    next_offset_ = 0;
  }
  /// Keeps base, pattern and site of `access`.
  void push(const WarpAccess& access);
  /// Gives back what was pushed first; `scratch` holds the pattern if it is not a known one. Not empty.
  void pop(WarpAccess& access, LanePattern& scratch);

 private:
  struct Waiting {
    BufferAddr base;
    const LanePattern* known = nullptr;  ///< null: mask and bounds here, offsets in offsets_
    std::uint32_t pattern_id = 0;
    SiteId site;
    LaneMask mask = 0;
    std::int64_t min_offset = 0, max_offset = 0;
  };
  std::vector<Waiting> accesses_;
  std::vector<std::int64_t> offsets_;
  std::size_t next_ = 0, next_offset_ = 0;
};

}  // namespace warpscope
