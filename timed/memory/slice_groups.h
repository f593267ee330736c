#pragma once
// Slices of an L2 that nothing connects, so that several threads can serve them at the same time.
#include <cstdint>
#include <vector>

#include "timed/config/config.h"

namespace warpscope::timed {

/// By slice the number of its group, 0 … groups - 1. A group has all slices that share a DRAM channel or keep copies of the same lines;
/// where cores share a cache before the L2, which waits for any slice, all are one group.
std::vector<std::uint32_t> slice_groups(const MemoryConfig& config);

}  // namespace warpscope::timed
