// Segmented LRU: lines that were hit since they came in are protected. Karedla, Love, Wherry, Computer 27(3),
// 1994, DOI 10.1109/2.268884; here the protected segment has no size of its own. A line leaves it after some
// victims; when every line of the set is in it, all leave it. An H100 does about so (validation/notes/h100.md).
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
    line = {++clock_, reference.goes_on ? line.protection : kProtection};
  }
  void on_fill(const Reference& reference) { row(reference)[reference.way.value()] = {++clock_, 0}; }
  void on_remove(const Reference& reference) { row(reference)[reference.way.value()] = {}; }
  /// Of the lines that are there; the set has one.
  WayIndex victim(const Reference& reference) {
    Line* const lines = row(reference);
    const std::uint32_t found = oldest(lines);
    for (std::uint32_t way = 0; way < ways_; ++way)
      lines[way].protection = found == kNone || lines[way].protection == 0 ? 0 : lines[way].protection - 1;
    return WayIndex(found != kNone ? found : oldest(lines));
  }

 private:
  /// 120 of 132 lines that were loaded twice survived 4,096 others. Three simulated draws with 8 have 111 to 119 of them, with 9
  /// 120 to 126, with 10 124 to 131.
  static constexpr std::uint32_t kProtection = 9;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Line {
    std::uint64_t used = 0;        ///< clock of the last use; 0: the way is empty
    std::uint32_t protection = 0;  ///< victims that it still sees go before it can
  };
  [[nodiscard]] std::uint32_t oldest(const Line* lines) const {
    std::uint32_t found = kNone;
    for (std::uint32_t way = 0; way < ways_; ++way) {
      const Line& line = lines[way];
      if (line.used != 0 && line.protection == 0 && (found == kNone || line.used < lines[found].used))
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
