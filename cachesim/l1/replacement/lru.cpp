// Least recently used. A clock counts uses; the way with the oldest stamp goes. With four ways and line
// numbers that fit, recency_cache.h keeps the tags themselves in order of use, which is several times faster;
// with many ways or with sectors, list_cache.h finds lines by hash. All give the same results.
#include <algorithm>

#include "cachesim/l1/list_cache.h"
#include "cachesim/l1/policy_cache.h"
#include "cachesim/l1/recency_cache.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kFewWays = 16;  // beyond it, a search costs more than a hash table

class Lru {
 public:
  explicit Lru(const PolicyGeometry& geometry)
      : ways_(geometry.ways), last_use_(std::size_t{geometry.sets} * geometry.ways) {}
  void reset() { std::fill(last_use_.begin(), last_use_.end(), 0); }
  void on_hit(const Reference& reference) { row(reference)[reference.way.value()] = ++clock_; }
  void on_fill(const Reference& reference) { row(reference)[reference.way.value()] = ++clock_; }
  void on_remove(const Reference&) {}
  WayIndex victim(const Reference& reference) {
    const std::uint64_t* stamps = row(reference);
    return WayIndex(static_cast<std::uint32_t>(std::min_element(stamps, stamps + ways_) - stamps));
  }

 private:
  std::uint64_t* row(const Reference& reference) {
    return &last_use_[std::size_t{reference.set.value()} * ways_];
  }
  std::uint32_t ways_;
  std::uint64_t clock_ = 0;
  std::vector<std::uint64_t> last_use_;
};

}  // namespace

std::unique_ptr<L1Cache> make_cache_lru(const L1CacheOptions& options) {
  if (!options.names_victims && RecencyCache::fits(options)) return std::make_unique<RecencyCache>(options);
  if (options.config.ways > kFewWays || options.config.sector_shift() != 0)
    return std::make_unique<ListCache>(options);
  return std::make_unique<PolicyCache<Lru>>(options);
}
std::unique_ptr<AnyReplacement> make_policy_lru(const PolicyGeometry& geometry) {
  return std::make_unique<ErasedReplacement<Lru>>(geometry);
}

}  // namespace warpscope
