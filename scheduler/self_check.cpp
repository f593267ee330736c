#include "scheduler/self_check.h"

#include <fmt/format.h>

#include <bit>

#include "traces/base/error.h"

namespace warpscope {
namespace {

[[noreturn]] void fail(WorkGroupId group, std::size_t item, SiteId site, const std::string& what) {
  throw InputError(
      fmt::format("self-check: work-group {}, work-item {}, site {}: {}; the capture is damaged or its "
                  "kernel description does not belong to it",
                  group.value(), item, site.value(), what));
}

}  // namespace

void SelfCheck::begin(const WorkGroupTrace& trace) {
  State& state = states_[trace.group];
  state = {};
  state.sites = static_cast<std::uint32_t>(trace.columns.size());
  state.counts.resize(std::size_t{trace.work_items} * state.sites);
  state.recorded_order = trace.recorded_order;
  state.executed.resize(trace.work_items);
  state.walked.resize((trace.work_items + warp_size_ - 1) / warp_size_);
}

void SelfCheck::block(WorkGroupId group, WarpId warp, BlockId block, LaneMask lanes) {
  if (plan_.blocks[block.value()].is_end) return;
  states_.at(group).walked[warp.value()].add(block.value(), static_cast<std::uint32_t>(lanes));
}

void SelfCheck::site(WorkGroupId group, WarpId warp, SiteId site, LaneMask lanes) {
  State& state = states_.at(group);
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const std::size_t item =
        std::size_t{warp.value()} * warp_size_ + static_cast<unsigned>(std::countr_zero(rest));
    ++state.counts[item * state.sites + site.value()];
    const std::uint64_t position = state.executed[item]++;
    if (state.recorded_order.empty()) continue;
    const std::vector<SiteId>& recorded = state.recorded_order[item];
    if (position >= recorded.size()) {
      fail(group, item, site,
           fmt::format("access {} was not recorded, the record has {}", position, recorded.size()));
    }
    if (recorded[position] != site) {
      fail(group, item, site,
           fmt::format("is access {}, recorded was site {}", position, recorded[position].value()));
    }
  }
}

void SelfCheck::end(const GroupReplay& replay) {
  const SharedGroup& group = replay.shared_group();
  const GroupPaths& paths = *group.paths;
  const State& state = states_.at(group.group);
  for (std::uint32_t item = 0; item < group.work_items; ++item) {
    const std::vector<std::uint64_t>& recorded = paths.paths[paths.path_of[item]].site_counts;
    for (std::uint32_t site = 0; site < state.sites; ++site) {
      const std::uint64_t executed = state.counts[std::size_t{item} * state.sites + site];
      const std::uint64_t expected = site < recorded.size() ? recorded[site] : 0;
      if (executed == expected) continue;
      fail(group.group, item, SiteId(site),
           fmt::format("executed {} times, recorded {} times", executed, expected));
    }
    if (!state.recorded_order.empty() && state.executed[item] != state.recorded_order[item].size()) {
      fail(group.group, item, SiteId(),
           fmt::format("{} accesses executed, {} recorded", state.executed[item],
                       state.recorded_order[item].size()));
    }
  }
  const GroupWalks& walks = paths.walks;
  for (std::uint32_t warp = 0; warp < walks.walk_of.size(); ++warp)
    if (state.walked[warp].value() != walks.walks[walks.walk_of[warp]].hash)
      throw InputError(
          fmt::format("self-check: work-group {}, warp {}: its lanes do not enter the blocks together that "
                      "were executed; the "
                      "capture is damaged or its kernel description does not belong to it",
                      group.group.value(), warp));
  for (std::uint32_t w = 0; w < replay.warps(); ++w) replay.check_exhausted(WarpId(w));
  states_.erase(group.group);
}

}  // namespace warpscope
