#include "traces/races/race_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace warpscope {
namespace {

constexpr std::uint32_t kNoEvent = ~std::uint32_t{0};

bool may_be_local(const SiteInfo& site) {
  return has_address(site.kind) && (site.space == AddressSpace::Local || site.space == AddressSpace::Generic);
}

RaceKind race_kind(const SiteInfo& site) {
  if (site.kind == AccessKind::Store) return RaceKind::Store;
  if (site.kind == AccessKind::Atomic) return RaceKind::Atomic;
  return site.is_volatile ? RaceKind::VolatileLoad : RaceKind::Load;
}

bool is_inside_loop(const KernelInfo& kernel, std::optional<std::uint32_t> inner, std::uint32_t outer) {
  for (; inner; inner = kernel.loops[*inner].parent) {
    if (*inner == outer) return true;
  }
  return false;
}

/// A load or atomic for which a work-item waits in a loop: a lock or a flag, which orders accesses in ways that no
/// trace shows. Only kernels whose work-items ran independently of each other can wait.
const SiteInfo* waits_for(const KernelInfo& kernel) {
  if (!kernel.independent_threads) return nullptr;
  for (const BlockInfo& block : kernel.blocks) {
    if (!block.loop) continue;
    const bool leaves = std::any_of(block.successors.begin(), block.successors.end(), [&](BlockId next) {
      return !is_inside_loop(kernel, kernel.blocks[next.value()].loop, *block.loop);
    });
    if (!leaves) continue;
    for (const SiteId id : block.branch_from) {
      const SiteInfo& site = kernel.sites[id.value()];
      if (site.kind == AccessKind::Atomic || site.is_volatile) return &site;
    }
  }
  return nullptr;
}

}  // namespace

bool is_of_group(const SiteInfo& site) {
  return has_address(site.kind) && site.operation.ends_with("group");
}

RacePlan::RacePlan(const KernelInfo& kernel, Spaces spaces) {
  std::vector<std::uint32_t> index_of(kernel.sites.size(), kNoEvent);
  granule = 16;
  for (std::uint32_t id = 0; id < kernel.sites.size(); ++id) {
    const SiteInfo& site = kernel.sites[id];
    if (spaces == Spaces::All ? !has_address(site.kind) : !may_be_local(site)) continue;
    index_of[id] = static_cast<std::uint32_t>(sites.size());
    sites.push_back({SiteId(id), race_kind(site), site.width});
    granule = std::min({granule, site.alignment, site.width & -site.width});
  }
  for (std::uint32_t id = 0; id < kernel.sites.size(); ++id) {
    if (!kernel.sites[id].named) continue;
    named[id] = *kernel.sites[id].named;
    has_unknown_barriers = has_unknown_barriers || !kernel.sites[id].named->is_known;
  }
  if (has_unknown_barriers) named.clear();
  for (const BlockInfo& block : kernel.blocks) add_block(kernel, block, index_of, spaces);
  first_event.push_back(static_cast<std::uint32_t>(events.size()));
  if (const SiteInfo* site = waits_for(kernel)) {
    not_checked = site->locations.empty()
                      ? "its work-items wait for each other in a loop"
                      : fmt::format("its work-items wait for each other in a loop, {}:{}",
                                    site->locations.front().file, site->locations.front().line);
  }
}

void RacePlan::add_block(const KernelInfo& kernel, const BlockInfo& block,
                         const std::vector<std::uint32_t>& index_of, Spaces spaces) {
  first_event.push_back(static_cast<std::uint32_t>(events.size()));
  auto meeting = block.meetings.begin();
  auto fence = spaces == Spaces::All ? block.fences.begin() : block.fences.end();
  const auto meet_before = [&](std::uint32_t position) {
    for (; fence != block.fences.end() && *fence < position; ++fence) {
      events.push_back({Step::Fence, 0, 0});
      has_fences = true;
    }
    for (; meeting != block.meetings.end() && meeting->position < position; ++meeting) {
      events.push_back({meeting->of_group ? Step::Barrier : Step::Meeting, kWholeGrid, meeting->mask});
      meets = meets || !meeting->of_group;
    }
  };
  for (const SiteId id : block.sites) {
    const SiteInfo& site = kernel.sites[id.value()];
    meet_before(site.point.position);
    if (site.kind == AccessKind::Barrier) events.push_back({Step::Barrier, id.value(), 0});
    const bool orders = (site.kind == AccessKind::Fence && site.operation != "local") ||
                        (site.releases && !is_of_group(site));
    if (spaces == Spaces::All && orders) {
      events.push_back({Step::Fence, 0, 0});
      has_fences = true;
    }
    if (index_of[id.value()] != kNoEvent) events.push_back({Step::Access, index_of[id.value()], 0});
  }
  meet_before(kNoEvent);
}

bool RacePlan::can_race() const {
  return std::any_of(sites.begin(), sites.end(), [&](const Site& a) {
    return std::any_of(sites.begin(), sites.end(), [&](const Site& b) { return conflict(a.kind, b.kind); });
  });
}

}  // namespace warpscope
