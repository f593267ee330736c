// Segmented LRU: lines that were hit since they came in are protected. Karedla, Love, Wherry, Computer 27(3),
// 1994, DOI 10.1109/2.268884; here the protected segment has no size of its own. A line leaves it after some
// victims; when every line of the set is in it, all leave it. An H100 does about so (validation/notes/h100.md).
#include <cstdint>
#include <vector>

#include "cachesim/l1/policy_cache.h"
#include "cachesim/l1/slru_rule.h"

namespace warpscope {
namespace {

class Slru {
 public:
  explicit Slru(const PolicyGeometry& geometry)
      : ways_(geometry.ways), lines_(std::size_t{geometry.sets} * geometry.ways) {}
  void reset() { lines_.assign(lines_.size(), {}); }
  void on_hit(const Reference& reference) {
    Line& line = row(reference)[reference.way.value()];
    line = {++clock_, reference.goes_on ? line.protection : SlruRule::kProtection};
  }
  void on_fill(const Reference& reference) { row(reference)[reference.way.value()] = {++clock_, 0}; }
  void on_remove(const Reference& reference) { row(reference)[reference.way.value()] = {}; }
  /// Of the lines that are there; the set has one.
  WayIndex victim(const Reference& reference) { return WayIndex(SlruRule::victim(row(reference), ways_)); }

 private:
  struct Line {
    std::uint64_t last_use = 0;
    std::uint8_t protection = 0;
  };
  Line* row(const Reference& reference) { return &lines_[std::size_t{reference.set.value()} * ways_]; }

  std::uint32_t ways_;
  std::uint64_t clock_ = 0;
  std::vector<Line> lines_;  ///< [set][way]
};

}  // namespace

WARPSCOPE_REPLACEMENT(slru, Slru)

}  // namespace warpscope
