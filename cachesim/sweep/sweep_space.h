#pragma once
// Which caches a sweep has: every combination of what was listed that makes a cache.
#include <optional>

#include "cachesim/l1/cache_config.h"
#include "cachesim/sweep/number_list.h"

namespace warpscope {

/// Two of sizes, ways and sets give the third; of all three, the combinations that fit.
struct SweepSpace {
  std::vector<NumberItem> sizes_kib, ways, sets, lines;
  std::vector<NumberItem> sectors;  ///< 0 or the line's size = no sectors
  std::vector<std::string> indexes, replacements, writes;
  std::string private_write;  ///< policy of stores to private memory; empty = the same as other stores
  std::uint64_t seed = 1;
};

struct SweepConfigurations {
  std::vector<CacheConfig> caches;  ///< sorted by line, sector, index, replacement, write policy, sets, ways
  std::uint64_t refused = 0;        ///< combinations that make no cache
  std::string why;                  ///< reason of the first refusal
};

constexpr std::size_t kMostSweepCaches = 100'000;

/// Throws InputError when sizes, ways and sets do not determine a cache, when something listed occurs in no
/// cache at all (saying why for one), when there is none, or when there are more than kMostSweepCaches.
SweepConfigurations expand(const SweepSpace& space);

}  // namespace warpscope
