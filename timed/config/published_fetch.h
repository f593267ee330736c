#pragma once
// What is published of the caches from which instructions and constants come.
#include <string_view>

#include "timed/config/fetch_times.h"

namespace warpscope::timed {

/// Zero bytes: not known. `l2_cycles`: from a miss of a core's caches to data of the L2.
FetchTimes published_fetch(std::string_view compute_capability, std::uint32_t l2_cycles);

}  // namespace warpscope::timed
