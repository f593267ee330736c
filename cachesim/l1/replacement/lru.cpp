// Least recently used. A clock counts uses; the way with the oldest stamp goes. With four ways and line
// numbers that fit, recency_cache.h keeps the tags themselves in order of use, which is several times faster;
// with many ways or with sectors, list_cache.h finds lines by hash. All give the same results.
#include "cachesim/l1/list_cache.h"
#include "cachesim/l1/policy_cache.h"
#include "cachesim/l1/recency_cache.h"
#include "cachesim/l1/replacement/time_stamps.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kFewWays = 16;  // beyond it, a search costs more than a hash table

class Lru : public TimeStamps {
 public:
  using TimeStamps::TimeStamps;
  void on_hit(const Reference& reference) { on_fill(reference); }
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
