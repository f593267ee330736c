#pragma once
// Classes of hits and evictions of one core by the previous accessor of the line.
//
//   hit       previous accessor of the line (with sectors: of the sector), seen from who hits; of the line, if a store
//             hits by line and nobody has accessed the sector
//   eviction  previous accessor of the line, seen from who brings in the other line; a store that removes a line
//             evicts it itself
// An access is a transaction that hit or brought something in. Transactions that bypass the L1, and store misses that
// do not allocate, are none.
#include <array>
#include <unordered_map>

#include "cachesim/counters/counts.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/transactions/accessor.h"

namespace warpscope {

class ReuseBySource {
 public:
  explicit ReuseBySource(int sector_shift) : sector_shift_(sector_shift) {}
  /// The events and victims of a batch as the cache left them, and who made each transaction. Adds to
  /// `counts`, by origin.
  void process(const CacheBatch& batch, std::span<const Accessor> accessors,
               std::vector<SourceCounts>& counts);
  /// The caches were emptied.
  void clear() { lines_.clear(); }
  /// What follows belongs to another launch, whose work-groups are others.
  void next_launch() { ++launch_; }

 private:
  struct Touch {
    Accessor who;
    std::uint32_t launch = 0;
  };
  struct Line {
    Touch last;
    std::array<Touch, 8> sectors;  ///< last accesses, indexed by place in the line
    std::uint8_t touched = 0;      ///< mask of the sectors that were accessed
  };
  [[nodiscard]] PreviousAccessor class_of(const Touch& now, const Touch& before) const {
    return now.launch != before.launch ? PreviousAccessor::OtherWorkGroup
                                       : previous_accessor(now.who, before.who);
  }

  int sector_shift_;
  std::uint32_t launch_ = 0;
  std::unordered_map<std::uint64_t, Line> lines_;  ///< the lines in the cache
};

}  // namespace warpscope
