#include "timed/memory/slice_groups.h"

#include <algorithm>
#include <numeric>

namespace warpscope::timed {

std::vector<std::uint32_t> slice_groups(const MemoryConfig& config) {
  const std::uint32_t slices = config.l2_slices, of_part = slices / config.l2_partitions;
  if (config.shared_l1.size_kib != 0) return std::vector<std::uint32_t>(slices, 0);
  std::vector<std::uint32_t> lowest(slices);  // slice of the group, in the end
  std::iota(lowest.begin(), lowest.end(), 0u);
  const auto channel_of = [&](std::uint32_t slice) { return slice * config.dram_channels / slices; };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t a = 0; a < slices; ++a)
      for (std::uint32_t b = a + 1; b < slices; ++b) {
        if (a % of_part != b % of_part && channel_of(a) != channel_of(b)) continue;
        const std::uint32_t both = std::min(lowest[a], lowest[b]);
        changed = changed || lowest[a] != both || lowest[b] != both;
        lowest[a] = lowest[b] = both;
      }
  }
  std::vector<std::uint32_t> groups = lowest;
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  for (std::uint32_t& slice : lowest)
    slice =
        static_cast<std::uint32_t>(std::lower_bound(groups.begin(), groups.end(), slice) - groups.begin());
  return lowest;
}

}  // namespace warpscope::timed
