// Segmented LRU: lines that were hit since they came in are protected. Karedla, Love, Wherry, Computer 27(3),
// 1994, DOI 10.1109/2.268884; here the protected segment has no size of its own: when every line of the set is in
// it, the one unused for longest goes, and the others leave it. An H100 does so (docs/validation/h100.md).
#include <cstdint>
#include <vector>

#include "cachesim/l1/policy_cache.h"

namespace warpscope {
namespace {

class Slru {
 public:
  explicit Slru(const PolicyGeometry& geometry)
      : ways_(geometry.ways), lines_(std::size_t{geometry.sets} * geometry.ways) {}
  void reset() { lines_.assign(lines_.size(), {}); }
  void on_hit(const Reference& reference) {
    Line& line = row(reference)[reference.way.value()];
    line = {++clock_, line.is_protected || !reference.goes_on};
  }
  void on_fill(const Reference& reference) { row(reference)[reference.way.value()] = {++clock_, false}; }
  void on_remove(const Reference& reference) { row(reference)[reference.way.value()] = {}; }
  /// Of the lines that are there; the set has one.
  WayIndex victim(const Reference& reference) {
    Line* const lines = row(reference);
    const std::uint32_t found = oldest(lines, false);
    if (found != kNone) return WayIndex(found);
    const std::uint32_t way = oldest(lines, true);
    for (std::uint32_t other = 0; other < ways_; ++other) lines[other].is_protected = false;
    return WayIndex(way);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Line {
    std::uint64_t used = 0;  ///< by the clock; 0: nothing is there
    bool is_protected = false;
  };
  [[nodiscard]] std::uint32_t oldest(const Line* lines, bool is_protected) const {
    std::uint32_t found = kNone;
    for (std::uint32_t way = 0; way < ways_; ++way) {
      const Line& line = lines[way];
      if (line.used != 0 && line.is_protected == is_protected &&
          (found == kNone || line.used < lines[found].used))
        found = way;
    }
    return found;
  }
  Line* row(const Reference& reference) { return &lines_[std::size_t{reference.set.value()} * ways_]; }

  std::uint32_t ways_;
  std::uint64_t clock_ = 0;
  std::vector<Line> lines_;  ///< [set][way]
};

}  // namespace

WARPSCOPE_REPLACEMENT(slru, Slru)

}  // namespace warpscope
