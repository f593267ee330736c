#include "cachesim/transactions/outside_costs.h"

#include <algorithm>
#include <numeric>

namespace warpscope {

const BankPasses& LocalBanks::passes(const WarpAccess& access, const AccessSite& site,
                                     std::uint32_t warp_size) {
  const std::uint64_t residue = access.base.offset() & (bank_period(rules_) - 1);
  const auto [entry, fresh] = remembered_.at(access.pattern_id, residue, site.shape);
  if (!fresh) return entry;
  const std::uint32_t bytes = instruction_width(site.width, site.alignment);
  entry.degrees.clear();
  for (std::uint32_t i = 0; i < site.instructions; ++i) {
    addresses_.clear();
    for (std::uint32_t lane = 0; lane < access.pattern->lanes; ++lane)
      addresses_.push_back(access.base.offset() + static_cast<std::uint64_t>(access.pattern->offset[lane]) +
                           std::uint64_t{i} * bytes);
    bank_degrees({access.pattern->mask, addresses_, bytes, warp_size}, rules_, entry.degrees);
  }
  entry.cycles = std::accumulate(entry.degrees.begin(), entry.degrees.end(), std::uint32_t{0});
  return entry;
}

std::uint32_t distinct_addresses(const LanePattern& pattern) {
  auto offset = pattern.offset;
  const auto end = offset.begin() + pattern.lanes;
  std::sort(offset.begin(), end);
  return static_cast<std::uint32_t>(std::unique(offset.begin(), end) - offset.begin());
}

}  // namespace warpscope
