#pragma once
// The cache while a launch runs, where it is not the same for all.
#include <functional>

#include "cachesim/l1/cache_config.h"

namespace warpscope {

struct LaunchInfo;

/// The cache of a launch; differs from the usual one in size and ways only. Null: the cache is always the same.
using LaunchCache = std::function<CacheConfig(const LaunchInfo&)>;

}  // namespace warpscope
