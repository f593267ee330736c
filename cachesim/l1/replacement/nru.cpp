// Not recently used: a bit per line. Jaleel, Theobald, Steely, Emer, ISCA 2010, DOI 10.1145/1815961.1815971,
// section 2, who describe it as hardware has it: a use or a fill clears the line's nru bit; the victim is the
// lowest way whose bit is set; if there is none, all bits are set and the search starts again.
#include <algorithm>

#include "cachesim/l1/policy_cache.h"

namespace warpscope {
namespace {

class Nru {
 public:
  explicit Nru(const PolicyGeometry& geometry)
      : ways_(geometry.ways), not_recent_(std::size_t{geometry.sets} * geometry.ways, 1) {}
  void reset() { std::fill(not_recent_.begin(), not_recent_.end(), std::uint8_t{1}); }
  void on_hit(const Reference& reference) { row(reference)[reference.way.value()] = 0; }
  void on_fill(const Reference& reference) { row(reference)[reference.way.value()] = 0; }
  void on_remove(const Reference& reference) { row(reference)[reference.way.value()] = 1; }
  WayIndex victim(const Reference& reference) {
    std::uint8_t* bits = row(reference);
    std::uint8_t* found = std::find(bits, bits + ways_, std::uint8_t{1});
    if (found == bits + ways_) {
      std::fill_n(bits, ways_, std::uint8_t{1});
      found = bits;
    }
    return WayIndex(static_cast<std::uint32_t>(found - bits));
  }

 private:
  std::uint8_t* row(const Reference& reference) {
    return &not_recent_[std::size_t{reference.set.value()} * ways_];
  }
  std::uint32_t ways_;
  std::vector<std::uint8_t> not_recent_;  ///< [set][way]
};

}  // namespace

WARPSCOPE_REPLACEMENT(nru, Nru)

}  // namespace warpscope
