#pragma once
// Classes of hits and evictions of one core by who used the line before.
//
//   hit       who touched the line (with sectors: the sector) last, seen from who hits; who touched the line last if a
//             store hits by line and nobody touched the sector
//   eviction  who touched the line last, seen from who brings in the other line; a store that removes a line
//             evicts it itself
// A touch is a transaction that hit or brought something in. What passes by, and store misses that do not
// allocate, touch nothing.
#include <array>
#include <unordered_map>

#include "cachesim/counters/counts.h"
#include "cachesim/l1/l1_cache.h"
#include "cachesim/transactions/toucher.h"

namespace warpscope {

class ReuseByWhom {
 public:
  explicit ReuseByWhom(int sector_shift) : sector_shift_(sector_shift) {}
  /// The events and victims of a batch as the cache left them, and who made each transaction. Adds to
  /// `counts`, by origin.
  void process(const CacheBatch& batch, std::span<const Toucher> touchers, std::vector<WhomCounts>& counts);
  /// The caches were emptied.
  void clear() { lines_.clear(); }
  /// What follows belongs to another launch, whose work-groups are others.
  void next_launch() { ++launch_; }

 private:
  struct Touch {
    Toucher who;
    std::uint32_t launch = 0;
  };
  struct Line {
    Touch last;
    std::array<Touch, 8> sectors;  ///< by place in the line
    std::uint8_t touched = 0;      ///< which of them were
  };
  [[nodiscard]] Whom class_of(const Touch& now, const Touch& before) const {
    return now.launch != before.launch ? Whom::OtherWorkGroup : whom(now.who, before.who);
  }

  int sector_shift_;
  std::uint32_t launch_ = 0;
  std::unordered_map<std::uint64_t, Line> lines_;  ///< those in the cache
};

}  // namespace warpscope
