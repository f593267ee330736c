#include "cachesim/transactions/access_path.h"

#include <bit>

namespace warpscope {

L1Takes taken_of(const KernelInfo& kernel, L1Takes takes) {
  if (takes != L1Takes::PrivateOrReadOnly) return takes;
  const auto is_private = [](const SiteInfo& site) { return site.space == AddressSpace::Private; };
  return std::any_of(kernel.sites.begin(), kernel.sites.end(), is_private) ? L1Takes::PrivateMemory
                                                                           : L1Takes::ReadOnlyLoads;
}

PlannedDestination planned_destination(const SiteInfo& site, L1Takes takes) {
  if (site.space == AddressSpace::Local) return {Destination::Local, Destination::Local};
  if (site.space == AddressSpace::Constant) return {Destination::Constant, Destination::Constant};
  const bool may = site.kind != AccessKind::Atomic && !site.is_volatile && !site.is_bypass;
  const auto where = [&](bool is_taken) { return may && is_taken ? Destination::L1 : Destination::Bypass; };
  const Destination in_private = where(takes == L1Takes::Everything || takes == L1Takes::PrivateMemory ||
                                       takes == L1Takes::PrivateAndReadOnly);
  if (site.space == AddressSpace::Private) return {in_private, in_private};
  const bool takes_read_only = takes == L1Takes::ReadOnlyLoads || takes == L1Takes::PrivateAndReadOnly;
  const Destination elsewhere = where(takes_global(takes) || (takes_read_only && site.is_read_only));
  return {site.space == AddressSpace::Generic ? in_private : elsewhere, elsewhere};
}

AccessSite::AccessSite(const SiteInfo& info, L1Takes takes)
    : kind(info.kind),
      planned(planned_destination(info, takes)),
      width(info.width),
      alignment(std::has_single_bit(info.alignment) ? info.alignment : 1),
      instructions(instruction_count(width, alignment)),
      shape(width << 8 | static_cast<std::uint32_t>(std::countr_zero(alignment))) {}

AccessPath::AccessPath(const AccessRules& rules)
    : rule_(rules.coalescing),
      transaction_bytes_(rules.transaction_bytes),
      residue_mask_(coalescing_period(rule_, rules.line_bytes) - 1) {
  if (!rules.stages) return;
  stages_.emplace(*rules.stages, rule_);
  residue_mask_ = std::max<std::uint64_t>(residue_mask_, stages_->period() - 1);
}

void AccessPath::begin(const StreamHeader& header) {
  warp_size_ = header.warp_size;
  memory_ = AccessMemory(header);
}

void AccessPath::begin_launch(const LaunchInfo& launch) {
  origins_.clear();
  memory_.begin_launch(launch);
}

void AccessPath::coalesce(const LaneAccesses& lanes) {
  lines_.clear();
  warpscope::coalesce(lanes, rule_, transaction_bytes_, lines_);
}

LaneAccesses AccessPath::coalesce_at(const WarpAccess& access, const AccessSite& site,
                                     std::uint64_t address) {
  const LanePattern& pattern = *access.pattern;
  addresses_.resize(pattern.lanes);
  for (std::uint32_t i = 0; i < pattern.lanes; ++i)
    addresses_[i] = address + static_cast<std::uint64_t>(pattern.offset[i]);
  const LaneAccesses lanes{pattern.mask, addresses_, site.width, site.alignment, warp_size_};
  coalesce(lanes);
  return lanes;
}

LaneAccesses AccessPath::coalesce_scattered(const WarpAccess& access, const AccessSite& site) {
  collect(access, 0);
  const LaneAccesses lanes{access.pattern->mask, addresses_, site.width, site.alignment, warp_size_};
  coalesce(lanes);
  return lanes;
}

/// Addresses of the byte `at` of each lane.
void AccessPath::collect(const WarpAccess& access, std::uint32_t at) {
  addresses_.clear();
  LaneMask mask = access.pattern->mask;
  for (std::uint32_t i = 0; i < access.pattern->lanes; ++i, mask &= mask - 1) {
    const LaneId lane(static_cast<std::uint32_t>(std::countr_zero(mask)));
    const BufferAddr where(access.base.key() + static_cast<std::uint64_t>(access.pattern->offset[i]) + at);
    addresses_.push_back(memory_.address(access, lane, where));
  }
}

LaneAccesses AccessPath::coalesce_private_word(const WarpAccess& access, std::uint32_t at, bool begins) {
  if (begins) looked_up_.clear();
  collect(access, at);
  coalesce({access.pattern->mask, addresses_, 1, 1, warp_size_});
  std::erase_if(lines_, [&](const CoalescedLine& line) {
    return std::find(looked_up_.begin(), looked_up_.end(), line.line) != looked_up_.end();
  });
  for (const CoalescedLine& line : lines_) looked_up_.push_back(line.line);
  return {access.pattern->mask, addresses_, 1, 1, warp_size_};
}

}  // namespace warpscope
